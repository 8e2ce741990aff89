"""Mean, variance and standard deviation of what a chain earns until it ends, with bounds.

Let g(s) ≥ 0 be what the move in a live state s earns, whatever its outcome; L, the sum of it over
a play, is the game's length if g counts moves. With P the transitions between live states,

    x = g + P x                                                the mean of L from every state,
    v = c + P v,  c(s) = Σ p(s, t) (g(s) + x(t) - x(s))²       its variance,

t over all outcomes, x(t) = 0 where play is over: the surprises g + x(t) - x(s) of the moves have
mean 0 whatever came before, so their sum L - x(start) has the sum of their variances (J. G. Kemeny
and J. L. Snell, Finite Markov Chains, 1960, section 3.3, by the second moment; M. J. Sobel,
J. Appl. Probab. 19 (1982) 794-802; T. Verhoeff, Reward variance in Markov chains, 2004, who notes
that nothing cancels here). So the variance of the start is ⟨y, c⟩, y the visits of one forward
solve; x comes from one backward solve.

**Bounds.** Neither solve is trusted. Let h ≥ 0 be what the backward one says, h = 0 where play is
over, δ = g + P h - h its residual, D = g + h(t) - h(s) the surprises that it leads to, and E_s the
mean over plays from s. Let ‖F‖² be E_s Σ F² over the moves of a play; √v(s) = ‖g + x(t) - x(s)‖.
With e = x - h, for which (I - P) e = δ,

    |√v(s) - ‖D‖| ≤ ‖e(t) - e(s)‖ ≤ √(2 E_s Σ |e δ|)

by Minkowski; the last since (e(t) - e(s))² = e(t)² - e(s)² - 2 e(s) (e(t) - e(s)), and over a play
the squares sum to -e(start)². From u ≥ 0 with (I - P) u ≥ 1 (`turn_bound`) follows, for any f ≥ 0,
E_s Σ f ≤ u(s) max f, and so |e| ≤ u max|δ|. Let q(s) be the mean of D² in a state and Q(s) = ‖D‖²
from there, Q = q + P Q. With the visits ỹ of the forward solve and their residual r, ‖D‖² of the
start is ⟨ỹ, q⟩ + ⟨r, Q⟩ exactly, where

    Q ≤ u max q    and    √Q ≤ √v + √(2 E Σ |e δ|),    v ≤ (2 max x + max g) x.

The last is the comparison principle for second moments, w = g² + 2 g P x + P w. So the deviation
is bounded, and the variance by its square; a variance of zero has a bound of nearly zero too. All
sums are of terms ≥ 0 but for the subtraction in D, which loses at most three units of rounding of
M = g + h(t) + h(s): a change of D whose norm is at most so many times ‖M‖.

**Rewards.** g may be any rewards ≥ 0 of states, or of moves, as long as a move earns the same
whatever its outcome (a relative error of one rounding is covered). A reward that depends on the
outcome and is known by its mean only has lost its variance: nothing here, or anywhere, can tell it.
Where it is known, put a state that earns it between the move and its outcome.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from oddsmith.questions.settings import Settings
from oddsmith.results.answer import Answer
from oddsmith.results.lengths import Moments
from oddsmith.runtime import memory
from oddsmith.solve.chain import Floats
from oddsmith.solve.rounding import UNIT
from oddsmith.solve.sweeps import Visits, backward, turn_bound

ARRAYS = 12
"""Of floats for every state: how many are needed at once besides the visits."""

PAIRWISE = 64
"""A sum of many terms by NumPy is off by so many units of rounding of their magnitudes."""


def moments(visits: Visits, gain: Floats, certified: bool, settings: Settings) -> Moments:
    """Mean, variance and standard deviation from the start that the visits are from.

    `gain` is what the move at each place of the visits' chain earns, at least 0. Where play is over
    nothing more is earned, so it is for a chain whose mean is finite. Answers have bounds if they
    are to be `certified`. For another start than the model's, solve `forward` from there.

    >>> from oddsmith import game
    >>> from oddsmith.solve.engines.graph import prepare
    >>> from oddsmith.solve.sweeps import forward
    >>> wanted = Settings(method="certified")
    >>> chain = prepare(game("coin-race"), wanted).chain
    >>> visits = forward(chain, 1e-12, "auto", wanted.progress)
    >>> found = moments(visits, chain.length, True, wanted)
    >>> found.variance.lower < 16 / 3 < found.variance.upper
    True
    """
    chain, model = visits.chain, visits.chain.model
    start = int(chain.place[model.start])
    if start < 0:
        nothing = Answer(0.0, 0.0, 0.0)
        return Moments(nothing, nothing, nothing)
    memory.require(
        8 * ARRAYS * chain.size, f"The variance of {model.name}", "ask for the mean: solve"
    )
    h, local = _surprises(visits, gain, settings)
    y = visits.y.sum(axis=1)
    mean, square = float((y * gain).sum()), float((y * local.square).sum())
    if not certified:
        square = max(0.0, square)
        return Moments(Answer(mean), Answer(square), Answer(math.sqrt(square)))
    bounds = _Bounds(visits, settings)
    delta = np.abs(local.drift) + (local.terms + 12) * UNIT * np.sqrt(local.size)
    e = float(delta.max()) * bounds.turns
    x = h + e
    rounding = (PAIRWISE + 4) * UNIT * bounds.sum(gain)
    known = Answer.within(mean, (bounds.off(x) + rounding) * (1 + 1e-9))
    known = known.tightened(float(h[start] - e[start]), float(x[start]) * (1 + 1e-15))
    # How far ‖D‖ is from the deviation: from the start, and from any state.
    apart = math.sqrt(2 * bounds.most(e * delta)) + 3 * UNIT * math.sqrt(bounds.most(local.size))
    longest = float(bounds.turns.max())
    anywhere = math.sqrt(2 * float(e.max() * delta.max()) * longest)
    anywhere += 3 * UNIT * math.sqrt(float(local.size.max()) * longest)
    spread = np.sqrt((2 * float(x.max()) + float(gain.max())) * x) + anywhere
    from_there = np.minimum(float(local.square.max()) * bounds.turns, spread * spread)
    off = bounds.off(from_there)
    off += (local.terms + PAIRWISE + 12) * UNIT * bounds.sum(local.square)
    off *= 1 + 1e-9
    low = math.sqrt(max(0.0, square - off)) * (1 - 1e-12) - apart * (1 + 1e-9)
    high = math.sqrt(max(0.0, square + off)) * (1 + 1e-12) + apart * (1 + 1e-9)
    low, square = max(0.0, low), max(0.0, square)
    return Moments(
        known,
        _between(square, low * low * (1 - 1e-15), high * high * (1 + 1e-15)),
        _between(math.sqrt(square), low, high),
    )


def _between(value: float, low: float, high: float) -> Answer:
    return Answer(min(max(value, low), high), low, high)


@dataclass
class _Local:
    """What one move adds: means of D, D² and M² at every place; see the module's docstring."""

    drift: Floats
    square: Floats
    size: Floats
    terms: int
    """The most outcomes of a move."""


def _surprises(visits: Visits, gain: Floats, settings: Settings) -> tuple[Floats, _Local]:
    """Roughly the mean from every place, and the surprises that it leads to."""
    from oddsmith.solve import moment_kernels

    chain, model = visits.chain, visits.chain.model
    solved = backward(
        chain, np.array(gain, np.float64)[:, None], tolerance=settings.tolerance,
        solver=settings.solver, progress=settings.progress, certify=False,
    )  # fmt: skip
    h = np.maximum(solved.x[:, 0], 0.0)
    terms = int(np.diff(model.state_row).max(initial=1))
    drift, square, size = np.zeros((3, chain.size))
    local = _Local(drift, square, size, terms)
    moment_kernels.surprises(
        chain.order, chain.place, model.state_row, model.col, model.weight, chain.total,
        np.ascontiguousarray(gain, np.float64), h, local.drift, local.square, local.size,
    )  # fmt: skip
    return h, local


class _Bounds:
    """Sums over a play from the start, bounded by the visits and their residual."""

    def __init__(self, visits: Visits, settings: Settings) -> None:
        u, floor = turn_bound(visits.chain, settings.solver, settings.progress)
        self.turns: Any = u / floor.min() * (1 + 1e-9)
        """At least the expected number of turns from every place."""
        self.visits = np.abs(visits.y).sum(axis=1)
        self.residual = np.abs(visits.residual).sum(axis=1)
        self.rounding = visits.rounding

    def sum(self, f: Floats) -> float:
        """⟨|ỹ|, f⟩ for f ≥ 0."""
        return float((self.visits * f).sum())

    def off(self, f: Floats) -> float:
        """How far ⟨ỹ, b⟩ can be from the true ⟨y, b⟩, where f is at least x = b + P x."""
        return (float(self.residual @ f) + self.rounding * float(f.max())) * (1 + 1e-9)

    def most(self, f: Floats) -> float:
        """At least the expected sum of f ≥ 0 over a play."""
        return (self.sum(f) + float(f.max()) * self.off(self.turns)) * (1 + 1e-9)
