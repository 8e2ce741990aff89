"""From a property to what it asks of a path: an until formula, and rewards.

All path formulas come down to U, by `properties/until.py`; rewards over k steps, or up to a
goal, are those on the way of such a formula.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import cast

from oddsmith.properties.goals import Goal
from oddsmith.properties.syntax import Filter, Given, Quantified, Question, Temporal, whole
from oddsmith.properties.until import until_of
from oddsmith.rules.prism.expression import (
    Binary,
    Constant,
    Expression,
    Label,
    Read,
    Unary,
    rebuilt,
    walk,
)
from oddsmith.rules.prism.program import Program
from oddsmith.rules.prism.source import Source
from oddsmith.solve.simulate import path_kernels as kernels
from oddsmith.solve.simulate.paths import PathQuestion


def planned(question: Expression, origin: Source, steps: int | None) -> PathQuestion:
    """What a property asks of a path; refuses what paths cannot answer."""
    if not isinstance(question, Question) or question.kind == "S":
        raise origin.error(
            "Paths answer P and R of one path formula, as in P=? [ F<=100 x=3 ]; check the rest.",
            question.at,
        )
    plan = _path(question.body, origin) if question.kind == "P" else _goal(question, origin)
    for e in (plan.left, plan.right):
        if e is not None:
            _check_plain(e, origin)
    if plan.high is None and steps is None:
        raise origin.error(
            "This has no upper bound on steps, so a path may never be decided: say after how many "
            "it is given up, as in --steps 10000.",
            question.body.at,
        )
    return replace(plan, cap=steps)


def _path(path: Expression, origin: Source) -> PathQuestion:
    if isinstance(path, Unary):
        inner = _path(path.operand, origin)
        return replace(inner, negated=not inner.negated)
    if isinstance(path, Given):
        raise origin.error("Conditional probabilities are not simulated: check them.", path.at)
    assert isinstance(path, Temporal)
    if path.operator == "X":
        return PathQuestion(None, path.right, 1, 1)
    until = until_of(path)
    window = until.window
    if window is not None and window.reward is not None:
        raise origin.error("Bounds on rewards are not simulated, only bounds on steps.", window.at)
    low = 0 if window is None else whole(window.low) or 0
    high = None if window is None else whole(window.high)
    return PathQuestion(until.left, until.right, low, high, negated=until.negated)


def _goal(question: Question, origin: Source) -> PathQuestion:
    goal, reward = question.body, cast(str, question.reward)
    if isinstance(goal, Temporal):
        return PathQuestion(right=goal.right, reward=reward, earn=kernels.ON_THE_WAY)
    plan = goal.on_a_path(reward) if isinstance(goal, Goal) else None
    if plan is not None:
        return plan
    raise origin.error("Of rewards, F, C<=k and I=k can be simulated; check the rest.", goal.at)


def _check_plain(e: Expression, origin: Source) -> None:
    for one in walk(e):
        if isinstance(one, Question | Quantified | Filter):
            raise origin.error(
                "A path does not tell what a formula in another one is about: nested P, R, S, E, A "
                "and filters are not simulated; check them.",
                one.at,
            )


def unlabelled(e: Expression, program: Program) -> Expression:
    """A state formula in which labels are replaced by what they stand for."""
    if isinstance(e, Label):
        if e.name in program.labels:
            return program.labels[e.name]
        return _initial(program) if e.name == "init" else _deadlock(program)
    return rebuilt(e, lambda part: unlabelled(part, program))


def _initial(program: Program) -> Expression:
    if program.initial is not None:
        return program.initial
    return _both(
        "&",
        [
            Binary(
                "=",
                Read(i, type="int"),
                Constant(Fraction(v.initial), type="int"),
                type="bool",
            )
            for i, v in enumerate(program.variables)
        ],
    )


def _deadlock(program: Program) -> Expression:
    """No synchronisation has an enabled command in every part."""
    synchronisations = [
        _both("&", [_both("|", [program.commands[c].guard for c in part]) for part in sync.parts])
        for sync in program.synchronisations
    ]
    return _not(_both("|", synchronisations))


def _both(operator: str, parts: Sequence[Expression]) -> Expression:
    """Parts joined by & or |, as a tree of little depth."""
    if not parts:
        return Constant(Fraction(operator == "&"), type="bool")
    if len(parts) == 1:
        return parts[0]
    middle = len(parts) // 2
    return Binary(
        operator, _both(operator, parts[:middle]), _both(operator, parts[middle:]), type="bool"
    )


def _not(e: Expression) -> Expression:
    return Unary("!", e, type="bool")
