"""Exact answers beside Storm's exact engine on the same chains, and how they grow.

    python -m benchmarks.exact [NAME ...] [--limit SECONDS] [--runs N]
    python -m benchmarks.exact --scaling [SHAPE ...] [--limit SECONDS] [--largest STATES]

Both sides run in processes of their own, one after the other, and their fractions must be equal.
Storm answers by each of its exact solvers; the best counts. A side that is not done after the
limit is stopped and its time is the limit. `process` is from the command to the answer, imports
included, and `CPU` its processor time on all cores, the fairer one where the machine has other
work; `solve` is building the model and solving it, as a second question in a session finds it.

PRISM's exact engine is no peer here: it needs Java, which the machines of this project lack.
"""

import argparse
import resource
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.check import peer
from benchmarks.models.chains import SHAPES, WON, Row, expander, ruin
from benchmarks.peers.chain_prism import chain_prism
from benchmarks.peers.goose_prism import goose_prism
from benchmarks.peers.lcr_prism import lcr_prism
from benchmarks.peers.storm_exact import CHAIN_SOLVERS, DECISION_SOLVERS
from oddsmith import published
from oddsmith.results.table import align

SNAKES = Path(published.__file__).parent / "snakes-and-ladders.prism"
SIZES = (1_000, 10_000, 100_000)
LIMIT = 420.0

sys.set_int_max_str_digits(0)


@dataclass(frozen=True)
class Case:
    """The same chain for both sides: our job, Storm's source, and the questions in its words."""

    job: dict[str, Any]
    source: Callable[[], str]
    properties: list[str]


def chutes_rows() -> list[Row]:
    """Chutes and Ladders for one player, square by square, from the printed board."""
    ladders = {1: 38, 4: 14, 9: 31, 21: 42, 28: 84, 36: 44, 51: 67, 71: 91, 80: 100}
    chutes = {16: 6, 47: 26, 49: 11, 56: 53, 62: 19, 64: 60, 87: 24, 93: 73, 95: 75, 98: 78}
    jumps = ladders | chutes
    rows = []
    for square in range(100):
        row: Row = {}
        for face in range(1, 7):
            reached = square + face if square + face <= 100 else square
            reached = jumps.get(reached, reached)
            target = WON if reached == 100 else reached
            row[target] = row.get(target, 0) + 1
        rows.append(row)
    return rows


def _chain(rows: Callable[[], list[Row]], properties: list[str] | None = None) -> Case:
    """A chain that both sides read from PRISM source."""
    asked = properties or ['P=? [ F "won" ]', 'R{"steps"}=? [ F "over" ]']
    return Case({}, lambda: chain_prism(rows()), asked)


def _left_center_right(players: int) -> Case:
    properties = [f'P=? [ F "win{seat}" ]' for seat in range(1, players + 1)]
    questions = [f"win {seat}" for seat in range(1, players + 1)] + ["length"]
    job = {"game": "left-center-right", "options": {"players": players}, "questions": questions}
    return Case(job, lambda: lcr_prism(players), [*properties, 'R{"turns"}=? [ F "over" ]'])


CASES: dict[str, Case] = {
    "goose, 2 players": Case(
        {"game": "goose", "options": {"players": 2}},
        lambda: goose_prism(2),
        ['P=? [ F "win1" ]', 'P=? [ F "win2" ]', 'P=? [ F "draw" ]', 'R{"throws"}=? [ F "over" ]'],
    ),
    "chutes and ladders": _chain(chutes_rows, ['R{"steps"}=? [ F "over" ]']),
    "left-center-right, 2": _left_center_right(2),
    "left-center-right, 3": _left_center_right(3),
    "left-center-right, 4": _left_center_right(4),
    "left-center-right, 5": _left_center_right(5),
    "snakes (the paper's)": Case({}, SNAKES.read_text, ["P=? [ F w=1 ]"]),
    "gambler's ruin, 1,000": _chain(lambda: ruin(1_000).rows()),
    "random graph, 100": _chain(lambda: expander(100).rows()),
    "random graph, 300": _chain(lambda: expander(300).rows()),
    "random graph, 1,000": _chain(lambda: expander(1_000).rows()),
}
"""What is compared; where there is no job of ours, we read Storm's source."""


def timed(module: str, job: dict[str, Any], limit: float) -> dict[str, Any] | str:
    """Run one side in a process of its own; its result and seconds, or why there is none."""
    began, cpu = time.perf_counter(), children_cpu()
    found = peer(module, job, limit)
    if isinstance(found, str):
        return found
    seconds = time.perf_counter() - began
    inner = found["build_seconds"] + found.get("solve_seconds", sum(found.get("check_seconds", ())))
    return found | {"process": seconds, "cpu": children_cpu() - cpu, "inner": inner}


def children_cpu() -> float:
    """The processor time of all processes that were started here and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def best(module: str, job: dict[str, Any], limit: float, runs: int) -> dict[str, Any] | str:
    """The fastest of some runs, or why there is none."""
    found: list[dict[str, Any]] = []
    for _ in range(runs):
        one = timed(module, job, limit)
        if isinstance(one, str):
            return one
        found.append(one)
    return min(found, key=lambda one: one["process"])


def storm(case: Case, source: str, limit: float, runs: int) -> tuple[dict[str, Any] | str, str]:
    """The best of Storm's exact solvers, with its name; or the limit, or why there is nothing.

    A solver has as long as the best one before it took.
    """
    solvers = DECISION_SOLVERS if source.startswith("mdp") else CHAIN_SOLVERS
    winner: tuple[dict[str, Any] | str, str] = (f"> {limit:.0f}", "all")
    for solver in solvers:
        job = {"source": source, "properties": case.properties, "solver": solver}
        patience = limit if isinstance(winner[0], str) else winner[0]["process"]
        found = best("benchmarks.peers.storm_exact", job, patience, runs)
        if isinstance(found, str):
            print(f"  {solver.lower()}: {found}", file=sys.stderr, flush=True)
        elif found["process"] < patience:
            winner = (found, solver.lower())
    return winner


def digits(values: list[str]) -> int:
    """The digits of the longest numerator or denominator."""
    return max(len(part.lstrip("-")) for value in values for part in value.split("/"))


def compare(name: str, limit: float, runs: int) -> list[str]:
    """One case: a row of the table."""
    case = CASES[name]
    source = case.source()
    job = case.job or {"source": source, "properties": case.properties}
    timed("benchmarks.ours_exact", job, LIMIT)  # compiles what is not yet compiled
    ours = best("benchmarks.ours_exact", job, limit, runs)
    if isinstance(ours, str):
        return [name, "", "", ours, *[""] * 8]
    theirs, solver = storm(case, source, limit, runs)
    row = [
        name, f"{ours['states']:,}", f"{digits(ours['values']):,}",
        f"{ours['process']:.2f}", f"{ours['cpu']:.2f}", f"{ours['inner']:.3f}",
        f"{ours['peak_mb']:,.0f}",
    ]  # fmt: skip
    if isinstance(theirs, str):
        over = f"> {limit / ours['process']:.0f}" if theirs.startswith(">") else "-"
        return [*row, theirs, "", "", solver, over]
    assert theirs["values"] == ours["values"], f"{name}: Storm's fractions are others"
    ratio = theirs["process"] / ours["process"], theirs["inner"] / ours["inner"]
    row += [f"{theirs['process']:.2f}", f"{theirs['cpu']:.2f}", f"{theirs['inner']:.3f}", solver]
    return [*row, f"{ratio[0]:.1f} / {ratio[1]:.1f}"]


def scaling(shape: str, states: int, limit: float) -> list[str]:
    """One shape in one size: a row of the table."""
    job = {"shape": shape, "states": states}
    found = timed("benchmarks.ours_exact", job, limit)
    if isinstance(found, str):
        return [shape, f"{states:,}", found, *[""] * 7]
    matrix = found["states"] + found["transitions"]
    return [
        shape,
        f"{found['states']:,}",
        f"{found['solve_seconds']:.2f}",
        f"{found['cpu_seconds']:.2f}",
        f"{found['factor_seconds']:.2f}",
        f"{matrix:,}",
        f"{found['entries'] / matrix:.1f}",
        f"{found['dense']:,}",
        f"{digits(found['values']):,}",
        f"{found['peak_mb']:,.0f}",
    ]


def wanted(names: list[str], known: dict[str, Any]) -> list[str]:
    """The names that begin as one of those given; all where none is given."""
    return [name for name in known if not names or any(name.startswith(n) for n in names)]


def main() -> None:
    """Run the comparison, or the scaling, and print its table row by row."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="cases or shapes, by how they begin")
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds for one process")
    parser.add_argument("--runs", type=int, default=1, help="take the fastest of so many")
    parser.add_argument("--scaling", action="store_true")
    parser.add_argument("--largest", type=int, default=max(SIZES), help="states, with --scaling")
    given = parser.parse_args()
    rows = []
    if given.scaling:
        header = ["", "states", "solve s", "CPU s", "factor s", "entries", "fill", "dense"]
        header += ["digits", "MiB"]
        timed("benchmarks.ours_exact", {"shape": "board", "states": 100}, LIMIT)
        for shape in wanted(given.names, SHAPES):
            for states in SIZES:
                if states <= given.largest:
                    rows.append(scaling(shape, states, given.limit))
                    print(*rows[-1], sep=" | ", file=sys.stderr, flush=True)
    else:
        header = ["", "states", "digits", "ours: process s", "CPU s", "solve s", "MiB"]
        header += ["Storm: process s", "CPU s", "solve s", "by", "× Storm"]
        for name in wanted(given.names, CASES):
            rows.append(compare(name, given.limit, given.runs))
            print(*rows[-1], sep=" | ", file=sys.stderr, flush=True)
    print(align(header, rows))


if __name__ == "__main__":
    main()
