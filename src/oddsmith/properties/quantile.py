"""`quantile(min k, P>=0.9 [F<=k "done"])`: the least or greatest k for which a bound holds.

The name stands for a number of steps (or a budget, `F{"cost"}<=k`) above which an operator does
not look. In k the probabilities of F and U rise and those of G, W and R fall, so the bound holds
from some k on, or up to some k: there is one crossing, found by doubling and halving. Whether
there is a crossing at all the unbounded question decides: if its value is beyond the bound, there
is; if it just meets the bound, then the last of n states (times the dearest choice) meets it, too,
or none does, since a value that stands still for so long never moves again.

The least of no numbers is infinity, the greatest of none minus infinity.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass, replace
from fractions import Fraction
from math import inf
from typing import Any, Literal, cast

import numpy as np

from oddsmith.errors import LimitError
from oddsmith.model.amounts import Amounts
from oddsmith.properties.budget import costs
from oddsmith.properties.goals import Cumulative
from oddsmith.properties.resolve import Resolver
from oddsmith.properties.states import Evaluator
from oddsmith.properties.syntax import Quantile, Question, Temporal
from oddsmith.properties.until import until_of
from oddsmith.results.answer import Answer
from oddsmith.rules.prism.expression import Expression, Name, Unary

MOST = 2**26
"""Numbers up to which a crossing is searched."""

MOST_WORK = 3e9
"""Numbers times transitions up to which a crossing is searched: 3 ns each, of 100 transitions as of
6,000, so ten seconds. Work is counted, not seconds: a busy machine finds what an idle one does."""

_CONTRARY = {">=": "<", ">": "<=", "<=": ">", "<": ">="}
_STRICT = {">=": ">", "<=": "<"}


def quantile(evaluator: Evaluator, resolver: Resolver, q: Quantile, state: int) -> Answer:
    """The quantile in one state."""
    search = _Search(evaluator, resolver, q, state)
    crossing = search.crossing()
    return _exactly(_extreme(q.optimum, search.holds_later, crossing))


def _extreme(optimum: str, holds_later: bool, crossing: int | None) -> float:
    """The least or greatest number on the side of the crossing where the bound holds."""
    if holds_later:
        if crossing is None:
            return inf if optimum == "min" else -inf
        return crossing if optimum == "min" else inf
    if crossing == 0:
        return inf if optimum == "min" else -inf
    if optimum == "min":
        return 0
    return inf if crossing is None else crossing - 1


def _exactly(number: float) -> Answer:
    if abs(number) == inf:
        return Answer(number, number, number)
    return Answer.of_fraction(Fraction(number))


@dataclass(eq=False)
class _Search:
    evaluator: Evaluator
    resolver: Resolver
    quantile: Quantile
    state: int

    def __post_init__(self) -> None:
        question = cast(Question, self.quantile.operand)
        self.relation = question.relation or ">="
        rises = _rises(question.body, self.quantile, self.resolver)
        if question.kind == "R":
            self._check_rewards(question)
        self.holds_later = rises == (self.relation in (">", ">="))
        beyond = self.relation if self.holds_later else _CONTRARY[self.relation]
        self.beyond: str = beyond
        self.states = np.zeros(self.evaluator.process.states, np.bool_)
        self.states[self.state] = True

    def crossing(self) -> int | None:
        """The first k on the other side, or None."""
        if self._crossed(0):
            return 0
        strict = _STRICT.get(self.beyond, self.beyond)
        low, high = 0, 1
        if not self._asked(_without_limit(self._question(1)), strict):
            if strict == self.beyond:
                return None
            high = self._horizon()
            if not self._crossed(high):
                return None
        size = len(self.evaluator.process.col)
        while not self._crossed(high):
            low, high = high, 2 * high
            if high > MOST or high * size > MOST_WORK:
                raise LimitError(
                    f"The quantile is above {low:,}, and was not found: larger numbers take too "
                    f"long to try. Ask for the value with a number of your own instead of "
                    f"{self.quantile.name}."
                )
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self._crossed(middle) else (middle, high)
        return high

    def _question(self, k: int) -> Question:
        return self.resolver.quantile_at(self.quantile, k)

    def _crossed(self, k: int) -> bool:
        return self._asked(self._question(k), self.beyond)

    def _asked(self, question: Question, relation: str) -> bool:
        """Whether the same number, by the same optimum, keeps this relation to the bound."""
        maximise = self.evaluator.maximise(question)
        optimum: Literal["min", "max"] = "max" if maximise else "min"
        asked = replace(question, optimum=optimum, relation=relation)
        found = bool(self.evaluator.truth(asked, self.states)[self.state])
        self.evaluator.forget(asked)
        return found

    def _horizon(self) -> int:
        process = self.evaluator.process
        path = _path(self._question(1).body)
        reward = path.windows[0].reward if isinstance(path, Temporal) else None
        if reward is None:
            return process.states
        return process.states * int(costs(process, process.rewards[reward], reward).max())

    def _check_rewards(self, question: Question) -> None:
        found = self._question(1)
        rewards = self.evaluator.process.rewards[cast(str, found.reward)]
        parts: list[Amounts | None] = [rewards.state, rewards.choice]
        if any(part is not None and bool((part.values < 0).any()) for part in parts):
            message = "A quantile needs rewards that are not negative."
            raise self.resolver.origin.error(message, question.at)


def _rises(body: Expression, quantile: Quantile, resolver: Resolver) -> bool:
    """Whether the value rises with k; k must be the upper end of one bound and nothing else."""
    path, name = _path(body), quantile.name
    end: Expression | None = None
    if isinstance(path, Temporal) and len(path.windows) == 1:
        end = path.windows[0].high
        if path.windows[0].low is not None or path.windows[0].high_strict:
            end = None
    elif isinstance(path, Cumulative) and not path.strict:
        end = path.steps
    if not (isinstance(end, Name) and end.name == name and _count(quantile.operand, name) == 1):
        message = (
            f"A quantile needs {name} once, as a bound: F<={name}, U<={name}, G<={name}, C<={name}."
        )
        raise resolver.origin.error(message, quantile.at)
    return isinstance(path, Cumulative) or not until_of(body).negated


def _path(body: Expression) -> Expression:
    while isinstance(body, Unary):
        body = body.operand
    return body


def _without_limit(question: Question) -> Question:
    return replace(question, body=_unlimited(question.body))


def _unlimited(body: Expression) -> Expression:
    if isinstance(body, Unary):
        return replace(body, operand=_unlimited(body.operand))
    if isinstance(body, Cumulative):
        return replace(body, steps=None)
    return replace(cast(Temporal, body), windows=())


def _count(tree: Any, name: str) -> int:
    """How often a name stands in a tree."""
    if isinstance(tree, Name):
        return int(tree.name == name)
    if isinstance(tree, tuple):
        return sum(_count(part, name) for part in tree)
    if is_dataclass(tree):
        return sum(_count(getattr(tree, f.name), name) for f in fields(tree))
    return 0
