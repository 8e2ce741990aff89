"""From a model of any kind to the answers of properties: what `oddsmith check` does.

A model is a PRISM file or text, an explicit file of another tool, a game by name or file, or one
that is already there (`Game`, `Model`, `Program`). Constants that the model or the
properties leave open are given; where one is given as a range, every value is an experiment.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oddsmith.errors import OptionError
from oddsmith.model.reading import Constants, is_model_file, model_of_program, program_of
from oddsmith.questions import door
from oddsmith.results.answer import Answer
from oddsmith.results.answered import Answered
from oddsmith.results.digits import PLAIN, NumberFormat
from oddsmith.runtime.progress import Progress, Silent

if TYPE_CHECKING:
    from oddsmith.model.model import Model
    from oddsmith.properties.answer import Checked
    from oddsmith.properties.syntax import PropertyFile
    from oddsmith.rules.prism.expression import Expression


@dataclass(frozen=True, eq=False)
class Loaded:
    """A process, and the names that properties may use besides its own."""

    process: Model
    constants: Mapping[str, Fraction | bool]
    formulas: Mapping[str, Expression]
    seconds: float
    """What building it took."""


def load(
    model: Any,
    constants: Constants | None = None,
    *,
    others: Sequence[str] = (),
    max_states: int | None = None,
    progress: Progress | None = None,
) -> Loaded:
    """A model of any kind as a process; `others` are constants that belong to the properties."""
    from oddsmith.model.model import Model
    from oddsmith.rules.game import Game

    progress = progress or Silent()
    began = time.perf_counter()
    left = {k: v for k, v in (constants or {}).items() if k not in others}
    program = program_of(model, constants or {}, others)
    if program is not None:
        found = model_of_program(program, max_states=max_states, progress=progress)
        return Loaded(found, program.constants, program.formulas, time.perf_counter() - began)
    if left:
        raise OptionError(
            f"{model} has no constants: {', '.join(left)} cannot be given. "
            "(Options of a game are set by --set.)"
        )
    if isinstance(model, str | Path) and is_model_file(model):
        from oddsmith.model.formats import read

        model = read(model)
    elif not isinstance(model, Model):
        from oddsmith.games import game
        from oddsmith.model.explore import explore

        if isinstance(model, str | Path):
            model = game(str(model))
        if isinstance(model, Game):
            model = explore(model, max_states=max_states, progress=progress)
        if not isinstance(model, Model):
            raise OptionError(f"{model!r} is not a model: give a file, a game or a process.")
    return Loaded(model.closed(), {}, {}, time.perf_counter() - began)


@dataclass(frozen=True, eq=False)
class Experiment:
    """The answers for one value of every constant."""

    constants: Mapping[str, Fraction | bool]
    loaded: Loaded
    checked: Sequence[Checked]


@dataclass(frozen=True, eq=False, repr=False)
class Answers(Answered):
    """All that was asked of a model: it prints as a table and turns into JSON."""

    model: str
    experiments: Sequence[Experiment]
    ranged: tuple[str, ...] = ()
    """Constants that have several values."""
    interrupted: bool = False

    def __iter__(self) -> Iterator[Checked]:
        return (one for experiment in self.experiments for one in experiment.checked)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __getitem__(self, number: int) -> Checked:
        return list(self)[number]

    def named_answers(self) -> list[tuple[str, Answer]]:
        """Every number that was asked for, by its property, state and constants."""
        named = []
        for experiment in self.experiments:
            constants = [f"{k} = {v}" for k, v in spelled(experiment.constants).items()]
            for one in experiment.checked:
                for which, answer in one.named_numbers():
                    parts = (one.name or one.text, which, *constants)
                    named.append((", ".join(part for part in parts if part), answer))
        return named

    def to_dict(self, number_format: NumberFormat = PLAIN) -> list[dict[str, Any]]:
        """A list with one entry an answer."""
        return [
            entry | ({"constants": spelled(experiment.constants)} if experiment.constants else {})
            for experiment in self.experiments
            for one in experiment.checked
            for entry in one.entries(number_format)
        ]

    def __str__(self) -> str:
        return self.text()

    def text(self, number_format: NumberFormat = PLAIN) -> str:
        """The answers as a table, exact ones as the format has them."""
        from oddsmith.properties.text import text_of

        return text_of(self, number_format)


def spelled(constants: Mapping[str, Fraction | bool]) -> dict[str, Any]:
    """Values of constants as JSON has them."""
    return {k: v if isinstance(v, bool) else str(Fraction(v)) for k, v in constants.items()}


@door.question
def check(
    model: Any,
    *properties: str,
    file: str | Path | None = None,
    names: Sequence[str] | None = None,
    constants: Constants | str | None = None,
    exact: bool = False,
    tolerance: float = 1e-9,
    picks: bool = False,
    max_states: int | None = None,
    progress: Progress | None = None,
) -> Answers:
    """The answers to properties of a model.

    Parameters
    ----------
    model: a PRISM file, a PRISM text of several lines, an explicit file, a game (by name or as an
        object), or a process.
    properties: texts such as `P=? [ F x=3 ]`.
    file: a property file; all of it is checked, or what `names` name.
    constants: values by name, or text such as `N=1:10,p=0.5`.
    exact: whether answers are to be fractions.
    picks: whether the best choices are wanted too.

    >>> from oddsmith import check
    >>> print(check("goose", 'P=? [ F<=30 "win1" ]'))
    Game of the Goose: 4,414 states, 38,994 transitions
    <BLANKLINE>
    property                                    value
    ────────────────────  ───────────────────────────
    P=? [ F<=30 "win1" ]  0.215525266877154 ± 1.2e-14
    <BLANKLINE>
    certified: the truth is within each ±, rounding included
    """
    from oddsmith.properties.check import asked_of
    from oddsmith.properties.check import check as check_one

    progress = progress or Silent()
    asked = asked_of(properties, file, names)
    if not asked:
        raise OptionError("Check what? Give a property, such as 'P=? [ F x=3 ]', or a file.")
    settings = experiments(constants)
    if picks and len(asked) * len(settings) != 1:
        raise OptionError("A strategy is that of one property, without ranges of constants.")
    own = sorted({d.name for one, _ in asked for d in one.constants})
    found: list[Experiment] = []
    loaded: Loaded | None = None
    last: dict[str, Any] | None = None
    for done, given in enumerate(settings):
        mine = {k: v for k, v in given.items() if k not in own}
        if loaded is None or mine != last:
            loaded = load(model, given, others=own, max_states=max_states, progress=progress)
        last = mine
        if len(settings) > 1:
            progress.update("experiments", done, len(settings))
        checked = [
            check_one(
                loaded.process,
                question,
                exact=exact,
                tolerance=tolerance,
                constants=loaded.constants,
                formulas=loaded.formulas,
                given=of_file(one, given),
                file=one,
                picks=picks,
                progress=progress,
            )
            for one, question in asked
        ]
        found.append(Experiment(given, loaded, checked))
    return Answers(found[0].loaded.process.name, found, ranged(settings))


def of_file(file: PropertyFile, given: Mapping[str, Any]) -> dict[str, Any]:
    """Of the values of constants those that a property file declares."""
    declared = {d.name for d in file.constants}
    return {name: value for name, value in given.items() if name in declared}


def ranged(settings: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """The constants that do not have the same value in all experiments."""
    return tuple(k for k in settings[0] if len({s[k] for s in settings}) > 1)


def experiments(constants: Constants | str | None) -> list[dict[str, Any]]:
    """One dictionary of values an experiment."""
    from oddsmith.rules.prism.constants import given_constants

    return [dict(one) for one in given_constants(constants)]
