# mypy: disable-error-code="untyped-decorator"
"""What one move of a Markov chain adds to the variance; see `moments.py` for the mathematics."""

from __future__ import annotations

from typing import Any

from oddsmith.ahead import kernel


@kernel
def surprises(
    order: Any, place: Any, row: Any, col: Any, weight: Any, total: Any, gain: Any, h: Any,
    drift: Any, square: Any, size: Any,
) -> None:  # fmt: skip
    """Of D = gain + h(next) - h(here) at every place: mean, mean square, and what bounds rounding.

    h is zero where play is over. `size` is the mean of (gain + h(next) + h(here))², which bounds
    what the subtraction can lose.
    """
    for i in range(len(order)):
        s = order[i]
        for e in range(row[s], row[s + 1]):
            t = place[col[e]]
            reached = gain[i] + (h[t] if t >= 0 else 0.0)
            d = reached - h[i]
            m = abs(reached) + abs(h[i])
            p = float(weight[e]) / total[i]
            drift[i] += p * d
            square[i] += p * d * d
            size[i] += p * m * m
