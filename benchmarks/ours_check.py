"""Our side of `benchmarks.check`, in a process of its own: reads a job as JSON, prints its cost."""

import json
import sys
import time
from typing import Any

from oddsmith import memory
from oddsmith.properties.check import check
from oddsmith.rules.prism import parse_program
from oddsmith.rules.prism.explore import explore

WARM = {
    "dtmc": "dtmc module m x:[0..3]; [a] x=0 -> 0.5:(x'=1)+0.5:(x'=2); [a] x=1 -> (x'=0); endmodule"
    ' label "end" = x=2; rewards "r" true:1; endrewards',
    "mdp": "mdp module m x:[0..3]; [] x=0 -> 0.5:(x'=1)+0.5:(x'=2); [b] x=1 -> (x'=0);"
    ' [] x=1 -> (x\'=1); endmodule rewards "r" true:1; endrewards',
}


def run(job: dict[str, Any]) -> dict[str, Any]:
    """Build a PRISM model and check properties; what each part took."""
    source: str = job["source"]
    warm_up("dtmc" if source.startswith("dtmc") else "mdp", job["properties"])
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


def warm_up(kind: str, properties: list[str]) -> None:
    """Load what is compiled once an installation, as a second question in a session finds it."""
    process = explore(parse_program(WARM[kind], "warm", {}))
    rewards = any(text.startswith("R") for text in properties)
    best = "" if kind == "dtmc" else "max"
    check(process, f"P{best}=? [ F x=2 ]")
    if rewards:
        check(process, f'R{{"r"}}{best or ""}=? [ F x=2 ]')


if __name__ == "__main__":
    json.dump(run(json.load(sys.stdin)), sys.stdout)
