"""A third opinion on models: Storm, in fractions, where it is installed.

The grinder's references and the program are both ours; Storm is not. It is asked what it reads
alike: chances and rewards of dtmcs and mdps (it checks no games), in the first state. Deadlocks
earn nothing in Storm, so totals and bounded rewards are left to the references.
"""

from __future__ import annotations

import math
import re
import tempfile
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from grind.round_trip import Trip
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
        values = _values(peer, model, formula, tally)
        if values is None:
            continue
        tally.same(f"Storm {kind}", values, [truth])
        if values != [truth]:
            tally.differs(f"Storm {kind}: the question", question)


def ask_storm_file(trip: Trip, asked: list[tuple[str, str, Any]], tally: Tally) -> None:
    """What Storm says of a file that was written: (kind, question, truth by state).

    Storm numbers the states of a program in its own way, so the values of all initial states are
    compared together.
    """
    peer = storm()
    if peer is None or trip.path.suffix == ".tra":
        return
    try:
        model = _model(peer, trip.path)
    except RuntimeError as error:
        tally.differs(f"Storm does not read {trip.name}", str(error))
        return
    tally.same(f"Storm {trip.name}: states", model.nr_states, trip.after.states)
    names = [tuple(trip.before.valuations.values(int(s))) for s in trip.before.initial]
    for kind, question, truth in asked:
        if not all(re.fullmatch(r"[A-Za-z]\w*", name) for name in re.findall('"(.*?)"', question)):
            continue  # such names there are in UMB, and not in Storm's questions
        formula = peer.parse_property(question)
        values = _values(peer, model, formula, tally)
        if values is not None:
            wanted = sorted(truth[name] for name in names)
            tally.same(f"Storm {trip.name} {kind}", values, wanted)


def _model(peer: Any, path: Path) -> Any:
    if path.suffix == ".drn":
        options = peer.developer.DirectEncodingParserOptions()
        return peer.build_model_from_drn[peer.Rational](str(path), options=options)
    if path.suffix == ".umb":
        return peer.build_model_from_umb(str(path))
    program = peer.parse_prism_program(str(path), simplify=False)
    options = peer.BuilderOptions(build_full=True)
    return peer.build_model[peer.Rational](program, options=options)


def _values(peer: Any, model: Any, formula: Any, tally: Tally) -> list[Fraction | float] | None:
    """The values of the initial states, in order."""
    try:
        found = peer.model_checking(model, formula, only_initial_states=True)
    except RuntimeError as error:
        tally.refusal(f"Storm: {error}")
        return None
    said = [str(found.get_value(s)) for s in model.initial_states]
    return sorted(math.inf if "inf" in one else Fraction(one) for one in said)
