"""Result: one type for all answers to one question about one game, with their evidence.

It prints as a table, shows itself in a notebook, and turns into JSON and a data frame, each by its
parts.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from oddsmith.errors import MissingExtraError
from oddsmith.results import gate, lengths
from oddsmith.results.answer import Answer
from oddsmith.results.answered import Answered
from oddsmith.results.digits import PLAIN, NumberFormat, in_full
from oddsmith.results.distribution import ExactDistribution, Quantile, quantile, sample_quantile
from oddsmith.results.evidence import Evidence, Method
from oddsmith.results.part import Named, Number, Part, part
from oddsmith.results.states import StateValues, Values
from oddsmith.results.visits import Visit, Visits
from oddsmith.results.winning import Draw, Scores, Wins

if TYPE_CHECKING:
    from oddsmith.results.generating import GeneratingFunction
    from oddsmith.show.pictures.spec import Picture

QUANTILES = (0.05, 0.5, 0.95)


@dataclass(frozen=True, repr=False)
class Result(Answered):
    """The answers to a question about a game; parts that were not asked for are empty."""

    game: str
    title: str
    players: int
    options: dict[str, Any]
    evidence: Evidence
    win: tuple[Answer, ...] = part(Wins)
    draw: Answer | None = part(Draw, row="draw", most=1.0)
    score: tuple[Answer, ...] = part(Scores)
    """The expected score of each player, where the game is played for scores."""
    duration: Answer | None = part(Number, row="expected length")
    variance: Answer | None = part(Number, row="variance", law=lengths.spread)
    """Of the length, where it is finite and was asked for."""
    deviation: Answer | None = part(lengths.Deviation, row="standard deviation")
    """The standard deviation of the length: the root of its variance."""
    endless: Answer | None = part(Number, row="never ends", most=1.0, called="play without an end")
    """The chance never to end, where play without an end is possible and counts as a draw."""
    quantiles: dict[float, Quantile] = part(lengths.Quantiles)
    """Share of games -> the length it does not exceed, or what that is between."""
    distribution: tuple[tuple[int, float], ...] = part(lengths.Distribution)
    exact_distribution: ExactDistribution | None = part(lengths.Fractions)
    """The distribution in fractions, up to a horizon, where it was asked for."""
    generating_function: GeneratingFunction | None = part(lengths.Generating)
    """All of the distribution as one fraction of polynomials, where it was asked for."""
    visits: tuple[Visit, ...] = part(Visits)
    values: StateValues | None = part(Values)
    unresolved: float | None = None
    """The chance to end beyond the end of the distribution, an upper bound; 0 if none can."""
    off: float = 0.0
    """How far, for any length, the chance to last at most so long can be off by rounding."""
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

    def parts(self) -> list[Part[Any]]:
        """The parts that were asked for, in the order that JSON has them in."""
        known = ((one, getattr(self, one.name), one.metadata) for one in fields(self))
        return [
            about["part"](one.name, value, self)
            for one, value, about in known
            if about and value != about["empty"]
        ]

    def shown(self) -> list[Part[Any]]:
        """The same as people read them: what is won first, what is not in the main table last."""
        return sorted(self.parts(), key=lambda each: (not each.main, not each.first))

    def numbers(self) -> Named:
        """Every number by a name that is the same in every result."""
        return [number for each in self.parts() for number in each.numbers()]

    def rows(self) -> Named:
        """The main answers with their names."""
        return [row for each in self.shown() if each.main for row in each.rows()]

    def named_answers(self) -> Named:
        """The main answers and the visits, with their names."""
        return [row for each in self.shown() for row in each.rows()]

    def fractions(self) -> list[tuple[str, Fraction]]:
        """Every exact answer with its name, lengths too: what `--fractions FILE` writes."""
        return [fraction for each in self.shown() for fraction in each.fractions()]

    def to_dict(self, number_format: NumberFormat = PLAIN) -> dict[str, Any]:
        """The result as JSON has it; exact answers also as the format has them."""
        names = ("game", "title", "players", "options", "method")
        data: dict[str, Any] = {name: getattr(self, name) for name in names}
        for each in self.parts():
            data |= each.to_dict(number_format)
        return data | self.evidence.to_dict()

    def to_frame(self) -> Any:
        """The result as a pandas DataFrame: the part with the most rows, states by their names."""
        try:
            import pandas
        except ImportError:
            raise MissingExtraError(
                "A data frame needs pandas, which is not installed: pip install 'oddsmith[frame]'."
            ) from None
        for each in reversed(self.parts()):
            frame = each.frame(pandas)
            if frame is not None:
                return frame
        records = [
            (name, a.value, a.lower, a.upper, None if a.exact is None else in_full(a.exact))
            for name, a in self.rows()
        ]
        return pandas.DataFrame(records, columns=["answer", "value", "lower", "upper", "exact"])

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
