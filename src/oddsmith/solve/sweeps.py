"""One linear solve, forward or backward, by any solver, refined until its residual is small.

Components are swept by Gauss–Seidel in topological order; a component in which sweeps are slow,
or for which the user wants another solver, goes to LU or a Krylov method. Each of these is a way
to turn a residual into a correction; the residual itself is computed afresh with a bound on its
rounding. So all solvers share one loop and one proof (see `chain.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from oddsmith.errors import OddsmithError, OptionError
from oddsmith.questions import limits
from oddsmith.questions.choice import by_name, choose
from oddsmith.questions.settings import SOLVERS, Solver
from oddsmith.results.offers import Offer
from oddsmith.runtime.progress import Progress
from oddsmith.runtime.watch import Signals, new_signals, watched
from oddsmith.solve.chain import Chain, Floats
from oddsmith.solve.direct import ComponentSolver, Direct
from oddsmith.solve.rounding import UNIT

Pins = npt.NDArray[np.int64]

REFINEMENTS = 12


def check_solver(solver: str) -> None:
    """Refuse an unknown solver."""
    if solver not in SOLVERS:
        raise OptionError(f"There is no solver {solver!r}: choose one of {', '.join(SOLVERS)}.")


def solver_of(solver: Solver, states: int = 0) -> str:
    """Who solves a component of so many states that sweeps are too slow for; 0: all were swept."""
    said, large = f"--solver {solver} was asked for", f"more than {limits.LU_STATES:,} states"
    every = [Offer(name) for name in SOLVERS[1:]]
    if not states:
        few = f"no more than {limits.SLOW_SWEEPS:,} sweeps"
        small = f"components of no more than {limits.SWEPT_FIRST} states"
        because = {"auto": few, "gauss-seidel": said}.get(solver, small)
        return choose("equations", by_name("gauss-seidel", every, because)).engine
    if solver == "gauss-seidel":
        raise OptionError(
            f"Gauss–Seidel takes more than {limits.MOST_SWEEPS:,} sweeps, for play leaves some "
            f"states very seldom: choose the solver lu, or auto."
        )
    slow = f"play leaves some states seldom: more than {limits.SLOW_SWEEPS:,} sweeps"
    offers = (
        by_name(solver, every, said)
        if solver != "auto"
        else [
            Offer("gauss-seidel", rather=slow),
            Offer("lu", rather=large if states > limits.LU_STATES else "", because=f"no {large}"),
            Offer("idr", because=large),
        ]
    )
    return choose("components that are not swept", offers).engine


class NeedsUnfolding(Exception):  # noqa: N818 - a finding, not an error
    """A component of a mover-relative chain is too slow to sweep."""


class ChainSolver:
    """Runs over the components of a chain, choosing for each how to solve it."""

    def __init__(self, chain: Chain, solver: Solver, progress: Progress) -> None:
        check_solver(solver)
        self.chain, self.solver, self.progress = chain, solver, progress
        swept = solver == "gauss-seidel"
        self.max_sweeps = limits.MOST_SWEEPS if swept else limits.SLOW_SWEEPS
        self.sizes = np.diff(chain.bounds)
        self.sweeps = 0

    @cached_property
    def direct(self) -> ComponentSolver:
        """The solver of single components."""
        return ComponentSolver(self.chain)

    def method(self, c: int) -> Direct:
        """How to solve a component that is not swept."""
        return cast(Direct, solver_of(self.solver, int(self.sizes[c])))

    @cached_property
    def unswept(self) -> Any:
        """The components that are not swept, not even at first, in ascending order."""
        sweeps_all = self.solver in ("auto", "gauss-seidel")
        return np.flatnonzero(
            self.sizes > (self.sizes.max(initial=0) if sweeps_all else limits.SWEPT_FIRST)
        )

    def forward(self, y: Floats, r: Floats, tolerance: float) -> None:
        """Add to y what the residual r makes of it; r becomes what is left."""
        from oddsmith.solve import kernels

        chain, c, end = self.chain, 0, len(self.sizes)
        while c < end:
            later = self.unswept[np.searchsorted(self.unswept, c) :]
            stop = int(later[0]) if len(later) else end
            if stop > c:
                bounds = chain.bounds[c : stop + 1]

                def push(signals: Signals, bounds: Any = bounds) -> int:
                    return int(
                        kernels.push(
                            (0,) * chain.lanes, bounds, chain.row, chain.col, chain.weight,
                            chain.total, chain.leave, chain.shift, y.ravel(), r.ravel(),
                            tolerance, self.max_sweeps, signals,
                        )
                    )  # fmt: skip

                c += self._watch(push, "solving", "chances known to", tolerance)
            if c < end:
                if chain.lanes > 1:
                    raise NeedsUnfolding
                self.direct.forward(c, y, r, self.method(c))
                c += 1

    def backward(self, x: Floats, b: Floats, pin: Pins, tolerance: float) -> None:
        """Improve x, a solution of x = b + P x, until sweeps hardly change it."""
        from oddsmith.solve import kernels

        chain, c = self.chain, len(self.sizes)
        while c > 0:
            earlier = self.unswept[: np.searchsorted(self.unswept, c)]
            stop = int(earlier[-1]) + 1 if len(earlier) else 0
            if stop < c:
                bounds = chain.bounds[stop : c + 1]

                def pull(signals: Signals, bounds: Any = bounds) -> int:
                    return int(
                        kernels.pull(
                            bounds, chain.row, chain.col, chain.weight, chain.total,
                            chain.leave_any_seat, pin, x, b, tolerance, self.max_sweeps, signals,
                        )
                    )  # fmt: skip

                c = stop + self._watch(pull, "solving backward", "change", tolerance)
            if c > 0:
                self.direct.backward(c - 1, x, b, pin, self.method(c - 1))
                c -= 1

    def _watch(
        self, work: Callable[[Signals], int], stage: str, fact: str, tolerance: float
    ) -> int:
        signals = new_signals(5)

        def look() -> None:
            size, sweeps = signals[0], signals[1]
            facts = f"sweep {sweeps:.0f}, {fact} {size:.1e}" if sweeps else ""
            done = _digits(size) if sweeps else 0.0
            self.progress.update(stage, done, _digits(tolerance), facts)

        found = watched(lambda: work(signals), signals, look)
        self.sweeps = max(self.sweeps, int(signals[3]))
        return found

    def describe(self, direction: str) -> str:
        """How it was solved, for people."""
        if "direct" not in vars(self):
            solver_of(self.solver)
        parts = [f"Gauss–Seidel, {self.sweeps:,} sweeps"] if self.sweeps else []
        if "direct" in vars(self):
            parts += self.direct.describe()
        return f"{direction}: " + "; ".join(parts or ["nothing to solve"])


def _digits(left: float) -> float:
    """Progress of a convergence: decimal digits gained."""
    return float(-np.log10(min(1.0, max(left, 1e-300))))


@dataclass
class Visits:
    """A forward solve: expected visits, the chain they belong to, how good they are."""

    chain: Chain
    y: Floats
    residual: Floats
    rounding: float
    """Bound on the rounding errors of the residual, summed."""
    method: str = ""
    interrupted: bool = False

    @property
    def bound(self) -> float:
        """Bound on the error of any chance computed from y."""
        return float(np.abs(self.residual).sum()) * (1 + 1e-9) + self.rounding


def forward(chain: Chain, tolerance: float, solver: Solver, progress: Progress) -> Visits:
    """Expected visits of every state, refined until chances are known to the tolerance."""
    if solver not in ("auto", "gauss-seidel"):
        chain = chain.unfolded()
    try:
        return _forward(chain, tolerance, ChainSolver(chain, solver, progress))
    except NeedsUnfolding:
        chain = chain.unfolded()
        return _forward(chain, tolerance, ChainSolver(chain, solver, progress))


def _forward(chain: Chain, tolerance: float, chain_solver: ChainSolver) -> Visits:
    e = chain.start_vector()
    y, r = np.zeros_like(e), e.copy()
    best = measure(chain, y, e)
    interrupted = False
    for _ in range(REFINEMENTS):
        try:
            chain_solver.forward(y, r, tolerance / 4)
        except KeyboardInterrupt:
            interrupted = True
        found = measure(chain, y, e)
        # Rounding is the floor of the bound: nothing is gained by going below it.
        worthwhile = found.bound <= 0.5 * best.bound
        if found.bound < best.bound:
            best = found
        if interrupted or best.bound <= tolerance or not worthwhile:
            break
        r = found.residual.copy()
    best.interrupted = interrupted
    best.method = chain_solver.describe("forward")
    return best


def measure(chain: Chain, y: Floats, e: Floats) -> Visits:
    """A copy of y with its residual, and a bound on the rounding of that."""
    from oddsmith.solve import kernels

    r, size = e.copy(), e.copy()
    degree = np.zeros(chain.size, np.int64)
    rounding = kernels.forward_residual(
        chain.row, chain.col, chain.weight, chain.total, chain.shift, y, r, size, degree
    )
    return Visits(chain, y.copy(), r, rounding)


@dataclass
class Values:
    """A backward solve: the value of every live state, and a bound on the error of each."""

    x: Floats
    error: Floats
    method: str


def backward(
    chain: Chain,
    b: Floats,
    *,
    pin: Pins | None = None,
    tolerance: float,
    solver: Solver,
    progress: Progress,
    certify: bool = True,
) -> Values:
    """Solve x = b + P x on live states, one question a column.

    The questions must not depend on the seat, or the chain be a plain one. Where pin[s] = q,
    column q is held at 1. With `certify` the error of each value is bounded, else infinite.
    """
    chain_solver = ChainSolver(chain, solver, progress)
    pin = np.empty(0, np.int64) if pin is None else pin
    pinned = np.zeros(b.shape, bool)
    if len(pin):
        pinned |= pin[:, None] == np.arange(b.shape[1])[None, :]
    x = np.where(pinned, 1.0, 0.0)
    fine, error = tolerance / 8, np.full_like(x, np.inf)
    if certify:
        u, floor = turn_bound(chain, solver, progress)
    for _ in range(REFINEMENTS):
        chain_solver.backward(x, b, pin, fine)
        if not certify:
            break
        x[pinned] = 1.0  # the certificate is about these values
        r, rounding = _backward_residual(chain, pin, x, b)
        worst = (np.abs(r) + rounding).max(axis=1, initial=0.0)
        off = float((worst / floor).max(initial=0.0)) * (1 + 1e-12)
        before, error = error.max(initial=0.0), np.where(pinned, 0.0, (u * off)[:, None])
        error *= 1 + 1e-12
        if error.max(initial=0.0) <= tolerance or not error.max(initial=0.0) <= 0.5 * before:
            break
        fine /= 16
    return Values(x, error, chain_solver.describe("backward"))


def _backward_residual(chain: Chain, pin: Pins, x: Floats, b: Floats) -> tuple[Floats, Floats]:
    """b - (I - P) x, and a bound on the rounding of each entry."""
    from oddsmith.solve import kernels

    r, rounding = np.zeros_like(x), np.zeros_like(x)
    kernels.backward_residual(
        chain.row, chain.col, chain.weight, chain.total, pin, x, b, r, rounding
    )
    # b itself is a sum of chances: of at most as many terms as a state has transitions.
    terms = int(np.diff(chain.model.state_row).max(initial=0))
    return r, rounding + (terms + 6) * UNIT * np.abs(b)


def turn_bound(chain: Chain, solver: Solver, progress: Progress) -> tuple[Floats, Floats]:
    """A vector u ≥ 0 with (I - P) u > 0, and a lower bound of (I - P) u: the certificate.

    u is roughly the expected number of turns left. Sweeping from below, u rises to it and
    (I - P) u = 1 - residual; it is enough that the residual has fallen below three quarters.
    """
    chain_solver = ChainSolver(chain, solver, progress)
    u, ones = np.zeros((chain.size, 1)), np.ones((chain.size, 1))
    none = np.empty(0, np.int64)
    tolerance = 0.25
    while tolerance > 1e-9:
        chain_solver.backward(u, ones, none, tolerance)
        r, rounding = _backward_residual(chain, none, u, ones)
        floor = (1.0 - r - rounding)[:, 0] * (1 - 1e-12)
        if floor.min(initial=1.0) > 0.25 and u.min(initial=0.0) >= 0:
            return u[:, 0], floor
        tolerance /= 8
    raise OddsmithError(
        f"No certificate for {chain.model.name}: it is too close to a game that never ends. "
        f"Ask for method='exact' or 'float'."
    )
