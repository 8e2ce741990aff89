"""The best that those who decide can do: one side, or two (`game.py`).

Who decides where nobody has a choice is no matter: a game in which one side never has a choice is
a decision process of the other (`sense`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from oddsmith.model.process import Bools, Floats, Process
from oddsmith.solve.process import bellman
from oddsmith.solve.process.aim import Aim, Values
from oddsmith.solve.process.picks import Picks, best_picks

PICKING = 1e-13
"""The tolerance with which values are found if choices are to be told apart."""

Fractions = tuple[Sequence[Fraction], Sequence[Fraction] | None]


def best_bounds(
    process: Process,
    stop: Bools,
    lower: Floats,
    upper: Floats,
    gain: Floats | None,
    endless: int,
    aim: Aim,
    fractions: Callable[[], Fractions],
) -> Values:
    """Bounds on the value of every state; see `bellman.solve`. Picks are found if wanted.

    `fractions` gives the worth of stopping states and the gain of choices, if there is one, as
    fractions; it is called where they are wanted.
    """
    if (aim.picks or aim.exact) and not process.is_chain:
        aim = replace(aim, tolerance=min(aim.tolerance, PICKING))
    sense = sense_of(process, aim)
    if isinstance(sense, bool):
        aim = replace(aim, maximise=sense, coalition=None)
    if not isinstance(sense, bool):
        from oddsmith.solve.process import game

        played = game.Game(process, stop, lower, upper, gain, endless, aim, sense)
        found = played.bounds()
        if aim.exact:
            found = replace(found, exact=played.fractions(found, *fractions()))
    else:
        found = bellman.solve(process, stop, lower, upper, gain, endless, aim)
        if (aim.picks or aim.exact) and not process.is_chain:
            x = middle(found)
            picks = best_picks(process, stop, x, gain, endless, aim.maximise)
            if endless != bellman.NOTHING and np.isinf(x).any():
                if endless == bellman.EARNED and gain is not None:
                    most = earning_picks(process, stop, gain, aim)
                else:
                    most = _avoiding_picks(process, stop, aim)
                picks = np.where(np.isinf(x), most, picks)
            found = replace(found, picks=picks)
        if aim.exact:
            from oddsmith.solve.process.exact import solve_exactly

            worth, earned = fractions()
            exact = solve_exactly(process, stop, worth, earned, endless, aim, found)
            found = replace(found, exact=exact)
    return found


def sense_of(process: Process, aim: Aim) -> bool | Bools:
    """Whether those who have a choice want much; where they do, if they do not agree."""
    if aim.coalition is None or process.is_chain:
        return aim.maximise
    senses: Bools = aim.coalition == aim.maximise
    deciding = senses[np.diff(process.choice) > 1]
    if not deciding.any() or deciding.all():
        return bool(deciding[0]) if len(deciding) else aim.maximise
    return senses


def _avoiding_picks(process: Process, stop: Bools, aim: Aim) -> Picks:
    """Picks by which play stops as seldom as possible."""
    worth = stop.astype(np.float64)
    seldom = replace(aim, maximise=False, exact=False)
    found = bellman.solve(process, stop, worth, worth.copy(), None, bellman.NOTHING, seldom)
    return best_picks(process, stop, middle(found), None, bellman.NOTHING, False)


def middle(values: Values) -> Floats:
    """Between the bounds; infinite only where that is decided, not where nothing is known above."""
    with np.errstate(invalid="ignore"):
        between = values.lower + (values.upper - values.lower) / 2
    return np.where(np.isinf(values.upper), values.lower, between)


def earning_picks(process: Process, stop: Bools, gain: Floats, aim: Aim) -> Picks:
    """Picks that come, as surely as possible, to where something is earned again and again."""
    from oddsmith.solve.process.components import end_components

    chooser = process.chooser
    inner = ~stop[chooser]
    member = end_components(process.choice, process.row, process.col, inner)
    earning = np.unique(member[chooser[inner & (gain > 0)]])
    there = np.isin(member, earning) & (member >= 0)
    worth = there.astype(np.float64)
    wanted = replace(aim, maximise=True, exact=False, coalition=None)
    ends = there | stop
    found = bellman.solve(process, ends, worth, worth.copy(), None, bellman.NOTHING, wanted)
    picks = best_picks(process, ends, middle(found), None, bellman.NOTHING, True)
    # Inside an end component, backward from where something is earned.
    option = np.flatnonzero(inner & there[chooser]).tolist()
    entering: dict[int, list[int]] = {}
    for c in option:
        for t in process.col[process.row[c] : process.row[c + 1]].tolist():
            entering.setdefault(t, []).append(c)
    first = {int(chooser[c]): c for c in option if gain[c] > 0}
    reached, known = list(first), set(first)
    for s, c in first.items():
        picks[s] = c
    for t in reached:  # grows as states are reached
        for c in entering.get(t, []):
            s = int(chooser[c])
            if s not in known:
                picks[s] = c
                known.add(s)
                reached.append(s)
    return picks
