"""What a model looks like, in a few numbers."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from oddsmith.model import graph
from oddsmith.model.model import GOES_ON, Model
from oddsmith.results.shown import Shown


@dataclass(frozen=True, repr=False)
class Summary(Shown):
    """States, transitions, components of a model, and how the game can end."""

    model: Model
    interrupted = False

    def to_dict(self) -> dict[str, Any]:
        """The numbers with their names."""
        model = self.model
        component, count = graph.strong_components(model.state_row, model.col)
        classes = graph.recurrent_classes(model.state_row, model.col)
        found: dict[str, Any] = {
            "game": model.origin.key(),
            "players": len(model.players),
            "states": model.full_states,
            "transitions": model.full_transitions,
            "stored_states": model.states,
            "stored_transitions": model.transitions,
            "choices": model.choices,
            "pure_chance": bool(model.is_chain),
            "ends": int(np.count_nonzero(model.winners != GOES_ON)),
            "components": count,
            "largest_component": int(np.bincount(component, minlength=1).max()),
            "classes_without_end": len(classes),
            "first_state": repr(model.state(model.start)),
            "explored": model.how,
            "memory_mb": round(model.memory / 2**20, 1),
        }
        if classes:
            found["stays_for_ever_in"] = repr(model.state(int(classes[0][0])))
        return found

    def to_json(self) -> str:
        """The numbers as JSON text."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False)

    def __str__(self) -> str:
        from oddsmith.results.table import align

        def cell(value: Any) -> str:
            if isinstance(value, bool):
                return "yes" if value else "no"
            return f"{value:,}" if isinstance(value, int) else str(value)

        rows = [[name.replace("_", " "), cell(v)] for name, v in self.to_dict().items()]
        return align(["", self.model.name], rows)
