"""The best that those who decide can do: one side, or two (`game.py`).

Who decides where nobody has a choice is no matter: a game in which one side never has a choice is
a decision process of the other (`sense`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from oddsmith.errors import LimitError
from oddsmith.model.amounts import Bools, Floats
from oddsmith.model.model import Model
from oddsmith.solve.process import bellman
from oddsmith.solve.process.aim import EARNED, NOTHING, Aim, Values
from oddsmith.solve.process.picks import PICKING, Picks, best_picks, endless_picks, keep

ATTAINED = 1e-9
"""So much less than the value picks may be worth, relative where it is above one."""

Fractions = tuple[Sequence[Fraction], Sequence[Fraction] | None]


def best_bounds(
    process: Model,
    stop: Bools,
    lower: Floats,
    upper: Floats,
    gain: Floats | None,
    endless: int,
    aim: Aim,
    fractions: Callable[[], Fractions] | None,
) -> Values:
    """Bounds on the value of every state; see `bellman.solve`. Picks are found if wanted.

    `fractions` gives the worth of stopping states and the gain of choices, if there is one, as
    fractions; it is called where they are wanted. Without them picks are the best that floating
    point tells.
    """
    if (aim.picks or aim.exact) and not process.is_chain:
        aim = replace(aim, tolerance=min(aim.tolerance, PICKING))
    sense = sense_of(process, aim)
    if isinstance(sense, bool):
        aim = replace(aim, maximise=sense, coalition=None)
    if not isinstance(sense, bool):
        from oddsmith.solve.process.game import Game

        played = Game(process, stop, lower, upper, gain, endless, aim, sense)
        found = played.bounds()
        if aim.exact:
            assert fractions is not None
            exact, told = played.fractions(found, *fractions())
            found = replace(found, exact=exact, picks=found.picks if told is None else told)
    else:
        found = bellman.solve(process, stop, lower, upper, gain, endless, aim)
        if (aim.picks or aim.exact) and not process.is_chain:
            x = found.middle
            picks = best_picks(process, stop, x, gain, endless, aim.maximise)
            if endless != NOTHING and np.isinf(x).any():
                if endless == EARNED and gain is not None:
                    most = earning_picks(process, stop, gain, aim)
                else:
                    most = endless_picks(process, stop)
                picks = np.where(np.isinf(x), most, picks)
            found = replace(found, picks=picks)
        if aim.exact:
            from oddsmith.solve.process.exact import solve_exactly

            assert fractions is not None
            worth, earned = fractions()
            exact, told = solve_exactly(process, stop, worth, earned, endless, aim, found)
            found = replace(found, exact=exact, picks=found.picks if told is None else told)
        elif (
            aim.picks
            and fractions is not None
            and not process.is_chain
            and not _attained(process, stop, found, gain, endless, aim)
        ):
            found = replace(found, picks=_told_apart(process, stop, endless, aim, found, fractions))
    return found


def _attained(
    process: Model, stop: Bools, found: Values, gain: Floats | None, endless: int, aim: Aim
) -> bool:
    """Whether the picks are worth the value: the chain that they make is solved.

    Choices that floating point takes for ties may lose a little each time they are taken.
    """
    assert found.picks is not None
    chain, old = keep(process, found.picks, np.ones(process.states, bool))
    low, high = np.where(stop, found.lower, 0.0), np.where(stop, found.upper, 0.0)
    earned = None if gain is None else gain[old]
    worth = bellman.solve(chain, stop, low, high, earned, endless, aim)
    finite = np.isfinite(found.lower)
    if (np.isfinite(worth.lower) != finite).any():
        return False
    if found.sharp and worth.sharp:
        never, sure = found.upper == 0.0, found.lower == 1.0
        if worth.upper[never].any() or (worth.lower[sure] < 1.0).any():
            return False
    off = ATTAINED * np.maximum(1.0, found.lower[finite])
    return bool(
        (worth.lower[finite] >= found.lower[finite] - off).all()
        and (worth.upper[finite] <= found.upper[finite] + off).all()
    )


def _told_apart(
    process: Model, stop: Bools, endless: int, aim: Aim, found: Values,
    fractions: Callable[[], Fractions],
) -> Picks | None:  # fmt: skip
    """Picks by fractions, where floats do not tell choices apart."""
    from oddsmith.solve.process.exact import solve_exactly

    try:
        worth, earned = fractions()
        return solve_exactly(process, stop, worth, earned, endless, aim, found)[1]
    except LimitError:
        raise LimitError(
            f"Choices of {process.name} are too close to be told apart in floating point, and it "
            f"has no fractions or is too large for them: its value is known, a strategy is not."
        ) from None


def sense_of(process: Model, aim: Aim) -> bool | Bools:
    """Whether those who have a choice want much; where they do, if they do not agree."""
    if aim.coalition is None or process.is_chain:
        return aim.maximise
    senses: Bools = aim.coalition == aim.maximise
    deciding = senses[np.diff(process.choice) > 1]
    if not deciding.any() or deciding.all():
        return bool(deciding[0]) if len(deciding) else aim.maximise
    return senses


def earning_picks(process: Model, stop: Bools, gain: Floats, aim: Aim) -> Picks:
    """Picks that come, as surely as possible, to where something is earned again and again."""
    from oddsmith.model.graph_kernels import end_components

    chooser = process.chooser
    inner = ~stop[chooser]
    member = end_components(process.choice, process.row, process.col, inner)
    earning = np.unique(member[chooser[inner & (gain > 0)]])
    there = np.isin(member, earning) & (member >= 0)
    worth = there.astype(np.float64)
    wanted = replace(aim, maximise=True, exact=False, coalition=None)
    ends = there | stop
    found = bellman.solve(process, ends, worth, worth.copy(), None, NOTHING, wanted)
    picks = best_picks(process, ends, found.middle, None, NOTHING, True)
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
