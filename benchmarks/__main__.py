"""Speed and memory against peers on the same work in the same run: `make bench`.

    python -m benchmarks [--runs N] [--full]

Each side runs in processes of its own. Times are the best of some runs; `process` is from starting
Python to the end, imports and the compiling of rules included. Nothing here is a test.
"""

import argparse
import json
import subprocess
import sys
import time
from typing import Any

from benchmarks import plan
from benchmarks.peers.goose_prism import goose_prism
from oddsmith.results.table import align


def in_process(module: str, job: dict[str, Any]) -> dict[str, Any]:
    """Run a job in a process of its own; what it says, and the seconds it took in all."""
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", module],
        input=json.dumps(job),
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise SystemExit(f"{module} failed:\n{done.stderr}")
    took = time.perf_counter() - began
    return json.loads(done.stdout.splitlines()[-1]) | {"process_seconds": took}


def best(module: str, job: dict[str, Any], runs: int) -> dict[str, Any]:
    """The run that took least in all."""
    found = [in_process(module, job) for _ in range(runs)]
    return min(found, key=lambda run: run["process_seconds"])


def goose_against_storm(players: int, runs: int) -> None:
    """Rules to all winners and the duration, certified to 1e-12, on both sides."""
    properties = [f'P=? [F "win{p + 1}"]' for p in range(players)]
    properties.append('R{"throws"}=? [F "over"]')
    job = {"source": goose_prism(players), "properties": properties, "precision": 1e-12}
    storm = best("benchmarks.peers.storm", {**job, "sound": True}, runs)
    storm["explore_seconds"] = storm["build_seconds"]
    storm["solve_seconds"] = sum(storm["check_seconds"])
    goose = {"game": "goose", "options": {"players": players}}
    sides = {
        "Storm (sound)": storm,
        "Oddsmith": best("benchmarks.ours", goose, runs),
        "Oddsmith, full chain": best("benchmarks.ours", {**goose, "symmetry": False}, runs),
    }
    for name, side in sides.items():
        off = max(abs(a - b) for a, b in zip(side["values"], storm["values"], strict=True))
        assert off < 1e-9, f"{name} disagrees with Storm by {off}"
        assert side["states"] == storm["states"], f"{name} has another chain than Storm"
    print(f"\nGame of the Goose, {players} players: rules to {players} winners and the duration")
    print(f"{storm['states']:,} states, {storm['transitions']:,} transitions in Storm\n")
    rows = [
        [
            name,
            f"{side['explore_seconds']:.2f}",
            f"{storm['explore_seconds'] / side['explore_seconds']:.1f}",
            f"{side['solve_seconds']:.2f}",
            f"{storm['solve_seconds'] / side['solve_seconds']:.1f}",
            f"{side['process_seconds']:.2f}",
            f"{storm['process_seconds'] / side['process_seconds']:.1f}",
            f"{side['peak_mb']:.0f}",
        ]
        for name, side in sides.items()
    ]
    header = ["", "explore s", "× Storm", "solve s", "× Storm", "process s", "× Storm", "MiB"]
    print(align(header, rows))


def ours_alone(title: str, jobs: list[dict[str, Any]], runs: int) -> None:
    """Our own times on games that peers do not finish or that need no peer."""
    rows = []
    for job in jobs:
        found = best("benchmarks.ours", job, runs)
        rows.append(
            [
                f"{job['game']} {job['options']}",
                f"{found['states']:,}",
                f"{found['transitions']:,}",
                f"{found['explore_seconds']:.2f}",
                f"{found['solve_seconds']:.2f}",
                f"{max(found['errors'][:-1]):.0e}",
                f"{found['peak_mb']:,.0f}",
            ]
        )
    print(f"\n{title}\n")
    print(align(["", "states", "transitions", "explore s", "solve s", "error", "MiB"], rows))


def main() -> None:
    """Run the benchmarks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--full", action="store_true", help="four geese on the general engine too")
    arguments = parser.parse_args()
    goose_against_storm(3, arguments.runs)
    ours_alone(
        "Games of some ten thousand states (OpenSpiel: 23 s for value iteration on 34,000)",
        [
            {"game": "left-center-right", "options": {"players": 5}},
            {"game": "snakes-and-ladders", "options": {"players": 4}},
            {"game": "chutes-and-ladders", "options": {"players": 2}},
        ],
        2,
    )
    large = [{"game": "left-center-right", "options": {"players": 7}, "tolerance": 1e-9}]
    if arguments.full:
        large.append({"game": "goose", "options": {"players": 4}, "tolerance": 1e-9})
    ours_alone("Large games, to 1e-9", large, 1)
    print("\nWhat the plan says, and what was then used\n")
    plan.main()


if __name__ == "__main__":
    main()
