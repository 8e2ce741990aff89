"""One set of rules by both engines: what each says, and whether that is the same."""

from __future__ import annotations

import importlib.util
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from oddsmith import simulate
from oddsmith.errors import OddsmithError
from oddsmith.model.explore import explore
from oddsmith.model.model import Model

MOST_STATES = 5000
GAMES = 400
ARRAYS = (
    "choice", "row", "col", "weight", "total", "action", "owner", "winners", "scores", "shift",
)  # fmt: skip
STOPS = "beyond 64 bits"
"""Words of the sentence with which compiled rules stop where Python's numbers go on."""


@dataclass
class Verdict:
    """What came of a comparison."""

    answers: list[str] = field(default_factory=list)
    """What was compared."""
    refused: list[str] = field(default_factory=list)
    """Why rules were not compiled."""
    differences: list[tuple[str, str]] = field(default_factory=list)
    """Questions and sentences."""


@dataclass
class Said:
    """What an engine said: something, a refusal to compile, an error in a sentence, a traceback."""

    kind: str
    what: Any


def load(path: Path) -> Any:
    """The game in a file."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module.Rules()


def ask(question: Callable[[], Any]) -> Said:
    """Ask an engine."""
    try:
        return Said("said", question())
    except OddsmithError as error:
        kind = "refused" if "cannot be compiled" in str(error) else "error"
        return Said(kind, str(error))
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        return Said("traceback", f"{type(error).__name__} in {Path(where.filename).name}: {error}")


def compare(path: Path, questions: list[str], needs: str = "") -> Verdict:
    """Both engines on the rules in a file.

    With `needs`, what the interpreter must say ("said", "error") for the rest to be of interest.
    """
    verdict = Verdict()
    for question in questions:
        asked = {"explore": _explore, "simulate": _simulate}[question]
        plain = ask(lambda asked=asked: asked(load(path), "interpreted"))  # type: ignore[misc]
        if needs and plain.kind != needs:
            continue
        compiled = ask(lambda asked=asked: asked(load(path), "compiled"))  # type: ignore[misc]
        judge(question, plain, compiled, verdict)
    return verdict


def judge(question: str, plain: Said, compiled: Said, verdict: Verdict) -> None:
    """Compare what the engines said."""
    differs = verdict.differences.append
    for engine, said in (("interpreted", plain), ("compiled", compiled)):
        if said.kind == "traceback":
            differs((f"{question}, {engine}: {said.what.split(':')[0]}", said.what))
            return
    if compiled.kind == "refused":
        verdict.refused.append(compiled.what.partition("cannot be compiled: ")[2])
    elif plain.kind == "error" and compiled.kind == "error":
        verdict.answers.append(f"{question}, both raise")
    elif plain.kind == "error":
        differs((f"{question}: the interpreter alone raises", plain.what))
    elif compiled.kind == "error" and STOPS in compiled.what:
        verdict.refused.append("stops at numbers beyond 64 bits")
    elif compiled.kind == "error":
        differs((f"{question}: compiled rules alone raise", compiled.what))
    else:
        verdict.answers.append(question)
        sentence = plain.what.difference(compiled.what)
        if sentence:
            differs((f"{question}: another answer", sentence))


class Explored:
    """A model, to be compared."""

    def __init__(self, model: Model) -> None:
        self.arrays = {name: getattr(model, name) for name in ARRAYS}
        self.names = [repr(model.names[number]) for number in range(model.states)]

    def difference(self, other: Explored) -> str:
        """What differs, in a sentence; nothing if nothing does."""
        for number, (one, two) in enumerate(zip(self.names, other.names, strict=False)):
            if one != two:
                return f"state {number} is {one}, compiled {two}"
        if len(self.names) != len(other.names):
            return f"there are {len(self.names)} states, compiled {len(other.names)}"
        for name in ARRAYS:
            one, two = self.arrays[name], other.arrays[name]
            if (one is None) != (two is None) or (one is not None and not np.array_equal(one, two)):
                return f"{name} is {_shown(one)}, compiled {_shown(two)}"
        return ""


def _shown(array: Any) -> str:
    return "none" if array is None else " ".join(str(array.tolist())[:120].split())


class Played:
    """The result of a simulation, to be compared: both engines throw the same dice."""

    def __init__(self, result: Any) -> None:
        answers = [*result.win, result.draw, result.duration, *result.score]
        self.numbers = [answer.value for answer in answers]
        self.distribution = result.distribution

    def difference(self, other: Played) -> str:
        """What differs, in a sentence; nothing if nothing does."""
        if self.numbers != other.numbers:
            return f"played {self.numbers}, compiled {other.numbers}"
        return "lengths differ" if self.distribution != other.distribution else ""


def _explore(game: Any, engine: Any) -> Explored:
    return Explored(explore(game, engine=engine, max_states=MOST_STATES))


def _simulate(game: Any, engine: Any) -> Played:
    return Played(simulate(game, games=GAMES, engine=engine, seed=5, max_moves=2000))
