"""A digest of a model: another one, other answers."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from oddsmith.model.amounts import Weights
from oddsmith.model.model import Model
from oddsmith.model.variables import Valuations
from oddsmith.rules.digest import rules_digest


def model_digest(model: Model) -> str:
    """Sixteen hexadecimal digits that stand for the rules, or for a model that came without."""
    if model.origin is not None:
        return rules_digest(model.origin)
    names, chances, rewards = model.names, model.chances, list(model.rewards.values())
    earned = [one for reward in rewards for one in (reward.state, reward.choice)]
    tables = [one for one in earned if one is not None]
    arrays: list[Any] = [model.choice, model.row, model.col, model.initial, model.move, model.mover]
    if isinstance(chances, Weights):
        arrays += [chances.weight, chances.total]
    else:
        tables.append(chances)
    if isinstance(names, Valuations):
        arrays.append(names.packed)
    arrays += [*model.labels.values(), *(one.index for one in tables)]
    text: list[object] = [
        model.players,
        model.actions,
        names.columns,
        list(model.labels),
        list(model.rewards),
    ]
    text += [one.values.tolist() if one.exact is None else list(one.exact) for one in tables]
    found = hashlib.sha256(repr(text).encode("utf-8", "surrogatepass"))
    for array in arrays:
        found.update(f"{array.dtype.str} {array.shape}".encode())
        found.update(np.ascontiguousarray(array).data)
    return found.hexdigest()[:16]
