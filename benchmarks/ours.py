"""Our side of a benchmark, in a process of its own: reads a job as JSON, prints what it cost.

echo '{"game": "goose", "options": {"players": 3}}' | python -m benchmarks.ours
"""

import json
import sys
import time
from typing import Any

from oddsmith import explore, game, odds
from oddsmith.runtime import memory


def run(job: dict[str, Any]) -> dict[str, Any]:
    """Explore a game and find its odds; seconds for each part."""
    made = game(job["game"], **job.get("options", {}))
    began = time.perf_counter()
    model = explore(made, engine="compiled", symmetry=job.get("symmetry", True))
    explored = time.perf_counter() - began
    began = time.perf_counter()
    found = odds(model, method="certified", tolerance=job.get("tolerance", 1e-12))
    solved = time.perf_counter() - began
    return {
        "states": model.full_states,
        "transitions": model.full_transitions,
        "stored": model.states,
        "explore_seconds": explored,
        "solve_seconds": solved,
        "values": [a.value for a in (*found.win, found.duration)],
        "errors": [a.error for a in (*found.win, found.duration)],
        "peak_mb": memory.peak_mb(),
    }


if __name__ == "__main__":
    json.dump(run(json.load(sys.stdin)), sys.stdout)
