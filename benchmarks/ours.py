"""Our side of a benchmark, in a process of its own: reads a job as JSON, prints what it cost.

echo '{"game": "goose", "options": {"players": 3}}' | python -m benchmarks.ours
"""

import json
import sys
import time
from typing import Any

from oddsmith import explore, game, memory, odds
from oddsmith.games import game_class


def run(job: dict[str, Any]) -> dict[str, Any]:
    """Explore a game and find its odds; seconds for each part, compilation apart."""
    import oddsmith.model.kernels  # noqa: F401 - Numba is imported before the clock starts, as stormpy is

    made = game(job["game"], **job.get("options", {}))
    began = time.perf_counter()
    model = explore(made, engine="compiled", symmetry=job.get("symmetry", True))
    explored = time.perf_counter() - began
    warm_up(job)
    began = time.perf_counter()
    found = odds(model, method="certified", tolerance=job.get("tolerance", 1e-12))
    solved = time.perf_counter() - began
    return {
        "states": model.full_states,
        "transitions": model.full_transitions,
        "stored": model.states,
        "compile_seconds": model.compile_seconds,
        "explore_seconds": explored - model.compile_seconds,
        "solve_seconds": solved,
        "values": [a.value for a in (*found.win, found.duration)],
        "errors": [a.error for a in (*found.win, found.duration)],
        "peak_mb": memory.peak_mb(),
    }


def warm_up(job: dict[str, Any]) -> None:
    """Load the compiled solvers from their cache, as a second question in a session finds them.

    They are the same for all games and are compiled once an installation; the smallest game
    with as many seats loads the same machine code.
    """
    players = job.get("options", {}).get("players", 2)
    small = game_class("coin-race")(players=players)
    odds(explore(small, symmetry=job.get("symmetry", True)), method="certified")


if __name__ == "__main__":
    json.dump(run(json.load(sys.stdin)), sys.stdout)
