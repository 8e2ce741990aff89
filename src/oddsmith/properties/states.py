"""The value of a state formula, in all states: sets of states, and numbers with their bounds.

Formulas are checked from the inside out: an operator needs, of the formulas in its brackets, the
set of states in which they hold (Hansson & Jonsson 1994). A set is always decided, in the states
that matter: bounds that leave it open are tightened (see settle.py). So a nested formula adds no
error to the one around it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import cast

import numpy as np

from oddsmith.model.amounts import Amounts, Bools, Rewards
from oddsmith.model.model import Model
from oddsmith.properties import ctl, intervals
from oddsmith.properties.goals import Goal
from oddsmith.properties.paths import as_until, probability
from oddsmith.properties.settle import Precision, settle
from oddsmith.properties.syntax import Coalition, Filter, Given, Quantified, Question, Temporal
from oddsmith.rules.prism.arithmetic import short
from oddsmith.rules.prism.expression import (
    Binary,
    Call,
    Conditional,
    Constant,
    Expression,
    Label,
    Unary,
    walk,
)
from oddsmith.rules.prism.source import Source, did_you_mean
from oddsmith.runtime.progress import Progress
from oddsmith.solve.bellman.size import check_size, refuse_losses
from oddsmith.solve.process.aim import Aim, Values

_ARITHMETIC: dict[str, Callable[[Values, Values], Values]] = {
    "+": intervals.add,
    "-": lambda a, b: intervals.add(a, intervals.negative(b)),
    "*": intervals.multiply,
    "/": intervals.divide,
}


class Evaluator:
    """Evaluates resolved formulas on one process."""

    def __init__(
        self,
        process: Model,
        origin: Source,
        precision: Precision,
        progress: Progress,
        picks: bool = False,
        plain: Callable[[Expression], Bools] | None = None,
    ) -> None:
        """`plain` says where an expression of variables holds; without it, compiled code does."""
        self.process = process
        self.origin = origin
        self.precision = precision
        self.progress = progress
        self.picks = picks
        self.plain = plain or self._compiled
        self.everywhere = np.ones(process.states, np.bool_)
        self.known: dict[tuple[Question, bool, Precision], Values] = {}
        self.how: dict[str, None] = {}
        self.notes: dict[str, None] = {}

    # Truth values ---------------------------------------------------------------------------

    def truth(self, e: Expression, states: Bools | None = None) -> Bools:
        """Where a formula holds; outside of `states` (all, if not given) it means nothing."""
        within = self.everywhere if states is None else states
        if is_plain(e):
            return self.plain(e)
        if isinstance(e, Label):
            return self.process.labels[e.name]
        if isinstance(e, Unary):
            return ~self.truth(e.operand, within)
        if isinstance(e, Binary):
            return self._binary_truth(e, within)
        if isinstance(e, Conditional):
            test = self.truth(e.test, within)
            yes, no = self.truth(e.yes, within & test), self.truth(e.no, within & ~test)
            return np.where(test, yes, no)
        if isinstance(e, Question):
            return self._bounded(e, within)
        if isinstance(e, Quantified):
            return self._quantified(e)
        assert isinstance(e, Filter)
        from oddsmith.properties.filters import filter_truth

        return filter_truth(self, e)

    def _compiled(self, e: Expression) -> Bools:
        from oddsmith.model.prism.evaluate import evaluate_bool

        return evaluate_bool(e, self.process.valuations)

    def _binary_truth(self, e: Binary, within: Bools) -> Bools:
        if e.left.type != "bool":
            return settle(
                self.process,
                lambda p: (self.numbers(e.left, p), self.numbers(e.right, p)),
                e.operator,
                within,
                self.precision,
                "This comparison",
            )
        left = self.truth(e.left, within)
        match e.operator:
            case "&":
                return left & self.truth(e.right, within & left)
            case "|":
                return left | self.truth(e.right, within & ~left)
            case "=>":
                return ~left | self.truth(e.right, within & left)
        same: Bools = np.equal(left, self.truth(e.right, within))
        return ~same if e.operator == "!=" else same

    def _bounded(self, q: Question, within: Bools) -> Bools:
        assert q.relation is not None
        bound = intervals.constant(cast(Constant, q.bound).value, self.process.states)
        what = f"{q.kind}{q.optimum or ''}{q.relation}{short(cast(Constant, q.bound).value)}"
        return settle(
            self.process,
            lambda p: (self.ask(q, p), bound),
            q.relation,
            within,
            self.precision,
            what,
        )

    def _quantified(self, e: Quantified) -> Bools:
        path, process = e.path, self.process  # A [path] = !E [!path]
        if isinstance(path, Unary):
            other = replace(e, quantifier="A" if e.quantifier == "E" else "E", path=path.operand)
            return ~self._quantified(other)
        assert isinstance(path, Temporal)
        if path.windows:
            raise self.origin.error("E and A take no bounds on steps or rewards.", e.at)
        every = e.quantifier == "A"
        if path.operator == "X":
            return ctl.some_next(process, self.truth(path.right) ^ every) ^ every
        until = as_until(process, path, self.truth)
        return ctl.some_path(process, replace(until, negated=until.negated ^ every)) ^ every

    # Numbers --------------------------------------------------------------------------------

    def numbers(self, e: Expression, precision: Precision | None = None) -> Values:
        """The value of a numerical formula in every state."""
        precision = precision or self.precision
        if is_plain(e):
            from oddsmith.model.prism.evaluate import evaluate_amounts

            return intervals.of_amounts(evaluate_amounts(e, self.process.valuations))
        if isinstance(e, Question):
            return self.ask(e, precision)
        if isinstance(e, Unary):
            return intervals.negative(self.numbers(e.operand, precision))
        if isinstance(e, Binary):
            left, right = self.numbers(e.left, precision), self.numbers(e.right, precision)
            return _ARITHMETIC[e.operator](left, right)
        if isinstance(e, Conditional):
            yes, no = self.numbers(e.yes, precision), self.numbers(e.no, precision)
            return intervals.where(self.truth(e.test), yes, no)
        if isinstance(e, Call):
            return self._called(e, precision)
        assert isinstance(e, Filter)
        from oddsmith.properties.filters import filter_numbers

        return filter_numbers(self, e, precision)

    def _called(self, e: Call, precision: Precision) -> Values:
        if e.function not in ("min", "max"):
            message = (
                f"{e.function} of a number that is computed is not supported; min and max are."
            )
            raise self.origin.error(message, e.at)
        combine = intervals.smaller if e.function == "min" else intervals.larger
        found, *rest = [self.numbers(a, precision) for a in e.arguments]
        for other in rest:
            found = combine(found, other)
        return found

    # Questions ------------------------------------------------------------------------------

    def ask(self, q: Question, precision: Precision) -> Values:
        """The number that P, R or S stands for."""
        maximise = self.maximise(q)
        key = (replace(q, relation=None, bound=None, optimum=None), maximise, precision)
        if key not in self.known:
            aim = Aim(
                maximise,
                self._coalition(q),
                precision.tolerance,
                precision.exact,
                self.picks,
                self.progress,
            )
            self.known[key] = found = self._solve(q, aim)
            if found.how:
                self.how[found.how] = None
        return self.known[key]

    def last_asked(self, q: Question) -> Values:
        """The best that is known of a question that has been asked."""
        asked = replace(q, relation=None, bound=None, optimum=None)
        sense = self.maximise(q)
        return [v for (one, s, _), v in self.known.items() if one == asked and s == sense][-1]

    def forget(self, q: Question) -> None:
        """Free the memory that a question's answers take."""
        asked = replace(q, relation=None, bound=None, optimum=None)
        for key in [key for key in self.known if key[0] == asked]:
            del self.known[key]

    def _solve(self, q: Question, aim: Aim) -> Values:
        process = self.process
        check_size(process.name, "chance", process.chance)
        if q.kind == "S":
            from oddsmith.solve.process.longrun import long_run

            inside = self.truth(q.body)
            return long_run(process, Rewards(state=indicator(inside)), aim)
        if q.kind == "P":
            if isinstance(q.body, Given):
                from oddsmith.properties.conditional import conditional_probability

                return conditional_probability(process, q.body, self.truth, aim)
            return probability(process, q.body, self.truth, aim)
        return self._reward(q, process.rewards[cast(str, q.reward)], aim)

    def _reward(self, q: Question, rewards: Rewards, aim: Aim) -> Values:
        from oddsmith.solve.process.rewards import reach_reward

        process, goal = self.process, q.body
        for amounts in (rewards.state, rewards.choice):
            if amounts is not None:
                check_size(process.name, "reward", amounts)
                refuse_losses(process.name, cast(str, q.reward), amounts)
        if isinstance(goal, Goal):
            return goal.worth(process, rewards, aim)
        assert isinstance(goal, Temporal)
        return reach_reward(process, rewards, self.truth(goal.right), aim)

    def maximise(self, q: Question) -> bool:
        """Whether the largest value counts.

        Without min or max a bound must hold whatever the policy, so a lower bound is about the
        least value; but a coalition <<C>> only has to have one strategy that keeps it.
        """
        if q.optimum is not None:
            return q.optimum == "max"
        if self.process.is_chain:
            return True
        if q.relation is None:
            message = f"Say {q.kind}min=? or {q.kind}max=?: the model has choices."
            raise self.origin.error(message, q.at)
        some = q.coalition is not None and q.coalition.exists
        return (q.relation in (">", ">=")) == some

    def _coalition(self, q: Question) -> Bools | None:
        c = q.coalition
        if c is None or self.process.is_chain:
            if self.process.kind == "smg" and c is None and not self.process.is_chain:
                note = "No coalition was named, so all players act together"
                self.notes[note] = None
            return None
        if self.process.owner is None:
            raise self.origin.error("The model has no players.", c.at)
        members = self._members(c)
        return np.isin(self.process.owner, members)

    def _members(self, c: Coalition) -> list[int]:
        players = self.process.players
        members = []
        for player in c.players:
            if player == "*":
                return list(range(len(players)))
            if player in players:
                members.append(players.index(player))
            elif player.isdigit() and 1 <= int(player) <= len(players):
                members.append(int(player) - 1)
            else:
                hint = did_you_mean(player, players)
                raise self.origin.error(f"There is no player {player}.{hint}", c.at)
        return members


def is_plain(e: Expression) -> bool:
    """Whether an expression is about variables only, without labels and questions."""
    return not any(isinstance(one, Label | Question | Quantified | Filter) for one in walk(e))


def indicator(inside: Bools) -> Amounts:
    """1 in some states, 0 in the others."""
    return Amounts(inside.astype(np.int32), np.array([0.0, 1.0]), [Fraction(0), Fraction(1)])
