# mypy: disable-error-code="untyped-decorator"
"""Mover-relative states compared from every seat, by the native functions of a game."""

from __future__ import annotations

from typing import Any

import numpy as np

from oddsmith.ahead import kernel
from oddsmith.model.row_kernels import unpack
from oddsmith.model.rule_calls import (
    FAILED,
    at,
    die_of,
    legal,
    mover_of,
    play,
    scores_into,
    unrank_into,
    winner_code,
)


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
