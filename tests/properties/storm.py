"""Storm as a second opinion: models in the PRISM language, built and checked in fractions."""

import json
import logging
import math
from fractions import Fraction

import numpy as np
import pytest

from oddsmith.model.amounts import Amounts, Rewards
from oddsmith.model.model import Model
from oddsmith.model.variables import Layout, Valuations, Variable

stormpy = pytest.importorskip("stormpy", minversion="2")
logging.getLogger("stormpy").setLevel(logging.CRITICAL)


class Storm:
    """A model that Storm builds, and the same as a process of ours."""

    def __init__(self, text, folder):
        path = folder / "model.prism"
        path.write_text(text)
        self.program = stormpy.parse_prism_program(str(path))
        options = stormpy.BuilderOptions(build_full=True)
        self.model = stormpy.build_model[stormpy.Rational](self.program, options=options)
        self.process = _process(self.model)

    def check(self, text, exact=True):
        """Storm's answer in the initial state: a fraction, infinity or a truth value."""
        asked = stormpy.parse_property(text, self.program)
        kind = stormpy.Rational if exact else float
        model = stormpy.build_model[kind](self.program, asked)
        result = stormpy.model_checking(model, asked, only_initial_states=not exact)
        found = result[model.initial_states[0]]
        if isinstance(found, bool):
            return found
        found = found.value
        return math.inf if str(found) == "inf" else Fraction(str(found))


def _process(model):
    matrix = model.transition_matrix
    choice, row, col, chance = [0], [0], [], []
    for s in range(model.nr_states):
        for c in range(matrix.get_row_group_start(s), matrix.get_row_group_end(s)):
            for entry in matrix.get_row(c):
                col.append(entry.column)
                chance.append(Fraction(str(entry.value)))
            row.append(len(col))
        choice.append(len(row) - 1)
    labels = {
        name: np.array([s in model.labeling.get_states(name) for s in range(model.nr_states)])
        for name in model.labeling.get_labels()
    }
    return Model(
        "mdp" if model.is_nondeterministic_model else "dtmc",
        np.array(choice),
        np.array(row),
        np.array(col, np.int32),
        Amounts.of(chance),
        np.array(sorted(model.initial_states)),
        _valuations(model),
        {"deadlock": np.zeros(model.nr_states, bool)} | labels,
        {name: _rewards(r) for name, r in model.reward_models.items()},
    )


def _valuations(model):
    states = [json.loads(str(model.state_valuations.to_json(s))) for s in range(model.nr_states)]
    states = [s if isinstance(s, dict) else s[0] for s in states]
    names = sorted(states[0])
    columns = [np.array([int(s[name]) for s in states]) for name in names]
    layout = Layout(
        [Variable(n, int(c.min()), int(c.max())) for n, c in zip(names, columns, strict=True)]
    )
    return Valuations(layout, layout.pack(columns))


def _rewards(found):
    state = choice = None
    if found.has_state_rewards:
        state = Amounts.of([Fraction(str(x)) for x in found.state_rewards])
    if found.has_state_action_rewards:
        choice = Amounts.of([Fraction(str(x)) for x in found.state_action_rewards])
    return Rewards(state, choice)
