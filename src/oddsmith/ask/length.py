"""How long a game lasts: the whole distribution, not just its mean.

Mean, variance and standard deviation come from linear systems (`solve/moments.py`). The
distribution is played forward (`played.py`), with bounds on every sum, so a quantile is given as a
length only if they decide it, or fractions do (`exact_length.py`); else it is said what it is
between. In a mover-relative chain seats do not matter for the length, so the quotient is enough.

A game that never ends is infinitely long. Where that has a chance above zero (and is not an error:
`endless="draw"`), the mean is infinite, there is no variance, the chances of all lengths add up to
the chance to end, and levels above that have an infinite quantile.
"""

from __future__ import annotations

import math
import time
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Unpack

import numpy as np

from oddsmith.ask.odds import lifting_plan, solved_how
from oddsmith.errors import OptionError
from oddsmith.model.explore import Subject
from oddsmith.model.subject import subject_of
from oddsmith.questions import door, limits
from oddsmith.questions.case import Case
from oddsmith.questions.choice import choose
from oddsmith.questions.question import Question
from oddsmith.questions.settings import Keywords, Settings
from oddsmith.results.answer import Answer
from oddsmith.results.distribution import Between, Quantile, quantiles
from oddsmith.results.lengths import Moments
from oddsmith.results.offers import Offer
from oddsmith.results.result import QUANTILES, Result
from oddsmith.solve import plan
from oddsmith.solve.engines.graph import Prepared
from oddsmith.solve.exact_length import MOST_UNASKED, decided, exact_distribution
from oddsmith.solve.generating import generating_function as generating_function_of
from oddsmith.solve.lattice.answers import COUNTED
from oddsmith.solve.moments import moments
from oddsmith.solve.played import Played
from oddsmith.solve.sweeps import forward

LARGEST_TAIL = 0.04
"""No more is left, however large a tail is asked for: quantiles of 95 % are reached by then."""

NO_VARIANCE = "the length has no variance: it is infinite with a chance above zero"

FINEST_TAIL = 1e-17
"""Where levels are still open, play goes on until no more is left."""


LENGTH = Question(
    "length",
    "how long it lasts: mean, variance, every length",
    ("duration", "variance", "deviation", "quantiles", "distribution"),
    1_000,
    turn_by_turn=True,
)


@door.question
def length(
    subject: Subject,
    *,
    tail: float = 1e-12,
    turns: bool = False,
    horizon: int | None = None,
    generating_function: bool = False,
    **settings: Unpack[Keywords],
) -> Result:
    """The distribution of a game's length, its mean, variance, standard deviation and quantiles.

    The distribution ends where less than `tail` of the probability is left (and not before the
    quantiles are reached), or where the tail is too long to be followed; `unresolved` says what is
    left. With `turns`, moves that do not count (a turn spent resting) are counted too. Other
    keywords are those of `Settings`; they concern the mean and the variance. Where the mean is
    infinite there is no variance. The standard deviation is a fraction only where the root of an
    exact variance is one.

    A quantile is a length, or infinite where so many games never end, or `Between` two lengths
    where neither bounds nor fractions decide it.

    With `method="exact"` the chances of lengths up to the `horizon` are fractions as well, in
    `exact_distribution`; unless said otherwise it is far enough for the quantiles.
    `generating_function` asks for the whole distribution as one fraction of polynomials. Both
    imply exact.

    >>> from oddsmith import game, length
    >>> result = length(game("coin-race"))
    >>> result.quantiles, result.distribution[:2]
    ({0.05: 3, 0.5: 5, 0.95: 10}, ((3, 0.25), (4, 0.1875)))
    >>> print(result.duration, result.variance, result.deviation)
    16/3 16/3 2.309401076758503 ± 4.5e-16
    >>> exact = length(game("coin-race"), horizon=5, generating_function=True)
    >>> print(exact.exact_distribution[5], exact.exact_distribution.left)
    3/16 3/8
    >>> print(exact.generating_function)
    (4z^3 - z^4) / (16 - 16z + 4z^3 - z^4)
    """
    if not 0 < tail < 1:
        raise OptionError(f"The tail must be between 0 and 1, such as 1e-12, not {tail}.")
    tail = min(tail, LARGEST_TAIL)
    if horizon is not None and horizon < 0:
        raise OptionError(f"The horizon is a number of moves, 0 or more, not {horizon}.")
    chosen = Settings(**settings)
    subject = subject_of(subject, chosen)
    if horizon is not None or generating_function:
        if chosen.method not in ("auto", "exact"):
            what = "a horizon" if horizon is not None else "a generating function"
            raise OptionError(f"There is {what} for exact answers only, not {chosen.method} ones.")
        chosen.method = "exact"
    on_chain = partial(
        _length, turns=turns, tail=tail, horizon=horizon, generating_function=generating_function
    )
    return plan.answer(Case(LENGTH, subject, chosen, on_chain, turns=turns, tail=tail))


def _length(
    prepared: Prepared, turns: bool, tail: float, horizon: int | None, generating_function: bool
) -> Result:
    """The lengths from a chain."""
    settings, counting = prepared.settings, []
    if turns:
        prepared.chain = prepared.chain.counting_all()
        counting.append(COUNTED)
    function = (
        generating_function_of(prepared.chain, settings.progress) if generating_function else None
    )
    spread, how = _exact_moments(prepared) if prepared.method == "exact" else _moments(prepared)
    played, quantiles = _played(prepared, tail)
    last, unresolved = len(played.chances) - 1, played.unresolved
    rest = f"{unresolved:.1e} unresolved" if unresolved else "complete"
    note = f"distribution to length {last:,}, {rest}"
    if played.given_up:
        note += ": the rest lasts too long to be followed"
    result = prepared.result(
        [*how, *counting, note],
        **spread.parts(),
        distribution=tuple((k, p) for k, p in enumerate(played.chances) if p > 0),
        quantiles=quantiles,
        unresolved=unresolved,
        off=played.off,
        endless=_never(prepared, played) if prepared.chain.length_is_infinite else None,
    )
    if settings.method != "exact":
        return result
    result = _in_fractions(result, prepared, horizon)
    return replace(result, generating_function=function)


def _moments(prepared: Prepared) -> tuple[Moments, list[str]]:
    """Mean and variance of the length in floats, certified if that was asked for."""
    settings, chain = prepared.settings, prepared.chain
    if chain.length_is_infinite:
        return Moments(Answer.infinite()), [NO_VARIANCE]
    visits = forward(chain, settings.tolerance, settings.solver, settings.progress)
    bounds = moments(visits, visits.chain.length, prepared.method == "certified", settings)
    how = solved_how(visits, settings) if prepared.method == "certified" else visits.method
    return bounds, [how]


def _exact_moments(prepared: Prepared) -> tuple[Moments, list[str]]:
    """Mean and variance as fractions, if they are finite; of a large chain the mean alone."""
    from oddsmith.solve.exact.moments import start_moments
    from oddsmith.solve.exact.values import start_values, totals_of

    chain, lifting = prepared.chain, lifting_plan(prepared.settings, prepared.model.origin)
    if chain.length_is_infinite:
        return Moments(Answer.infinite()), ["known at once", NO_VARIANCE]
    if _spreads_exactly(chain.size):
        spread, reports = start_moments(chain, chain.length, lifting)
        notes = list[str]()
    else:
        moves = (totals_of(chain) * chain.length.astype(np.int64))[:, None]
        nothing = np.zeros((chain.model.states, 1), np.int64)
        (mean,), reports = start_values(chain, nothing, moves, lifting)
        settings = prepared.settings
        visits = forward(chain, settings.tolerance, "auto", settings.progress)
        bounds = moments(visits, visits.chain.length, True, settings)
        spread = replace(bounds, mean=Answer.of_fraction(mean))
        notes = ["variance certified: as a fraction it would have twice the mean's digits"]
    how = "; ".join(str(report) for report in reports)
    return spread, [how or "known at once", *notes]


def _spreads_exactly(states: int) -> bool:
    """Whether the variance of an exact answer is a fraction too."""
    large = f"more than {limits.FRACTION_VARIANCE:,} states: it would have twice the mean's digits"
    because = f"no more than {limits.FRACTION_VARIANCE:,} states"
    exact = Offer("exact", because=because)
    if states > limits.FRACTION_VARIANCE:
        exact = Offer("exact", rather=large)
    return choose("variance", [exact, Offer("certified", because=large)]).engine == "exact"


def _exactly_endless(prepared: Prepared) -> Fraction:
    """The chance never to end, as a fraction."""
    from oddsmith.solve.exact.values import start_values

    chain = prepared.chain
    worth = chain.endless[:, None].astype(np.int64)
    nothing = np.zeros((chain.size, 1), np.int64)
    lifting = lifting_plan(prepared.settings, prepared.model.origin, kept=False)
    (chance,), _ = start_values(chain, worth, nothing, lifting, most=1.0)
    return chance


def _never(prepared: Prepared, played: Played) -> Answer:
    """The chance never to end."""
    if prepared.method == "exact":
        return Answer.of_fraction(_exactly_endless(prepared))
    # What has not ended and does not go on never will end; what goes on may or may not.
    high = 1.0 - math.fsum(played.chances)
    never = Answer.within(high - played.left / 2, played.left / 2 + played.off + 1e-15, high=1.0)
    return Answer(never.value) if prepared.method == "float" else never


def _played(prepared: Prepared, tail: float) -> tuple[Played, dict[float, Quantile]]:
    """The distribution, and its quantiles as far as it, or fractions, decide them."""
    played = Played(prepared.chain, prepared.settings.progress)
    while True:
        played.play(tail)
        lengths = [(k, p) for k, p in enumerate(played.chances) if p > 0]
        levels = quantiles(lengths, QUANTILES, played.off, played.unresolved)
        open_ended = any(isinstance(at, Between) and math.isinf(at.high) for at in levels.values())
        if not open_ended or played.given_up or tail < FINEST_TAIL:
            break
        tail /= 1e3
    ends = None
    small = prepared.method == "exact" or prepared.chain.size <= limits.FRACTIONS_OF_ENDS
    if open_ended and small and prepared.chain.length_is_infinite:
        ends = 1 - _exactly_endless(prepared)
    return played, decided(prepared.chain, levels, ends, prepared.settings.progress)


def _in_fractions(result: Result, prepared: Prepared, horizon: int | None) -> Result:
    """The result with its distribution in fractions."""
    if horizon is None:
        lengths = (at for at in result.quantiles.values() if isinstance(at, int))
        horizon = min(MOST_UNASKED, max(lengths, default=0) + 1)
    exact = exact_distribution(prepared.chain, horizon, prepared.settings.progress)
    note = f"lengths to {horizon:,} in fractions"
    if any(length > horizon for length, _ in result.distribution):
        note += "; beyond that floats"
    evidence = replace(
        result.evidence,
        how=(*result.evidence.how, note),
        seconds=time.perf_counter() - prepared.began,
    )
    return replace(result, evidence=evidence, exact_distribution=exact)
