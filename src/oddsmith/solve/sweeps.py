"""One linear solve, forward or backward, by any solver, refined until its residual is small.

Each solver is a way to turn a residual into a correction; the residual itself is computed afresh
with a bound on its rounding. So all solvers share one loop and one proof (see `chain.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from oddsmith.errors import OddsmithError, OptionError
from oddsmith.progress import Progress
from oddsmith.solve.chain import UNIT, Chain, Floats
from oddsmith.solve.direct import ComponentSolver
from oddsmith.watch import new_signals, watched

Solver = Literal["auto", "gauss-seidel", "lu", "idr", "bicgstab", "gmres"]
SOLVERS: tuple[Solver, ...] = ("auto", "gauss-seidel", "lu", "idr", "bicgstab", "gmres")

Pins = npt.NDArray[np.int64]

LU_STATES = 30_000
"""Above this size of a component `auto` prefers IDR(s) to LU."""

AUTO_SWEEPS = 3_000
"""If more sweeps than this would be needed `auto` turns to LU or IDR(s)."""

REFINEMENTS = 12


class Slow(Exception):  # noqa: N818 - a finding, not an error
    """Sweeps converge too slowly."""


@dataclass
class Visits:
    """A forward solve: expected visits, the chain they belong to, how good they are."""

    chain: Chain
    y: Floats
    residual: Floats
    """Bound on |residual| of each entry, its own rounding not included."""
    rounding: float
    """Bound on the rounding errors of the residual, summed."""
    method: str
    interrupted: bool = False

    @property
    def bound(self) -> float:
        """Bound on the error of any chance computed from y."""
        return float(np.abs(self.residual).sum()) * (1 + 1e-9) + self.rounding


def forward(chain: Chain, tolerance: float, solver: Solver, progress: Progress) -> Visits:
    """Expected visits of every state, refined until chances are known to the tolerance."""
    check_solver(solver)
    if solver == "auto":
        try:
            return _forward(chain, tolerance, "gauss-seidel", progress, AUTO_SWEEPS)
        except Slow:
            chain = chain.unfolded()
            solver = "lu" if chain.largest <= LU_STATES else "idr"
    elif solver != "gauss-seidel":
        chain = chain.unfolded()
    return _forward(chain, tolerance, solver, progress, 10**9)


def check_solver(solver: str) -> None:
    """Refuse an unknown solver."""
    if solver not in SOLVERS:
        raise OptionError(f"There is no solver {solver!r}: choose one of {', '.join(SOLVERS)}.")


def _forward(
    chain: Chain, tolerance: float, solver: Solver, progress: Progress, max_sweeps: int
) -> Visits:
    e = chain.start_vector()
    y, r = np.zeros_like(e), e.copy()
    direct = None if solver == "gauss-seidel" else ComponentSolver(chain, solver)  # type: ignore[arg-type]
    before, sweeps, interrupted = np.inf, 0, False
    visits = Visits(chain, y, e, 0.0, solver)
    for _ in range(REFINEMENTS):
        try:
            sweeps += _correct(chain, direct, y, r, tolerance, progress, max_sweeps)
        except KeyboardInterrupt:
            interrupted = True
        visits = _measure(chain, y, e, solver)
        visits.interrupted = interrupted
        # Rounding is the floor of the bound: nothing is gained by going below it.
        if visits.bound <= tolerance or visits.bound > 0.5 * before or interrupted:
            break
        before, r = visits.bound, visits.residual.copy()
    iterations = direct.iterations if direct else 0
    detail = f"{iterations} iterations" if iterations else f"{sweeps} sweeps" if sweeps else ""
    visits.method = f"forward {NAMES[solver]}" + (f", {detail}" if detail else "")
    return visits


NAMES = {
    "gauss-seidel": "Gauss–Seidel",
    "lu": "sparse LU",
    "idr": "IDR(4)",
    "bicgstab": "BiCGSTAB",
    "gmres": "GMRES(40)",
}


def _correct(
    chain: Chain,
    direct: ComponentSolver | None,
    y: Floats,
    r: Floats,
    tolerance: float,
    progress: Progress,
    max_sweeps: int,
) -> int:
    """Add to y what the residual r makes of it; r becomes what is left."""
    if direct is None:
        return _push(chain, chain.bounds, y, r, tolerance / 4, progress, max_sweeps)
    for first, last, large in direct.segments():
        if large:
            direct.forward(first, y, r)
        else:
            bounds = chain.bounds[first : last + 1]
            _push(chain, bounds, y, r, tolerance / 4, progress, max_sweeps)
    return 0


def _push(
    chain: Chain,
    bounds: Pins,
    y: Floats,
    r: Floats,
    tolerance: float,
    progress: Progress,
    max_sweeps: int,
) -> int:
    from oddsmith.solve import kernels

    signals = new_signals()

    def look() -> None:
        left, sweeps = signals[0], signals[1]
        facts = f"sweep {sweeps:.0f}, chances known to {left:.1e}" if sweeps else ""
        done = _digits(left) if sweeps else 0.0
        progress.update("solving", done, _digits(tolerance), facts)

    sweeps = watched(
        lambda: kernels.push(
            (0,) * chain.lanes, bounds, chain.row, chain.col, chain.weight, chain.total,
            chain.stay, chain.shift, y.ravel(), r.ravel(), tolerance, max_sweeps, signals,
        ),
        signals,
        look,
    )  # fmt: skip
    if sweeps < 0:
        raise Slow
    return int(sweeps)


def _digits(left: float) -> float:
    """Progress of a convergence: decimal digits gained."""
    return float(-np.log10(min(1.0, max(left, 1e-300))))


def _measure(chain: Chain, y: Floats, e: Floats, solver: Solver) -> Visits:
    """The residual of y, and a bound on its rounding."""
    from oddsmith.solve import kernels

    r, size = e.copy(), e.copy()
    degree = np.zeros(chain.size, np.int64)
    rounding = kernels.forward_residual(
        chain.row, chain.col, chain.weight, chain.total, chain.shift, y, r, size, degree
    )
    return Visits(chain, y, r, rounding, solver)


@dataclass
class Values:
    """A backward solve: the value of every live state, and a bound on the error of each."""

    chain: Chain
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

    In a mover-relative chain N columns are the seats, counted from the mover, and one column is
    a question that is the same for all seats. Where pin[s] = q, column q is held at 1. With
    `certify` the error of each value is bounded, else it is infinite.
    """
    check_solver(solver)
    pin = np.empty(0, np.int64) if pin is None else pin
    pinned = pin[:, None] == np.arange(b.shape[1])[None, :] if len(pin) else np.zeros((1, 1), bool)
    x = np.where(pinned, 1.0, 0.0) * np.ones_like(b)
    fine = tolerance / 8
    method = _pull(chain, x, b, pin, fine, solver, progress)
    if not certify:
        return Values(chain, x, np.full_like(x, np.inf), method)
    u, floor = turn_bound(chain, solver, progress)
    error = np.zeros_like(x)
    for _ in range(REFINEMENTS):
        r, rounding = _backward_residual(chain, pin, x, b)
        worst = (np.abs(r) + rounding).max(axis=1, initial=0.0)
        off = float((worst / floor).max(initial=0.0)) * (1 + 1e-12)
        error = np.where(pinned, 0.0, (u * off)[:, None] * (1 + 1e-12))
        if error.max(initial=0.0) <= tolerance or fine < 1e-18:
            break
        fine /= 16
        _pull(chain, x, b, pin, fine, solver, progress)
    return Values(chain, x, error, method)


def _pull(
    chain: Chain,
    x: Floats,
    b: Floats,
    pin: Pins,
    tolerance: float,
    solver: Solver,
    progress: Progress,
) -> str:
    """Improve x until sweeps change it by less than the tolerance; says which solver did it."""
    turning = chain.lanes > 1 and x.shape[1] == chain.lanes
    if solver in ("auto", "gauss-seidel") or turning or len(pin):
        # Pinned columns have a matrix each and turning ones are coupled: those are swept.
        sure = solver != "auto" or turning or len(pin) > 0
        try:
            limit = 10**9 if sure else AUTO_SWEEPS
            sweeps = _sweep(chain, chain.bounds, x, b, pin, tolerance, progress, limit)
            return f"backward Gauss–Seidel, {sweeps} sweeps"
        except Slow:
            solver = "lu" if chain.largest <= LU_STATES else "idr"
    direct = ComponentSolver(chain, solver)  # type: ignore[arg-type]
    for first, last, large in reversed(list(direct.segments())):
        if large:
            direct.backward(first, x, b)
        else:
            bounds = chain.bounds[first : last + 1]
            _sweep(chain, bounds, x, b, pin, tolerance, progress, 10**9)
    return f"backward {NAMES[solver]}"


def _turning(chain: Chain, columns: int) -> tuple[Any, Floats]:
    """The shift and the self-loops that apply to a vector with so many columns."""
    if chain.lanes > 1 and columns == chain.lanes:
        return chain.shift, chain.stay
    return chain.shift[:0], chain.stay_in_any_seat


def _sweep(
    chain: Chain,
    bounds: Pins,
    x: Floats,
    b: Floats,
    pin: Pins,
    tolerance: float,
    progress: Progress,
    max_sweeps: int,
) -> int:
    from oddsmith.solve import kernels

    signals = new_signals()
    shift, stay = _turning(chain, x.shape[1])

    def look() -> None:
        change, sweeps = signals[0], signals[1]
        facts = f"sweep {sweeps:.0f}, change {change:.1e}" if sweeps else ""
        done = _digits(change) if sweeps else 0.0
        progress.update("solving backward", done, _digits(tolerance), facts)

    sweeps = watched(
        lambda: kernels.pull(
            bounds, chain.row, chain.col, chain.weight, chain.total, stay, shift, pin,
            x, b, tolerance, max_sweeps, signals,
        ),
        signals,
        look,
    )  # fmt: skip
    if sweeps < 0:
        raise Slow
    return int(sweeps)


def _backward_residual(chain: Chain, pin: Pins, x: Floats, b: Floats) -> tuple[Floats, Floats]:
    """b - (I - P) x, and a bound on the rounding of each entry."""
    from oddsmith.solve import kernels

    r, rounding = np.zeros_like(x), np.zeros_like(x)
    shift, _ = _turning(chain, x.shape[1])
    kernels.backward_residual(
        chain.row, chain.col, chain.weight, chain.total, shift, pin, x, b, r, rounding
    )
    # b itself is a sum of chances: of at most as many terms as a state has transitions.
    terms = int(np.diff(chain.model.state_row).max(initial=0))
    return r, rounding + (terms + 6) * UNIT * np.abs(b)


def turn_bound(chain: Chain, solver: Solver, progress: Progress) -> tuple[Floats, Floats]:
    """A vector u ≥ 0 with (I - P) u > 0, and a lower bound of (I - P) u: the certificate.

    u is roughly the expected number of turns left. Sweeping from below, u rises to it and
    (I - P) u = 1 - residual; it is enough that the residual has fallen below three quarters.
    """
    u, ones = np.zeros((chain.size, 1)), np.ones((chain.size, 1))
    none = np.empty(0, np.int64)
    tolerance = 0.25
    while tolerance > 1e-14:
        _pull(chain, u, ones, none, tolerance, solver, progress)
        r, rounding = _backward_residual(chain, none, u, ones)
        floor = (1.0 - r - rounding)[:, 0] * (1 - 1e-12)
        if floor.min(initial=1.0) > 0.25 and u.min(initial=0.0) >= 0:
            return u[:, 0], floor
        tolerance /= 8
    raise OddsmithError(
        f"No certificate for {chain.model.game.name}: it is too close to a game that never ends. "
        f"Ask for method='exact' or 'float'."
    )
