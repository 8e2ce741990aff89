"""Conditional probabilities of a decision process, by resets.

Wanted is the largest P(φ & ψ) / P(ψ) over all policies with P(ψ) > 0, from one initial state, for
ψ = k U q and φ = l U r or its negation. Play until one of the two is decided. What is left is the
other formula, for which a policy is best that makes it likely or unlikely as suits:

    r holds          ψ as likely as can be: then φ & ψ;  else ψ failed
    q holds          φ as likely as can be: then φ & ψ;  else ψ alone
    k fails          ψ failed
    l fails          ψ as unlikely as can be: then ψ alone;  else ψ failed

(for the negation of φ the first and last row change places). Where ψ has failed, play begins
again: a path that does not count is played anew. That leaves the quotient as it is and makes the
condition sure, so the wanted number is the largest chance to reach "φ & ψ". A policy may also
keep play undecided for ever; where it can, a choice to begin again is added. The least conditional
probability is one minus the largest of the negation.

Reference
---------
C. Baier, J. Klein, S. Klüppelholz and S. Märcker, Computing conditional probabilities in Markovian
    models efficiently, TACAS 2014.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from oddsmith.errors import OptionError
from oddsmith.model.amounts import Amounts, Bools
from oddsmith.model.graph import prob0_min
from oddsmith.model.model import Model
from oddsmith.properties import intervals
from oddsmith.properties.paths import Until, capped
from oddsmith.solve.process.aim import Aim, Values
from oddsmith.solve.process.reach import until

Number = Fraction | float


def best_conditional(process: Model, path: Until, condition: Until, aim: Aim) -> Values:
    """The best conditional probability in the initial state; NaN in all others."""
    if aim.coalition is not None:
        raise OptionError("Conditional probabilities of games are not supported.")
    if len(process.initial) != 1:
        raise OptionError(
            "Conditional probabilities of a model with choices need a single initial state."
        )
    if condition.negated:
        raise OptionError(
            "In a model with choices the condition is F or U; G, W and R are not supported."
        )
    if not aim.maximise:
        other = replace(path, negated=not path.negated)
        return intervals.complement(_largest(process, other, condition, aim))
    return _largest(process, path, condition, aim)


def _largest(process: Model, path: Until, condition: Until, aim: Aim) -> Values:
    most, least = replace(aim, maximise=True), replace(aim, maximise=False)
    likely = capped(until(process, condition.left, condition.right, most))
    start = int(process.initial[0])
    lower = np.full(process.states, np.nan)
    upper = lower.copy()
    exact: list[Number] | None = [np.nan] * process.states if aim.exact else None
    if likely.upper[start] == 0:
        return Values(lower, upper, exact)
    unlikely = capped(until(process, condition.left, condition.right, least))
    wanted = capped(until(process, path.left, path.right, least if path.negated else most))
    if path.negated:
        wanted = intervals.complement(wanted)
    sides = ("exact",) if aim.exact else ("lower", "upper")
    for side in sides:
        worth = _Worth(path, condition, likely, unlikely, wanted, side)
        again, goal = _with_resets(process, worth)
        everywhere = np.ones(again.states, np.bool_)
        found = capped(until(again, everywhere, goal, replace(most, coalition=None)))
        if side != "upper":
            lower[start] = found.lower[start]
        if side != "lower":
            upper[start] = found.upper[start]
        if exact is not None and found.exact is not None:
            exact[start] = found.exact[start]
    return Values(lower, upper, exact, None, "play begins again where the condition fails")


class _Worth:
    """What a state that decides leads to: chances of "both" and of "condition alone"."""

    def __init__(
        self, path: Until, condition: Until, likely: Values, unlikely: Values, wanted: Values,
        side: str,
    ) -> None:  # fmt: skip
        self.path, self.condition = path, condition
        contrary = {"lower": "upper", "upper": "lower", "exact": "exact"}[side]
        self.likely = _side(likely, side)
        self.unlikely = _side(unlikely, contrary)
        self.wanted = _side(wanted, side)
        self.decided = path.right | condition.right | ~path.left | ~condition.left

    def of(self, s: int) -> tuple[Number, Number]:
        """Chances of both and of the condition alone; the rest begins again."""
        path = self.path
        if self.condition.right[s]:
            both = self.wanted[s]
            return both, 1 - both
        if not self.condition.left[s]:
            return Fraction(0), Fraction(0)
        if bool(path.right[s]) != path.negated:
            return self.likely[s], Fraction(0)
        return Fraction(0), self.unlikely[s]


def _side(values: Values, side: str) -> list[Number]:
    if side == "exact":
        assert values.exact is not None
        return list(values.exact)
    return [float(x) for x in (values.lower if side == "lower" else values.upper)]


def _with_resets(process: Model, worth: _Worth) -> tuple[Model, Bools]:
    """The process that begins again, and its target: two states are added at its end."""
    n, start = process.states, int(process.initial[0])
    both, alone = n, n + 1
    idle = prob0_min(process.choice, process.row, process.col, worth.decided)
    choice, row = [0], [0]
    col: list[int] = []
    chance: list[Number] = []
    table = process.chance.exact if process.chance.exact is not None else process.chance.values

    def add(outcomes: list[tuple[int, Number]]) -> None:
        for t, p in outcomes:
            if p > 0:
                col.append(t)
                chance.append(p)
        row.append(len(col))

    for s in range(n):
        if worth.decided[s]:
            first, second = worth.of(s)
            add([(both, first), (alone, second), (start, 1 - first - second)])
        else:
            for c in range(process.choice[s], process.choice[s + 1]):
                edges = range(process.row[c], process.row[c + 1])
                add([(int(process.col[e]), table[process.chance.index[e]]) for e in edges])
            if idle[s]:
                add([(start, Fraction(1))])
        choice.append(len(row) - 1)
    for s in (both, alone):
        add([(s, Fraction(1))])
        choice.append(len(row) - 1)
    if all(isinstance(p, Fraction) for p in chance):
        amounts = Amounts.of([Fraction(p) for p in chance])
    else:
        amounts = Amounts.of_floats(np.array([float(p) for p in chance]))
    again = replace(
        process, choice=np.array(choice), row=np.array(row), col=np.array(col, np.int32),
        chances=amounts, labels={}, rewards={}, action=None, owner=None,
    )  # fmt: skip
    return again, np.arange(n + 2) == both
