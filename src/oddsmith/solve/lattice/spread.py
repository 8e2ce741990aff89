"""The variance of a length that was played forward turn by turn, with its tail bounded.

Let p(k) be the chance to end in turn k, m any number, and F(x, j) what the mass x adds to the mean
of (L - m)² if it is there after j turns. A turn P gains g and leaves the rest, so

    F(x, j) = g(x) (j + 1 - m)² + F(P x, j + 1),

and the sum of p(k) (k - m)² over the turns that were played is the mean square about m but for F of
what is left, and of what rounding has changed on the way. If U bounds the expected number of turns
from any position (`sweep.survival`), then with d = |j - m|

    |F(x, j)| ≤ ‖x‖₁ (d² + 2 d U + 2 U²),

since the turns T to come have E T² = (2 N - I) E T with N the expected visits (J. G. Kemeny and
J. L. Snell, Finite Markov Chains, 1960, section 3.3), which is at most 2 U². So the sum of
k² p(k) beyond the horizon is bounded, and no rate of decay is assumed for it.

A turn is off by at most γ ‖x‖₁, a sum of gains by σ of itself; so all of it is off by at most

    Σ_j (γ ‖x_j‖₁ (d² + 2 d U + 2 U²) + σ p(j) d²).

With m near the mean μ nothing cancels: the variance is the mean square about m less (μ - m)².
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from oddsmith.results.answer import Answer
from oddsmith.results.lengths import Moments


def moments(
    mean: Answer,
    chances: Sequence[tuple[int, float]],
    left: float,
    turns: float,
    step_error: float,
    sum_error: float,
    lost: float = 0.0,
) -> Moments:
    """The mean with the variance of lengths that were played forward.

    `left` bounds the mass that goes on after the last one, `turns` (U) how long from anywhere,
    `step_error` (γ) and `sum_error` (σ) are relative, and `lost` bounds the mass that was let go on
    the way. A mean without bounds has a variance without.

    >>> halves = [(k, 0.5**k) for k in range(1, 60)]
    >>> found = moments(Answer(2.0, 2.0, 2.0), halves, 0.5**59, 2.0, 0.0, 0.0)
    >>> found.variance.lower < 2 < found.variance.upper, found.variance.error < 1e-13
    (True, True)
    """
    m = mean.value

    def most(length: int) -> float:
        far = abs(length - m)
        return far * far + 2 * far * turns + 2 * turns * turns

    square = math.fsum(chance * (length - m) ** 2 for length, chance in chances)
    if mean.error is None:
        return Moments(mean, Answer(square), Answer(math.sqrt(square)))
    last = max((length for length, _ in chances), default=0)
    slack = lost + last * (step_error + sum_error)
    rounding, going, before = lost * max(most(0), most(last)), 1.0, 0
    for length, chance in chances:
        steps = length - before
        far = max(most(before), most(length))
        rounding += step_error * (going + slack) * steps * far
        rounding += (sum_error + 2.0**-50) * chance * (length - m) ** 2
        going, before = max(left, going - chance), length
    tail = left * (1 + 1e-9) * most(last)
    value, error = square + tail / 2, (rounding + tail / 2) * (1 + 1e-9)
    low = max(0.0, value - error - mean.error**2) * (1 - 1e-15)
    high = (value + error) * (1 + 1e-15)
    deviation = math.sqrt(value), math.sqrt(low) * (1 - 1e-15), math.sqrt(high) * (1 + 1e-15)
    return Moments(mean, Answer(max(low, value), low, high), Answer(*deviation))
