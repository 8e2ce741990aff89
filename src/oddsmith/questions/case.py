"""A question with all that engines look at to make their offers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from oddsmith.questions import limits
from oddsmith.questions.question import Question
from oddsmith.questions.settings import LATTICE_ENGINES, Settings
from oddsmith.rules.board.game import Board
from oddsmith.rules.game import Game

if TYPE_CHECKING:
    from oddsmith.model.model import Model
    from oddsmith.results.result import Result


def why_no_lattice(subject: Any) -> str:
    """Why a game or a model has no lattice; empty if it is a board that has one."""
    return subject.why_no_lattice if isinstance(subject, Board) else "it is no board of squares"


def lattice_numbers(subject: Any) -> int:
    """The numbers of a board's lattice; 0 for what has none."""
    return 0 if why_no_lattice(subject) else int(subject.track.size**subject.players)


def most_states(subject: Any) -> int:
    """How many states a board has at most; 0 where that is not known beforehand."""
    return lattice_numbers(subject) and subject.players * lattice_numbers(subject)


@dataclass(frozen=True)
class Size:
    """How large a graph is, or at most."""

    states: int
    transitions: int
    equations: int
    """Of the chain that play makes of it."""
    is_small: bool = True
    """Whether fractions are affordable, as far as is known."""

    def costs(self, method: str) -> dict[str, Any]:
        """Bytes and seconds of an offer to store and to solve it."""
        by_state, by_transition = limits.GRAPH_BYTES
        fractions = limits.EXACT_SECONDS * self.equations**1.5 if method == "exact" else 0.0
        return {
            "memory": by_state * self.states + by_transition * self.transitions,
            "seconds": limits.GRAPH_SECONDS * self.transitions + fractions,
        }


@dataclass
class Case:
    """A question with all that engines look at."""

    question: Question
    subject: Game | Model
    settings: Settings
    on_chain: Callable[[Any], Result]
    """How the graph answers it: from a chain that is ready (`engines/graph.py`)."""
    turns: bool = False
    """Of lengths: whether turns without a throw are counted too."""
    tail: float = 1e-12
    """Of lengths: how little may be left."""
    player: int = 1
    """Of visits: whose piece."""
    sets: bool = False
    """Of visits: whether conditions are asked about, not the squares of a piece."""
    everywhere: bool = False
    """Whether all states are asked about, also those that play never comes to."""
    explored: Size | None = None
    declined: str = ""
    """Why no lattice answers after all."""

    @property
    def lattice(self) -> Board:
        """The board, where it has a lattice: a turn changes the mover's token alone."""
        assert isinstance(self.subject, Board)
        return self.subject

    @property
    def lifts(self) -> bool:
        """Whether digits of fractions are lifted on a device, without a lattice."""
        wanted = self.settings
        return wanted.method == "exact" and wanted.engine == "cuda" and wanted.cluster is None

    @property
    def by_name(self) -> bool:
        """Whether a lattice was asked for by name."""
        wanted = self.settings
        named = wanted.engine in LATTICE_ENGINES or wanted.cluster is not None
        return named and not self.lifts and not self.declined
