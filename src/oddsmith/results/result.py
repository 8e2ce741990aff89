"""Result: one type for every answer, with its evidence.

An `Answer` is a number and how well it is known: an exact fraction, an interval that contains
the truth, a confidence interval, or a plain float. A `Result` holds the answers to one question
about one game: it prints as a table, shows itself in a notebook, and turns into JSON and a data
frame.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from oddsmith.errors import MissingExtraError, OptionError
from oddsmith.results import digits as _digits
from oddsmith.results import gate
from oddsmith.results.digits import PLAIN, Face
from oddsmith.results.digits import short_fraction as short_fraction
from oddsmith.results.digits import written as written
from oddsmith.results.distribution import (
    ExactDistribution,
    Quantile,
    quantile,
    quantile_in_json,
    sample_quantile,
)
from oddsmith.results.shown import Shown

if TYPE_CHECKING:
    from oddsmith.results.generating import GeneratingFunction
    from oddsmith.show.pictures.spec import Picture

Method = Literal["exact", "certified", "float", "estimate"]

QUANTILES = (0.05, 0.5, 0.95)


@dataclass(frozen=True)
class Answer:
    """A number and what is known of it.

    >>> third = Answer.of_fraction(Fraction(1, 3))
    >>> third.exact, third.lower < third.exact < third.upper
    (Fraction(1, 3), True)
    >>> print(Answer(0.5, 0.375, 0.625))
    0.50 ± 0.13
    """

    value: float
    lower: float | None = None
    upper: float | None = None
    exact: Fraction | None = None
    approximate: bool = False
    """Whether the bounds, if any, hold with about the confidence that is said, not surely so."""

    def __post_init__(self) -> None:
        gate.number(self)

    @classmethod
    def of_fraction(cls, exact: Fraction) -> Answer:
        """An exact answer; the bounds are the floats around it."""
        value = _to_float(exact)
        if math.isinf(value):
            return cls(value, math.copysign(sys.float_info.max, value), value, exact)
        below, above = math.nextafter(value, -math.inf), math.nextafter(value, math.inf)
        same = Fraction(value) == exact
        return cls(value, value if same else below, value if same else above, exact)

    @classmethod
    def within(cls, value: float, error: float, low: float = 0.0, high: float = math.inf) -> Answer:
        """A certified answer: the truth is within `error` of the value, and in [low, high]."""
        lower = max(low, math.nextafter(value - error, -math.inf))
        upper = min(high, math.nextafter(value + error, math.inf))
        return cls(min(max(value, lower), upper), lower, upper)

    @classmethod
    def between(cls, value: float, lower: Fraction, upper: Fraction) -> Answer:
        """A certified answer whose bounds are known exactly: floats on the safe side of them.

        >>> Answer.between(0.3, Fraction(1, 4), Fraction(1, 3))
        Answer(value=0.3, lower=0.25, upper=0.33333333333333337, exact=None, approximate=False)
        """
        below, above = _to_float(lower), _to_float(upper)
        below = below if below <= lower else math.nextafter(below, -math.inf)
        above = above if above >= upper else math.nextafter(above, math.inf)
        return cls(min(max(value, below), above), below, above)

    @classmethod
    def infinite(cls) -> Answer:
        """An answer that is known to be infinite: by the graph, not by a large number."""
        return cls(math.inf, math.inf, math.inf)

    def tightened(self, lower: float, upper: float) -> Answer:
        """The answer with bounds on the same number that are known from elsewhere as well.

        >>> Answer(0.5, 0.375, 0.625).tightened(0.25, 0.5625).upper
        0.5625
        """
        assert self.lower is not None
        assert self.upper is not None
        gate.agree((self.lower, self.upper), (lower, upper))
        low, high = max(lower, self.lower), min(upper, self.upper)
        value = self.value if low <= self.value <= high else (low + high) / 2
        return Answer(value, low, high)

    @property
    def error(self) -> float | None:
        """How far the truth can be from the value."""
        if self.exact is not None:
            return 0.0
        if self.lower is None or self.upper is None:
            return None
        if self.lower == self.upper:  # also where both are infinite
            return 0.0
        return max(self.upper - self.value, self.value - self.lower)

    def decimal(self, digits: int) -> str:
        """An exact answer to so many digits after the point, rounded to the nearest.

        >>> Answer.of_fraction(Fraction(16, 27)).decimal(30)
        '0.592592592592592592592592592593'
        """
        return _digits.decimal(self._fraction(), digits)

    def continued_fraction(self, terms: int | None = None) -> list[int]:
        """The terms of an exact answer as a continued fraction: all, or the first few.

        >>> Answer.of_fraction(Fraction(16, 27)).continued_fraction()
        [0, 1, 1, 2, 5]
        """
        return _digits.continued_fraction(self._fraction(), terms)

    def convergents(self, terms: int | None = None) -> list[Fraction]:
        """Fractions with small denominators that come nearest to an exact answer.

        >>> [str(near) for near in Answer.of_fraction(Fraction(16, 27)).convergents()]
        ['0', '1', '1/2', '3/5', '16/27']
        """
        return list(_digits.convergents(self.continued_fraction(terms)))

    def _fraction(self) -> Fraction:
        if self.exact is None:
            raise OptionError(f"{self} is not known exactly: ask for method='exact' (--exact).")
        return self.exact

    def to_dict(self, face: Face = PLAIN) -> dict[str, Any]:
        """The answer as JSON has it: a fraction is the text p/q, and what the face asks for.

        JSON has no infinity: it is the text "inf".

        >>> Answer.infinite().to_dict()["value"]
        'inf'
        """
        exact = None if self.exact is None else _digits.in_full(self.exact)
        bounds = {"value": self.value, "lower": self.lower, "upper": self.upper}
        found: dict[str, Any] = {name: in_json(number) for name, number in bounds.items()}
        found |= {"exact": exact}
        found |= {"approximate": True} if self.approximate else {}
        return found | ({} if self.exact is None else face.entries(self.exact))

    def __str__(self) -> str:
        return self.text()

    def text(self, face: Face = PLAIN) -> str:
        """The answer for people, with its error; an exact one as the face has it."""
        if self.exact is not None:
            return face(self.exact)
        if self.approximate:
            return f"about {replace(self, approximate=False)}"
        if not self.error or math.isinf(self.value):
            return f"{self.value:.12g}"
        if math.isinf(self.error):
            return f"at least {self.lower!r}"
        digits = max(0, 1 - math.floor(math.log10(self.error)))
        first = -math.floor(math.log10(abs(self.value))) if self.value else digits
        if digits > 15 and first > 4:  # a very small number, known well
            value = f"{self.value:.{max(0, min(15, digits - first))}e}"
        else:
            value = f"{self.value:.{min(14 + max(first, 1), digits)}f}"
        return f"{value} ± {round_up(self.error + abs(float(value) - self.value))}"


def in_json(number: float | None) -> float | str | None:
    """A number as JSON can have it: infinity is a text, and what is no number is null."""
    if number is None or math.isnan(number):
        return None
    if math.isinf(number):
        return "inf" if number > 0 else "-inf"
    return number


def round_up(error: float) -> str:
    """An error with two digits, never less than it is.

    >>> round_up(0.125), round_up(3.14e-7), round_up(0.996)
    ('0.13', '3.2e-07', '1')
    """
    error = max(error, 1e-300)  # the least floats have no two digits
    exponent = math.floor(math.log10(error)) - 1
    digits = math.ceil(error / 10.0**exponent * (1 + 1e-12))
    return f"{float(f'{digits}e{exponent}'):.2g}"


def _to_float(exact: Fraction) -> float:
    try:
        return exact.numerator / exact.denominator
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


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
class Result(Shown):
    """The answers to a question about a game; parts that were not asked for are empty."""

    game: str
    title: str
    players: int
    options: dict[str, Any]
    evidence: Evidence
    win: tuple[Answer, ...] = ()
    draw: Answer | None = None
    duration: Answer | None = None
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

    def to_dict(self, face: Face = PLAIN) -> dict[str, Any]:
        """The result as JSON has it; exact answers also as the face has them."""
        evidence = self.evidence
        found: dict[str, Any] = {
            "game": self.game,
            "title": self.title,
            "players": self.players,
            "options": self.options,
            "method": self.method,
        }
        if self.win:
            found["win"] = [answer.to_dict(face) for answer in self.win]
        if self.draw is not None:
            found["draw"] = self.draw.to_dict(face)
        if self.score:
            found["score"] = [answer.to_dict(face) for answer in self.score]
        if self.duration is not None:
            found["duration"] = self.duration.to_dict(face)
        if self.endless is not None:
            found["endless"] = self.endless.to_dict(face)
        if self.distribution:
            found["mean"] = in_json(self.duration.value) if self.duration else None
            found["quantiles"] = {
                str(level): quantile_in_json(at) for level, at in self.quantiles.items()
            }
            found["distribution"] = [[length, chance] for length, chance in self.distribution]
            found["unresolved"] = self.unresolved
        if self.exact_distribution is not None:
            found["exact_distribution"] = [
                {"length": length, "exact": _digits.in_full(chance)} | face.entries(chance)
                for length, chance in self.exact_distribution.chances
            ]
            found["horizon"] = self.exact_distribution.horizon
            left = self.exact_distribution.left
            found["left"] = {"exact": _digits.in_full(left)} | face.entries(left)
        if self.generating_function is not None:
            found["generating_function"] = self.generating_function.to_dict(face)
        if self.visits:
            found["visits"] = [
                {
                    "where": v.where,
                    "ever": None if v.ever is None else v.ever.to_dict(face),
                    "times": v.times.to_dict(face),
                }
                for v in self.visits
            ]
        if self.values is not None:
            found["values"] = [
                {"state": repr(self.values.states[i])}
                | {name: answer.to_dict(face) for name, answer in self.values.answers(i).items()}
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
        if evidence.interrupted:
            found["interrupted"] = True
        return found

    def to_json(self, face: Face = PLAIN) -> str:
        """The result as JSON text."""
        return json.dumps(self.to_dict(face), indent=2, ensure_ascii=False, default=str)

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
        if self.endless is not None:
            named.append(("never ends", self.endless))
        return named

    def fractions(self) -> list[tuple[str, Fraction]]:
        """Every exact answer with its name: what `--fractions FILE` writes."""
        named: list[tuple[str, Answer | None]] = [*self.rows()]
        for visit in self.visits:
            named.append((f"ever {visit.where}", visit.ever))
            named.append((f"times {visit.where}", visit.times))
        found = [(name, a.exact) for name, a in named if a is not None and a.exact is not None]
        if self.exact_distribution is not None:
            found += [(f"length {at}", chance) for at, chance in self.exact_distribution.chances]
            beyond = f"longer than {self.exact_distribution.horizon}"
            found.append((beyond, self.exact_distribution.left))
        if self.generating_function is not None:
            found += self.generating_function.fractions()
        return found

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

    def text(self, face: Face = PLAIN) -> str:
        """The result as a table, exact answers as the face has them."""
        from oddsmith.results.table import text_of

        return text_of(self, face)

    def _repr_html_(self) -> str:
        from oddsmith.results.table import html_of

        return html_of(self)
