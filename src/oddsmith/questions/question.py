"""Questions as data: what each is called, what it needs from a model, what its answers are called.

Each stands beside the function of `ask/` that puts it; engines read in it what they must be able to
do.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Question:
    """What is asked of a game or a model."""

    name: str
    says: str
    """What it asks, for people."""
    answers: tuple[str, ...]
    """Which parts of a `Result` answer it."""
    lattice_from: int | None = None
    """Positions of a board from which on its lattice answers. The graph of the states says more of
    smaller ones: fractions, or chances of ever being somewhere. None where no lattice knows it."""
    turn_by_turn: bool = False
    """Whether the chance of every single length is wanted, not only means."""
    no_estimates: str = "This question is answered by solving: simulate gives estimates."
    """What is said to who asks for estimates; empty if there are some."""
