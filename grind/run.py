"""The run: cases drawn from a seed by kind, compared, shrunk where they disagree, counted."""

from __future__ import annotations

import hashlib
import json
import signal
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from grind import kinds
from grind.tally import Difference, Tally

SAY_SECONDS = 60.0
"""After so long the sum of what was compared is said, again and again."""

CASE_SECONDS = 20.0
"""Processor time after which a case is taken to hang."""


class Hangs(BaseException):
    """A case takes too long."""


@dataclass
class Finding:
    """A disagreement, as small as it could be made."""

    kind: str
    sentence: str
    data: Any
    seed: str

    @property
    def name(self) -> str:
        """What its files are called."""
        text = json.dumps(self.data, sort_keys=True)
        return f"{self.kind}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"

    def write(self, folder: Path) -> Path:
        """Write the case, to be replayed, and its source, to be read."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.name}.json"
        text = {"kind": self.kind, "sentence": self.sentence, "seed": self.seed, "data": self.data}
        path.write_text(json.dumps(text, indent=1) + "\n")
        ending, source = kinds.KINDS[self.kind].source(self.data)
        if source:
            path.with_suffix(ending).write_text(source)
        return path


@dataclass
class Report:
    """What a run has done."""

    tally: Tally
    seconds: float
    findings: list[Finding] = field(default_factory=list)

    def __str__(self) -> str:
        lines = [f"{count:>9,}  {name}" for name, count in sorted(self.tally.answers.items())]
        lines += [
            f"{count:>9,}  refused, {name}" for name, count in self.tally.refused.most_common()
        ]
        lines.append(self.sum())
        lines += [f"{one.name}: {one.sentence}" for one in self.findings]
        return "\n".join(lines)

    def sum(self) -> str:
        """How much, in one line."""
        minute = self.tally.total / max(self.seconds, 1e-9) * 60
        cases = sum(self.tally.cases.values())
        return (
            f"{self.tally.total:,} answers of {cases:,} cases in {self.seconds:.0f} s, "
            f"{minute:,.0f} a minute; {len(self.findings)} disagreements"
        )


def grind(
    seconds: float,
    seed: int = 1,
    chosen: Sequence[str] = (),
    folder: Path | None = None,
    most: int = 20,
    cases: int | None = None,
    watch: Callable[[Finding], None] | None = None,
) -> Report:
    """Compare cases until the time is over, so many are done, or too many disagree.

    Case number n of a seed is the same whatever the others were.
    """
    names = list(chosen) or list(kinds.KINDS)
    weights = [kinds.KINDS[name].share for name in names]
    began, tally, seen = time.monotonic(), Tally(), set()
    report = Report(tally, 0.0)
    number, said = 0, began
    while time.monotonic() < began + seconds and (cases is None or number < cases):
        if time.monotonic() > said + SAY_SECONDS:
            said = time.monotonic()
            report.seconds = said - began
            print(report.sum(), file=sys.stderr, flush=True)
        own = f"{seed}:{number}"
        dice = Random(own)
        name = dice.choices(names, weights)[0]
        data = kinds.KINDS[name].draw(dice)
        number += 1
        tally.cases[name] += 1
        for found in run_case(name, data, tally):
            if (name, found.question) in seen:
                continue
            seen.add((name, found.question))
            finding = _finding(name, data, own, found)
            report.findings.append(finding)
            if folder is not None:
                finding.write(folder)
            if watch is not None:
                watch(finding)
        if len(report.findings) >= most:
            break
    report.seconds = time.monotonic() - began
    return report


def _finding(name: str, data: Any, seed: str, found: Difference) -> Finding:
    """A disagreement with the smallest case that shows it."""
    question = found.question
    small = kinds.KINDS[name].shrink(data, lambda other: _fails(name, other, question), question)
    again = [one for one in run_case(name, small, Tally()) if one.question == found.question]
    return Finding(name, " ".join(str([*again, found][0]).split()), small, seed)


def replay(path: Path) -> list[Difference]:
    """A finding again: what is still wrong with it."""
    content = json.loads(path.read_text())
    return run_case(content["kind"], content["data"], Tally())


def run_case(name: str, data: Any, tally: Tally) -> list[Difference]:
    """Compare one case; a traceback and a hang are disagreements too."""
    tally.kind, tally.differences = name, []
    before = signal.signal(signal.SIGVTALRM, _expire)
    signal.setitimer(signal.ITIMER_VIRTUAL, CASE_SECONDS)
    try:
        tally.attempt(kinds.KINDS[name].grind, data, tally)
    except Hangs:
        tally.differs("time", f"no answer within {CASE_SECONDS:g} s of processor time")
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
    return tally.differences


def _expire(number: int, frame: Any) -> None:
    raise Hangs


def _fails(name: str, data: Any, question: str) -> bool:
    return any(one.question == question for one in run_case(name, data, Tally()))
