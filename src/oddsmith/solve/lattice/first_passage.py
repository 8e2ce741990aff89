"""Boards on which tokens do not disturb each other: N players from one token's first passage.

Let f(k) be the chance that a token finishes in its k-th turn and s(k) that it has not finished
after k turns. Tokens are independent, so the game comes to the k-th turn of player j (0 for the
first) with the tokens before j having survived k turns and those after j having survived k - 1:
player j then wins with chance f(k) s(k)^j s(k-1)^(N-1-j). One token's distribution, S numbers,
answers for any N.

Everything is a sum of products of numbers that are not negative, so errors stay relative: after
k turns a number is off by at most k (t + 4) u of itself, t the most terms of a sum, and a product
of N of them by N times as much. Sums over turns are compensated.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from oddsmith.rules.board.track import Track
from oddsmith.solve.lattice.solution import LatticeSolution
from oddsmith.solve.lattice.sweep import SLOW, EndlessLattice, Total

UNIT = 2.0**-53


def one_turn(track: Track) -> tuple[Any, Any, Any]:
    """A turn of one token: the chance matrix [source, target], to finish, and whether it throws."""
    moves = track.unconditional.copy()
    waits = np.nonzero(track.rest >= 0)[0]
    moves[waits, track.rest[waits]] = 1.0
    return moves, track.finishing, (track.rest < 0).astype(float)


def first_passage(
    track: Track, players: int, tolerance: float, visits: bool = False
) -> LatticeSolution:
    """The odds of N independent tokens."""
    moves, finishing, throws = one_turn(track)
    turns = _turn_bound(track, moves) * players + players
    gamma = (track.terms + 4) * UNIT
    summed = track.size * UNIT
    x = np.zeros(track.size)
    x[track.start] = 1.0
    found = LatticeSolution.begin(track, players, visits)
    win, threw_in_all, turns_in_all = [Total() for _ in range(players)], Total(), Total()
    before, turn, rounding, off = 1.0, 0, 0.0, 0.0
    arriving = moves.copy()
    np.fill_diagonal(arriving, 0.0)
    arriving[track.rest >= 0] = 0.0
    while before**players > tolerance / 4 + rounding / 4:
        turn += 1
        won, threw, alive, arrived = x @ finishing, x @ throws, x.sum(), x @ arriving
        x = x @ moves
        after = float(x.sum())
        off = players * (turn * gamma + summed)
        for player in range(players):
            others = after**player * before ** (players - 1 - player)
            win[player].add(float(won) * others)
            threw_in_all.add(float(threw) * others)
            turns_in_all.add(float(alive) * others)
            found.ended.append(float(won) * others)
            rounding += float(won) * others * off
            if visits:
                found.visits[player] += arrived * others
        before = after
    found.win = [total.value for total in win]
    found.length, found.turns_length = threw_in_all.value, turns_in_all.value
    found.turns = turn * players
    found.left = before**players
    found.off = (rounding + 64 * UNIT) * (1 + 1e-9)
    found.bound = found.left * (1 + 1e-9) + found.off
    found.length_bound = found.left * turns + found.turns_length * off
    found.turn_bound = turns
    found.step_error, found.sum_error = players * gamma, players * summed + 8 * UNIT
    found.numbers = track.size
    found.how.append(
        f"no token disturbs another: one token's first passage, {track.size} positions, "
        f"{turn:,} turns each"
    )
    return found


def _turn_bound(track: Track, moves: Any) -> float:
    """A bound on the expected number of a token's own turns from any position."""
    survives = np.ones(track.size)
    for turns in range(1, SLOW * 50):
        survives = moves @ survives
        most = float(survives.max()) + turns * (track.size + 4) * UNIT
        if most <= 0.5:
            return turns / (1 - most)
    raise EndlessLattice
