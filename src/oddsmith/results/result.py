"""Result: one type for all answers to one question about one game, with their evidence.

It prints as a table, shows itself in a notebook, and turns into JSON and a data frame.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from oddsmith.errors import MissingExtraError
from oddsmith.results import digits as _digits
from oddsmith.results import gate
from oddsmith.results.answer import Answer, in_json
from oddsmith.results.answered import Answered
from oddsmith.results.digits import PLAIN, NumberFormat
from oddsmith.results.distribution import (
    ExactDistribution,
    Quantile,
    quantile,
    quantile_in_json,
    sample_quantile,
)
from oddsmith.results.offers import Plan

if TYPE_CHECKING:
    from oddsmith.results.generating import GeneratingFunction
    from oddsmith.show.pictures.spec import Picture

Method = Literal["exact", "certified", "float", "estimate"]

QUANTILES = (0.05, 0.5, 0.95)


@dataclass(frozen=True)
class Evidence:
    """How an answer was found: enough to judge it and to find it again."""

    method: Method
    how: tuple[str, ...] = ()
    states: int = 0
    transitions: int = 0
    decisions: int = 0
    """In how many states a player had something to decide."""
    numbers: int = 0
    """Of a lattice: the numbers it holds."""
    seconds: float = 0.0
    compile_seconds: float = 0.0
    """Of the seconds, those that compiled the rules; the next time they come from a cache."""
    peak_memory_mb: float = 0.0
    version: str = ""
    digest: str = ""
    seed: int | None = None
    games: int | None = None
    interrupted: bool = False
    plan: Plan | None = None
    """What every engine offered, where that was asked for."""


@dataclass(frozen=True)
class Visit:
    """How often play comes to a set of states: ever, and how many times."""

    where: str
    ever: Answer | None
    """None where it was not computed: a lattice counts arrivals."""
    times: Answer


@dataclass(frozen=True, eq=False)
class StateValues:
    """The answers from every state: win of each player, draw, expected length.

    `values[state]` gives the answers of one state by its name.
    """

    states: Any
    """The states by their names: a sequence."""
    columns: tuple[str, ...]
    value: Any
    """An array, states × columns."""
    error: Any
    """Bounds on the errors, of the same shape."""
    exact: Any = None
    """The fractions, a list for each state, where the answers are exact; infinity is a float."""

    def __len__(self) -> int:
        return len(self.states)

    def answers(self, index: int) -> dict[str, Answer]:
        """The answers of the state with a number."""
        if self.exact is not None:
            fractions = zip(self.columns, self.exact[index], strict=True)
            return {
                name: Answer.of_fraction(x) if isinstance(x, Fraction) else Answer.infinite()
                for name, x in fractions
            }
        found = {}
        for q, name in enumerate(self.columns):
            value, error = float(self.value[index, q]), float(self.error[index, q])
            if math.isinf(value):
                found[name] = Answer.infinite()
                continue
            high = math.inf if name == "length" else 1.0
            known = math.isfinite(error)
            found[name] = Answer.within(value, error, high=high) if known else Answer(value)
        return found

    def __contains__(self, state: Any) -> bool:
        return state in self._numbers

    def __iter__(self) -> Iterator[Any]:
        return iter(self._numbers)

    def __getitem__(self, state: Any) -> dict[str, Answer]:
        return self.answers(self._numbers[state])

    @cached_property
    def _numbers(self) -> dict[Any, int]:
        return {self.states[i]: i for i in range(len(self.states))}


@dataclass(frozen=True, repr=False)
class Result(Answered):
    """The answers to a question about a game; parts that were not asked for are empty."""

    game: str
    title: str
    players: int
    options: dict[str, Any]
    evidence: Evidence
    win: tuple[Answer, ...] = ()
    draw: Answer | None = None
    duration: Answer | None = None
    variance: Answer | None = None
    """Of the length, where it is finite and was asked for."""
    deviation: Answer | None = None
    """The standard deviation of the length: the root of its variance."""
    quantiles: dict[float, Quantile] = field(default_factory=dict)
    """Share of games -> the length it does not exceed, or what that is between."""
    distribution: tuple[tuple[int, float], ...] = ()
    unresolved: float | None = None
    """The chance to end beyond the end of the distribution, an upper bound; 0 if none can."""
    off: float = 0.0
    """How far, for any length, the chance to last at most so long can be off by rounding."""
    endless: Answer | None = None
    """The chance never to end, where play without an end is possible and counts as a draw."""
    score: tuple[Answer, ...] = ()
    """The expected score of each player, where the game is played for scores."""
    visits: tuple[Visit, ...] = ()
    values: StateValues | None = None
    exact_distribution: ExactDistribution | None = None
    """The distribution in fractions, up to a horizon, where it was asked for."""
    generating_function: GeneratingFunction | None = None
    """All of the distribution as one fraction of polynomials, where it was asked for."""
    several_winners: bool = False
    """Whether the game can end with several winners: their chances then sum to more than one."""

    def __post_init__(self) -> None:
        gate.result(self)

    @property
    def method(self) -> Method:
        """Exact, certified, float or estimate."""
        return self.evidence.method

    @property
    def interrupted(self) -> bool:
        """Whether the work was stopped early: the answers are what was known by then."""
        return self.evidence.interrupted

    def quantile(self, level: float) -> Quantile:
        """The shortest length that at least this share of games does not exceed.

        It is decided in fractions as far as they are known, else by floats and their bounds; it is
        `Between` two lengths where those do not decide it, infinite where the games never end.
        """
        if level in self.quantiles:
            return self.quantiles[level]
        if self.exact_distribution is not None:
            decided = self.exact_distribution.quantile(level)
            if decided is not None:
                return decided
        if self.evidence.games is not None:
            games = self.evidence.games
            counts = [(at, round(share * games)) for at, share in self.distribution]
            return sample_quantile(counts, games, level)
        complete = self.unresolved == 0 and self.endless is None
        return quantile(self.distribution, level, self.off, self.unresolved or 0.0, complete)

    def to_dict(self, number_format: NumberFormat = PLAIN) -> dict[str, Any]:
        """The result as JSON has it; exact answers also as the format has them."""
        evidence = self.evidence
        found: dict[str, Any] = {
            "game": self.game,
            "title": self.title,
            "players": self.players,
            "options": self.options,
            "method": self.method,
        }
        if self.win:
            found["win"] = [answer.to_dict(number_format) for answer in self.win]
        if self.draw is not None:
            found["draw"] = self.draw.to_dict(number_format)
        if self.score:
            found["score"] = [answer.to_dict(number_format) for answer in self.score]
        if self.duration is not None:
            found["duration"] = self.duration.to_dict(number_format)
        if self.variance is not None:
            found["variance"] = self.variance.to_dict(number_format)
        if self.deviation is not None:
            found["deviation"] = self.deviation.to_dict(number_format)
            exact = None if self.variance is None else self.variance.exact
            if exact is not None and self.deviation.exact is None:
                found["deviation"] |= number_format.root_entries(exact)
        if self.endless is not None:
            found["endless"] = self.endless.to_dict(number_format)
        if self.distribution:
            found["mean"] = in_json(self.duration.value) if self.duration else None
            found["quantiles"] = {
                str(level): quantile_in_json(at) for level, at in self.quantiles.items()
            }
            found["distribution"] = [[length, chance] for length, chance in self.distribution]
            found["unresolved"] = self.unresolved
        if self.exact_distribution is not None:
            found["exact_distribution"] = [
                {"length": length, "exact": _digits.in_full(chance)} | number_format.entries(chance)
                for length, chance in self.exact_distribution.chances
            ]
            found["horizon"] = self.exact_distribution.horizon
            left = self.exact_distribution.left
            found["left"] = {"exact": _digits.in_full(left)} | number_format.entries(left)
        if self.generating_function is not None:
            found["generating_function"] = self.generating_function.to_dict(number_format)
        if self.visits:
            found["visits"] = [
                {
                    "where": v.where,
                    "ever": None if v.ever is None else v.ever.to_dict(number_format),
                    "times": v.times.to_dict(number_format),
                }
                for v in self.visits
            ]
        if self.values is not None:
            found["values"] = [
                {"state": repr(self.values.states[i])}
                | {
                    name: answer.to_dict(number_format)
                    for name, answer in self.values.answers(i).items()
                }
                for i in range(len(self.values))
            ]
        if evidence.numbers:
            found["numbers"] = evidence.numbers
        else:
            found |= {"states": evidence.states, "transitions": evidence.transitions}
        found |= {
            "seconds": round(evidence.seconds, 6),
            "compile_seconds": round(evidence.compile_seconds, 6),
            "peak_memory_mb": round(evidence.peak_memory_mb, 1),
            "how": list(evidence.how),
            "version": evidence.version,
            "digest": evidence.digest,
        }
        if evidence.games is not None:
            found |= {"games": evidence.games, "seed": evidence.seed}
        if evidence.plan is not None:
            found["plan"] = [offer.to_dict() for offer in evidence.plan.offers]
        if evidence.interrupted:
            found["interrupted"] = True
        return found

    def rows(self) -> list[tuple[str, Answer]]:
        """The main answers with their names."""
        alone = self.players == 1 and bool(self.score)  # nobody to win against
        shown = () if alone else self.win
        named = [(f"player {i + 1} wins", answer) for i, answer in enumerate(shown)]
        for i, answer in enumerate(self.score):
            named.append(("expected score" + ("" if alone else f" of player {i + 1}"), answer))
        if self.draw is not None and (self.draw.exact or self.draw.value or not self.win):
            named.append(("draw" if self.players > 1 else "player 1 loses", self.draw))
        if self.duration is not None:
            named.append(("expected length", self.duration))
        if self.variance is not None:
            named.append(("variance", self.variance))
        if self.deviation is not None:
            named.append(("standard deviation", self.deviation))
        if self.endless is not None:
            named.append(("never ends", self.endless))
        return named

    def named_answers(self) -> list[tuple[str, Answer]]:
        """The main answers and the visits, with their names."""
        named: list[tuple[str, Answer | None]] = [*self.rows()]
        for visit in self.visits:
            named.append((f"ever {visit.where}", visit.ever))
            named.append((f"times {visit.where}", visit.times))
        return [(name, one) for name, one in named if one is not None]

    def fractions(self) -> list[tuple[str, Fraction]]:
        """Every exact answer with its name, lengths too: what `--fractions FILE` writes."""
        named_fractions = super().fractions()
        if self.exact_distribution is not None:
            named_fractions += [
                (f"length {at}", chance) for at, chance in self.exact_distribution.chances
            ]
            beyond = f"longer than {self.exact_distribution.horizon}"
            named_fractions.append((beyond, self.exact_distribution.left))
        if self.generating_function is not None:
            named_fractions += self.generating_function.fractions()
        return named_fractions

    def to_frame(self) -> Any:
        """The result as a pandas DataFrame: the part with the most rows, states by their names."""
        try:
            import pandas
        except ImportError:
            raise MissingExtraError(
                "A data frame needs pandas, which is not installed: pip install 'oddsmith[frame]'."
            ) from None
        columns = ("value", "lower", "upper", "exact")
        if self.values is not None:
            frame = pandas.DataFrame(
                [self.values.states[i]._asdict() for i in range(len(self.values))]
            )
            for q, name in enumerate(self.values.columns):
                frame[name] = self.values.value[:, q]
                frame[f"{name} error"] = self.values.error[:, q]
                if self.values.exact is not None:
                    frame[f"{name} exact"] = [fractions[q] for fractions in self.values.exact]
            return frame
        if self.visits:
            return pandas.DataFrame(
                [
                    {
                        "where": v.where,
                        "ever": None if v.ever is None else v.ever.value,
                        "times": v.times.value,
                    }
                    for v in self.visits
                ]
            )
        if self.exact_distribution is not None:
            records = [
                {"length": length, "probability": float(chance), "exact": _digits.in_full(chance)}
                for length, chance in self.exact_distribution.chances
            ]
            return pandas.DataFrame(records, columns=["length", "probability", "exact"])
        if self.distribution and not self.win:
            return pandas.DataFrame(self.distribution, columns=["length", "probability"])
        records = [
            {"answer": name, "value": a.value, "lower": a.lower, "upper": a.upper}
            | {"exact": None if a.exact is None else _digits.in_full(a.exact)}
            for name, a in self.rows()
        ]
        return pandas.DataFrame(records, columns=["answer", *columns])

    def plot(self) -> Picture:
        """A picture of what the result holds: states, visits, lengths, or who wins.

        >>> from oddsmith import game, odds
        >>> odds(game("coin-race")).plot().title
        'Coin race: who wins'
        """
        from oddsmith.show.drawings.result import picture_of

        return picture_of(self)

    def __str__(self) -> str:
        return self.text()

    def text(self, number_format: NumberFormat = PLAIN) -> str:
        """The result as a table, exact answers as the format has them."""
        from oddsmith.results.table import text_of

        return text_of(self, number_format)

    def _repr_html_(self) -> str:
        from oddsmith.results.table import html_of

        return html_of(self)
