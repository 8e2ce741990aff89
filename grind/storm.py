"""A third opinion on models: Storm, in fractions, where it is installed.

The grinder's references and the program are both ours; Storm is not. It is asked what it reads
alike: chances and rewards of dtmcs and mdps (it checks no games), in the first state. Deadlocks
earn nothing in Storm, so totals and bounded rewards are left to the references.
"""

from __future__ import annotations

import math
import tempfile
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from grind.tally import Tally

KINDS = ("F", "U", "X", "F<=", "U<=", "R F")


@cache
def storm() -> Any:
    """Storm's Python, or None where it is not installed."""
    try:
        import stormpy
    except ImportError:
        return None
    return stormpy


def ask_storm(text: str, asked: list[tuple[str, str, Any]], tally: Tally) -> None:
    """Compare Storm's answers in the first state with the truth: (kind, question, truth)."""
    peer = storm()
    if peer is None or not asked:
        return
    with tempfile.NamedTemporaryFile("w", suffix=".prism") as file:
        Path(file.name).write_text(text)
        try:
            program = peer.parse_prism_program(file.name, simplify=False)
            formulas = [peer.parse_property(question, program) for _, question, _ in asked]
            options = peer.BuilderOptions(formulas, program)
            options.set_build_all_reward_models()
            model = peer.build_model[peer.Rational](program, options=options)
        except RuntimeError as error:
            tally.refusal(f"Storm: {error}")
            return
    for (kind, question, truth), formula in zip(asked, formulas, strict=True):
        try:
            found = peer.model_checking(model, formula, only_initial_states=True)
        except RuntimeError as error:
            tally.refusal(f"Storm: {error}")
            continue
        said = str(found.get_value(model.initial_states[0]))
        value = math.inf if "inf" in said else Fraction(said)
        tally.same(f"Storm {kind}", value, truth)
        if value != truth:
            tally.differs(f"Storm {kind}: the question", question)
