"""Optimal play: value iteration and policy iteration, then bounds that hold.

Components are solved in topological order, so each sees only values that are known: one without a
cycle by a single backup (plain dynamic programming), one with cycles by Gauss–Seidel value
iteration, and one in which that is slow by policy iteration with sparse LU. None of this need be
trusted: `problem.py` says what is checked afterwards, and why that is enough.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from oddsmith import memory
from oddsmith.errors import OddsmithError
from oddsmith.progress import Progress, Silent
from oddsmith.solve.play.problem import Floats, Problem
from oddsmith.watch import Signals, new_signals, watched

SLOW_SWEEPS = 1_000
"""A component that needs more sweeps is solved by policy iteration, if LU can hold it."""

LU_UNKNOWNS = 60_000

IMPROVEMENTS = 60
"""Rounds of policy iteration before a component goes back to value iteration."""

TIE = 1e-13
"""Choices whose worth differs by less are taken as equally good when play must find an end."""

CERTIFICATE_SWEEPS = 20_000

MANY_TRANSITIONS = 20_000_000


@dataclass(eq=False)
class Solution:
    """What every state is worth to every seat, the choices that make it so, and the bounds."""

    problem: Problem
    x: Floats
    """States × seats."""
    pick: npt.NDArray[np.uint8]
    """The place of the best choice among those of each state."""
    lower: Floats
    """How far the true worth can be below x, of the same shape; infinite if not certified."""
    upper: Floats
    margin: Floats
    """By how much the best choice is better than the next best; infinite where there is none."""
    certain: npt.NDArray[np.bool_]
    """Whether the bounds prove that the pick is the only best choice."""
    regret: float = 0.0
    """The most that a player who leaves the picks alone could gain, anywhere."""
    how: list[str] = field(default_factory=list)

    @property
    def decisions(self) -> int:
        """In how many states there is something to decide."""
        return int(np.count_nonzero(np.isfinite(self.margin)))

    @property
    def undecided(self) -> npt.NDArray[np.int64]:
        """The states in which the bounds cannot tell the best choice from another."""
        return np.nonzero(~self.certain)[0]

    @property
    def picks(self) -> npt.NDArray[np.int64]:
        """The number of the chosen choice in each state, -1 where the game is over."""
        choice = self.problem.model.choice
        found = choice[:-1] + self.pick
        return np.where(np.diff(choice) > 0, found, -1)


def solve(
    problem: Problem,
    *,
    tolerance: float = 1e-12,
    certify: bool = True,
    progress: Progress | None = None,
) -> Solution:
    """The optimal decision in every state, and what it is worth."""
    model, seats = problem.model, problem.seats
    vectors = 4 if certify else 2
    needed = model.states * (8 * seats * vectors + 16)
    memory.require(needed, f"Solving {model.game.name}", "simulate, or learn a policy")
    work = _Work(problem, tolerance, progress or Silent())
    work.solve()
    found = Solution(
        problem,
        work.x,
        work.pick,
        lower=np.full((1, 1), np.inf),
        upper=np.full((1, 1), np.inf),
        margin=np.empty(0),
        certain=np.empty(0, bool),
        how=work.how,
    )
    if certify:
        work.certify(found)
    else:
        found.lower = found.upper = np.full_like(work.x, np.inf)
    set_margins(found)
    return found


class _Work:
    """One solve: the numbers as they come to be."""

    def __init__(self, problem: Problem, tolerance: float, progress: Progress) -> None:
        self.problem, self.model = problem, problem.model
        self.tolerance, self.progress = tolerance, progress
        self.seats = (0,) * problem.seats
        live = np.diff(self.model.choice) > 0
        self.x = problem.worth.copy()
        self.x[live] = problem.endless
        self.pick = np.zeros(problem.states, np.uint8)
        self.how: list[str] = []
        self.by_policy = 0
        # One type of weights, where they are few: kernels are compiled for each type.
        few = self.model.transitions < MANY_TRANSITIONS
        self.weight = self.model.weight.astype(np.int64) if few else self.model.weight

    @property
    def graph(self) -> tuple[Any, ...]:
        """The arrays of the model, as kernels take them."""
        model = self.model
        return (model.row, model.col, self.weight, model.total, self.problem.shift)

    def watch(self, work: Callable[[Signals], Any], stage: str, fact: str) -> Any:
        """Run a kernel that walks the components from the last to the first."""
        signals = new_signals(4)
        size = max(1, self.problem.states)

        def look() -> None:
            done = size - signals[1] if signals[1] else 0.0
            self.progress.update(stage, done, size, f"{fact} {signals[0]:.1e}")

        found = watched(lambda: work(signals), signals, look)
        if signals[-1]:
            raise KeyboardInterrupt
        self.sweeps = int(signals[2])
        return found

    def solve(self) -> None:
        """Value iteration over all components, policy iteration where that is slow."""
        from oddsmith.solve.play import kernels

        problem, most = self.problem, 0
        k = len(problem.bounds) - 1
        limit: float = SLOW_SWEEPS
        while k > 0:

            def walk(signals: Signals, k: int = k, limit: float = limit) -> int:
                return int(
                    kernels.iterate(
                        problem.seats, problem.zero_sum, problem.order, problem.bounds, k,
                        problem.place, problem.endless, self.model.choice, *self.graph,
                        self.x.ravel(), self.pick, self.tolerance / 64, limit, signals,
                    )
                )  # fmt: skip

            stopped = self.watch(walk, "solving", "change")
            most = max(most, self.sweeps)
            if stopped < 0:
                break
            k, limit = stopped + 1, SLOW_SWEEPS
            if self.policy_iteration(stopped):
                k = stopped
            else:
                limit = np.inf  # too large for LU, or it went round in circles: sweep on
        self.how.append(f"optimal play: value iteration, {most:,} sweeps")
        if self.by_policy:
            self.how[-1] += f"; policy iteration by sparse LU in {self.by_policy:,} components"

    def policy_iteration(self, k: int) -> bool:
        """Solve one component by policy iteration; whether it came to an end."""
        from scipy.sparse import csc_array
        from scipy.sparse.linalg import splu

        from oddsmith.solve.play import kernels

        problem, many = self.problem, self.problem.seats
        begin, end = int(problem.bounds[k]), int(problem.bounds[k + 1])
        if (end - begin) * many > LU_UNKNOWNS:
            return False
        states = problem.order[begin:end]
        flat = self.x.ravel()
        span = (begin, end, problem.endless)
        for _ in range(IMPROVEMENTS):
            rows, cols, values, b = kernels.linear_system(
                self.seats, problem.order, *span, problem.place, self.model.choice, *self.graph,
                flat, self.pick,
            )  # fmt: skip
            size = len(b)
            try:
                found = splu(csc_array((values, (rows, cols)), shape=(size, size))).solve(b)
            except RuntimeError:  # singular: this policy never leaves the component
                return False
            if not np.isfinite(found).all():
                return False
            self.x[states] = found.reshape(-1, many)
            changed = kernels.improve(
                self.seats, problem.order, *span, self.model.choice, *self.graph, flat,
                self.pick, self.tolerance / 64,
            )  # fmt: skip
            if not changed:
                self.by_policy += 1
                return True
        return False

    def errors(self, free: bool, sign: float) -> Floats:
        """How far x can be from the truth on one side; see `problem.py`.

        A component without a certificate is mended, in this order: its picks are turned toward
        the end of the game, then the end components in it are collapsed.
        """
        from oddsmith.solve.play import kernels
        from oddsmith.solve.play.collapse import collapse

        problem = self.problem
        e = np.zeros_like(self.x)
        group, inside = np.empty(0, np.int32), np.empty(0, bool)
        k = len(problem.bounds) - 1
        mended: dict[int, int] = {}
        while k > 0:

            def walk(signals: Signals, k: int = k, group: Any = group, inside: Any = inside) -> int:
                return int(
                    kernels.bound_errors(
                        problem.seats, problem.order, problem.bounds, k, problem.place, free, sign,
                        problem.endless, self.model.choice, *self.graph, group, inside,
                        self.x.ravel(), self.pick, e.ravel(), CERTIFICATE_SWEEPS, signals,
                    )
                )  # fmt: skip

            failed = self.watch(walk, "certifying", "error")
            if failed < 0:
                break
            k = failed + 1
            tried = mended[failed] = mended.get(failed, 0) + 1
            states = problem.order[problem.bounds[failed] : problem.bounds[failed + 1]]
            e[states] = 0.0
            if tried == 1:
                kernels.toward_the_end(
                    self.seats, problem.order, problem.bounds, failed, problem.endless, TIE,
                    problem.place, self.model.choice, *self.graph, self.x.ravel(), self.pick,
                )  # fmt: skip
            elif tried == 2:
                group, inside = collapse(
                    problem, self.x, self.pick, failed, free, sign, group, inside
                )
            else:
                raise NoCertificate(self.model.state(int(states[0])))
        return e

    def certify(self, found: Solution) -> None:
        """Bounds on the worth of every state, rounding included."""
        try:
            best = self.errors(free=True, sign=1.0)
            if self.problem.zero_sum:
                # Seat 0 gets at least what seat 1 cannot get: 1 - x1 - e1.
                slack = np.abs(self.x.sum(axis=1) - 1.0) + 2.0**-52
                found.upper = best
                found.lower = best[:, ::-1] + slack[:, None]
                return
            below = self.errors(free=False, sign=-1.0)
            above = best if self.problem.seats == 1 else self.errors(free=False, sign=1.0)
        except NoCertificate as reason:
            self.how.append(
                f"no bounds: near {reason.state!r} play can go on almost for ever at no loss"
            )
            found.lower = found.upper = np.full_like(self.x, np.inf)
            return
        found.lower, found.upper = below, above
        found.regret = float((best + below)[:, 0].max(initial=0.0))


class NoCertificate(OddsmithError):  # noqa: N818 - a finding, not an error
    """The numbers found are not good enough to prove anything; names a state."""

    def __init__(self, state: Any) -> None:
        super().__init__(f"No certificate for the values near {state!r}.")
        self.state = state


def set_margins(found: Solution) -> None:
    """Say by how much each pick is better than the next best choice, and whether that is sure."""
    from oddsmith.solve.play import kernels

    problem, model = found.problem, found.problem.model
    found.margin = np.empty(problem.states)
    found.certain = np.empty(problem.states, bool)
    known = len(found.upper) == problem.states and bool(np.isfinite(found.upper[:1]).all())
    upper = found.upper if known else np.zeros_like(found.x)
    lower = found.lower if known else np.zeros_like(found.x)
    kernels.margins(
        (0,) * problem.seats, problem.endless, model.choice, model.row, model.col, model.weight,
        model.total, problem.shift, found.x.ravel(), upper.ravel(), lower.ravel(), found.pick,
        found.margin, found.certain,
    )  # fmt: skip
    if not known:
        found.certain &= np.isinf(found.margin)
