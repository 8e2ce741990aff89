"""The best that those who decide can do: one side, or a coalition against its opponents.

In a turn-based game the value is found by fixing one side. Values and choices are first
approximated for both; then the choices of one side are kept and the other is free, which bounds
the value from one side; and the other way round. Each half is a decision process, solved with
bounds that hold. If the choices were optimal the two halves meet (Condon, Inform. Comput. 96
(1992) 203-224); if not, the bounds are wide, but they hold.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from oddsmith.errors import LimitError
from oddsmith.model.process import Bools, Floats, Process
from oddsmith.solve.process import bellman
from oddsmith.solve.process.aim import Aim, Values
from oddsmith.solve.process.picks import Picks, approximate, best_picks, choice_worth, keep

ROUNDS = 1_000

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
    sides = None
    if aim.coalition is not None and not process.is_chain:
        senses = aim.coalition == aim.maximise
        deciding = np.diff(process.choice) > 1
        if senses[deciding].any() and not senses[deciding].all():
            sides = senses
        elif deciding.any():
            aim = replace(aim, maximise=bool(senses[deciding][0]), coalition=None)
    if sides is not None:
        found = _two_sides(process, stop, lower, upper, gain, endless, aim, sides)
    else:
        found = bellman.solve(process, stop, lower, upper, gain, endless, aim)
        if (aim.picks or aim.exact) and not process.is_chain:
            middle = _middle(found)
            picks = best_picks(process, stop, middle, gain, endless, aim.maximise)
            if endless != bellman.NOTHING and np.isinf(middle).any():
                if endless == bellman.EARNED and gain is not None:
                    most = earning_picks(process, stop, gain, aim)
                else:
                    most = _avoiding_picks(process, stop, aim)
                picks = np.where(np.isinf(middle), most, picks)
            found = replace(found, picks=picks)
    if aim.exact:
        from oddsmith.solve.process.exact import solve_exactly

        worth, earned = fractions()
        exact = solve_exactly(process, stop, worth, earned, endless, aim, sides, found, found.picks)
        found = replace(found, exact=exact)
    return found


def _avoiding_picks(process: Process, stop: Bools, aim: Aim) -> Picks:
    """Picks by which play stops as seldom as possible."""
    worth = stop.astype(np.float64)
    seldom = replace(aim, maximise=False, exact=False)
    found = bellman.solve(process, stop, worth, worth.copy(), None, bellman.NOTHING, seldom)
    return best_picks(process, stop, _middle(found), None, bellman.NOTHING, False)


def _middle(values: Values) -> Floats:
    """Between the bounds; infinite where they are."""
    with np.errstate(invalid="ignore"):
        middle = values.lower + (values.upper - values.lower) / 2
    return np.where(np.isinf(values.lower), np.inf, middle)


def _two_sides(
    process: Process, stop: Bools, lower: Floats, upper: Floats, gain: Floats | None, endless: int,
    aim: Aim, senses: Bools,
) -> Values:  # fmt: skip
    """Bounds of a game; see the module's docstring. `senses` says who wants much."""
    if endless == bellman.NOTHING:
        x = approximate(process, stop, lower.copy(), gain, senses, aim)
        first = best_picks(process, stop, x, gain, endless, senses)
    elif endless == bellman.INFINITE:
        x = approximate(process, stop, stop.astype(np.float64), None, ~senses, aim)
        first = best_picks(process, stop, x, None, bellman.NOTHING, ~senses)
    else:
        raise LimitError(
            "Total rewards (C) of a game are not supported: give a target, R [ F … ], or C<=k."
        )
    picks = _improved(process, stop, lower, upper, gain, endless, aim, senses, first)
    low, high = (
        _with_fixed(process, stop, lower, upper, gain, endless, aim, picks, fixed, maximise)[0]
        for fixed, maximise in ((senses, False), (~senses, True))
    )
    how = f"a game: {low.how} with one side fixed, {high.how} with the other"
    return Values(low.lower, np.maximum(high.upper, low.lower), None, picks, how)


def _with_fixed(
    process: Process, stop: Bools, lower: Floats, upper: Floats, gain: Floats | None, endless: int,
    aim: Aim, picks: Picks, fixed: Bools, maximise: bool,
) -> tuple[Values, Picks]:  # fmt: skip
    """Bounds if the picks of one side are known; what the other picks then."""
    part, old = keep(process, picks, fixed)
    earned = None if gain is None else gain[old]
    one = replace(aim, maximise=maximise, coalition=None, exact=False)
    found = bellman.solve(part, stop, lower.copy(), upper.copy(), earned, endless, one)
    best = best_picks(part, stop, _middle(found), earned, endless, maximise)
    return found, old[best]


def _improved(
    process: Process, stop: Bools, lower: Floats, upper: Floats, gain: Floats | None, endless: int,
    aim: Aim, senses: Bools, first: Picks,
) -> Picks:  # fmt: skip
    """Picks of both sides by strategy iteration of the side that wants little.

    It improves its picks against the best answers (Hoffman and Karp, Management Sci. 12 (1966)
    359-370), so values only fall. It must begin with picks that lose nothing by where they stay
    for ever: those of values iterated from below, for chances; for rewards, picks by which play
    surely stops wherever that can be forced.
    """
    picks = first
    aim = replace(aim, tolerance=PICKING)
    for _ in range(ROUNDS):
        found, answers = _with_fixed(
            process, stop, lower, upper, gain, endless, aim, picks, ~senses, True
        )
        x = _middle(found)
        wanted = best_picks(process, stop, x, gain, endless, senses)
        before = choice_worth(process, picks, gain, x)
        with np.errstate(invalid="ignore"):
            enough = before - 1e-12 * np.maximum(1.0, before)
        better = choice_worth(process, wanted, gain, x) < enough
        better &= ~senses & ~stop & np.isfinite(x)
        picks = np.where(better, wanted, np.where(senses, answers, picks))
        if not better.any():
            break
    return np.where(np.isinf(x) & senses, first, picks)


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
    picks = best_picks(process, ends, _middle(found), None, bellman.NOTHING, True)
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
