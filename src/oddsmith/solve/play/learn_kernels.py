# mypy: disable-error-code="untyped-decorator"
"""Compiled learning by self-play; the same games as `learn.py` plays interpreted.

A game is played forward, then looked back upon from its end to its start: every state that was
met gets the worth of its best move, by one step of look-ahead over the dice. States are rows as
their movers see them (`Rules.relative`) or as they are; x(s, q) is as in `problem.py`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit, uint64

from oddsmith.model.kernels import mix, pack, turn_view, unpack
from oddsmith.model.rule_calls import (
    die_of,
    legal,
    mover_of,
    read_state,
    scores_into,
    step,
    winner_code,
)
from oddsmith.solve.simulate.kernels import below, next_bits

DONE, BROKEN, UNKNOWN_DIE = range(3)

NO_DICE, BY_STATE = -1, -2


class Rules(NamedTuple):
    """What kernels need to know of a game beside its rules."""

    players: int
    relative: bool
    scored: bool
    start: Any
    turn: int
    """The column of the mover, if states are relative."""
    seats: Any
    low: Any
    radix: Any
    word: Any
    fixed: Any
    faces: Any
    weights: Any
    cumulative: Any
    die_start: Any
    die_total: Any
    die_digest: Any


class Memory(NamedTuple):
    """What has been learned: the states met, and what is guessed of the others."""

    keys: Any
    """The words of every state, in the order they were met."""
    table: Any
    """A hash table of their numbers + 1."""
    worth: Any
    """x(s, q) of every state (states × seats)."""
    action: Any
    """The best move in every state."""
    tiles: Any
    """Weights of the tiles (slots × seats)."""
    shift: Any
    """By how many bits each column is coarsened at each level (levels × columns)."""
    prior: float
    """The worth of a state of which nothing is known."""


# What is guessed of states never met ------------------------------------------------------------


@njit(cache=True, nogil=True)
def tile(row: Any, low: Any, shift: Any, level: int, slots: int) -> Any:
    """The slot of the tile that a state lies in at a level: a hash of its coarse numbers."""
    h = uint64(level + 1) * uint64(0x9E3779B97F4A7C15)
    for i in range(len(row)):
        h ^= uint64((row[i] - low[i]) >> shift[level, i])
        h *= uint64(0xBF58476D1CE4E5B9)
        h ^= h >> uint64(32)
    return np.int64(h & uint64(slots - 1))


@njit(cache=True, nogil=True)
def guess(row: Any, low: Any, shift: Any, tiles: Any, prior: float, out: Any) -> None:
    """What a state is worth to each seat, by its tiles."""
    out[:] = prior
    for level in range(len(shift)):
        slot = tile(row, low, shift, level, len(tiles))
        for q in range(len(out)):
            out[q] += tiles[slot, q]


@njit(cache=True, nogil=True)
def correct(
    row: Any, low: Any, shift: Any, tiles: Any, prior: float, seen: Any, rate: float, out: Any
) -> None:
    """Move the guess for a state towards what was seen."""
    guess(row, low, shift, tiles, prior, out)
    for level in range(len(shift)):
        slot = tile(row, low, shift, level, len(tiles))
        for q in range(len(out)):
            tiles[slot, q] += rate / len(shift) * (seen[q] - out[q])


@njit(cache=True, nogil=True)
def guess_all(rows: Any, low: Any, shift: Any, tiles: Any, prior: float, out: Any) -> None:
    """Guesses for many states."""
    for i in range(len(rows)):
        guess(rows[i], low, shift, tiles, prior, out[i])


# States met ---------------------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def find(words: Any, keys: Any, table: Any) -> Any:
    """The number of the state with these words; -1 - its place in the table if it is new."""
    mask = len(table) - 1
    place = mix(words) & mask
    while table[place] != 0:
        number = np.int64(table[place]) - 1
        same = True
        for i in range(len(words)):
            if keys[number, i] != words[i]:
                same = False
                break
        if same:
            return number
        place = (place + 1) & mask
    return -1 - place


@njit(cache=True, nogil=True)
def pay(game: Any, rules: Rules, state: Any, code: int, scores: Any, out: Any) -> Any:
    """What each player gets where the game is over; whether that could be told."""
    if rules.scored:
        if not scores_into(game, state, scores):
            return False
        for p in range(rules.players):
            out[p] = scores[p]
        return True
    winners = 0
    for p in range(rules.players):
        winners += (code >> p) & 1
    for p in range(rules.players):
        if winners > 0:
            out[p] = ((code >> p) & 1) / winners
        else:
            out[p] = 1 / rules.players if rules.players > 1 else 0.0
    return True


@njit(cache=True, nogil=True)
def die_thrown(game: Any, rules: Rules, move: int, state: Any) -> Any:
    """The number of the die that a move throws, or NO_DICE; BY_STATE if it is not known yet."""
    die = rules.fixed[move]
    if die != BY_STATE:
        return die
    wanted = die_of(game, move, state)
    for number in range(len(rules.die_digest)):
        if rules.die_digest[number] == wanted:
            return number
    return BY_STATE


class Desk(NamedTuple):
    """Room to work in."""

    new: Any
    words: Any
    scratch: Any
    scores: Any
    of_state: Any
    of_move: Any


@njit(cache=True, nogil=True)
def best_move(
    game: Any, rules: Rules, memory: Memory, row: Any, mover: int, desk: Desk, best: Any
) -> Any:
    """The move with the best outlook for the mover, -1 if rules are broken; its worth in `best`."""
    state = read_state(game, row)
    found = -1
    for move in range(len(rules.fixed)):
        if not legal(game, move, state):
            continue
        die = die_thrown(game, rules, move, state)
        begin, end = 0, 1
        if die >= 0:
            begin, end = rules.die_start[die], rules.die_start[die + 1]
        desk.of_move[:] = 0.0
        for face in range(begin, end):
            step(game, move, state, rules.faces, face, desk.new)
            base = worth_of(game, rules, memory, desk)
            if base == BAD:
                return -1
            chance = rules.weights[face] / rules.die_total[die] if die >= 0 else 1.0
            for q in range(rules.players):
                desk.of_move[q] += chance * desk.of_state[(mover + q - base) % rules.players]
        if found < 0 or desk.of_move[0] > best[0]:
            found = move
            best[:] = desk.of_move
    return found


BAD = -100


@njit(cache=True, nogil=True)
def worth_of(game: Any, rules: Rules, memory: Memory, desk: Desk) -> Any:
    """What the state in `desk.new` is worth, by seats from the player who is returned on."""
    row = desk.new
    base = 0
    if rules.relative:
        base = turn_view(row, rules.turn, rules.seats, desk.scratch)
    if not pack(row, rules.low, rules.radix, rules.word, desk.words):
        return BAD
    state = read_state(game, row)
    code = winner_code(game, state)
    if code >= 0:
        return base if pay(game, rules, state, code, desk.scores, desk.of_state) else BAD
    if code < -1:
        return BAD
    if not rules.relative:
        base = mover_of(game, state)
    number = find(desk.words, memory.keys, memory.table)
    if number >= 0:
        for q in range(rules.players):
            desk.of_state[q] = memory.worth[number, q]
    else:
        guess(row, rules.low, memory.shift, memory.tiles, memory.prior, desk.of_state)
    return base


@njit(cache=True, nogil=True)
def new_desk(rules: Rules) -> Any:
    """Fresh room to work in."""
    columns = len(rules.start)
    return Desk(
        np.empty(columns, np.int64),
        np.empty(rules.word[-1] + 1 if columns else 1, np.int64),
        np.empty(max(columns, 8), np.int64),
        np.empty(rules.players, np.int64),
        np.empty(rules.players),
        np.empty(rules.players),
    )


@njit(cache=True, nogil=True)
def learn(
    game: Any, rules: Rules, memory: Memory, stream: Any, games: int, max_moves: int,
    explore: float, rate: float, counts: Any, last: Any, signals: Any,
) -> Any:  # fmt: skip
    """Play some games and learn from each; returns a reason.

    `counts`: [0] games played, [1] states met, [2] moves made, [3] games cut off, [4] the least
    score seen. `last` is the state that play is in, for errors.
    """
    columns, players = len(rules.start), rules.players
    rows = np.empty((max_moves + 1, columns), np.int64)
    moves, turns = np.empty(max_moves, np.int64), np.empty(max_moves, np.int64)
    movers = np.empty(max_moves + 1, np.int64)
    options = np.empty(len(rules.fixed), np.int64)
    desk = new_desk(rules)
    seen, turned, best = np.empty(players), np.empty(players), np.empty(players)
    before = stream.copy()
    for _ in range(games):
        if signals[-1] != 0:
            return DONE
        before[:] = stream
        rows[0] = rules.start
        if rules.relative:
            turn_view(rows[0], rules.turn, rules.seats, desk.scratch)
        t = 0
        while True:
            row = rows[t]
            last[:] = row
            if not pack(row, rules.low, rules.radix, rules.word, desk.words):
                return BROKEN
            state = read_state(game, row)
            code = winner_code(game, state)
            if code < -1:
                return BROKEN
            movers[t] = 0
            if code >= 0:
                if not pay(game, rules, state, code, desk.scores, seen):
                    return BROKEN
                counts[4] = min(counts[4], seen.min())
                break
            if not rules.relative:
                movers[t] = mover_of(game, state)
                if movers[t] < 0 or movers[t] >= players:
                    return BROKEN
            if t == max_moves:
                seen[:] = 1 / players if players > 1 else 0.0
                if rules.scored:
                    seen[:] = counts[4]
                counts[3] += 1
                break
            many = 0
            for move in range(len(rules.fixed)):
                if legal(game, move, state):
                    options[many] = move
                    many += 1
                    if die_thrown(game, rules, move, state) == BY_STATE:
                        stream[:] = before
                        return UNKNOWN_DIE
            if many == 0:
                return BROKEN
            chosen = options[0]
            if many > 1:
                if (next_bits(stream) >> uint64(11)) * 2.0**-53 < explore:
                    chosen = options[below(stream, many)]
                else:
                    number = find(desk.words, memory.keys, memory.table)
                    if number >= 0:
                        chosen = np.int64(memory.action[number])
                    else:
                        chosen = best_move(game, rules, memory, row, movers[t], desk, best)
                        if chosen < 0:
                            return BROKEN
            face = 0
            die = die_thrown(game, rules, chosen, state)
            if die >= 0:
                drawn = below(stream, rules.die_total[die])
                face = rules.die_start[die]
                high = rules.die_start[die + 1] - 1
                while face < high:
                    middle = (face + high) // 2
                    if rules.cumulative[middle] > drawn:
                        high = middle
                    else:
                        face = middle + 1
            step(game, chosen, state, rules.faces, face, rows[t + 1])
            turns[t] = 0
            if rules.relative:
                turns[t] = turn_view(rows[t + 1], rules.turn, rules.seats, desk.scratch)
            moves[t] = chosen
            t += 1
            signals[1] += 1
        counts[2] += t
        for j in range(t - 1, -1, -1):
            row = rows[j]
            last[:] = row
            move = best_move(game, rules, memory, row, movers[j], desk, best)
            if move < 0:
                return BROKEN
            turn = turns[j] if rules.relative else movers[j + 1] - movers[j]
            for q in range(players):
                turned[q] = seen[(q - turn) % players]
            # What came of a move that is not the best says nothing about the state.
            seen[:] = turned if moves[j] == move else best
            correct(
                row, rules.low, memory.shift, memory.tiles, memory.prior, seen, rate, turned
            )
            pack(row, rules.low, rules.radix, rules.word, desk.words)
            number = find(desk.words, memory.keys, memory.table)
            if number < 0:
                if counts[1] == len(memory.keys):
                    continue
                place = -1 - number
                number = np.int64(counts[1])
                memory.table[place] = number + 1
                memory.keys[number] = desk.words
                counts[1] += 1
            memory.worth[number] = best
            memory.action[number] = move
        counts[0] += 1
        signals[0] = counts[0]
    return DONE


@njit(cache=True, nogil=True)
def sweep(game: Any, rules: Rules, memory: Memory, count: int, last: Any, signals: Any) -> Any:
    """Look one step ahead once more from every state met; returns a reason."""
    row, best, desk = np.empty(len(rules.start), np.int64), np.empty(rules.players), new_desk(rules)
    for number in range(count):
        if signals[-1] != 0:
            break
        unpack(memory.keys[number], rules.low, rules.radix, rules.word, desk.scratch, row)
        last[:] = row
        mover = 0 if rules.relative else mover_of(game, read_state(game, row))
        move = best_move(game, rules, memory, row, mover, desk, best)
        if move < 0:
            return BROKEN
        memory.worth[number] = best
        memory.action[number] = move
        signals[1] += 1
    return DONE


@njit(cache=True, nogil=True)
def look_ahead(
    states: Any, choice: Any, row: Any, col: Any, weight: Any, total: Any, shift: Any, x: Any,
    found: Any,
) -> None:  # fmt: skip
    """The choice with the best outlook in some states of a model, by the worth x of all states."""
    players = x.shape[1]
    for i in range(len(states)):
        s, best = states[i], -np.inf
        for c in range(choice[s], choice[s + 1]):
            value = 0.0
            for e in range(row[c], row[c + 1]):
                q = (players - shift[e]) % players if len(shift) > 0 else 0
                value += weight[e] / total[c] * x[col[e], q]
            if value > best:
                found[i], best = c, value
