"""Every construct of `grind.constructs`, compiled as a rule and called, beside what Python says.

`python -m grind.construct_check` says which differ; each is tried in a process of its own, for it
may end that. A construct that is refused by the compiler is in order, and so is one that stops
(raises) where Python's numbers leave 64 bits: a rule that stops is played by the interpreter.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
import textwrap
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from grind.alone import compiled
from grind.constructs import PRELUDE, bodies
from oddsmith.model.step.values import Refused

INPUTS = [(a, b) for a in (-3, -1, 0, 1, 2, 4) for b in (-2, 0, 1, 3)]
SECONDS = 60


@dataclass
class Checked:
    """What came of a construct."""

    body: str
    kind: str
    """same, differs, refused, odd (an error of the compiler that is no refusal), ends."""
    reason: str = ""
    differences: list[Any] = field(default_factory=list)
    """Input, what Python says, what the compiled rule says."""

    def __str__(self) -> str:
        text = self.body.removeprefix("return ").replace("\n", " ⏎ ")
        shown = [f"of {tuple(at)} is {one}, compiled {two}" for at, one, two in self.differences]
        return f"{text}: {self.reason or shown[0] if self.reason or shown else self.kind}"


def check(body: str) -> Checked:
    """Try a construct in a process of its own."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 5))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        try:
            text = json.dumps(asdict(_tried(body)))
        except BaseException as error:
            text = json.dumps(asdict(Checked(body, "odd", f"{type(error).__name__}: {error}")))
        os.write(writing, text.encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        text = pipe.read()
    _, status = os.waitpid(child, 0)
    return Checked(**json.loads(text)) if text else Checked(body, "ends", f"wait status {status}")


def _tried(body: str) -> Checked:
    rule, file = _function(body)
    truth = [_outcome(rule, a, b) for a, b in INPUTS]
    try:
        translated = compiled(rule, 0, 0)
    except Refused as reason:
        return Checked(body, "refused", str(reason))
    finally:
        file.unlink()
    found = []
    for at, one in zip(INPUTS, truth, strict=True):
        two = _outcome(translated, *at)
        if one != two and not two.startswith("raises Stopped"):
            found.append([at, one, two])
    return Checked(body, "differs" if found else "same", "", found)


def _function(body: str) -> tuple[Callable[[int, int], Any], Path]:
    source = f"{PRELUDE}\n\ndef rule(a, b):\n{textwrap.indent(body, '    ')}\n"
    with tempfile.NamedTemporaryFile("w", suffix=".py", delete=False) as file:
        file.write(source)
    space: dict[str, Any] = {"__name__": "rule"}
    exec(compile(source, file.name, "exec"), space)
    return space["rule"], Path(file.name)


def _outcome(rule: Callable[[int, int], Any], a: int, b: int) -> str:
    """What a function gives, as text with its type."""
    try:
        value = rule(a, b)
    except Exception as error:
        return f"raises {type(error).__name__}: {error}"
    if getattr(value, "shape", None) == ():
        value = value.item()
    return repr(int(value)) if isinstance(value, int) and type(value) is not bool else repr(value)


def main() -> int:
    """Try all; the status is 1 where one differs."""
    warnings.simplefilter("ignore")
    counts: Counter[str] = Counter()
    for number, body in enumerate(bodies(), 1):
        found = check(body)
        if number % 100 == 0:
            print(f"{number} tried: {dict(counts)}", flush=True)
        counts[found.kind] += 1
        if found.kind in ("differs", "odd", "ends"):
            print(f"{found.kind:8} {found}", flush=True)
    print(dict(counts))
    return 1 if counts["differs"] + counts["odd"] + counts["ends"] else 0


if __name__ == "__main__":
    sys.exit(main())
