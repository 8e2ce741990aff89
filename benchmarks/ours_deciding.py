"""Our side of a benchmark of optimal play, in a process of its own: a job as JSON, its cost.

echo '{"game": "pig"}' | python -m benchmarks.ours_deciding
"""

import json
import sys
import time
from typing import Any


def run(job: dict[str, Any]) -> dict[str, Any]:
    """Our side: explore a game, find how to play it; seconds for each part."""
    from oddsmith import explore, game
    from oddsmith.questions.settings import Settings
    from oddsmith.runtime import memory
    from oddsmith.solve.play.profile import optimal_table, profile

    def find(model: Any) -> Any:
        if job.get("play") is None:
            return optimal_table(model, settings)
        return profile(model, job["play"], settings).policies[0]

    settings = Settings(method="certified")
    made = game(job["game"], **job.get("options", {}))
    began = time.perf_counter()
    model = explore(made, engine="compiled")
    explored = time.perf_counter() - began
    began = time.perf_counter()
    table = find(model)
    solved = time.perf_counter() - began
    found, start = table.solution, table.model.start
    return {
        "states": model.states,
        "transitions": model.transitions,
        "explore_seconds": explored,
        "solve_seconds": solved,
        "value": float(found.x[start, 0]),
        "error": float(max(found.upper[start].max(), found.lower[start].max())),
        "decisions": found.decisions,
        "undecided": len(found.undecided),
        "regret": found.regret,
        "peak_mb": memory.peak_mb(),
    }


if __name__ == "__main__":
    json.dump(run(json.load(sys.stdin)), sys.stdout)
