"""What the plan says a question takes, beside what it then took: `make bench` ends with it.

By itself: `python -m benchmarks.plan`. Memory is what the process held at its largest, less what it
held before, so libraries that were loaded on the way (some 100 MiB) are in it; seconds are those of
all processors together. Each question is asked in a process of its own.
"""

from __future__ import annotations

import json
import subprocess
import sys

QUESTIONS = [
    ("odds", "goose", {"players": 3}, {}),
    ("odds", "goose", {"players": 4}, {}),
    ("odds", "goose", {"players": 2}, {"method": "exact"}),
    ("odds", "goose", {"players": 3}, {"engine": "compiled"}),
    ("odds", "chutes-and-ladders", {"players": 4}, {}),
    ("odds", "left-center-right", {"players": 6}, {}),
    ("odds", "pig", {}, {}),
    ("odds", "cant-stop", {}, {}),
    ("length", "goose", {"players": 3}, {}),
    ("length", "chutes-and-ladders", {"players": 3}, {}),
    ("values", "chutes-and-ladders", {"players": 2}, {}),
    ("visits", "goose", {"players": 2}, {}),
]

ASK = """
import json, sys, time, oddsmith
from oddsmith.runtime import memory
ask, name, options, settings = json.loads(sys.argv[1])
before, began = memory.peak_mb(), time.process_time()
found = getattr(oddsmith, ask)(oddsmith.game(name, **options), explain=True, **settings)
taken = next(o for o in found.evidence.plan.offers if o.taken)
print(json.dumps([taken.to_dict(), time.process_time() - began, memory.peak_mb() - before]))
"""


def main() -> None:
    """Ask, and print a line for each question."""
    print(f"{'question':42} {'engine':18} {'MiB said':>9} {'used':>7} {'s said':>10} {'used':>7}")
    for question in QUESTIONS:
        done = subprocess.run(
            [sys.executable, "-c", ASK, json.dumps(question)], capture_output=True, text=True
        )
        if done.returncode:
            print(f"{question[:2]}: {done.stderr.strip().splitlines()[-1]}")
            continue
        taken, seconds, held = json.loads(done.stdout)
        asked = " ".join(map(str, (*question[:2], *question[2].values(), *question[3].values())))
        engine = f"{taken['engine']} {taken['method']}"
        print(
            f"{asked:42} {engine:18} {taken.get('memory_mb', 0):9,.1f} {held:7,.1f} "
            f"{taken.get('seconds', 0):10g} {seconds:7.2f}"
        )


if __name__ == "__main__":
    main()
