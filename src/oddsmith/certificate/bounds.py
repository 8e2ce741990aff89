"""Vectors that the checker accepts, from values that are known approximately or exactly.

Let x be near the values, and δ(c) = g(c) + Σ p(t) x(t) - x(s) what an option gains over its node
(for an upper bound: the contrary), which must not be negative. With u ≥ 1 + Σ p(t) u(t) for the
options that are *tight* (δ is next to nothing), x - ε u (x + ε u) gains ε on each of them: so it is
a bound as soon as ε is more than what any δ lacks, and the other options do not mind. Such a u
bounds the number of steps until play stops. End components of tight options that earn nothing, in
which play need not stop, are made one node: their nodes are worth the same, and the options that
stay inside then gain nothing and lack nothing. One that cannot be left is worth what endless play
is. Nodes from which play comes to ends of the least worth only are worth exactly that.

None of this need be right: what comes out is checked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor, lcm
from typing import Any

import numpy as np

from oddsmith.certificate.claim import Claim, written
from oddsmith.certificate.nodes import Nodes, bare_process, leading_to, process_of, ranks
from oddsmith.errors import LimitError, OddsmithError
from oddsmith.model.amounts import Amounts, Bools, Floats
from oddsmith.questions import limits
from oddsmith.runtime.progress import Progress

TIGHT = 1e-8
ROUNDS = 30
BITS = 53
"""Vectors have so many bits at most."""
MOST_DIGITS = 400_000_000
"""Hexadecimal digits of an exact vector, at most."""

Witness = dict[str, Any]


class NotInductiveError(OddsmithError):
    """No vector was found that the checker would accept."""


@dataclass(frozen=True, eq=False)
class Task:
    """A bound to be found: lower (sign 1) or upper (-1)."""

    nodes: Nodes
    gain: Floats
    ends: Sequence[Fraction]
    """What the nodes that stop are worth, one after another."""
    endless: Fraction | None
    """What play that never stops is worth; None: infinitely much."""
    sign: int
    about: str
    progress: Progress

    @property
    def level(self) -> float:
        """What play that never stops is worth, as a float."""
        return np.inf if self.endless is None else float(self.endless)

    def rounded(self, number: Fraction, bits: int) -> int:
        """A number as so many parts of 2^-bits, moved outward."""
        scaled = number * 2**bits
        return int(floor(scaled) if self.sign == 1 else ceil(scaled))


def task_of(claim: Claim, nodes: Nodes, sign: int, progress: Progress) -> Task:
    """The bound of a claim that is to be found."""
    ends = [x for row in claim.worth for x in row]
    return Task(nodes, nodes.gains(claim), ends, claim.endless, sign, claim.about, progress)


def approximate_bound(task: Task, x: Floats, slack: float = 1.0) -> Witness:
    """A vector next to x, with its ranks; `slack` makes it wider."""
    nodes, sign = task.nodes, task.sign
    x = x.copy()
    x[nodes.stop] = [float(worth) for worth in task.ends]
    finite = np.isfinite(x)
    scale = max(1.0, float(np.abs(x[finite]).max(initial=0.0)))
    bits = max(0, BITS - int(np.ceil(np.log2(scale))))
    moved = np.ldexp(_moved(task, np.where(finite, x, np.inf), 2.0**-bits, scale, slack), bits)
    with np.errstate(invalid="ignore"):
        parts = np.floor(moved) if sign == 1 else np.ceil(moved)
    parts[nodes.stop] = [task.rounded(worth, bits) for worth in task.ends]
    safe = nodes.stop | ~finite
    if task.endless is not None:
        endless = task.rounded(task.endless, bits)
        parts[parts == endless + sign] = endless
        known = [*dict.fromkeys(task.ends), task.endless]
        if sign == 1:
            parts = np.maximum(parts, min(task.rounded(v, bits) for v in known))
        elif not task.gain.any():
            parts = np.minimum(parts, max(task.rounded(v, bits) for v in known))
        safe |= sign * (parts - endless) <= 0
    elif sign == 1:
        safe[:] = True
        parts = np.maximum(parts, 0.0)  # nobody has to pay
    values = [int(v) if ok else "infinite" for v, ok in zip(parts, finite, strict=True)]
    return {"values": values, "over": written(1 << bits)} | _ranked(task, safe)


def _ranked(task: Task, safe: Bools) -> Witness:
    """The ranks, if there are any to give."""
    if safe.all():
        return {}
    rank, missing = ranks(task.nodes, safe, task.gain > 0)
    if missing.any():
        raise NotInductiveError(
            f"No certificate was found for {task.about}: from node {int(np.argmax(missing))} play "
            f"need not come to an end."
        )
    return {"rank": rank.tolist()} if rank.any() else {}


def _moved(task: Task, x: Floats, grid: float, scale: float, slack: float) -> Floats:
    """x moved down (up) until it is a bound."""
    nodes = task.nodes
    chance, owner = nodes.chance, nodes.node
    known, value = _known(task, x, TIGHT * scale)
    x = np.where(known, value, x)
    active = (~nodes.stop & ~known & np.isfinite(x))[owner]
    tight = active & (_gained(task, chance, owner, x) < TIGHT * scale)
    for _ in range(ROUNDS):
        group, inside, inner = _end_components(nodes, tight & (task.gain == 0))
        outward = tight & ~inner
        level = _levelled(task, x, group, inside, owner[outward])
        gained = _gained(task, chance, owner, level)
        lacking = float(-gained[outward].min(initial=0.0))
        step = slack * (1.5 * lacking + 8 * grid + 2.0**-51 * scale)
        u = _steps(nodes, chance, owner, group, outward, task)
        left = gained + step * (u[owner] - _mean(nodes, chance, u))
        wrong = active & ~tight & (left < 2 * grid)
        if not np.isfinite(step):
            break
        if not wrong.any():
            return level - task.sign * step * u
        tight |= wrong
    raise NotInductiveError(f"No certificate was found for {task.about}: its bounds do not settle.")


def _known(task: Task, x: Floats, near: float) -> tuple[Bools, float]:
    """Nodes that stop in ends of the least worth only (lower bound: of the most), and that worth.

    That they stop at all is what their ranks have to show.
    """
    nodes = task.nodes
    if not task.ends:
        return np.zeros(nodes.count, bool), 0.0
    value = max(task.ends) if task.sign == 1 else min(task.ends)
    known = np.isfinite(x) & (np.abs(x - float(value)) <= near)
    known[nodes.stop] = [worth == value for worth in task.ends]
    known[nodes.node[task.gain > 0]] = False
    return ~leading_to(nodes, ~known) & ~nodes.stop, float(value)


def _mean(nodes: Nodes, chance: Floats, x: Floats) -> Floats:
    found: Floats = np.add.reduceat(chance * x[nodes.col], nodes.row[:-1])
    return found


def _gained(task: Task, chance: Floats, owner: Any, x: Floats) -> Floats:
    """δ of each option; where an outcome is infinite, so is what a lower bound gains."""
    with np.errstate(invalid="ignore"):
        found = task.sign * (task.gain + _mean(task.nodes, chance, x) - x[owner])
    return np.where(np.isnan(found), np.inf, found)


def _end_components(nodes: Nodes, usable: Bools) -> tuple[Any, Bools, Bools]:
    """A number for each node, the same in an end component; who is in one, which options stay."""
    from oddsmith.model.graph_kernels import end_components

    inner = usable.copy()
    member = end_components(nodes.choice, nodes.row, nodes.col.astype(np.int32), inner)
    alone = np.arange(nodes.count) + nodes.count
    _, group = np.unique(np.where(member >= 0, member, alone), return_inverse=True)
    return group, member >= 0, inner


def _levelled(task: Task, x: Floats, group: Any, inside: Bools, leaving: Any) -> Floats:
    """x made equal in each end component; one that is not left is worth what endless play is."""
    size = int(group.max()) + 1
    level = np.full(size, np.inf * task.sign)
    (np.minimum if task.sign == 1 else np.maximum).at(level, group, x)
    left = np.zeros(size, bool)
    left[group[leaving]] = True
    return np.where(inside, np.where(left[group], level[group], task.level), x)


def _steps(
    nodes: Nodes, chance: Floats, owner: Any, group: Any, tight: Bools, task: Task
) -> Floats:
    """u: at least the steps until no tight option is left, whatever is taken; see the top."""
    from oddsmith.solve.endless import UNTIL_TARGET
    from oddsmith.solve.process import one_side
    from oddsmith.solve.process.aim import Aim, Objective

    size = int(group.max()) + 1
    going = np.zeros(size, bool)
    going[group[owner[tight]]] = True
    if not going.any():
        return np.zeros(nodes.count)
    used = np.flatnonzero(tight)
    used = used[np.argsort(group[owner[used]], kind="stable")]
    still = np.flatnonzero(~going)
    counts = np.bincount(group[owner[used]], minlength=size) + ~going
    choice = np.concatenate([[0], np.cumsum(counts)])
    option = np.full(choice[-1], -1)
    option[~np.isin(np.arange(choice[-1]), choice[:-1][still])] = used
    lengths = np.where(option < 0, 1, np.diff(nodes.row)[option])
    row = np.concatenate([[0], np.cumsum(lengths)])
    which = np.repeat(np.arange(len(option)), lengths)
    edge = nodes.row[:-1][option[which]] + np.arange(row[-1]) - np.repeat(row[:-1], lengths)
    looping = option[which] < 0
    edge[looping] = 0
    whose = np.repeat(np.arange(size), np.diff(choice))
    col = np.where(looping, whose[which], group[nodes.col[edge]])
    if len(edge) <= limits.SMALL_TRANSITIONS:  # left so seldom that floats bound nothing
        weight = np.where(looping, 1, nodes.weight[edge])
        process = process_of(choice, row, col, weight, np.where(looping, 1, nodes.totals[edge]))
    else:
        amounts = Amounts.of_floats(np.where(looping, 1.0, chance[edge]))
        process = bare_process(choice, row, col, amounts)
    zero = np.zeros(size)
    aim = Aim(maximise=True, tolerance=1e-2, progress=task.progress)
    ones = np.ones(len(option))
    found = one_side.solve(process, Objective(~going, zero, zero, ones, UNTIL_TARGET), aim)
    if not np.isfinite(found.upper).all():
        raise NotInductiveError(
            f"No certificate was found for {task.about}: there is no bound on how long play lasts."
        )
    u: Floats = found.upper[group]
    return u


def exact_bound(task: Task, x: Sequence[Fraction | float]) -> Witness:
    """The vector of exact values, with its ranks."""
    over = lcm(*{v.denominator for v in x if isinstance(v, Fraction)})
    digits = len(x) * over.bit_length() // 4
    if digits > MOST_DIGITS:
        raise LimitError(
            f"A certificate of these fractions would take {digits // 10**6:,} MB: ask for one of "
            f"bounds (--method certified)."
        )
    values = [
        written(v.numerator * (over // v.denominator)) if isinstance(v, Fraction) else "infinite"
        for v in x
    ]
    endless = float("inf") if task.endless is None else task.endless
    safe = np.array([v <= endless if task.sign == 1 else v >= endless for v in x], bool)
    return {"values": values, "over": written(over)} | _ranked(task, safe | task.nodes.stop)


def doubt(task: Task, x: Floats) -> Witness:
    """What proves that the nodes where x is infinite are: see `checker.py`.

    It bounds the chance to come where x is finite, from above.
    """
    from oddsmith.solve.process import one_side
    from oddsmith.solve.process.aim import Aim, Objective

    nodes = task.nodes
    over = nodes.stop if task.endless is None else np.isfinite(x)
    one = over.astype(np.float64)
    stopped = replace(nodes, stop=over)
    nothing = np.zeros(len(nodes.origin))
    ends = [Fraction(1)] * int(over.sum())
    other = Task(stopped, nothing, ends, Fraction(0), -1, task.about, task.progress)
    aim = Aim(maximise=True, tolerance=1e-12, progress=task.progress)
    found = one_side.solve(nodes.process(), Objective(over, one, one), aim)
    vector = approximate_bound(other, (found.lower + found.upper) / 2)
    if task.endless is None:
        return vector
    sure = np.array(vector["values"]) >= int(vector["over"])
    return vector | _ranked(task, sure)
