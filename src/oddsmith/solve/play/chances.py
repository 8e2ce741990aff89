"""Worth and chance: what a position is worth is not how often it is won.

Let policies make a Markov chain of a game of N players without scores. From a state, let P(W) be
the chance that play ends with exactly the players W as winners, and D that nobody ever wins: a
draw, a deadlock, or play without an end. Then for every player p

    chance(p) = Σ P(W) over W with p ∈ W,
    worth(p)  = Σ P(W) / |W| over W with p ∈ W  +  D / N   (of one player: + 0)

(`problem.py` says why worth is what players go for). So

    chance(p) - worth(p) = Σ P(W) (1 - 1/|W|) over W with p ∈ W  -  D / N,

which is seldom nought. **They are equal** if from the
state the chain can come only to ends that one player wins alone, every closed class among them:
then P(W) = 0 for |W| > 1 and D = 0, for play in a finite chain comes to a closed class with
probability one (Kemeny and Snell, Finite Markov Chains, 3.1.1). Alone, D is worth nothing, and
chance and worth are one. The graph of the chain decides that, no number is trusted. Nothing else
turns a worth into a chance: bounds on worth are `WorthBounds`, which no answer takes, and this
module alone makes bounds on chances of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from oddsmith.model.model import GOES_ON, Model
from oddsmith.policies.restrict import restrict
from oddsmith.solve.chain import Chain, make_chain


@dataclass(frozen=True)
class WorthBounds:
    """Between what a position is worth to a player: by no means a chance to win."""

    lower: float
    upper: float


def proved_chances(
    worth: Mapping[int, WorthBounds], chain: Chain
) -> dict[int, tuple[float, float]]:
    """Bounds on chances to win that follow from bounds on worth, by player; see the module."""
    if not worth_is_chance(chain):
        return {}
    return {player: (bounds.lower, bounds.upper) for player, bounds in worth.items()}


def worth_is_chance(chain: Chain) -> bool:
    """Whether play ends with probability one, won by one player alone, from every state."""
    return chain.model.scores is None and not any(shared_ends(chain))


def shared_ends(chain: Chain) -> tuple[bool, bool]:
    """Whether a chain of several players has ends that nobody wins, and that several win."""
    if len(chain.model.players) == 1:
        return False, False
    ends = chain.outcome[chain.outcome != GOES_ON]
    return bool((ends == 0).any()), bool((ends & (ends - 1) != 0).any())


def shared_by(model: Model, picks: npt.NDArray[np.int64]) -> tuple[bool, bool]:
    """The same of what picks make of a model, wherever play begins."""
    chain = restrict(model, lambda states: picks[states], everywhere=True)
    return shared_ends(make_chain(chain, "draw"))
