"""Policy against policy: both seats, a coin-tossed start, and everybody against everybody."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Unpack

from oddsmith.ask.match import ERROR
from oddsmith.ask.odds import odds
from oddsmith.errors import OptionError
from oddsmith.model.explore import Subject
from oddsmith.model.model import ROUNDED, Model
from oddsmith.model.subject import subject_of
from oddsmith.policies.policy import Policy, as_policy
from oddsmith.questions import door
from oddsmith.questions.settings import Settings, Solving, nothing_to_decide
from oddsmith.results import gate
from oddsmith.results.answer import Answer
from oddsmith.results.answered import Answered
from oddsmith.results.digits import PLAIN, NumberFormat, average
from oddsmith.results.result import Result
from oddsmith.results.table import align, exact_note
from oddsmith.rules.origin import Origin
from oddsmith.solve.play.profile import decidable, optimal_table
from oddsmith.solve.simulate.run import simulate


@dataclass(frozen=True, repr=False)
class Duel(Answered):
    """One policy against another: what the first of them gets.

    A win counts 1; a draw, play without an end and a win that both share count 1/2.
    """

    one: str
    other: str
    first: Answer
    """When it begins."""
    second: Answer
    """When the other one begins."""
    begins: str = "begins"
    """What `first` is: who begins, or in a model, where that may be anybody, who is player 1."""
    notes: tuple[str, ...] = ()
    """What is to be said of the numbers of the model."""
    interrupted = False

    def __post_init__(self) -> None:
        gate.chances(self.to_dict, self.first, self.second)

    @property
    def coin(self) -> Answer:
        """When a coin is tossed for who begins."""
        return mean([self.first, self.second])

    def rows(self) -> list[tuple[str, Answer]]:
        """The three answers with their names."""
        return [
            (f"{self.one} {self.begins}", self.first),
            (f"{self.other} {self.begins}", self.second),
            ("a coin decides", self.coin),
        ]

    def named_answers(self) -> list[tuple[str, Answer]]:
        """What the first policy gets, by who begins."""
        pair = f"{self.one} against {self.other}"
        return [(f"{pair}, {name}", answer) for name, answer in self.rows()]

    def to_dict(self, number_format: NumberFormat = PLAIN) -> dict[str, Any]:
        """The duel as JSON has it."""
        names = {"one": self.one, "other": self.other}
        return names | {
            "first": self.first.to_dict(number_format),
            "second": self.second.to_dict(number_format),
            "coin": self.coin.to_dict(number_format),
            **({"notes": list(self.notes)} if self.notes else {}),
        }

    def __str__(self) -> str:
        return self.text()

    def text(self, number_format: NumberFormat = PLAIN) -> str:
        """The duel as a table, exact answers as the format has them."""
        rows = [[name, answer.text(number_format)] for name, answer in self.rows()]
        table = align([f"{self.one} against {self.other}", f"{self.one} gets"], rows)
        exact = [fraction for _, fraction in self.fractions()]
        shortened = any(map(number_format.shortens, exact))
        said = [*([exact_note(shortened, number_format)] if exact else []), *self.notes]
        return f"{table}\n\n" + "\n".join(said) if said else table


def mean(answers: Sequence[Answer]) -> Answer:
    """The mean of some answers."""
    exact = [answer.exact for answer in answers if answer.exact is not None]
    if len(exact) == len(answers):
        return Answer.of_fraction(average(exact))
    value = sum(answer.value for answer in answers) / len(answers)
    lower = [Fraction(answer.lower) for answer in answers if answer.lower is not None]
    upper = [Fraction(answer.upper) for answer in answers if answer.upper is not None]
    if len(lower) < len(answers) or len(upper) < len(answers):
        return Answer(value)
    return Answer.between(value, average(lower), average(upper))


@dataclass(frozen=True, repr=False)
class Tournament(Answered):
    """Every policy against every other, and against itself."""

    title: str
    policies: tuple[str, ...]
    duels: dict[tuple[str, str], Duel] = field(repr=False)
    method: str = "certified"
    interrupted: bool = False
    begins: str = "begins"
    notes: tuple[str, ...] = ()

    @property
    def pairs(self) -> list[Duel]:
        """Each two different policies once."""
        several = itertools.combinations(self.policies, 2)
        return [self.duels[pair] for pair in several if pair in self.duels]

    def __getitem__(self, pair: tuple[str, str]) -> Duel:
        return self.duels[pair]

    @property
    def mean(self) -> dict[str, Answer]:
        """What each policy gets on average against the others, a coin deciding who begins.

        Of an interrupted tournament, only those that have met all others have one.
        """
        means = {}
        for one in self.policies:
            pairs = [(one, other) for other in self.policies if other != one]
            if all(pair in self.duels for pair in pairs):
                means[one] = mean([self.duels[pair].coin for pair in pairs])
        return means

    def _cell(self, one: str, other: str, which: str, number_format: NumberFormat) -> str:
        duel = self.duels.get((one, other))
        return "–" if duel is None else _figure(getattr(duel, which), number_format)

    def named_answers(self) -> list[tuple[str, Answer]]:
        """What every duel gives, and what each policy gets on average."""
        named = [one for duel in self.duels.values() for one in duel.named_answers()]
        return named + [(f"{name}, mean", answer) for name, answer in self.mean.items()]

    def to_dict(self, number_format: NumberFormat = PLAIN) -> dict[str, Any]:
        """The tournament as JSON has it."""
        return {
            "title": self.title,
            "method": self.method,
            "policies": list(self.policies),
            "duels": [duel.to_dict(number_format) for duel in self.duels.values()],
            "mean": {name: answer.to_dict(number_format) for name, answer in self.mean.items()},
            **({"interrupted": True} if self.interrupted else {}),
            **({"notes": list(self.notes)} if self.notes else {}),
        }

    def __str__(self) -> str:
        return self.text()

    def text(self, number_format: NumberFormat = PLAIN) -> str:
        """The tournament as tables, exact answers as decimals or as the format has them."""
        means = self.mean
        ranked = sorted(self.policies, key=lambda n: -means[n].value if n in means else 1.0)
        first = [
            [one, *(self._cell(one, other, "first", number_format) for other in ranked)]
            for one in ranked
        ]
        coin = [
            [
                one,
                *(
                    "–" if one == other else self._cell(one, other, "coin", number_format)
                    for other in ranked
                ),
                _figure(means[one], number_format) if one in means else "–",
            ]
            for one in ranked
        ]
        widest = max(
            (a.error or 0.0 for duel in self.duels.values() for a in (duel.first, duel.second)),
            default=0.0,
        )
        certainty = {
            "exact": exact_note(True, number_format),
            "certified": f"certified to ± {widest:.1e}",
            "estimate": f"estimates, each with 95 % confidence or more, ± {widest:.1e}",
            "float": "plain floating point, error not bounded",
        }[self.method]
        return "\n\n".join(
            [
                self.title,
                f"what the row gets when it {self.begins} (a win counts 1; shared, or a draw, 1/2)",
                align(["", *ranked], first),
                f"when a coin decides who {self.begins}",
                align(["", *ranked, "mean"], coin),
                certainty + " (interrupted: the duels so far)" * self.interrupted,
                *self.notes,
            ]
        )


def _figure(answer: Answer, number_format: NumberFormat) -> str:
    """A number of a table that has many: six digits, or an exact one as the format has it."""
    if answer.exact is None or not number_format.chosen:
        return f"{answer.value:.6f}"
    return number_format(answer.exact)


@door.question
def duel(
    game: Subject, one: Any, other: Any, games: int | None = None, **settings: Unpack[Solving]
) -> Duel:
    """One policy against another, by solving, or by simulating so many games from either seat.

    >>> from oddsmith import duel, game
    >>> found = duel(game("piglet", goal=3), "optimal", "random")
    >>> found.first.value > found.second.value > 0.5
    True
    """
    chosen = Settings(**settings)
    model, by_name = _entrants(game, [one, other], games, chosen)
    (a, one), (b, other) = by_name.items()
    chosen.progress.update("duels", 0, 2, f"{a} v {b}")
    first = _played(model, one, other, games, chosen, opponents=1)
    chosen.progress.update("duels", 1, 2, f"{b} v {a}")
    second = _played(model, other, one, games, chosen, opponents=1)
    return Duel(a, b, _gets(first, 0), _gets(second, 1), *_said_of(model))


def duel_on(model: Model, one: Any, other: Any) -> Duel:
    """One policy against another on a model that has been explored already."""
    chosen = Settings(method="certified")
    by_name = _policies_by_name(model, [one, other], chosen)
    (a, one), (b, other) = by_name.items()
    first, second = (
        _played(model, *pair, None, chosen, 1) for pair in ((one, other), (other, one))
    )
    return Duel(a, b, _gets(first, 0), _gets(second, 1), *_said_of(model))


def _said_of(model: Model) -> tuple[str, tuple[str, ...]]:
    """What the first of two policies does, and what is to be said of the model's numbers."""
    begins = "is player 1" if isinstance(model.origin, Origin) else "begins"
    return begins, (ROUNDED,) if model.rounded else ()


@door.question
def tournament(
    game: Subject, policies: Sequence[Any], games: int | None = None, **settings: Unpack[Solving]
) -> Tournament:
    """Every policy against every other, from both seats, by solving or by simulation.

    Policies are names, functions or objects, as for `odds`; `best-response` is each time the best
    response to the other. Keywords are those of `Settings`; with `games`, duels are simulated.
    """
    if isinstance(policies, str):
        raise OptionError(f"A tournament takes a list of policies: ['optimal', {policies!r}].")
    chosen = Settings(**settings)
    model, by_name = _entrants(game, policies, games, chosen)
    names = list(by_name)
    first: dict[tuple[str, str], Result] = {}
    interrupted = False
    try:
        for number, (a, b) in enumerate(sorted_pairs(names)):
            if by_name[a] == by_name[b] == "best-response":
                continue
            chosen.progress.update("duels", number, len(names) ** 2, f"{a} v {b}")
            first[a, b] = _played(model, by_name[a], by_name[b], games, chosen, len(names) - 1)
    except KeyboardInterrupt:
        interrupted = True
        if not any((b, a) in first for a, b in first):
            raise
    method = next(iter(first.values())).method
    duels = {}
    for a, b in itertools.product(names, names):
        if (a, b) in first and (b, a) in first:
            gets = _gets(first[a, b], 0), _gets(first[b, a], 1)
            duels[a, b] = Duel(a, b, *gets, *_said_of(model))
    return Tournament(model.name, tuple(names), duels, method, interrupted, *_said_of(model))


def sorted_pairs(names: Sequence[str]) -> list[tuple[str, str]]:
    """All pairs, each beside its reverse, so that duels are whole early.

    >>> sorted_pairs(["a", "b"])
    [('a', 'a'), ('a', 'b'), ('b', 'a'), ('b', 'b')]
    """
    several = itertools.combinations_with_replacement(names, 2)
    return [pair for a, b in several for pair in dict.fromkeys([(a, b), (b, a)])]


def _entrants(
    game: Subject, policies: Sequence[Any], games: int | None, settings: Settings
) -> tuple[Model, dict[str, Any]]:
    """The model that is played on, and the policies by name."""
    if games is not None and settings.method not in ("auto", "estimate"):
        raise OptionError(
            f"{games:,} simulated games give estimates, not {settings.method} answers: leave out "
            f"one of the two."
        )
    subject = subject_of(game, settings)
    players = len(subject.players) if isinstance(subject, Model) else subject.players
    if players != 2:
        raise OptionError(f"A tournament is for two players; {subject.name} has {players}.")
    model = decidable(subject, settings)
    if model.is_chain:
        raise nothing_to_decide(model)
    by_name = _policies_by_name(model, policies, settings)
    if len(by_name) < 2:
        raise OptionError("A tournament needs two policies or more, all with different names.")
    return model, by_name


def _policies_by_name(model: Model, policies: Sequence[Any], settings: Settings) -> dict[str, Any]:
    """The policies by name, optimal play solved once."""
    by_name: dict[str, Policy | str] = {}
    for each in policies:
        policy = as_policy(model.origin, each)
        if policy == "optimal":
            policy = optimal_table(model, settings)
        name = policy if isinstance(policy, str) else policy.name
        if name in by_name:
            raise OptionError(f"Two policies are called {name!r}: give each one name only.")
        by_name[name] = policy
    return by_name


def _played(
    model: Model, a: Any, b: Any, games: int | None, settings: Settings, opponents: int
) -> Result:
    """A policy against another. What is shown of estimates comes from several intervals: of both
    players, from both seats, against each opponent. So each of them may err the less.
    """
    if games is not None:
        sure = 1 - ERROR / (4 * opponents)
        return simulate(
            model, games=games, play=[a, b], progress=settings.progress, confidence=sure
        )
    own: Solving = {
        "method": settings.method,
        "tolerance": settings.tolerance,
        "endless": settings.endless,
        "progress": settings.progress,
    }
    return odds(model, play=[a, b], **own)


def _gets(result: Result, seat: int) -> Answer:
    """What a seat gets: a win counts 1, one that is shared 1/2, and so does a draw.

    Let a and b be the chances that a seat and the other win alone, s that both do, d that nobody
    does. They add up to one and the chances to win are a + s and b + s, so what the seat gets is
    a + s/2 + d/2 = (1 + (a + s) - (b + s)) / 2, whatever s and d are.
    """
    win, other = result.win[seat], result.win[1 - seat]
    if win.exact is not None and other.exact is not None:
        return Answer.of_fraction((1 + win.exact - other.exact) / 2)
    value = (1 + win.value - other.value) / 2
    if win.lower is None or other.lower is None or win.upper is None or other.upper is None:
        return Answer(value)
    lower = (1 + Fraction(win.lower) - Fraction(other.upper)) / 2
    upper = (1 + Fraction(win.upper) - Fraction(other.lower)) / 2
    return Answer.between(value, max(lower, Fraction(0)), min(upper, Fraction(1)))
