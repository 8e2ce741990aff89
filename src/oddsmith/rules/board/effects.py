"""What squares can do to whoever lands there, each said once: for board files, the page, pictures.

The page reads this list as `/js/effects.js`. What an effect means in play is in `game.py` and
`walk.py`; how to add one is in docs/adding.md.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Literal


@dataclass(frozen=True)
class Effect:
    """One effect, by its key in a board file."""

    says: str
    """What whoever lands there must do, for the form of a square."""
    called: str
    """What such a square is called unless somebody gives it a name."""
    colour: str
    icon: str
    """Strokes in a box of 24 by 24, as the `d` of a path in SVG."""
    legend: str = ""
    needs: Literal["nothing", "square", "turns", "throws"] = "nothing"
    """What its value in a board file is; nothing: true."""
    company: Literal["asked", "always", "never"] = "asked"
    """Whether several tokens may stand there: if the file says so, whatever it says, or never,
    because no token stays."""


EFFECTS = {
    "goto": Effect(
        "go to another square", "path", "ink 2", "M4 18C4 10 10 8 19 8M14 3l5 5-5 5",
        needs="square", company="never",
    ),
    "again": Effect(
        "walk the same throw again", "goose", "ink 1", "M5 6l6 6-6 6M12 6l6 6-6 6",
        "same again", company="never",
    ),
    "wait": Effect(
        "rest some turns", "inn", "ink 7",
        "M7 3h10M7 21h10M8 3c0 5 8 7 8 9s-8 4-8 9M16 3c0 5-8 7-8 9s8 4 8 9",
        "rest", needs="turns",
    ),
    "hold": Effect(
        "stay until another comes", "well", "ink 3",
        "M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3", "on hold", company="always",
    ),
    "until": Effect(
        "stay until a certain throw", "gaol", "ink 3",
        "M4 4h16v16H4zM8.5 8.5h.01M15.5 15.5h.01M12 12h.01", "until a throw", needs="throws",
    ),
    "restart": Effect(
        "go back to the start", "bear", "ink 5", "M5 12a7 7 0 1 0 2.5-5.400M8 2.5v4.5h4.5",
        "leads back", company="never",
    ),
    "extra": Effect("have another turn", "wind", "ink 0", "M12 5v14M5 12h14", "extra turn"),
}  # fmt: skip

FLAGS = tuple(
    key for key, effect in EFFECTS.items() if effect.needs == "nothing" and key != "restart"
)
"""Effects that are a truth value of a `Square`; `restart` is a `goto` to the start."""


def module() -> str:
    """The list as a module of JavaScript."""
    return f"export const EFFECTS = {json.dumps({k: asdict(e) for k, e in EFFECTS.items()})};\n"
