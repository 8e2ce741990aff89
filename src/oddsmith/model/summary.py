"""What a model looks like, in a few numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from oddsmith.model import graph
from oddsmith.model.model import GOES_ON, Model


def summary(model: Model) -> dict[str, Any]:
    """States, transitions, components and how the game can end."""
    component, count = graph.strong_components(model.state_row, model.col)
    sizes = np.bincount(component, minlength=1)
    classes = graph.recurrent_classes(model.state_row, model.col)
    found: dict[str, Any] = {
        "game": model.game.key(),
        "players": model.game.players,
        "states": model.full_states,
        "transitions": model.full_transitions,
        "stored states": model.states,
        "stored transitions": model.transitions,
        "choices": model.choices,
        "pure chance": bool(model.is_chain),
        "ends": int(np.count_nonzero(model.winners != GOES_ON)),
        "components": count,
        "largest component": int(sizes.max()),
        "classes without an end": len(classes),
        "first state": repr(model.state(model.start)),
        "explored": model.how,
        "memory": f"{model.memory / 2**20:.1f} MiB",
    }
    if classes:
        found["play stays for ever in"] = repr(model.state(int(classes[0][0])))
    return found
