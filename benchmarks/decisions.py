"""Optimal play against Storm: `python -m benchmarks.decisions [--runs N] [--large]`.

Rules to policy, each side in processes of its own; `all` is from starting Python to the end. What
Storm can be asked is said in `peers/pig_prism.py`.
"""

import argparse
from typing import Any

from benchmarks.__main__ import best
from benchmarks.peers.pig_prism import pig_prism
from oddsmith.results.table import align


def pig_against_storm(runs: int) -> None:
    """Pig to 100: the game of two, and the best response to hold-at-20."""
    jobs = {
        "optimal play (Storm: the same model as an mdp, one maximiser for both)": (None, None),
        "best response to hold-at-20 (Storm: the same mdp)": (20, "best-response,hold-at-20"),
    }
    for title, (hold_at, play) in jobs.items():
        source = pig_prism(100, hold_at=hold_at)
        storm = best(
            "benchmarks.peers.storm",
            {
                "source": source,
                "properties": ['Pmax=? [F "win1"]'],
                "precision": 1e-12,
                "sound": True,
            },
            runs,
        )
        ours = best(
            "benchmarks.ours_deciding",
            {"game": "pig", "options": {"goal": 100}, "play": play},
            runs,
        )
        if hold_at is not None:
            assert abs(storm["values"][0] - ours["value"]) < 1e-11
        theirs, mine = storm["process_seconds"], ours["process_seconds"]
        print(f"\nPig, goal 100: {title}\n")
        rows = [
            ["Storm (sound)", f"{storm['states']:,}", f"{storm['build_seconds']:.2f}"],
            ["Oddsmith", f"{ours['states']:,}", f"{ours['explore_seconds']:.2f}"],
        ]
        rows[0] += [f"{sum(storm['check_seconds']):.2f}", f"{theirs:.2f}", "1"]
        rows[0] += [f"{storm['peak_mb']:.0f}"]
        rows[1] += [f"{ours['solve_seconds']:.2f}", f"{mine:.2f}", f"{theirs / mine:.1f}"]
        rows[1] += [f"{ours['peak_mb']:.0f}"]
        print(align(["", "states", "explore s", "solve s", "all s", "× Storm", "MiB"], rows))
        print(
            f"\nvalue {ours['value']:.13f} ± {ours['error']:.1e}, {ours['decisions']:,} decisions, "
            f"{ours['undecided']} undecided"
        )


def ours_alone(jobs: list[dict[str, Any]]) -> None:
    """Games that no peer at hand solves."""
    rows = []
    for job in jobs:
        found = best("benchmarks.ours_deciding", job, 2)
        seconds = found["process_seconds"]
        rows.append(
            [
                f"{job['game']} {job.get('options', {})}",
                f"{found['states']:,}",
                f"{found['explore_seconds']:.2f}",
                f"{found['solve_seconds']:.2f}",
                f"{found['states'] / seconds:,.0f}",
                f"{found['value']:.12f}",
                f"{found['error']:.0e}",
                f"{found['undecided']:,}",
                f"{found['peak_mb']:,.0f}",
            ]
        )
    header = ["", "states", "explore s", "solve s", "states/s", "value", "±", "undecided", "MiB"]
    print("\nRules to policy\n")
    print(align(header, rows))


def main() -> None:
    """Run the benchmarks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--large", action="store_true", help="Farkle to 5,000 too")
    arguments = parser.parse_args()
    pig_against_storm(arguments.runs)
    jobs = [
        {"game": "two-dice-pig"},
        {"game": "pig", "options": {"players": 3, "goal": 50}},
        {"game": "farkle", "options": {"goal": 1000}},
    ]
    if arguments.large:
        jobs.append({"game": "farkle", "options": {"goal": 5000}})
    ours_alone(jobs)


if __name__ == "__main__":
    main()
