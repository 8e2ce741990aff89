"""What the gate costs: `python -m benchmarks.gate`, its share of every kind of answer.

Each question is asked some times in one process, after a first time that compiles. What is spent in
the gate (as answers are made, and as they leave) is measured inside of it by a clock around each of
its functions, whose own cost counts as the gate's; the share is that of the best run.
"""

import time
from collections.abc import Callable
from typing import Any

from oddsmith import (
    best_response,
    check,
    compare,
    duel,
    estimate,
    game,
    length,
    odds,
    optimal,
    simulate,
    tournament,
    values,
    visits,
)
from oddsmith.results import gate
from oddsmith.results.table import align

RUNS = 7
DOORS = ("number", "chances", "agree", "result", "checked", "table", "leaves")

spent = 0.0
passed = 0
depth = 0


def clocked(door: Callable[..., None]) -> Callable[..., None]:
    """A door of the gate, with a clock; a door behind a door is not counted twice."""

    def through(*given: Any, **named: Any) -> None:
        global spent, passed, depth
        began = time.perf_counter()
        depth += 1
        try:
            door(*given, **named)
        finally:
            depth -= 1
            passed += 1
            if not depth:
                spent += time.perf_counter() - began

    return through


def race() -> Any:
    return game("coin-race")


QUESTIONS: dict[str, Callable[[], Any]] = {
    "odds, coin race": lambda: odds(race()),
    "odds, two geese, certified": lambda: odds(game("goose", players=2), engine="compiled"),
    "odds, two geese, exact": lambda: odds(game("goose", players=2), method="exact"),
    "odds, four geese, lattice": lambda: odds(game("goose", players=4), engine="lattice"),
    "length, coin race": lambda: length(race()),
    "length, two geese": lambda: length(game("goose", players=2)),
    "visits, two geese": lambda: visits(game("goose", players=2)),
    "values, coin race, exact": lambda: values(race(), method="exact"),
    "values, two geese": lambda: values(game("goose", players=2)),
    "optimal, piglet": lambda: optimal(game("piglet", goal=5)),
    "optimal, Pig": lambda: optimal(game("pig", goal=50)),
    "best response, Pig": lambda: best_response(game("pig", goal=30), "hold-at-20"),
    "duel, piglet": lambda: duel(game("piglet", goal=5), "optimal", "random"),
    "tournament, piglet": lambda: tournament(game("piglet", goal=5), ["optimal", "random"]),
    "compare, coin races": lambda: compare(race(), game("coin-race", goal=3)),
    "check, coin race": lambda: check(race(), 'P=? [ F "win1" ]'),
    "check, two geese": lambda: check(game("goose", players=2), 'P=? [ F "win1" ]'),
    "estimate, coin race": lambda: estimate(race(), 'P=? [ F<=9 "win1" ]', games=1000),
    "simulate, coin race": lambda: simulate(race(), games=1000),
}


def main() -> None:
    """Ask everything, with clocks at the doors."""
    global spent, passed
    for name in DOORS:
        setattr(gate, name, clocked(getattr(gate, name)))
    rows = []
    for name, question in QUESTIONS.items():
        question()
        found = []
        for _ in range(RUNS):
            spent, passed = 0.0, 0
            began = time.perf_counter()
            question()
            found.append((time.perf_counter() - began, spent, passed))
        seconds, mine, doors = min(found)
        share = f"{mine / seconds:.2%}"
        rows.append([name, f"{1e3 * seconds:.2f}", f"{1e6 * mine:.0f}", f"{doors:,}", share])
        print(rows[-1], flush=True)
    print(align(["question", "ms", "gate, µs", "passes", "share"], rows))


if __name__ == "__main__":
    main()
