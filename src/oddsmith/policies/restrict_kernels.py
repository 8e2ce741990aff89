# mypy: disable-error-code="untyped-decorator"
"""Compiled kernels that cut a model down to what some decisions leave of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from oddsmith.ahead import kernel

FREE, RANDOM, UNKNOWN = -1, -2, -3


@kernel
def visit(
    s: Any, choice: Any, row: Any, col: Any, decided: Any, number: Any, queue: Any, found: int
) -> Any:
    """Enter the successors of a state into the queue."""
    first, last = choice[s], choice[s + 1]
    if decided[s] >= 0:
        first, last = decided[s], decided[s] + 1
    for e in range(row[first], row[last]):
        t = col[e]
        if number[t] < 0:
            number[t] = found
            queue[found] = t
            found += 1
    return found


@kernel
def spread(
    choice: Any, row: Any, col: Any, decided: Any, number: Any, queue: Any, done: int, found: int
) -> Any:
    """Work the queue off; states whose decision is not known are collected instead."""
    asked = np.empty(len(number), np.int32)
    count = 0
    while done < found:
        s = queue[done]
        done += 1
        if decided[s] == UNKNOWN:
            asked[count] = s
            count += 1
        else:
            found = visit(s, choice, row, col, decided, number, queue, found)
    return done, found, asked[:count].copy()


@kernel
def follow(
    choice: Any, row: Any, col: Any, decided: Any, number: Any, queue: Any, states: Any, found: int
) -> Any:
    """Enter the successors of states whose decision has become known."""
    for s in states:
        found = visit(s, choice, row, col, decided, number, queue, found)
    return found


@kernel
def common_total(first: int, last: int, total: Any) -> Any:
    """The least common multiple of some totals, 0 if it is too large."""
    common = np.int64(1)
    for c in range(first, last):
        a, b = common, np.int64(total[c])
        while b != 0:
            a, b = b, a % b
        factor = np.int64(total[c]) // a
        if common > (np.int64(1) << 61) // factor // (last - first):
            return np.int64(0)
        common *= factor
    return common


@kernel
def build(
    choice: Any, row: Any, col: Any, weight: Any, total: Any, action: Any, shift: Any,
    decided: Any, number: Any, kept: Any, mixed: bool,
) -> Any:  # fmt: skip
    """The arrays of the model that is left, its states numbered as in `kept`."""
    choices, edges = 0, 0
    for s in kept:
        first, last = choice[s], choice[s + 1]
        if decided[s] >= 0:
            first, last = decided[s], decided[s] + 1
        choices += 1 if decided[s] == RANDOM else last - first
        edges += row[last] - row[first]
    new_choice = np.empty(len(kept) + 1, np.int64)
    new_row, new_total = np.empty(choices + 1, np.int64), np.empty(choices, np.int64)
    new_action, new_col = np.empty(choices, action.dtype), np.empty(edges, np.int32)
    new_weight = np.empty(edges, np.int64)
    new_shift = np.empty(edges if len(shift) > 0 else 0, np.uint8)
    choices, edges = 0, 0
    for i in range(len(kept)):
        s = kept[i]
        new_choice[i] = choices
        first, last = choice[s], choice[s + 1]
        if decided[s] >= 0:
            first, last = decided[s], decided[s] + 1
        common = np.int64(1)
        if decided[s] == RANDOM:
            common = common_total(first, last, total)
            new_row[choices] = edges
            new_total[choices] = common * (last - first)
            new_action[choices] = action[first]
            choices += 1
        for c in range(first, last):
            factor = np.int64(1)
            if decided[s] == RANDOM:
                factor = common // np.int64(total[c])
            else:
                new_row[choices] = edges
                new_total[choices] = total[c]
                new_action[choices] = action[c]
                choices += 1
            for e in range(row[c], row[c + 1]):
                new_col[edges] = number[col[e]]
                new_weight[edges] = np.int64(weight[e]) * factor
                if len(shift) > 0:
                    new_shift[edges] = shift[e]
                edges += 1
    new_choice[len(kept)] = choices
    new_row[choices] = edges
    return new_choice, new_row, new_col, new_weight, new_total, new_action, new_shift
