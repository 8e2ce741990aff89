"""PRISM models of different shape, built and checked by us and by Storm, in the same run.

    python -m benchmarks.check                     # all models
    python -m benchmarks.check goose ring          # some
    python -m benchmarks.check --processor --runs 3

Storm answers twice: by its sound method (bounds within 1e-9, as ours are) and as it does by itself
(no bounds). The ratio is of whole processes up to the answer: starting Python, importing, parsing,
building and checking, by the clock, or with `--processor` in seconds of processors, which other
work on the machine disturbs less; the best of `--runs`. Memory is their peak.
"""

import argparse
import json
import math
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.models import shapes
from benchmarks.peers.goose_prism import goose_prism
from benchmarks.peers.lcr_prism import lcr_prism
from benchmarks.peers.pig_prism import pig_prism
from oddsmith import published

TIMEOUT = 300

SNAKES = Path(published.__file__).parent / "snakes-and-ladders.prism"

MODELS: dict[str, tuple[Callable[[], str], list[str]]] = {
    "snakes (the paper's)": (lambda: SNAKES.read_text(), ["P=? [ F w=1 ]"]),
    "goose, 3 players": (lambda: goose_prism(3), ['P=? [ F "win1" ]']),
    "left-center-right, 5": (lambda: lcr_prism(5), ['P=? [ F "win1" ]']),
    "race, 10^7 states": (lambda: shapes.walks(3161), ['P=? [ F "ahead" ]']),
    "climb, counter to 10^6": (lambda: shapes.counter(1_000_000), ["P=? [ F x=N ]"]),
    "climb with falls, to 10^4": (lambda: shapes.counter(10_000, falls=True), ["P=? [ F x=N ]"]),
    "ring, 13 in step": (lambda: shapes.ring(13), ['R{"steps"}=? [ F "stable" ]']),
    "shared coin, 5 x 4": (
        lambda: shapes.shared_coin(5, 4),
        ['Pmin=? [ F "finished" & "all_heads" ]', 'R{"steps"}max=? [ F "finished" ]'],
    ),
    "philosophers, 7": (lambda: shapes.philosophers(7), ['R{"steps"}min=? [ F "eat" ]']),
    "machines, 5 x 20": (lambda: shapes.machines(5, 20), ['Pmax=? [ F "full" ]']),
    "pig against hold-at-20": (lambda: pig_prism(100, hold_at=20), ['Pmax=? [ F "win1" ]']),
}  # fmt: skip


def peer(module: str, job: dict[str, Any], limit: float = TIMEOUT) -> dict[str, Any] | str:
    """Run one side in a process of its own; its result, or why there is none (> its limit)."""
    began, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run(
            [sys.executable, "-m", module], input=json.dumps(job), capture_output=True, text=True,
            timeout=limit, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"> {limit:.0f}"
    if done.returncode != 0:
        return (done.stderr.strip().splitlines() or [f"ended by signal {-done.returncode}"])[-1][
            :90
        ]
    took, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return found | {"process_seconds": took, "processor_seconds": used}


def best(module: str, job: dict[str, Any], runs: int, clock: str) -> dict[str, Any] | str:
    """The quickest of some runs."""
    made = [peer(module, job) for _ in range(runs)]
    ended = [one for one in made if not isinstance(one, str)]
    return min(ended, key=lambda one: float(one[clock])) if ended else made[0]


def compare(name: str, runs: int, clock: str) -> dict[str, float] | None:
    """One model: a line of the table; the ratios to Storm's sound answer."""

    def total(found: dict[str, Any]) -> float:
        return float(found[clock])

    make, properties = MODELS[name]
    job = {"source": make(), "properties": properties, "precision": 1e-9}
    ours = best("benchmarks.ours_check", job, runs, clock)
    sound = best("benchmarks.peers.storm", job | {"sound": True}, runs, clock)
    plain = best("benchmarks.peers.storm", job | {"default": True}, runs, clock)
    if isinstance(ours, str) or isinstance(sound, str):
        print(f"| {name} | {ours if isinstance(ours, str) else sound} |")
        return None
    # Storm leaves out what lies behind the states at which the property is decided.
    assert ours["states"] >= sound["states"], (ours["states"], sound["states"])
    for mine, theirs in zip(ours["values"], sound["values"], strict=True):
        assert math.isclose(mine, theirs, rel_tol=1e-6, abs_tol=1e-8), (name, mine, theirs)
    speed, memory = total(ours) / total(sound), ours["peak_mb"] / sound["peak_mb"]
    other = "-" if isinstance(plain, str) else f"{total(plain):.2f}"
    print(
        f"| {name} | {ours['states']:,} | {ours['transitions']:,} | "
        f"{ours['build_seconds']:.2f} + {sum(ours['check_seconds']):.2f} | "
        f"{total(ours):.2f} | "
        f"{sound['build_seconds']:.2f} + {sum(sound['check_seconds']):.2f} | "
        f"{total(sound):.2f} | {other} | "
        f"{speed:.2f} | {ours['peak_mb']:,.0f} | {sound['peak_mb']:,.0f} |",
        flush=True,
    )
    found = {"sound": speed, "memory": memory}
    if not isinstance(plain, str):
        found["default"] = total(ours) / total(plain)
    return found


def main() -> None:
    """Print the table and its geometric means."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*", help="beginnings of their names")
    parser.add_argument("--processor", action="store_true")
    parser.add_argument("--runs", type=int, default=1)
    options = parser.parse_args()
    clock = "processor_seconds" if options.processor else "process_seconds"
    print(
        "| model | states | transitions | ours: build + check, s | all "
        "| Storm sound: build + check, s | all | Storm default, all | ours / sound | ours, MiB "
        "| Storm, MiB |\n|" + "---|" * 11
    )
    found = [
        line
        for name in MODELS
        if not options.models or any(name.startswith(one) for one in options.models)
        if (line := compare(name, options.runs, clock)) is not None
    ]
    for what in ("sound", "default", "memory"):
        ratios = [line[what] for line in found if what in line]
        if ratios:
            mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
            print(f"{what}: geometric mean {mean:.2f}, largest {max(ratios):.2f}")


if __name__ == "__main__":
    main()
