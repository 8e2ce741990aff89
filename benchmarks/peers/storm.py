"""Storm as a peer: build a PRISM model, check properties, and say what it cost.

Run as a script it reads a job as JSON from standard input, with the arguments of `run` as keys,
and prints the result as JSON; so Storm starts clean, and the peak of memory is its own:

    echo '{"source": "dtmc ...", "properties": ["P=? [F \\"win1\\"]"]}' \
        | python -m benchmarks.peers.storm
"""

import json
import os
import resource
import sys
import tempfile
import time
from fractions import Fraction
from pathlib import Path
from typing import Any


def environment(precision: float, sound: bool, method: str | None = None) -> Any:
    """Storm's settings for an absolute ``precision``, by a sound method or a plain one.

    Left to its default solver, a plain answer does not heed the precision set here: for two
    players of the Game of the Goose, 1e-6 and 1e-12 gave the same digits, 2e-8 off. (The default
    is topological; its inner solver's precision seems out of reach of stormpy 2.0.) So a plain
    answer uses the native power method, the fastest native method of four compared. Being plain
    it may miss the precision: asked for 1e-12 it was 8e-12 off. The sound method is stormpy's
    default, topological optimistic value iteration; it heeds the precision and gives bounds.
    """
    import stormpy
    from stormpy import environments as env

    made = env.sound() if sound else env.Environment()
    solver = made.solver()
    native = solver.native()
    if not sound:
        solver.set_linear_equation_solver_type(env.EquationSolverType.NATIVE)
        native.method = env.NativeLinearEquationSolverMethod.POWER
    native.precision = stormpy.Rational(str(Fraction(str(precision))))
    native.relative_termination_criterion = False
    deciding = solver.min_max()
    deciding.precision = stormpy.Rational(str(Fraction(str(precision))))
    if method is not None:
        deciding.method = getattr(env.MinMaxMethod, method)
    return made


def peak_mb() -> float:
    """The most memory this process has held, in MiB.

    Linux counts in ``ru_maxrss`` what the parent held when it started this process, so a large
    parent would be charged to Storm; ``VmHWM`` is this process alone.
    """
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text(encoding="ascii", errors="replace").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / (1 << 10)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def run(
    source: str,
    properties: list[str],
    precision: float = 1e-12,
    sound: bool = False,
    method: str | None = None,
    default: bool = False,
) -> dict[str, Any]:
    """Build the PRISM ``source`` with Storm's sparse engine and check each of ``properties``.

    The answer has ``states``, ``transitions``, ``build_seconds`` (parsing included) and
    ``peak_mb`` (of the whole process), and in the order of the properties ``check_seconds``,
    ``values``, and ``bounds`` (two numbers where ``sound``, otherwise None). With ``default``
    Storm's own settings are left as they are.
    """
    import stormpy

    settings = {} if default else {"environment": environment(precision, sound, method)}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.prism"
        path.write_text(source, encoding="utf-8")
        began = time.perf_counter()
        program = stormpy.parse_prism_program(str(path))
        asked = [stormpy.parse_property(text, program) for text in properties]
        model = stormpy.build_model(program, asked)
        build_seconds = time.perf_counter() - began
    (start,) = model.initial_states
    values, bounds, check_seconds = [], [], []
    for one in asked:
        began = time.perf_counter()
        result = stormpy.model_checking(model, one, **settings)
        check_seconds.append(time.perf_counter() - began)
        answer = result[start]
        values.append(float(answer.value))
        bounds.append([float(answer.lower), float(answer.upper)] if sound else None)
    return {
        "peer": f"storm (stormpy {stormpy.__version__})",
        "sound": sound,
        "precision": precision,
        "states": model.nr_states,
        "transitions": model.nr_transitions,
        "build_seconds": build_seconds,
        "check_seconds": check_seconds,
        "values": values,
        "bounds": bounds,
        "peak_mb": peak_mb(),
    }


def main() -> None:
    """Read a job from standard input and print its result."""
    print(json.dumps(run(**json.load(sys.stdin))), flush=True)
    os._exit(0)  # see ours_check


if __name__ == "__main__":
    main()
