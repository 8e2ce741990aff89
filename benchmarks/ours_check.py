"""Our side of `benchmarks.check`, in a process of its own: reads a job as JSON, prints its cost."""

import json
import os
import sys
import time
from typing import Any

from oddsmith.model.prism.explore import explore
from oddsmith.properties.check import check
from oddsmith.rules.prism import parse_program
from oddsmith.runtime import memory


def run(job: dict[str, Any]) -> dict[str, Any]:
    """Build a PRISM model and check properties; what each part took."""
    source: str = job["source"]
    began = time.perf_counter()
    program = parse_program(source, "model.prism", {})
    process = explore(program)
    build_seconds = time.perf_counter() - began
    values, bounds, check_seconds = [], [], []
    for text in job["properties"]:
        began = time.perf_counter()
        found = check(
            process, text, constants=program.constants, formulas=program.formulas,
            tolerance=job.get("precision", 1e-9),
        ).answer  # fmt: skip
        check_seconds.append(time.perf_counter() - began)
        values.append(found.value)
        bounds.append([found.lower, found.upper])
    return {
        "states": process.states,
        "transitions": process.transitions,
        "build_seconds": build_seconds,
        "check_seconds": check_seconds,
        "values": values,
        "bounds": bounds,
        "peak_mb": memory.peak_mb(),
    }


if __name__ == "__main__":
    print(json.dumps(run(json.load(sys.stdin))), flush=True)
    os._exit(0)  # as the command ends: clearing away is no part of an answer, on either side
