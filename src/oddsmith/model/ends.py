"""Where a game ends without a winner: closed classes of states that play never leaves.

In one place, for whoever asks: a closed class without an end in which no move counts is a deadlock,
and that is a draw: nobody can do anything, the game is over. In one in which a move counts, play
goes on for ever.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from oddsmith.model import graph
from oddsmith.model.model import GOES_ON, Model

Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Stays:
    """The states of closed classes without an end."""

    deadlock: Bools
    """Of each state: whether it is in one in which no move counts."""
    for_ever: Bools
    """Of each state: whether it is in one in which a move counts."""


def where_play_stays(model: Model, component: npt.NDArray[np.int32], count: int) -> Stays:
    """The states that play never leaves; `component` are the graph's strong components."""
    closed = graph.closed_components(model.state_row, model.col, component, count)
    closed[component[model.winners != GOES_ON]] = False
    stays = closed[component]
    if not stays.any():
        return Stays(stays, stays)
    counting = np.zeros(count, bool)
    counting[component[model.chooser[model.counts > 0]]] = True
    goes_on = counting[component]
    return Stays(stays & ~goes_on, stays & goes_on)
