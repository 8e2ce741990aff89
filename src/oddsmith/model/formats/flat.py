"""Flat processes: what is left of a process in a format that knows no players, or no spaces.

A game written where there are no players becomes a decision process in which all choices are in
one hand. Who decides is kept in labels named after the players, and a note says so; and in the
labels `player1`, `player2`, …, by which it is read as a game again.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from oddsmith.model.formats.identifiers import identifiers
from oddsmith.model.formats.numerals import decimal, rounded
from oddsmith.model.model import Model
from oddsmith.model.variables import Layout, Valuations

MOST_SHOWN = 5
"""Changed names that a note lists."""


def without_players(process: Model, format_name: str) -> tuple[Model, tuple[str, ...]]:
    """The process without players, and what there is to say about it."""
    if process.kind != "smg" or process.owner is None:
        return process, ()
    labels = dict(process.labels)
    numbered = [f"player{p + 1}" for p in range(len(process.players))]
    if any(name in labels for name in numbered):  # of another meaning: it cannot be a game again
        numbered = []
    own = [name for place, name in enumerate(process.players) if name not in numbered[place:][:1]]
    others = dict(zip(own, identifiers(own, [*labels, *numbered]), strict=True))
    names = [others.get(name, name) for name in process.players]
    for player, name in [*enumerate(names), *enumerate(numbered)]:
        labels[name] = process.owner == player
    note = (
        f"{format_name} has no players: {process.name} is written as an mdp, in which all choices "
        f"are in one hand; the labels {', '.join(names)} say who decides."
    )
    return replace(process, kind="mdp", labels=labels, players=(), owner=None), (note,)


def with_identifiers(
    process: Model, format_name: str, taken: Iterable[str] = ()
) -> tuple[Model, tuple[str, ...]]:
    """The process with names that PRISM and Storm accept, and what there is to say about it.

    `taken` are words that an action cannot be called in the format.
    """
    named = [name for name in process.actions if name]
    legal = dict(zip(named, identifiers(named, taken), strict=True))
    builtin = ("init", "deadlock")
    others = [name for name in process.labels if name not in builtin]
    labels = dict(zip(others, identifiers(others, builtin), strict=True))
    rewards = dict(zip(process.rewards, identifiers(process.rewards), strict=True))
    players = dict(zip(process.players, identifiers(process.players), strict=True))
    old = process.valuations.variables
    variables = dict(zip((v.name for v in old), identifiers(v.name for v in old), strict=True))
    kinds = {"label": labels, "reward": rewards, "player": players, "variable": variables}
    changed = [
        f'{kind} "{name}" is called {new}'
        for kind, names in kinds.items()
        for name, new in names.items()
        if name != new
    ]
    if not changed and all(name == new for name, new in legal.items()):
        return process, ()
    layout = Layout([replace(v, name=variables[v.name]) for v in old])
    shown = ", ".join(changed[:MOST_SHOWN]) + (", …" if len(changed) > MOST_SHOWN else "")
    found = replace(
        process,
        actions=tuple(legal.get(name, "") for name in process.actions),
        labels={labels.get(name, name): there for name, there in process.labels.items()},
        rewards={rewards[name]: earned for name, earned in process.rewards.items()},
        players=tuple(players.values()),
        names=Valuations(layout, process.valuations.packed),
    )
    return found, (f"{format_name} has no such names: the {shown}.",) if changed else ()


def decimal_notes(process: Model, fractions: bool) -> tuple[str, ...]:
    """What is to be said where numbers are not written as the fractions that they are."""
    earned = [amounts for r in process.rewards.values() for amounts in (r.state, r.choice)]
    value = None if fractions else rounded([process.chance, *earned])
    if value is None:
        return ()
    what = str(value) if value.denominator < 1 << 64 else "a long fraction"
    return (
        f"Its decimals are rounded: {what} is written as {decimal(value)}. With --fractions "
        "(fractions=True in Python) every number is written as it is.",
    )
