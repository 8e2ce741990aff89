"""How long games last: the distribution of the length with its mean and its quantiles."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from oddsmith.results.distribution import quantile_text
from oddsmith.results.result import Result
from oddsmith.show.drawings.heading import setting, small_print
from oddsmith.show.pictures.spec import Axis, Band, Bars, Layer, Line, Mark, Panel, Picture

SHOWN = 0.998
"""The share of games up to which lengths are drawn; the few longer ones are told in words."""

MOST_BARS = 90


def lengths(results: Sequence[Result], *, cumulative: bool = False) -> Picture:
    """The chance of each length, or with `cumulative` of at most each length.

    Several results (of one game with other players, say) are drawn over each other, as lines.
    """
    longest = max(_last_drawn(result) for result in results)
    alone = results[0] if len(results) == 1 else None
    layers: list[Layer] = []
    for number, result in enumerate(results):
        layers += _drawn(result, longest, number, cumulative, bars=alone is not None)
    what = "how long it takes"
    title = f"{results[0].title}: {what}"
    chance = "chance of at most this length" if cumulative else "chance of this length"
    panel = Panel(
        [*layers, *(_marks(alone) if alone else [])],
        x=Axis("length of the game", "moves", low=0, high=longest + 0.5),
        y=Axis(chance, low=0.0, high=1.02 if cumulative else None, format="percent"),
    )
    small = (
        small_print(alone, _tail(alone, longest))
        if alone
        else f"games of more than {longest:,} moves are not drawn"
    )
    return Picture(title, [panel], small=small, alt=f"{title}. {_said(results)}")


def _last_drawn(result: Result) -> int:
    """The length up to which nearly all games that end are drawn."""
    lengths, chances = (
        zip(*result.distribution, strict=True) if result.distribution else ((0,), (1,))
    )
    reached = np.cumsum(chances)
    return int(lengths[int(np.searchsorted(reached, SHOWN * reached[-1]))])


def _drawn(
    result: Result, longest: int, number: int, cumulative: bool, *, bars: bool
) -> list[Layer]:
    at = np.arange(longest + 1)
    chance = np.zeros(longest + 1)
    for length, share in result.distribution:
        if length <= longest:
            chance[length] = share
    ink = f"ink {number}"
    name = "" if bars else f"{setting(result.players, result.options)}, {_mean(result)}"
    if cumulative:
        return [Line(at, np.cumsum(chance), name=name, ink=ink, step=True)]
    if not bars:
        return [Line(at, chance, name=name, ink=ink)]
    first = result.distribution[0][0] if result.distribution else 0
    if longest - first <= MOST_BARS:
        return [Bars(at[first:], chance[first:], name=name, ink=ink)]
    return [Band(at, np.zeros_like(chance), chance, ink=ink), Line(at, chance, ink=ink)]


def _marks(result: Result) -> list[Layer]:
    """The mean and the quantiles."""
    found: list[Layer] = [
        Mark(at, f"{level:.0%} of games: at most {at:,}".replace("%", " %"), dash="dot")
        for level, at in result.quantiles.items()
        if isinstance(at, int)
    ]
    if result.duration is not None and math.isfinite(result.duration.value):
        found.append(Mark(result.duration.value, _mean(result), ink="line"))
    return found


def _mean(result: Result) -> str:
    return "" if result.duration is None else f"mean {result.duration.value:.2f}"


def _tail(result: Result, longest: int) -> str:
    """What is not drawn, and what is not known."""
    beyond = sum(chance for length, chance in result.distribution if length > longest)
    found = f"{100 * beyond:.2g} % last longer than {longest:,}" if beyond else ""
    if result.unresolved:
        found += f"{', ' if found else ''}unresolved: at most {result.unresolved:.1e}"
    return found


def _said(results: Sequence[Result]) -> str:
    told = []
    for result in results:
        quantiles = result.quantiles.items()
        middle = ", ".join(f"{q:.0%} at most {quantile_text(at)}" for q, at in quantiles)
        told.append(f"{setting(result.players, result.options)}: {_mean(result)}; {middle}")
    return ". ".join(told)
