"""A process that compares rules, each set in a process of its own: compiled code may end it.

`python -m grind.rule_worker` reads requests, a JSON object a line, and answers each by a line. It
has imported what the comparison needs, so a fork is quick.
"""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

from grind import rule_compare

CPU_SECONDS = 90
"""Processor time after which a comparison is taken to hang."""

WALL_SECONDS = 1200
"""Time after which one that uses none is."""


def main() -> None:
    """Answer requests until there are no more."""
    from oddsmith import explore, game, simulate

    explore(game("coin-race"), engine="compiled")  # forks need not load kernels again
    simulate(game("coin-race"), games=10, engine="compiled")
    answers = os.fdopen(os.dup(1), "w")
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    with tempfile.TemporaryDirectory() as folder:
        for number, line in enumerate(sys.stdin):
            path = Path(folder) / f"rules_{number}.py"
            request = json.loads(line)
            path.write_text(request["source"])
            print(json.dumps(answer(path, request)), file=answers, flush=True)


def answer(path: Path, request: dict[str, Any]) -> dict[str, Any]:
    """Compare in a process of its own; if it ends, say so."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        _work(path, request, writing)
    os.close(writing)
    if not select.select([reading], [], [], WALL_SECONDS)[0]:
        os.kill(child, signal.SIGKILL)
    with os.fdopen(reading) as pipe:
        text = pipe.read()
    _, status = os.waitpid(child, 0)
    if text:
        found: dict[str, Any] = json.loads(text)
        return found
    number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    if number in (signal.SIGXCPU, signal.SIGKILL):
        said = ["time", f"no answer within {CPU_SECONDS} s of processor time"]
    else:
        name = (
            signal.Signals(number).name if number else f"status {os.waitstatus_to_exitcode(status)}"
        )
        said = [f"the process ends: {name}", f"comparing the engines ended the process by {name}"]
    return {"answers": [], "refused": [], "differences": [said]}


def _work(path: Path, request: dict[str, Any], pipe: int) -> None:
    """The child: compare, answer, end."""
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 5))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        verdict = rule_compare.compare(path, request["ask"], request.get("needs", ""))
        text = json.dumps(asdict(verdict))
    except BaseException as error:
        said = [f"comparing: {type(error).__name__}", str(error)]
        text = json.dumps({"answers": [], "refused": [], "differences": [said]})
    os.write(pipe, text.encode())
    os._exit(0)


if __name__ == "__main__":
    main()
