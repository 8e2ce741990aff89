"""Flat processes: what is left of a process in a format that knows no players, or no spaces.

A game written where there are no players becomes a decision process in which all choices are in
one hand. Who decides is kept in labels named after the players, and a note says so.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from oddsmith.model.formats.identifiers import identifiers
from oddsmith.model.process import Process


def without_players(process: Process, format_name: str) -> tuple[Process, tuple[str, ...]]:
    """The process without players, and what there is to say about it."""
    if process.kind != "smg" or process.owner is None:
        return process, ()
    labels = dict(process.labels)
    names = identifiers(process.players, labels)
    for player, name in enumerate(names):
        labels[name] = process.owner == player
    note = (
        f"{format_name} has no players: {process.name} is written as an mdp, in which all choices "
        f"are in one hand; the labels {', '.join(names)} say who decides."
    )
    return replace(process, kind="mdp", labels=labels, players=(), owner=None), (note,)


def with_identifiers(process: Process) -> Process:
    """The process with names that PRISM and Storm accept."""
    named = [name for name in process.actions if name]
    legal = dict(zip(named, identifiers(named), strict=True))
    builtin = ("init", "deadlock")
    others = [name for name in process.labels if name not in builtin]
    labels = dict(zip(others, identifiers(others), strict=True))
    rewards = zip(identifiers(process.rewards), process.rewards.values(), strict=True)
    return replace(
        process,
        actions=tuple(legal.get(name, "") for name in process.actions),
        labels={labels.get(name, name): found for name, found in process.labels.items()},
        rewards=dict(rewards),
    )


def action_numbers(process: Process) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    """Which action each choice has."""
    if process.action is not None:
        return process.action
    return np.zeros(process.choices, np.int32)
