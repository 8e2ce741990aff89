"""The best that those who decide can do: one side, or two (`two_sides.py`).

Who decides where nobody has a choice is no matter: a game in which one side never has a choice is
a decision process of the other (`sense`).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from oddsmith.errors import LimitError
from oddsmith.model.amounts import Bools
from oddsmith.model.model import Model
from oddsmith.solve.process import one_side
from oddsmith.solve.process.aim import Aim, Objective, Values
from oddsmith.solve.process.picks import PICKING, Picks, best_picks, endless_picks, keep

ATTAINED = 1e-9
"""So much less than the value picks may be worth, relative where it is above one."""


def best_bounds(process: Model, objective: Objective, aim: Aim) -> Values:
    """Bounds on the value of every state; see `one_side.solve`. Picks are found if wanted.

    Without fractions they are the best that floating point tells.
    """
    if (aim.picks or aim.exact) and not process.is_chain:
        aim = replace(aim, tolerance=min(aim.tolerance, PICKING))
    sense = sense_of(process, aim)
    if not isinstance(sense, bool):
        from oddsmith.solve.process.two_sides import TwoSides

        played = TwoSides(process, objective, aim, sense)
        found = played.bounds()
        if aim.exact:
            exact, told = played.fractions(found)
            found = replace(found, exact=exact, picks=found.picks if told is None else told)
        return found
    aim = replace(aim, maximise=sense, coalition=None)
    found = one_side.solve(process, objective, aim)
    if (aim.picks or aim.exact) and not process.is_chain:
        x = found.middle
        picks = best_picks(process, objective, x, aim.maximise)
        if objective.gain is not None and np.isinf(x).any():
            if objective.total:
                most = earning_picks(process, objective, aim)
            else:
                most = endless_picks(process, objective.stop)
            picks = np.where(np.isinf(x), most, picks)
        found = replace(found, picks=picks)
    if aim.exact:
        from oddsmith.solve.process.exact import solve_exactly

        exact, told = solve_exactly(process, objective, aim, found)
        return replace(found, exact=exact, picks=found.picks if told is None else told)
    wanted = aim.picks and not process.is_chain and objective.fractions is not None
    if wanted and not _attained(process, objective, found, aim):
        found = replace(found, picks=_told_apart(process, objective, aim, found))
    return found


def _attained(process: Model, objective: Objective, found: Values, aim: Aim) -> bool:
    """Whether the picks are worth the value: the chain that they make is solved.

    Choices that floating point takes for ties may lose a little each time they are taken.
    """
    assert found.picks is not None
    chain, old = keep(process, found.picks, np.ones(process.states, bool))
    worth = one_side.solve(chain, objective.of_choices(old), aim)
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


def _told_apart(process: Model, objective: Objective, aim: Aim, found: Values) -> Picks | None:
    """Picks by fractions, where floats do not tell choices apart."""
    from oddsmith.solve.process.exact import solve_exactly

    try:
        return solve_exactly(process, objective, aim, found)[1]
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


def earning_picks(process: Model, objective: Objective, aim: Aim) -> Picks:
    """Picks that come, as surely as possible, to where something is earned again and again."""
    from oddsmith.model.graph_kernels import end_components

    chooser, stop, gain = process.chooser, objective.stop, objective.earned
    inner = ~stop[chooser]
    member = end_components(process.choice, process.row, process.col, inner)
    earning = np.unique(member[chooser[inner & (gain > 0)]])
    there = np.isin(member, earning) & (member >= 0)
    worth = there.astype(np.float64)
    wanted = replace(aim, maximise=True, exact=False, coalition=None)
    reaching = Objective(there | stop, worth, worth)
    picks = best_picks(process, reaching, one_side.solve(process, reaching, wanted).middle, True)
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
