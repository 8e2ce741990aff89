"""Numbers too long for 64 bits: what was explored in floating point, again in fractions.

Native code computes with fractions of 64 bits. Where a literal has more digits, or a product of
chances is longer, a program is explored in floating point: its chances are then rounded, and so
is every comparison in a guard, a label or a reward. The interpreter knows fractions of any length,
so for programs of not too many states it plays every state again. What it says replaces the rounded
numbers; where it has other choices or comes to other states, rounding has changed the rules, and
that is an error. Irrational numbers (logarithms, roots) have no fractions: they stay as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import isclose
from typing import Any

import numpy as np

from oddsmith.errors import RuleError
from oddsmith.model.amounts import Amounts, Rewards
from oddsmith.model.formats.numerals import Table, amounts
from oddsmith.model.model import Model
from oddsmith.model.variables import Valuations
from oddsmith.rules.prism import interpret
from oddsmith.rules.prism.expression import Expression
from oddsmith.rules.prism.program import Program
from oddsmith.rules.prism.source import Rejected

MOST_STATES = 20_000
"""Larger programs are left with their rounded numbers, which are not called exact."""

ROUNDED = "Numbers too long for 64 bits were rounded, in guards and labels too."

CLOSE = 1e-9

State = tuple[int, ...]


class _IrrationalError(Exception):
    """A number that is no fraction."""


def in_fractions(program: Program, process: Model, decided: bool) -> Model:
    """A process of which some numbers were rounded, with fractions where there are any.

    `decided` says whether rounded numbers may have decided where guards and labels hold.
    """
    every = [process.chance]
    for one in process.rewards.values():
        every += [amounts for amounts in (one.state, one.choice) if amounts is not None]
    if not decided and all(amounts.exact is not None for amounts in every):
        return process
    if process.states > MOST_STATES:
        return replace(process, notes=(*process.notes, ROUNDED)) if decided else process
    states = listed(process.valuations)
    try:
        rows = _aligned(process, states, [_rows(program, state) for state in states])
        chance = _chances(process, states, rows)
        labels = {
            name: np.array([bool(interpret.evaluate(e, state)) for state in states], bool)
            for name, e in program.labels.items()
        }
        rewards = {
            one.name: _rewards(program, one, process, states, rows)
            for one in program.rewards
            if one.name in process.rewards
        }
    except _IrrationalError:
        return process
    return replace(
        process,
        chances=chance,
        labels={**process.labels, **labels},
        rewards={**process.rewards, **rewards},
    )


def listed(valuations: Valuations) -> list[State]:
    """The values of the variables in every state."""
    columns = [valuations.column(i).tolist() for i in range(len(valuations.variables))]
    return list(zip(*columns, strict=True)) if columns else [()] * len(valuations.packed)


Row = tuple[list[str], dict[State, Fraction]]
"""The actions that a choice was merged from, and where it leads."""


def _rows(program: Program, state: State) -> list[Row]:
    """The choices of a state as a process has them: those of a dtmc are one, each as likely."""
    options = interpret.choices(program, state)
    rows: list[Row] = [([o.action], _merged(o.outcomes, Fraction(1))) for o in options]
    if program.kind == "dtmc" and len(rows) > 1:
        share = Fraction(1, len(rows))
        outcomes = [(p, t) for _, found in rows for t, p in found.items()]
        rows = [([action for names, _ in rows for action in names], _merged(outcomes, share))]
    return rows or [([], {state: Fraction(1)})]


def _merged(outcomes: Sequence[tuple[Any, State]], share: Fraction) -> dict[State, Fraction]:
    found: dict[State, Fraction] = {}
    for p, target in outcomes:
        found[target] = found.get(target, Fraction(0)) + _rational(p) * share
    return found


def _rational(value: Any) -> Fraction:
    if isinstance(value, float):
        raise _IrrationalError
    return Fraction(value)


def _aligned(process: Model, states: Sequence[State], rows: Sequence[list[Row]]) -> list[Row]:
    """The rows in the order of the process's choices, which native code may find in another.

    A row stands for a choice if they have the action, the targets and, within rounding, the
    chances in common. Rows of which several would do differ by less than rounding, and earn the
    same: which of them stands for which choice makes no difference.
    """
    choice, row, col = (list(map(int, a)) for a in (process.choice, process.row, process.col))
    rounded = process.chance.floats.tolist()
    chain = process.kind == "dtmc"
    found: list[Row] = []
    for s, options in enumerate(rows):
        if choice[s + 1] - choice[s] != len(options):
            raise _changed(process, s)
        left = list(options)
        for c in range(choice[s], choice[s + 1]):
            action = process.actions[0 if process.action is None else int(process.action[c])]
            chances = {states[col[e]]: rounded[e] for e in range(row[c], row[c + 1])}
            for one in left:
                same = chain or not one[0] or one[0] == [action]
                if same and chances.keys() == one[1].keys() and all(
                    isclose(float(p), chances[t], rel_tol=CLOSE) for t, p in one[1].items()
                ):  # fmt: skip
                    break
            else:
                raise _changed(process, s)
            left.remove(one)
            found.append(one)
    return found


def _chances(process: Model, states: Sequence[State], rows: Sequence[Row]) -> Amounts:
    ends = process.row.tolist()
    return amounts_of(
        [
            outcomes[states[int(process.col[e])]]
            for c, (_, outcomes) in enumerate(rows)
            for e in range(ends[c], ends[c + 1])
        ]
    )


def _changed(process: Model, s: int) -> RuleError:
    return RuleError(
        f"{process.name} has numbers beyond 64 bits, and rounding them changes what can happen in "
        f"{process.describe(s)}: write them with fewer digits."
    )


def _rewards(
    program: Program, one: Any, process: Model, states: Sequence[State], rows: Sequence[Row]
) -> Rewards:
    before = process.rewards[one.name]
    state = choice = None
    if before.state is not None:
        each = [_rational(interpret.state_reward(program, one, s)) for s in states]
        state = amounts_of(each)
    if before.choice is not None:
        choice = amounts_of(
            [
                _mean(
                    [_rational(interpret.choice_reward(program, one, states[s], a)) for a in names]
                )
                for s, (names, _) in zip(process.chooser.tolist(), rows, strict=True)
            ]
        )
    return Rewards(state, choice)


def _mean(earned: Sequence[Fraction]) -> Fraction:
    """What a choice earns that was merged from several; the loop of a deadlock earns nothing."""
    return sum(earned, Fraction(0)) / max(1, len(earned))


def amounts_of(numbers: Sequence[Fraction | int]) -> Amounts:
    """Amounts of fractions of any size: a float that cannot be as large is infinite."""
    table = Table()
    return amounts([table.add(Fraction(value)) for value in numbers], table.exact)


def evaluated(expression: Expression, valuations: Valuations) -> list[Any] | None:
    """An expression in every state, in fractions; None where that is too much, or impossible."""
    if len(valuations.packed) > MOST_STATES:
        return None
    try:
        found = [interpret.evaluate(expression, state) for state in listed(valuations)]
    except Rejected:  # it has no value somewhere, which others put into words
        return None
    return None if any(isinstance(value, float) for value in found) else found
