# mypy: disable-error-code="untyped-decorator"
"""Compiled kernels of exploration: breadth first, one pass over the states as they are found.

`expand` plays every legal move with every roll in a block of states. New states are appended in
the order they are met, outcomes that lead to the same state are merged on the spot, and a block
ends early, with a reason, when a table is too small or a rule is broken; the driver mends the
cause and goes on at the state where it stopped. Nothing is lost or reordered by that: states
already appended are simply found again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from oddsmith.ahead import kernel
from oddsmith.model.rule_calls import (
    FAILED,
    at,
    die_of,
    legal,
    mover_of,
    play,
    rank_of,
    scores_into,
    unrank_into,
    winner_code,
)

DONE, TABLE_FULL, OUT_OF_RANGE, NO_MOVE, BAD_MOVER, STOPPED, BAD_RANK, BROKEN = range(8)
"""Why a block ends. BROKEN: the rules raise, or their numbers are beyond 64 bits."""


@kernel
def pack(row: Any, low: Any, radix: Any, word: Any, words: Any) -> Any:
    """Pack a row into words; False if a number is out of its range."""
    words[:] = 0
    for i in range(len(row)):
        digit = row[i] - low[i]
        if digit < 0 or digit >= radix[i]:
            return False
        words[word[i]] = words[word[i]] * radix[i] + digit
    return True


@kernel
def unpack(words: Any, low: Any, radix: Any, word: Any, scratch: Any, row: Any) -> None:
    """Unpack words into a row."""
    for i in range(len(words)):
        scratch[i] = words[i]
    for i in range(len(row) - 1, -1, -1):
        rest = scratch[word[i]] // radix[i]
        row[i] = scratch[word[i]] - rest * radix[i] + low[i]
        scratch[word[i]] = rest


@kernel
def turn_view(row: Any, turn: int, seats: Any, scratch: Any) -> Any:
    """Turn a row to its mover's view in place; the number of seats it was turned by."""
    lane = row[turn]
    players = seats.shape[1]
    if 0 < lane < players:
        for f in range(seats.shape[0]):
            for i in range(players):
                scratch[i] = row[seats[f, i]]
            for i in range(players):
                source = i + lane
                if source >= players:
                    source -= players
                row[seats[f, i]] = scratch[source]
        row[turn] = 0
    return lane


@kernel
def mix(words: Any) -> Any:
    """Hash words (the finaliser of splitmix64, word by word)."""
    h = np.uint64(0x9E3779B97F4A7C15)
    for i in range(len(words)):
        h ^= np.uint64(words[i])
        h = (h ^ (h >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        h = (h ^ (h >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        h ^= h >> np.uint64(31)
    return np.int64(h & np.uint64(0x7FFFFFFFFFFFFFFF))


@kernel
def find_or_add(words: Any, keys: Any, table: Any, direct: bool, count: int) -> Any:
    """The number of the state with these words; `count` (and an entry) if it is new.

    The table holds number + 1, so that a fresh zeroed table is empty. Direct: the one word is
    the place in the table. Otherwise open addressing with linear probing.
    """
    if direct:
        place = words[0]
        if table[place] == 0:
            table[place] = count + 1
            keys[count, 0] = words[0]
            return count
        return table[place] - 1
    mask = len(table) - 1
    place = mix(words) & mask
    while table[place] != 0:
        number = table[place] - 1
        same = True
        for i in range(len(words)):
            if keys[number, i] != words[i]:
                same = False
                break
        if same:
            return number
        place = (place + 1) & mask
    table[place] = count + 1
    for i in range(len(words)):
        keys[count, i] = words[i]
    return count


@kernel
def rehash(keys: Any, count: int, table: Any) -> None:
    """Enter all known states into a new, larger table."""
    mask = len(table) - 1
    for number in range(count):
        place = mix(keys[number]) & mask
        while table[place] != 0:
            place = (place + 1) & mask
        table[place] = number + 1


@kernel
def agrees(steps: Any, is_new: bool, rank: Any, row: Any, number: int, marks: Any) -> Any:
    """Whether a game's own rank tells states apart: loud where it would merge two in silence.

    A new state must come back from `unrank`, and is remembered by a hash of its numbers; a
    known one must have the hash that is remembered.
    """
    mark = mix(row)
    if not is_new:
        return marks[number] == mark
    marks[number] = mark
    back = np.empty(len(row), np.int64)
    if unrank_into(steps, rank, at(back)) == FAILED:
        return False
    return (back == row).all()


@kernel
def expand(
    steps: Any,
    first: int,
    last: int,
    count: int,
    ranked: bool,
    direct: bool,
    symmetric: bool,
    low: Any,
    radix: Any,
    word: Any,
    turn: int,
    seats: Any,
    movers: int,
    moves: int,
    faces: Any,
    weights: Any,
    die_start: Any,
    die_total: Any,
    keys: Any,
    marks: Any,
    table: Any,
    choice_count: Any,
    row_count: Any,
    total: Any,
    action: Any,
    owner: Any,
    winners: Any,
    scores: Any,
    col: Any,
    weight: Any,
    shift: Any,
    slot: Any,
    talk: Any,
) -> Any:
    """Expand the states first … last-1; returns (reason, expanded, states, choices, edges).

    Outputs are relative to this block: `choice_count[i]` is the number of choices of state
    first + i, `row_count[c]` the number of transitions of choice c. `slot` has one entry a
    known state and seat. `talk` is between this and the driver: [0] the state being expanded (for
    errors inside a rule), [1] the table size that is needed, [2] set by the driver to stop.
    """
    columns = len(low)
    players = seats.shape[1] if symmetric else 1
    row, new = np.empty(columns, np.int64), np.empty(columns, np.int64)
    words, scratch = np.empty(keys.shape[1], np.int64), np.empty(max(columns, 8), np.int64)
    row_at, new_at = at(row), at(new)
    faces_at, face_size = at(faces), 8 * faces.shape[1]
    choices = edges = 0
    for index in range(first, last):
        talk[0] = index
        block = index - first
        if talk[2] != 0:
            return STOPPED, block, count, choices, edges
        if ranked:
            if unrank_into(steps, keys[index, 0], row_at) == FAILED:
                return BROKEN, block, count, choices, edges
        else:
            unpack(keys[index], low, radix, word, scratch, row)
        code = winner_code(steps, row_at)
        winners[block] = code
        owner[block] = 0
        choice_count[block] = 0
        choices_before, edges_before = choices, edges
        if code != -1:
            if code < 0:
                return BROKEN, block, count, choices, edges
            if len(scores) > 0 and scores_into(steps, row_at, at(scores[block])) == FAILED:
                return BROKEN, block, count, choices, edges
            continue
        mover = mover_of(steps, row_at)
        if mover < 0 or mover >= movers:
            return BAD_MOVER, block, count, choices, edges
        owner[block] = mover
        for move in range(moves):
            allowed = legal(steps, move, row_at)
            if allowed == 0:
                continue
            die = die_of(steps, move, row_at)
            if allowed == FAILED or die == FAILED:
                return BROKEN, block, count, choices_before, edges_before
            begin, end = 0, 1
            if die >= 0:
                begin, end = die_start[die], die_start[die + 1]
            edge_start = edges
            for face in range(begin, end):
                if play(steps, move, row_at, faces_at + face * face_size, new_at) == FAILED:
                    return BROKEN, block, count, choices_before, edges_before
                lane = turn_view(new, turn, seats, scratch) if symmetric else 0
                if lane < 0 or lane >= players:
                    return OUT_OF_RANGE, block, count, choices_before, edges_before
                if ranked:
                    for i in range(columns):
                        if new[i] < low[i] or new[i] >= low[i] + radix[i]:
                            return OUT_OF_RANGE, block, count, choices_before, edges_before
                    words[0] = rank_of(steps, new_at)
                    if words[0] == FAILED:
                        return BROKEN, block, count, choices_before, edges_before
                    if words[0] < 0:
                        return BAD_RANK, block, count, choices_before, edges_before
                    if words[0] >= len(table):
                        talk[1] = words[0]
                        return TABLE_FULL, block, count, choices_before, edges_before
                elif not pack(new, low, radix, word, words):
                    return OUT_OF_RANGE, block, count, choices_before, edges_before
                target = find_or_add(words, keys, table, direct, count)
                if ranked and not agrees(steps, target == count, words[0], new, target, marks):
                    return BAD_RANK, block, count + (target == count), choices_before, edges_before
                if target == count:
                    count += 1
                throws = weights[face] if die >= 0 else 1
                # slot remembers where in this choice a target was met: merge or append.
                place = target * players + lane
                seen = slot[place]
                if (
                    seen >= edge_start
                    and seen < edges
                    and col[seen] == target
                    and (not symmetric or shift[seen] == lane)
                ):
                    weight[seen] += throws
                else:
                    slot[place] = edges
                    col[edges] = target
                    weight[edges] = throws
                    if symmetric:
                        shift[edges] = lane
                    edges += 1
            total[choices] = die_total[die] if die >= 0 else 1
            action[choices] = move
            row_count[choices] = edges - edge_start
            choices += 1
        choice_count[block] = choices - choices_before
        if choices == choices_before:
            return NO_MOVE, block, count, choices, edges
    return DONE, last - first, count, choices, edges


@kernel
def seat_columns(columns: int, turn: int, seats: Any) -> Any:
    """Where each number of a row is when everybody sits so many seats further on."""
    players = seats.shape[1]
    places = np.empty((players, columns), np.int64)
    for by in range(players):
        for i in range(columns):
            places[by, i] = i
        for f in range(seats.shape[0]):
            for i in range(players):
                places[by, seats[f, i]] = seats[f, (i + by) % players]
    return places


@kernel(forceinline=True)
def turn_back(row: Any, place: Any, turn: int, by: int, players: int, out: Any) -> None:
    """A row as it is when everybody sits some seats further on."""
    for i in range(len(row)):
        out[place[i]] = row[i]
    seat = row[turn] + by
    out[turn] = seat if seat < players else seat - players


@kernel
def asymmetric(
    steps: Any, first: int, last: int, ranked: bool, low: Any, radix: Any, word: Any, turn: int,
    seats: Any, moves: int, faces: Any, die_start: Any, keys: Any, scored: bool,
) -> int:  # fmt: skip
    """The first of some mover-relative states that the rules treat otherwise from another seat.

    -1 if there is none; see `symmetry.py`. What fails from one seat must fail from all.
    """
    columns, players = len(low), seats.shape[1]
    row, other = np.empty(columns, np.int64), np.empty(columns, np.int64)
    new, there = np.empty(columns, np.int64), np.empty(columns, np.int64)
    words, expected = np.empty(keys.shape[1], np.int64), np.empty(columns, np.int64)
    mine, theirs = np.zeros(players, np.int64), np.zeros(players, np.int64)
    row_at, other_at, new_at, there_at = at(row), at(other), at(new), at(there)
    faces_at, face_size = at(faces), 8 * faces.shape[1]
    places = seat_columns(columns, turn, seats)
    for index in range(first, last):
        if ranked:
            unrank_into(steps, keys[index, 0], row_at)
        else:
            unpack(keys[index], low, radix, word, words, row)
        code = winner_code(steps, row_at)
        for by in range(1, players):
            place = places[by]
            turn_back(row, place, turn, by, players, other)
            turned = code
            if code > 0:
                turned = ((code << by) | (code >> (players - by))) & ((1 << players) - 1)
            if winner_code(steps, other_at) != turned:
                return index
            if code != -1:
                if scored:
                    scores_into(steps, row_at, at(mine))
                    scores_into(steps, other_at, at(theirs))
                    for p in range(players):
                        if theirs[(p + by) % players] != mine[p]:
                            return index
                continue
            if mover_of(steps, other_at) != (mover_of(steps, row_at) + by) % players:
                return index
            for move in range(moves):
                allowed = legal(steps, move, row_at)
                if legal(steps, move, other_at) != allowed:
                    return index
                if allowed != 1:
                    continue
                die = die_of(steps, move, row_at)
                if die_of(steps, move, other_at) != die:
                    return index
                begin, end = 0, 1
                if die >= 0:
                    begin, end = die_start[die], die_start[die + 1]
                for face in range(begin, end):
                    roll = faces_at + face * face_size
                    said = play(steps, move, row_at, roll, new_at)
                    if play(steps, move, other_at, roll, there_at) != said:
                        return index
                    if said == FAILED:
                        continue
                    turn_back(new, place, turn, by, players, expected)
                    for i in range(columns):
                        if expected[i] != there[i]:
                            return index
    return -1


@kernel
def reached_lanes(row: Any, col: Any, shift: Any, lanes: int, start: int, lane: int) -> Any:
    """Which (state, seat) of the full chain are reached from (start, lane)."""
    reached = np.zeros((len(row) - 1, lanes), np.bool_)
    reached[start, lane] = True
    grew = True
    while grew:  # states are numbered as they were met, so few passes are needed
        grew = False
        for s in range(len(row) - 1):
            for j in range(lanes):
                if not reached[s, j]:
                    continue
                for e in range(row[s], row[s + 1]):
                    k = j + np.int64(shift[e])
                    if k >= lanes:
                        k -= lanes
                    if not reached[col[e], k]:
                        reached[col[e], k] = True
                        grew = grew or col[e] <= s
    return reached


@kernel
def unfold_transitions(
    old: Any, lane: Any, row: Any, old_row: Any, col: Any, weight: Any, shift: Any, number: Any
) -> Any:
    """Transitions of the full chain: choice c copies choice old[c] as seen from seat lane[c]."""
    new_col = np.empty(row[-1], np.int32)
    new_weight = np.empty(row[-1], weight.dtype)
    players = number.shape[1]
    for c in range(len(old)):
        e = row[c]
        for k in range(old_row[old[c]], old_row[old[c] + 1]):
            new_col[e] = number[col[k], (lane[c] + shift[k]) % players]
            new_weight[e] = weight[k]
            e += 1
    return new_col, new_weight
