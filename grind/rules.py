"""Rules written in ordinary Python: the interpreter is the truth, compiled rules must be the same.

They must give the same model and play the same games, or be refused; where the interpreter raises
they must raise too. A case is the text of a module; a worker compares it (`grind.rule_worker`).
"""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from grind.rule_games import rule_text
from grind.rule_shrink import shrink_text
from grind.tally import Tally

SIMULATED = 0.4
"""How many rule sets are simulated too."""

WORKER_CASES = 100
"""After so many comparisons a worker is replaced."""

SHRINK_SECONDS = 300.0


def draw(dice: Random) -> dict[str, Any]:
    """A random rule set and what to ask of it."""
    simulated = dice.random() < SIMULATED
    asked = ["explore", "simulate"] if simulated else ["explore"]
    return {"ask": asked, "source": rule_text(dice, chain=simulated)}


def source(data: dict[str, Any]) -> tuple[str, str]:
    """The rules as a file."""
    return ".py", data["source"]


def grind(data: dict[str, Any], tally: Tally) -> None:
    """Compare the engines."""
    verdict = _Worker.current().answer(data)
    for question in verdict["answers"]:
        tally.answers[f"{tally.kind}: {question}"] += 1
    for reason in verdict["refused"]:
        tally.refusal(reason)
    for question, sentence in verdict["differences"]:
        tally.differs(question, sentence)


def shrink(data: dict[str, Any], fails: Callable[[Any], bool], question: str) -> dict[str, Any]:
    """The smallest rules that still disagree in this way."""
    words = question.split(":")[0].split(",")[0]
    if words in data["ask"] and len(data["ask"]) > 1:
        fewer = {**data, "ask": [words]}
        data = fewer if fails(fewer) else data
    needs = "error" if "the interpreter alone" in question else "said"
    if fails({**data, "needs": needs}):
        data = {**data, "needs": needs}
    text = shrink_text(data["source"], lambda text: fails({**data, "source": text}), SHRINK_SECONDS)
    return {"ask": data["ask"], "source": text}


class _Worker:
    """The process that compares, started when it is first needed."""

    here: _Worker | None = None

    def __init__(self) -> None:
        self.cases = 0
        self.process = subprocess.Popen(
            [sys.executable, "-m", "grind.rule_worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parent.parent,
            env={**os.environ, "PYTHONHASHSEED": "0"},
        )

    @classmethod
    def current(cls) -> _Worker:
        """The worker; a new one where there is none, or it has worked long enough."""
        worker = cls.here
        if worker is None or worker.cases >= WORKER_CASES or worker.process.poll() is not None:
            if worker is not None:
                worker.close()
            worker = cls.here = cls()
        return worker

    def answer(self, data: dict[str, Any]) -> dict[str, Any]:
        """What a comparison says."""
        self.cases += 1
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(data) + "\n")
        self.process.stdin.flush()
        found: dict[str, Any] = json.loads(self.process.stdout.readline())
        return found

    def close(self) -> None:
        """End it."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


@atexit.register
def _close() -> None:
    if _Worker.here is not None:
        _Worker.here.close()
        _Worker.here = None
