"""The Game of the Goose on its lattice, as the number of players grows, beside Storm.

    python -m benchmarks.lattice [--players 5] [--storm 3] [--plot docs/cost.svg]

Each run is a process of its own, from the command to the answer: `seconds` is the wall clock of
the whole process, imports included, on both sides. `ns` is nanoseconds a number a turn, and
`copy` its ratio to copying as many bytes in memory on all cores in the same process. What was
measured elsewhere (on a GPU) is read from benchmarks/measured.toml. Nothing here is a test.
"""

import argparse
import json
import sys
import threading
import time
import tomllib
from itertools import pairwise
from pathlib import Path
from typing import Any

from benchmarks.peers.goose_prism import goose_prism

LARGE = 4
"""From so many players on the array is larger than the caches, so its copy is a measure."""
MEASURED = Path(__file__).parent / "measured.toml"


def turn_cost(players: int, turns: int) -> dict[str, float]:
    """Nanoseconds a number a turn, and to copy a number, all cores, in this process."""
    import numpy as np

    from oddsmith import game
    from oddsmith.solve.lattice.cpu import CpuSweeper

    sweeper = CpuSweeper(game("goose", players=players).track, players)
    sweeper.place_start()
    sweeper.forward_many(0, players)
    best = float("inf")
    for _ in range(3):
        began = time.perf_counter()
        sweeper.forward_many(0, turns * players)
        best = min(best, time.perf_counter() - began)
    turn = best / turns / players / sweeper.size * 1e9
    copy = np.empty_like(sweeper.array)
    cuts = [sweeper.size * i // sweeper.workers.count for i in range(sweeper.workers.count + 1)]
    fastest = float("inf")
    for _ in range(6):
        jobs = [
            threading.Thread(target=np.copyto, args=(copy[a:b], sweeper.array[a:b]))
            for a, b in pairwise(cuts)
        ]
        began = time.perf_counter()
        for job in jobs:
            job.start()
        for job in jobs:
            job.join()
        fastest = min(fastest, time.perf_counter() - began)
    return {"ns": turn, "copy_ns": fastest / sweeper.size * 1e9}


def solve(players: int) -> dict[str, Any]:
    """The answers, as a user gets them."""
    from oddsmith import game, odds

    found = odds(game("goose", players=players), engine="lattice")
    return {
        "numbers": found.evidence.numbers,
        "values": [a.value for a in (*found.win, found.duration)],
        "error": max(a.error or 0.0 for a in found.win),
        "length_error": found.duration.error if found.duration else None,
        "how": list(found.evidence.how),
        "mib": found.evidence.peak_memory_mb,
    }


def in_process(module: str, job: dict[str, Any]) -> tuple[dict[str, Any], float]:
    """Run a job in a fresh process: what it says, and the seconds it took in all."""
    from benchmarks.__main__ import in_process as run

    began = time.perf_counter()
    return run(module, job), time.perf_counter() - began


def storm(players: int) -> dict[str, Any]:
    """The same answers from Storm, by its sound method."""
    properties = [f'P=? [F "win{p + 1}"]' for p in range(players)]
    properties.append('R{"throws"}=? [F "over"]')
    job = {"source": goose_prism(players), "properties": properties}
    found, seconds = in_process("benchmarks.peers.storm", {**job, "sound": True})
    return {**found, "seconds": seconds, "mib": found["peak_mb"], "numbers": found["states"]}


def table(most: int, storm_most: int) -> list[dict[str, Any]]:
    """A row for each number of players and side."""
    rows: list[dict[str, Any]] = []
    for players in range(2, most + 1):
        job = {"players": players}
        in_process("benchmarks.lattice", {**job, "what": "solve"}) if players == 2 else None
        found, seconds = in_process("benchmarks.lattice", {**job, "what": "solve"})
        rows.append({"side": "Oddsmith, CPU", "players": players, "seconds": seconds, **found})
        if players >= LARGE:
            cost, _ = in_process("benchmarks.lattice", {**job, "what": "turn"})
            rows[-1] |= {"ns": cost["ns"], "copy": cost["ns"] / cost["copy_ns"]}
        if players <= storm_most:
            peer = storm(players)
            off = max(abs(a - b) for a, b in zip(peer["values"], found["values"], strict=True))
            assert off < 1e-9, f"Storm disagrees by {off}"
            rows.append({"side": "Storm (sound)", "players": players, **peer})
            rows[-2]["ratio"] = peer["seconds"] / seconds
    return rows


def show(rows: list[dict[str, Any]]) -> None:
    """Print the table."""
    from oddsmith.results.table import align

    head = ["players", "", "numbers or states", "seconds", "MiB", "± chance", "ns", "× copy"]
    cells = [
        [
            str(row["players"]),
            row["side"],
            f"{row['numbers']:,}",
            f"{row['seconds']:.2f}",
            f"{row['mib']:,.0f}",
            f"{row['error']:.0e}" if "error" in row else "",
            f"{row['ns']:.3g}" if "ns" in row else "",
            f"{row['copy']:.1f}" if "copy" in row else "",
            f"{row['ratio']:.1f}" if "ratio" in row else "",
        ]
        for row in sorted(rows, key=lambda row: (row["players"], row["side"]))
    ]
    print(align([*head, "× Storm"], cells))


def plot(rows: list[dict[str, Any]], path: str) -> None:
    """Seconds and memory by the number of players, one line a side."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    colours = {"Oddsmith, CPU": "#1f5fa8", "Oddsmith, H200": "#3a9a5c", "Storm (sound)": "#b5532a"}
    figure, axes = pyplot.subplots(1, 2, figsize=(9, 3.8), constrained_layout=True)
    for axis, key, name in zip(
        axes, ("seconds", "mib"), ("seconds, from command to answer", "memory, MiB"), strict=True
    ):
        for side, colour in colours.items():
            found = sorted((r["players"], r[key]) for r in rows if r["side"] == side)
            if found:
                axis.plot(*zip(*found, strict=True), "o-", color=colour, label=side)
        axis.set_yscale("log")
        axis.set_xticks(range(2, 7))
        axis.set_xlabel("players")
        axis.set_title(name, fontsize=10)
        axis.grid(True, which="major", alpha=0.3)
    axes[0].legend(frameon=False)
    figure.suptitle("Game of the Goose: all winners and the mean duration", fontsize=11)
    figure.savefig(path)


def main() -> None:
    """Run the table, or one job of it."""
    if not sys.stdin.isatty() and len(sys.argv) == 1:
        job = json.load(sys.stdin)
        players = job["players"]
        turns = {2: 2000, 3: 200, 4: 10}.get(players, 1)
        done = solve(players) if job["what"] == "solve" else turn_cost(players, turns)
        print(json.dumps(done))
        return
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--players", type=int, default=4, help="up to so many on our side")
    parser.add_argument("--storm", type=int, default=3, help="up to so many on Storm's")
    parser.add_argument("--plot", help="draw seconds and memory into this file")
    parser.add_argument("--json", help="keep the rows in this file, or read them from it")
    arguments = parser.parse_args()
    if arguments.json and Path(arguments.json).exists():
        rows = json.loads(Path(arguments.json).read_text())
    else:
        rows = table(arguments.players, arguments.storm)
        if arguments.json:
            Path(arguments.json).write_text(json.dumps(rows, indent=1))
    if MEASURED.exists():
        rows += tomllib.loads(MEASURED.read_text())["row"]
    show(rows)
    if arguments.plot:
        plot(rows, arguments.plot)


if __name__ == "__main__":
    main()
