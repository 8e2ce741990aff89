"""Our side of `benchmarks.exact`, in a process of its own: reads a job as JSON, prints its cost.

A job is a game and its options, a PRISM source and properties, or a shape of
`benchmarks.models.chains` and its size; the answers are fractions, as text.

    echo '{"game": "goose", "options": {"players": 2}}' | python -m benchmarks.ours_exact
"""

import json
import sys
import time
from fractions import Fraction
from typing import Any

from oddsmith.runtime import memory

sys.set_int_max_str_digits(0)


def of_game(job: dict[str, Any]) -> dict[str, Any]:
    """The odds of a game from its rules: all winners, the draw, the mean length."""
    from oddsmith import explore, game, odds

    made = game(job["game"], **job.get("options", {}))
    began = time.perf_counter()
    model = explore(made)
    built = time.perf_counter()
    found = odds(model, method="exact")
    done = time.perf_counter()
    by_name = {f"win {seat}": win for seat, win in enumerate(found.win, start=1)}
    by_name |= {"draw": found.draw, "length": found.duration}
    asked = job.get("questions", list(by_name))
    return {
        "states": model.full_states,
        "transitions": model.full_transitions,
        "build_seconds": built - began,
        "solve_seconds": done - built,
        "values": [str(by_name[question].exact) for question in asked],
    }


def of_source(job: dict[str, Any]) -> dict[str, Any]:
    """Properties of a PRISM model."""
    from oddsmith.model.prism.explore import explore
    from oddsmith.properties.check import check
    from oddsmith.rules.prism import parse_program

    began = time.perf_counter()
    program = parse_program(job["source"], "model.prism", {})
    process = explore(program)
    built = time.perf_counter()
    values = [
        check(
            process, text, exact=True, constants=program.constants, formulas=program.formulas
        ).answer.exact
        for text in job["properties"]
    ]
    done = time.perf_counter()
    return {
        "states": process.states,
        "transitions": process.transitions,
        "build_seconds": built - began,
        "solve_seconds": done - built,
        "values": [str(value) for value in values],
    }


def of_chain(job: dict[str, Any]) -> dict[str, Any]:
    """The chance to win a generated chain from its start."""
    from benchmarks.models.chains import SHAPES
    from oddsmith.solve.exact.linear import Report, solve_at
    from oddsmith.solve.exact.system import Matrix

    began = time.perf_counter()
    chain = SHAPES[job["shape"]](job["states"])
    built = time.perf_counter()
    matrix = Matrix(chain.row, chain.col, chain.weight, chain.total)
    report = Report()
    cpu = time.process_time()
    [found] = solve_at(matrix, chain.won[:, None], [0], most=1, report=report)
    done, cpu = time.perf_counter(), time.process_time() - cpu
    return {
        "states": chain.states,
        "transitions": len(chain.col),
        "build_seconds": built - began,
        "solve_seconds": done - built,
        "values": [str(Fraction(value)) for value in found],
        "cpu_seconds": cpu,
        "factor_seconds": report.factor_seconds,
        "entries": report.fill,
        "dense": report.dense,
    }


SMALL: dict[Any, dict[str, Any]] = {
    of_game: {"game": "coin-race"},
    of_source: {
        "source": "dtmc module m x:[0..3]; [] x<2 -> 1/3:(x'=1-x)+1/3:(x'=2)+1/3:(x'=3);"
        " endmodule rewards true:1; endrewards",
        "properties": ["P=? [ F x=2 ]", "R=? [ F x>1 ]"],
    },
    of_chain: {"shape": "board", "states": 100},
}
"""The smallest jobs of their kind."""


def run(job: dict[str, Any]) -> dict[str, Any]:
    """Answer a job; what each part took, and the most memory this process held."""
    answer = of_game if "game" in job else of_source if "source" in job else of_chain
    answer(SMALL[answer])  # loads machine code, as a first question in a session does
    return answer(job) | {"peak_mb": memory.peak_mb()}


if __name__ == "__main__":
    json.dump(run(json.load(sys.stdin)), sys.stdout)
