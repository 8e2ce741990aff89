"""Storm's exact engine as a peer: build a PRISM model in fractions, check properties, in fractions.

Run as a script it reads a job as JSON from standard input, with the arguments of `run` as keys,
and prints the result as JSON:

    echo '{"source": "dtmc ...", "properties": ["P=? [F \\"win1\\"]"], "solver": "ELIMINATION"}' \
        | python -m benchmarks.peers.storm_exact

Storm solves a chain in fractions by state elimination, by Eigen's sparse LU, or, left to itself,
component by component with one of them (TOPOLOGICAL); its power method in fractions (NATIVE,
rational search) gives up on anything but the smallest chains. Decisions are found by policy
iteration or by rational search.
"""

import json
import logging
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.peers.storm import peak_mb

CHAIN_SOLVERS = ("TOPOLOGICAL", "ELIMINATION", "EIGEN")
"""Storm's exact solvers of linear equations; the first is its default."""

DECISION_SOLVERS = ("TOPOLOGICAL", "POLICY_ITERATION", "RATIONAL_SEARCH")
"""Storm's exact solvers of decisions; the first is its default."""


def environment(solver: str, decisions: bool) -> Any:
    """Storm's settings for an exact answer by one of its solvers."""
    from stormpy import environments as env

    made = env.exact()
    if decisions:
        made.solver().min_max().method = getattr(env.MinMaxMethod, solver)
    else:
        kind = getattr(env.EquationSolverType, solver)
        made.solver().set_linear_equation_solver_type(kind)
    return made


def run(source: str, properties: list[str], solver: str = "TOPOLOGICAL") -> dict[str, Any]:
    """Build the PRISM ``source`` in fractions and check each of ``properties``.

    The answer has ``states``, ``transitions``, ``build_seconds`` (parsing included), ``peak_mb``
    (of the whole process), and in the order of the properties ``check_seconds`` and ``values``,
    each a fraction as text or "inf".
    """
    import stormpy

    logging.getLogger("stormpy").setLevel(logging.CRITICAL)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.prism"
        path.write_text(source, encoding="utf-8")
        began = time.perf_counter()
        program = stormpy.parse_prism_program(str(path))
        asked = [stormpy.parse_property(text, program) for text in properties]
        model = stormpy.build_model[stormpy.Rational](program, asked)
        build_seconds = time.perf_counter() - began
    (start,) = model.initial_states
    settings = environment(solver, model.is_nondeterministic_model)
    values, check_seconds = [], []
    for one in asked:
        began = time.perf_counter()
        result = stormpy.model_checking(model, one, environment=settings)
        check_seconds.append(time.perf_counter() - began)
        values.append(str(result.get_value(start)))
    return {
        "peer": f"storm (stormpy {stormpy.__version__}), {solver.lower()}",
        "states": model.nr_states,
        "transitions": model.nr_transitions,
        "build_seconds": build_seconds,
        "check_seconds": check_seconds,
        "values": values,
        "peak_mb": peak_mb(),
    }


def main() -> None:
    """Read a job from standard input and print its result."""
    print(json.dumps(run(**json.load(sys.stdin))))


if __name__ == "__main__":
    main()
