"""Graphviz: a picture of a small process.

States are boxes with their variables and labels; where there is something to decide, every choice
is a dot, named after its action; arrows carry chances.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from oddsmith.errors import LimitError
from oddsmith.model.formats.numerals import texts
from oddsmith.model.model import Model
from oddsmith.runtime.whole_files import write_whole

MOST_STATES = 2_000
MOST_TRANSITIONS = 20_000


def write(process: Model, path: Path) -> tuple[str, ...]:
    """Write a small process as a graph; gives notes."""
    write_whole(path, to_dot(process))
    return ()


def to_dot(process: Model) -> str:
    """A small process as the text of a graph."""
    if process.states > MOST_STATES or process.transitions > MOST_TRANSITIONS:
        raise LimitError(
            f"A picture of {process.states:,} states and {process.transitions:,} transitions shows "
            f"nothing: {MOST_STATES:,} states and {MOST_TRANSITIONS:,} transitions are the limit. "
            "Options that make the game smaller help."
        )
    chance = texts(process.chance, fractions=True)
    action = process.move
    lines = [f"digraph {_quoted(process.name)} {{", "  node [shape=box, style=rounded];"]
    for s in range(process.states):
        lines.append(f"  {s} [label={_quoted(_state(process, s))}{_look(process, s)}];")
        chain = process.choice[s + 1] - process.choice[s] == 1
        for c in range(process.choice[s], process.choice[s + 1]):
            name = process.actions[action[c]]
            source = f"{s}" if chain else f"c{c}"
            if not chain:
                lines.append(f'  c{c} [shape=point, label=""];')
                lines.append(f"  {s} -> c{c} [arrowhead=none, label={_quoted(name)}];")
            for t in range(process.row[c], process.row[c + 1]):
                shown = chance[process.chance.index[t]]
                label = f"{name} {shown}".strip() if chain else shown
                lines.append(f"  {source} -> {process.col[t]} [label={_quoted(label)}];")
    return "\n".join([*lines, "}", ""])


def _state(process: Model, state: int) -> str:
    names = [n for n, there in process.labels.items() if there[state] and n != "init"]
    return "\n".join([process.describe(state), *names])


def _look(process: Model, state: int) -> str:
    """A second border for an initial state, a colour for each player."""
    look = ", peripheries=2" if bool(np.isin(state, process.initial)) else ""
    if process.owner is not None:
        look += f', color="/set19/{1 + int(process.owner[state]) % 9}"'
    return look


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
