"""Check: properties of a PRISM model, both given as text; every mistake with its place."""

from __future__ import annotations

from typing import Any

from oddsmith.errors import OddsmithError, OptionError
from oddsmith.rules.prism import parse_program
from oddsmith.rules.prism.program import Program
from oddsmith.rules.prism.source import SourceError
from oddsmith.web.tasks import Watcher
from oddsmith.web.tasks.requested import Bounds, PlacedError

PATHS = 20_000
STEPS = 100_000
"""Steps after which a path that comes to nothing is given up."""


def check(request: dict[str, Any], watcher: Watcher, bounds: Bounds) -> dict[str, Any]:
    """The answers to all properties; one that cannot be answered does not keep the others back."""
    from oddsmith.properties.parse import parse_properties

    try:
        file = parse_properties(request["properties"], "the properties")
    except SourceError as error:
        raise PlacedError(error, "properties") from None
    if not file.properties:
        raise OptionError("Check what? Write a property, such as P=? [ F x=3 ].")
    given = _constants(request.get("constants") or {})
    own = sorted(declared.name for declared in file.constants)
    try:
        program = parse_program(request["source"], "the model", given, others=own)
        checked = _Walked if request.get("simulate") else _Explored
        subject = checked(program, given, watcher, bounds, bool(request.get("exact")))
    except SourceError as error:
        raise PlacedError(error, "model") from None
    answers: list[dict[str, Any]] = []
    for done, question in enumerate(file.properties):
        watcher.update("properties", done, len(file.properties))
        try:
            answers += subject.ask(file, question)
        except OddsmithError as error:
            answers.append(_failed(question.text, error))
        watcher.partial(subject.told(answers))
    return subject.told(answers)


def _constants(texts: dict[str, str]) -> dict[str, Any]:
    from oddsmith.rules.prism.constants import parse_constants

    for name, text in texts.items():
        if "," in name or "," in text or "=" in name or ":" in text:
            raise OptionError(f"Constant {name} takes one number, not {text!r}.")
    (found,) = parse_constants(",".join(f"{name}={text}" for name, text in texts.items()))
    return dict(found)


def _failed(text: str, error: OddsmithError) -> dict[str, Any]:
    place = None
    if isinstance(error, SourceError):
        place = {"part": "properties", "line": error.line, "column": error.column}
    message = error.message if isinstance(error, SourceError) else str(error)
    return _line(text, "", None) | {"error": {"message": message, "place": place}}


class _Subject:
    """A model that is asked; states and transitions are counted where they are known."""

    notes: list[str]
    states = transitions = 0

    def __init__(
        self, program: Program, given: dict[str, Any], watcher: Watcher, bounds: Bounds, exact: bool
    ) -> None:
        self.program, self.given, self.watcher = program, given, watcher
        self.bounds, self.exact = bounds, exact
        self.begin()

    def begin(self) -> None:
        """Get ready."""
        raise NotImplementedError

    def told(self, answers: list[dict[str, Any]]) -> dict[str, Any]:
        """All that is known."""
        size = {"states": self.states, "transitions": self.transitions}
        model = {"kind": self.program.kind} | size
        return {"model": model, "answers": list(answers), "notes": self.notes}


class _Explored(_Subject):
    """A model whose states are known."""

    def begin(self) -> None:
        """Explore it."""
        from oddsmith.properties.ask import load

        self.loaded = load(self.program, max_states=self.bounds.states, progress=self.watcher)
        process = self.loaded.process
        self.states, self.transitions = process.states, process.transitions
        self.notes = list(process.notes)

    def ask(self, file: Any, question: Any) -> list[dict[str, Any]]:
        """The answer to a property: one line, or one a state."""
        from oddsmith.properties.answer import text_of
        from oddsmith.properties.ask import of_file
        from oddsmith.properties.check import check as check_one

        found = check_one(
            self.loaded.process,
            question,
            exact=self.exact,
            constants=self.loaded.constants,
            formulas=self.loaded.formulas,
            given=of_file(file, self.given),
            file=file,
            progress=self.watcher,
        )
        self.notes += [note for note in found.notes if note not in self.notes]
        if isinstance(found.answer, tuple) and found.answer:
            return [
                _line(f"{found.text}  in {state}", text_of(one), one) for state, one in found.answer
            ]
        (shown,) = [text for _, text in found.lines()]
        about = found.answer if found.value is None else found.value  # or nothing, for no state
        verdict = found.answer if isinstance(found.answer, bool) else None
        return [_line(found.text, shown, about) | {"verdict": verdict}]


class _Walked(_Subject):
    """A model that is walked at random, never explored."""

    def begin(self) -> None:
        """Refuse what paths cannot answer."""
        if self.exact:
            raise OptionError("Paths give estimates, never fractions: choose one of the two.")
        self.notes = [f"estimates from {PATHS:,} paths each"]

    def ask(self, file: Any, question: Any) -> list[dict[str, Any]]:
        """An estimate of a property."""
        from oddsmith.properties.statistical.check_paths import ProgramSubject
        from oddsmith.properties.statistical.path_counts import Aim

        play = None if self.program.kind == "dtmc" else "random"
        aim = Aim(PATHS, None, 0.95, 1, STEPS, 0.01, play)
        found = ProgramSubject(self.program).estimate(file, question, self.given, aim, self.watcher)
        told = (found.how, *found.notes)
        self.notes += [note for note in told if note not in self.notes]
        verdict = None if found.holds is None else str(found.holds).lower()
        shown = f"{verdict} ({found.value})" if verdict is not None else str(found.value)
        return [_line(question.text, shown, found.value) | {"verdict": found.holds}]


def _line(text: str, shown: str, about: Any) -> dict[str, Any]:
    """An answer as data; `about` is the number it is, if it is one."""
    from oddsmith.results.answer import Answer

    verdict = about if isinstance(about, bool) else None
    found = about.to_dict() if isinstance(about, Answer) else {}
    return {
        "property": text,
        "value": shown,
        "number": found.get("value"),
        "lower": found.get("lower"),
        "upper": found.get("upper"),
        "exact": found.get("exact"),
        "verdict": verdict,
        "error": None,
    }
