"""Optimal play: value iteration and policy iteration, then bounds that hold.

Components are solved in topological order, so each sees only values that are known: one without a
cycle by a single backup (plain dynamic programming), one with cycles by Gauss–Seidel value
iteration, and one in which that is slow by policy iteration with sparse LU. None of this need be
trusted: `problem.py` says what is checked afterwards, and why that is enough.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from oddsmith.errors import NoEquilibriumError, OddsmithError
from oddsmith.questions.limits import SLOW_SWEEPS
from oddsmith.runtime import memory
from oddsmith.runtime.progress import Progress, Silent
from oddsmith.runtime.watch import Signals, new_signals, watched
from oddsmith.solve.bellman.linear import holds
from oddsmith.solve.play.problem import Floats, Problem

if TYPE_CHECKING:
    from oddsmith.solve.bellman.policy_iteration import Component

IMPROVEMENTS = 60
"""Rounds of policy iteration before a component goes back to value iteration, a player, where there
may be no equilibrium."""

CIRCLES: Any = {"rounds": IMPROVEMENTS, "blur": 1e-9}
"""How policy iteration ends where best moves may change each other for ever."""

TIE = 1e-13
"""Choices whose worth differs by less are taken as equally good when play must find an end."""

WIDE = 1e3
"""Errors of so many times the tolerance say that picks may be wrong."""

FEW = 32
"""After so many components without a strict drop, all that are left are bounded together."""

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

    def interval(self, state: int, seat: int) -> tuple[float, float]:
        """Between what a state's worth to a seat is proved to be; infinite if not certified."""
        x = float(self.x[state, seat])
        low, high = x - float(self.lower[state, seat]), x + float(self.upper[state, seat])
        return math.nextafter(low, -math.inf), math.nextafter(high, math.inf)

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
    rough: bool = False,
    progress: Progress | None = None,
) -> Solution:
    """The optimal decision in every state, and what it is worth.

    If it is to be `rough`, for fractions to begin with, values need not come to rest.
    """
    model, seats = problem.model, problem.seats
    vectors = 4 if certify else 2
    needed = model.states * (8 * seats * vectors + 16)
    memory.require(needed, f"Solving {model.name}", "simulate, or learn a policy")
    work = Work(problem, tolerance, progress or Silent(), rough and has_value(problem))
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
    found.how[:0] = [work.described]
    set_margins(found)
    return found


class Work:
    """One solve: the numbers as they come to be."""

    def __init__(
        self, problem: Problem, tolerance: float, progress: Progress, rough: bool = False
    ) -> None:
        self.problem, self.model = problem, problem.model
        self.tolerance, self.progress, self.rough = tolerance, progress, rough
        self.seats = (0,) * problem.seats
        live = np.diff(self.model.choice) > 0
        self.x = problem.worth.copy()
        self.x[live] = problem.endless
        self.pick = np.zeros(problem.states, np.uint8)
        self.how: list[str] = []
        self.most_sweeps = 0
        self.by_policy: set[int] = set()
        self.settled: set[int] = set()
        """Components that were solved in fractions."""
        self.changed = False
        """Whether picks or values were mended since this was last set to False."""
        # One type of weights, where they are few: kernels are compiled for each type.
        few = self.model.transitions < MANY_TRANSITIONS
        self.weight = self.model.weight.astype(np.int64) if few else self.model.weight

    @property
    def graph(self) -> tuple[Any, ...]:
        """The arrays of the model, as kernels take them."""
        model = self.model
        return (model.row, model.col, self.weight, model.total, self.problem.shift)

    @property
    def described(self) -> str:
        """How it was solved, for people."""
        text = f"optimal play: value iteration, {self.most_sweeps:,} sweeps"
        if self.by_policy:
            text += f"; policy iteration by sparse LU in {len(self.by_policy):,} components"
        if self.settled:
            text += f"; {len(self.settled):,} components in fractions"
        return text

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

    def solve(self, last: int | None = None) -> None:
        """Value iteration over components last-1 … 0 (all), policy iteration where that is slow."""
        from oddsmith.solve.play import value_kernels

        problem, most = self.problem, 0
        k = len(problem.bounds) - 1 if last is None else last
        at_last = False
        while k > 0:

            def walk(signals: Signals, k: int = k, at_last: bool = at_last) -> int:
                return int(
                    value_kernels.iterate(
                        problem.seats, problem.zero_sum, problem.order, problem.bounds, k,
                        problem.place, problem.endless, self.model.choice, *self.graph,
                        self.x.ravel(), self.pick, self.tolerance / 64, float(SLOW_SWEEPS), at_last,
                        signals,
                    )
                )  # fmt: skip

            stopped = self.watch(walk, "solving", "change")
            most = max(most, self.sweeps)
            if stopped < 0:
                break
            if at_last and stopped == k - 1:
                raise self.unsettled(stopped)
            settled = self.policy_iteration(stopped) or self.rough or self.in_fractions(stopped)
            at_last = not settled
            k = stopped + at_last
        self.most_sweeps = max(self.most_sweeps, most)

    def unsettled(self, k: int) -> OddsmithError:
        """The error for a component in which nothing comes to rest."""
        state = int(self.problem.order[self.problem.bounds[k]])
        if not has_value(self.problem):
            return no_equilibrium(self.problem, state)
        return OddsmithError(
            f"Optimal play of {self.model.name} was not found: near "
            f"{self.model.state(state)!r} values do not come to rest. Ask for method='exact', or "
            f"say how it is played (play=…, --play)."
        )

    def policy_iteration(self, k: int) -> bool:
        """Solve one component by policy iteration; whether it came to an end.

        It ends with picks that nobody gains by leaving alone. Players improve their picks one
        after another; in a mover-relative model, all at once.
        """
        from oddsmith.solve.bellman import policy_iteration
        from oddsmith.solve.play.deviations import stay

        problem = self.problem
        states = self.states(k)
        of = self.component(k)
        if not holds(of.nodes * of.seats, of.band):
            return False
        before = self.x[states].copy(), self.pick[states].copy()
        sides: list[Any] = [None]
        if problem.seats > 1 and self.model.shift is None:
            mover = self.model.mover[states]
            sides = [mover == player for player in sorted(set(mover.tolist()), reverse=True)]

        def staying(who: Any, x: Floats, pick: Any, margin: float) -> Any:
            """Picks by which they stay for ever, where that is worth more to them."""
            self.x[states], self.pick[states] = x.reshape(-1, problem.seats), pick - of.rows[:-1]
            player = -1 if who is None else int(self.model.mover[states[np.argmax(who)]])
            better = stay(self, k, player, margin)
            return of.rows[:-1] + self.pick[states] if better else None

        circles = not has_value(problem)
        found = policy_iteration.improve(
            of, of.rows[:-1] + self.pick[states], self.x[states].ravel(), self.progress,
            sides=sides, stay=staying, **(CIRCLES if circles else {}),
        )  # fmt: skip
        if found is None:
            self.x[states], self.pick[states] = before
            return False
        x, pick, _ = found
        self.x[states], self.pick[states] = x.reshape(-1, problem.seats), pick - of.rows[:-1]
        self.by_policy.add(k)
        return True

    def states(self, k: int) -> Any:
        """The states of a component."""
        return self.problem.order[self.problem.bounds[k] : self.problem.bounds[k + 1]]

    def component(self, k: int) -> Component:
        """A component by itself."""
        from oddsmith.solve.bellman.policy_iteration import Component
        from oddsmith.solve.play import value_kernels

        problem, model, states = self.problem, self.model, self.states(k)
        begin, end, many = problem.bounds[k], problem.bounds[k + 1], problem.seats
        choices = int((model.choice[states + 1] - model.choice[states]).sum())
        edges = int((model.state_row[states + 1] - model.state_row[states]).sum())
        rows, row = np.empty(end - begin + 1, np.int64), np.empty(choices + 1, np.int64)
        col, turn = np.empty(edges, np.int64), np.empty(edges, np.int64)
        chance, given, out = np.empty(edges), np.empty(choices * many), np.empty(choices)
        value_kernels.gather(
            many, False, problem.order, begin, end, problem.place, problem.endless, model.choice,
            *self.graph, self.x.ravel(), rows, row, col, turn, chance, given, out,
        )  # fmt: skip
        edges = row[-1]
        return Component(
            rows, row, col[:edges], chance[:edges], given.reshape(-1, many), out,
            turn[:edges] if many > 1 else None, problem.endless,
        )  # fmt: skip

    def in_fractions(self, k: int) -> bool:
        """Solve a small component in fractions, about which floating point is not sure."""
        from oddsmith.solve.play.exact import settle

        if not settle(self, k):
            return False
        self.settled.add(k)
        return True

    def errors(self, free: bool, sign: float) -> Floats:
        """How far the truth can be above x (sign 1) or below (-1); see `problem.py`.

        Where sweeps find no strict drop, components are solved by `bellman/bounds.py`, one by one,
        or from some on all that are left. A component with wide bounds has its picks mended, twice:
        by policy iteration, or where that is impossible by picks that turn toward the end; and in
        fractions, if it is small.
        """
        from oddsmith.solve.play import error_kernels
        from oddsmith.solve.play.deviations import errors_of

        problem, e = self.problem, np.zeros_like(self.x)
        few = self.model.transitions * problem.seats < MANY_TRANSITIONS
        failures, k = 0, len(problem.bounds) - 1
        mended: list[int] = []
        while k > 0:

            def walk(signals: Signals, k: int = k) -> int:
                return int(
                    error_kernels.bound_errors(
                        problem.seats, problem.order, problem.bounds, k, problem.place, free, sign,
                        problem.endless, self.model.choice, *self.graph, self.x.ravel(), self.pick,
                        e.ravel(), float(SLOW_SWEEPS), signals,
                    )
                )  # fmt: skip

            failed = self.watch(walk, "certifying", "error")
            if failed < 0:
                break
            failures += 1
            first = 0 if failures > FEW and few else failed
            given = errors_of(self, first, failed + 1, free, sign, e)
            wide = self.wide(first, failed + 1, e, given)
            k = max((c for c in wide if mended.count(c) < 2), default=-1)
            if k >= 0:
                self.mend(k, k in mended)
                mended.append(k)
            k = first if k < 0 else k + 1
        return e

    def wide(self, first: int, last: int, e: Floats, given: float) -> set[int]:
        """Those of some components whose errors are large, though those outside are not."""
        begin, end = self.problem.bounds[first], self.problem.bounds[last]
        states = self.problem.order[begin:end]
        scale = np.maximum(1.0, np.abs(self.x[states]))
        large = (e[states] > WIDE * self.tolerance * scale + 4 * given).any(axis=1)
        places = begin + np.flatnonzero(large)
        return set((np.searchsorted(self.problem.bounds, places, side="right") - 1).tolist())

    def mend(self, k: int, again: bool) -> None:
        """Better picks and values in a component; those before it are solved again if they need."""
        states = self.states(k)
        x, pick = self.x[states].copy(), self.pick[states].copy()
        if again:
            self.in_fractions(k)
        elif not self.policy_iteration(k):
            of, now = self.component(k), self.x[states].ravel()
            worth = of.worths(now)
            best = np.maximum.reduceat(worth, of.rows[:-1])
            toward = of.leading_picks(worth >= best[of.owner] - TIE, of.rows[:-1] + pick)
            self.pick[states] = toward - of.rows[:-1]
        moved = float(np.abs(x - self.x[states]).max(initial=0.0))
        self.changed |= moved > 0 or bool((pick != self.pick[states]).any())
        if moved > self.tolerance:
            self.solve(k)

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
            for _ in range(4):  # what holds for the picks must hold for the same picks
                self.changed = False
                below = self.errors(free=False, sign=-1.0)
                above = best if self.problem.seats == 1 else self.errors(free=False, sign=1.0)
                if not self.changed:
                    break
                best = self.errors(free=True, sign=1.0)
            else:
                raise NoCertificate(self.model.state(self.model.start))
        except NoCertificate as reason:
            self.how.append(
                f"no bounds: near {reason.state!r} play can go on almost for ever at no loss"
            )
            found.lower = found.upper = np.full_like(self.x, np.inf)
            ends, endless = self.problem.worth, self.problem.endless
            least, most = min(endless, ends.min()), max(endless, ends.max())
            np.clip(self.x, least, most, out=found.x)  # no play is worth more than its end
            return
        rounding = self.problem.worth_rounding
        found.regret = float((best[:, 0] + below[:, 0]).max(initial=0.0)) + 2 * rounding
        found.lower, found.upper = below, above
        if rounding:
            found.lower, found.upper = below + rounding, above + rounding


def has_value(problem: Problem) -> bool:
    """Whether there is optimal play for sure: of one, or of two with opposite interests."""
    return problem.seats == 1 or problem.zero_sum


def no_equilibrium(problem: Problem, state: int) -> NoEquilibriumError:
    """The error for players whose best moves change each other's, near a state."""
    model = problem.model
    alike = ", the same for every seat," if model.shift is not None else ""
    return NoEquilibriumError(
        f"No optimal play of {model.name} was found: for {problem.seats} players that is one "
        f"move in each state{alike} such that nobody gains by moving otherwise, and near "
        f"{model.state(state)!r} each player's best moves change the others' best moves, round "
        f"and round. There may be no such play without moves that are chosen at random."
    )


class NoCertificate(OddsmithError):  # noqa: N818 - a finding, not an error
    """The numbers found are not good enough to prove anything; names a state."""

    def __init__(self, state: Any) -> None:
        super().__init__(f"No certificate for the values near {state!r}.")
        self.state = state


def set_margins(found: Solution) -> None:
    """Say by how much each pick is better than the next best choice, and whether that is sure."""
    from oddsmith.solve.play import problem_kernels

    problem, model = found.problem, found.problem.model
    found.margin = np.empty(problem.states)
    found.certain = np.empty(problem.states, bool)
    known = len(found.upper) == problem.states and bool(np.isfinite(found.upper[:1]).all())
    upper = found.upper if known else np.zeros_like(found.x)
    lower = found.lower if known else np.zeros_like(found.x)
    problem_kernels.margins(
        (0,) * problem.seats, problem.endless, model.choice, model.row, model.col, model.weight,
        model.total, problem.shift, found.x.ravel(), upper.ravel(), lower.ravel(), found.pick,
        found.margin, found.certain,
    )  # fmt: skip
    if not known:
        found.certain &= np.isinf(found.margin)
