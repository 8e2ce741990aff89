"""Solutions in fractions: how many digits to lift, and when they prove the answer.

Two proofs turn "A x = b modulo p^k", which the lifting has checked, into fractions.

- **By a bound**: a common denominator of the solution divides the determinant, and numerators
  are bounded likewise; once p^k exceeds twice the product of the bounds, the residue determines
  the fraction (see `rational`). It needs only the unknowns that were asked for.
- **By the residual**, usually much earlier (S. Cabay, SYMSAC 1971, 392-398): N/D is found for
  *every* unknown with one denominator D, and |A| |N| + D |b| < p^k. Then A N - D b, which is a
  multiple of p^k, is too small to be anything but zero: N/D solves the system, exactly.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from oddsmith.errors import OddsmithError, StoppedError
from oddsmith.questions import limits
from oddsmith.questions.choice import choose
from oddsmith.results.offers import Offer
from oddsmith.runtime import memory
from oddsmith.runtime.progress import Progress
from oddsmith.solve.exact import characters, dense, factor, rational, resumed
from oddsmith.solve.exact.kept import Kept, fingerprint
from oddsmith.solve.exact.lift import Lifting, singular, start_lifting
from oddsmith.solve.exact.lifted import Lifted, LiftingPlan
from oddsmith.solve.exact.rational import power
from oddsmith.solve.exact.system import Matrix, whole

DENSE_EQUATIONS, DENSE_ALONE = 30, 150
"""Up to so many equations are left to FLINT's dense solver: of many systems, of a single one.
Measured on Coin Race: 84 equations take two thirds of the time that lifting takes, 144 as long, 312
three times as long."""

LONG = 1_000
"""Inverting so many dense equations takes a while, and shows."""

SPARE_BITS = 64
"""By so much the digits must exceed what a fraction needs before it is believed to be found."""


@dataclass
class Report:
    """What a solution took."""

    unknowns: int = 0
    entries: int = 0
    """Of the matrix."""
    fill: int = 0
    """Of the factors and the dense rest."""
    dense: int = 0
    """Unknowns left to dense algebra."""
    order: int = 1
    """Of the roots of unity in the matrix."""
    steps: int = 0
    prime: int = 0
    proof: str = ""
    trouble: str = ""
    """Why the digits could not be kept, if they were to be."""
    factor_seconds: float = 0.0

    @property
    def digits(self) -> int:
        """Decimal digits that were lifted."""
        return math.floor(self.steps * math.log10(self.prime)) if self.prime else 0

    def __str__(self) -> str:
        if not self.steps:
            return f"{self.unknowns:,} equations solved in fractions"
        of = f" over the roots of unity of order {self.order}" if self.order > 1 else ""
        return (
            f"p-adic lifting: {self.unknowns:,} equations{of}, {self.dense:,} of them dense; "
            f"{self.digits:,} digits, proved by the {self.proof}"
            f"{'; ' if self.trouble else ''}{self.trouble}"
        )


def solve_at(
    matrix: Matrix,
    right: Any,
    targets: Sequence[int],
    most: float | None = None,
    plan: LiftingPlan | None = None,
    report: Report | None = None,
) -> list[list[Fraction]]:
    """The solution in some unknowns: for each φ(d) rows of one fraction a right-hand side.

    `right` has φ(d) rows of whole numbers for each unknown. `most` bounds the absolute values of
    the solution where that is known (of chances: 1); for d > 1 it must be given.

    >>> import numpy as np
    >>> walk = Matrix(np.array([0, 1, 2]), np.array([1, 0]), np.array([1, 1]), np.array([2, 3]))
    >>> solve_at(walk, np.array([[0], [2]]), [0])  # x = y/2, y = x/3 + 2/3
    [[Fraction(2, 5)]]
    """
    plan = LiftingPlan() if plan is None else plan
    report = Report() if report is None else report
    size = len(right) // matrix.size
    places = [t * size + j for t in targets for j in range(size)]
    if _by(len(right), DENSE_ALONE, plan) == "FLINT":
        report.unknowns = matrix.size
        solved = _solve_small(characters.unfold(*matrix.entries, matrix.order), right.tolist())
        return [[rational.as_fraction(x.p, x.q) for x in solved[at]] for at in places]
    work, given = _prepare(matrix, right, plan, report)
    p = work.prime
    bottom_bits = matrix.determinant_bits
    top_bits = bottom_bits + math.log2(most) if most else matrix.solution_bits(right)
    needed = math.ceil((bottom_bits + top_bits + 4) / math.log2(p))
    stored = None
    name = plan.checkpoint or plan.default_file
    if name is not None:
        key = fingerprint([p, needed], *matrix.entries, right, targets)
        stored = Kept(name, matrix.order, key)
        if plan.checkpoint is not None:
            stored.prepare()
    kept = None
    if stored is not None and plan.checkpoint is not None:
        kept = _read(stored, work, given, places, needed, matrix, plan)
    lifted = Lifted(work, given, places, needed, plan, stored, kept=kept)
    if plan.cuda:
        lifted.on_device()
    else:
        early = lifted.until(lambda: _early(lifted, matrix, right))
        if early is not None:
            report.steps, report.proof = lifted.count, "residual"
            bottom, tops = early
            return [[rational.as_fraction(top, bottom) for top in tops[at]] for at in places]
    report.steps, report.proof = needed, "bound"
    report.trouble = "" if stored is None else stored.trouble
    found = _fractions(lifted, math.ceil(top_bits - bottom_bits))
    for value in (value for row in found for value in row):
        sizes = value.numerator.bit_length(), value.denominator.bit_length()
        if sizes[0] > top_bits + 2 or sizes[1] > bottom_bits + 2:
            raise OddsmithError("A fraction exceeds the bounds proved for it: please report this.")
    return found


def _by(equations: int, few: int, plan: LiftingPlan | None) -> str:
    """Who solves so many equations in fractions."""
    many, cuda = f"more than {few} equations", plan is not None and plan.cuda
    offers = [
        Offer("FLINT", rather=many if equations > few else "", because=f"no {many}"),
        Offer("cuda", rather="" if cuda else "only where it is asked for", because=many),
        Offer("p-adic lifting", because=many),
    ]
    return choose("equations in fractions", offers).engine


def _early(lifted: Lifted, matrix: Matrix, right: Any) -> Any:
    """The solution proved by its residual, where that now takes less than lifting to the bound."""
    numbers = len(lifted.work.residual) * right.shape[1]
    entries = len(lifted.work.col) + sum(factors.entries for factors in lifted.work.factors)
    step = entries * right.shape[1] * limits.ENTRY_SECONDS + numbers * limits.UNKNOWN_SECONDS
    proof = numbers * lifted.count * limits.PROOF_SECONDS
    if proof > (lifted.needed - lifted.count) * step:
        return None
    p, digits = lifted.work.prime, lifted.digits[: lifted.count]
    modulus, widest = power(p, lifted.count), _widest(right)
    for i in range(digits.shape[1]):  # are there enough for what was asked for?
        for q in range(digits.shape[2]):
            top, bottom = rational.reconstruct(
                rational.from_digits(digits[:, i, q], p), modulus, widest, lifted.check
            )
            if top.bit_length() + bottom.bit_length() + SPARE_BITS > modulus.bit_length():
                return None
    return _all_by_residual(matrix, widest, lifted, len(right), right.shape[1])


def solve_all(
    matrix: Matrix,
    right: Sequence[Sequence[Any]],
    plan: LiftingPlan | None = None,
    report: Report | None = None,
) -> list[list[Any]]:
    """The whole solution, as FLINT fractions; right-hand sides are FLINT fractions of any size."""
    from flint import fmpq, fmpz

    report = Report() if report is None else report
    if _by(matrix.size, DENSE_EQUATIONS, plan) == "FLINT":
        report.unknowns = matrix.size
        return _solve_small(matrix.entries, right)
    scale = fmpz(1)
    for row in right:
        for value in row:
            scale = scale.lcm(value.q)
    wholes = np.array([[value.p * (scale // value.q) for value in row] for row in right], object)
    widest, columns = _widest(wholes), wholes.shape[1]
    plan = LiftingPlan() if plan is None else plan
    work, given = _prepare(matrix, wholes, plan, report)
    p = work.prime
    top_bits = max(matrix.determinant_bits, matrix.solution_bits(np.ones((len(wholes), 1), int)))
    enough = math.ceil((matrix.determinant_bits + top_bits + widest + 8) / math.log2(p))
    memory.require(
        8 * enough * len(work.residual) * columns, "An exact solution", "ask for certified bounds"
    )
    lifted = Lifted(work, given, [], 2 * enough + 8, plan, None, 4 + widest // 31, whole=True)
    solved = lifted.until(lambda: _all_by_residual(matrix, widest, lifted, len(wholes), columns))
    assert solved is not None, "the bound on the digits was wrong"
    report.steps, report.proof = lifted.count, "residual"
    return [[fmpq(top, solved[0] * scale) for top in row] for row in solved[1]]


def _solve_small(entries: Sequence[Any], right: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """A few equations: FLINT's dense solver is faster than getting ready, and than compiling."""
    from flint import fmpq, fmpq_mat

    row, col, value = entries[:3]
    n = len(row) - 1
    if n == 0:
        return []
    full = [fmpq(0)] * (n * n)
    for i in range(n):
        for e in range(int(row[i]), int(row[i + 1])):
            full[i * n + int(col[e])] += int(value[e])
    columns = len(right[0])
    known = fmpq_mat(n, columns, [value for row in right for value in row])
    try:
        solved = fmpq_mat(n, n, full).solve(known)
    except ZeroDivisionError:
        raise singular() from None
    return [[solved[i, q] for q in range(columns)] for i in range(n)]


def solve_chain(
    rows: Sequence[Sequence[tuple[int, Any]]],
    gains: Sequence[Sequence[Any]],
    progress: Progress | None = None,
) -> list[list[Any]]:
    """Solve x = P x + g with FLINT fractions; `rows` has (state, chance) of each state.

    >>> from flint import fmpq
    >>> half = fmpq(1, 2)
    >>> solve_chain([[(1, half)], [(0, half)]], [[fmpq(0)], [half]])
    [[1/3], [2/3]]
    """
    matrix, right = whole(rows, gains)
    return solve_all(matrix, right, LiftingPlan(progress) if progress is not None else None)


def _prepare(matrix: Matrix, right: Any, plan: LiftingPlan, report: Report) -> tuple[Lifting, Any]:
    """Factor the matrix; new unknowns for wide entries come last. Also gives the digits of b."""
    began = time.perf_counter()
    plan.progress.update("eliminating", 0, None, f"{matrix.size:,} equations")
    work, n = _factored(matrix, plan)
    given = _digits_of(right, work.prime, len(right) // matrix.size * n)
    work.residual = given[0]
    report.unknowns, report.entries, report.prime = n, len(work.col), work.prime
    report.order = matrix.order
    report.fill = sum(found.entries for found in work.factors)
    report.dense = int(work.factors[0].dense_sizes.sum())
    report.factor_seconds = time.perf_counter() - began
    return work, given


def _factored(
    matrix: Matrix, plan: LiftingPlan, tried: Iterator[int] | None = None
) -> tuple[Lifting, int]:
    """The matrix modulo a prime (of those tried, if they are given), and how many unknowns."""
    (row, col, value, turn), n = matrix.narrow()
    density = factor.DENSE_SHARE
    invert: Callable[[factor.Factors], Any] = partial(_affordable_inverses, plan=plan)
    if plan.cuda:
        from oddsmith.solve.exact import cuda

        density, invert = cuda.DENSITY, cuda.dense_inverses
    work = start_lifting(
        row, col, value, turn, matrix.order, early=np.arange(n) >= matrix.size, density=density,
        threads=plan.threads, invert=invert, check=plan.check, tried=tried,
    )  # fmt: skip
    return work, n


def _read(
    stored: Kept, work: Lifting, given: Any, places: list[int], needed: int, matrix: Matrix,
    plan: LiftingPlan,
) -> tuple[Any, Any] | None:  # fmt: skip
    """The digits in a file and the residual that they leave, if they lead to the solution."""
    found = stored.read(needed, len(places), work.residual)
    if found is None:
        return None
    if plan.cuda and len(given) > 1:
        return None  # no device takes such numbers, and says so
    count, p = len(found[0]), work.prime
    plan.progress.update("checking the digits kept", 0, None, f"{count:,} steps")
    if len(given) == 1:
        entered = given[0]
    else:
        fed = given[: count + 1].astype(object)
        entered = sum(part * p**i for i, part in enumerate(fed))

    def factored() -> Lifting:
        return _factored(matrix, plan, resumed.random_primes(matrix.order))[0]

    def right(prime: int) -> Any:
        return _digits_of(entered, prime, len(entered))

    if not resumed.is_true(*found, p, needed, factored, right, partial(_lift, places, plan)):
        raise stored.doubted()
    return found


def _lift(
    places: list[int], plan: LiftingPlan, work: Lifting, rights: list[Any], steps: int
) -> list[Any]:
    """So many digits of some places for each right-hand side, from the beginning."""
    work.residual = rights[0][0].copy()
    device: Any = None
    if plan.cuda:
        from oddsmith.solve.exact.cuda import CudaLifting

        device = CudaLifting(work, places)
    found = []
    for given in rights:
        digits = np.empty((steps, len(places), given.shape[2]), np.uint32)
        work.residual = given[0].copy()
        if device is not None:
            device.begin()
        for i in range(steps):
            if plan.interrupt:
                raise StoppedError("interrupted while the digits that were kept were checked")
            if device is not None:
                digits[i] = device.steps(1)[0]
            else:
                digits[i] = work.step(given[i + 1] if i + 1 < len(given) else None)[places]
        found.append(digits)
    return found


def _affordable_inverses(found: factor.Factors, plan: LiftingPlan) -> Any:
    sizes = found.dense_sizes.astype(np.int64)
    largest = int(sizes.max(initial=0))
    memory.require(
        4 * int((sizes**2).sum()) + 8 * largest**2 + 4 * 8 * largest * min(largest, dense.STRIP),
        f"An exact solution with {int(sizes.sum()):,} equations that fill up",
        "ask for certified bounds",
    )

    def watch(done: int, of: int) -> None:
        plan.check()
        if of > LONG:
            plan.progress.update("inverting", done, of, f"{done:,} of {of:,} dense equations")

    return factor.dense_inverses(found, watch)


def _widest(right: Any) -> int:
    """The bits of the largest of some whole numbers."""
    return max((int(abs(value)).bit_length() for value in right.flat), default=0)


def _digits_of(right: Any, p: int, size: int) -> Any:
    """Right-hand sides by their digits to the base p (digits × unknowns × columns).

    What fits a machine word well is left as one digit; the others are added as lifting gets
    there, so that no residual is ever wide.
    """
    widest = (
        _widest(right) if right.dtype == object else int(np.abs(right).max(initial=0)).bit_length()
    )
    count = 1 if widest < 60 else widest // (p.bit_length() - 1) + 1
    found = np.zeros((count, size, right.shape[1]), np.int64)
    if count == 1:
        found[0, : len(right)] = right
        return found
    for (i, q), value in np.ndenumerate(right):
        if value != 0:
            sign = -1 if value < 0 else 1
            found[:, i, q] = sign * np.array(rational.to_digits(abs(value), p, count))
    return found


def _fractions(lifted: Lifted, ratio_bits: int) -> list[list[Fraction]]:
    """The fractions that digits (steps × places × columns) determine.

    The bound on the numerators has so many bits more than that on the denominator.
    """
    digits, p = lifted.digits, lifted.work.prime
    modulus = power(p, len(digits))

    def one(place: int, q: int) -> Fraction:
        residue = rational.from_digits(digits[:, place, q], p)
        found = rational.reconstruct(residue, modulus, ratio_bits, lifted.check)
        return rational.as_fraction(*found)

    return [[one(i, q) for q in range(digits.shape[2])] for i in range(digits.shape[1])]


def _all_by_residual(
    matrix: Matrix, widest: int, lifted: Lifted, rows: int, columns: int
) -> tuple[Any, list[list[Any]]] | None:
    """Numerators of every unknown over one denominator, proved by the residual; else None."""
    from flint import fmpz

    p, every, check = lifted.work.prime, lifted.every, lifted.check
    modulus = power(p, len(every))
    norm = fmpz(matrix.norm * rows // matrix.size)
    spare = norm.bit_length() + SPARE_BITS
    sample = rational.from_digits(np.array([step[0, 0] for step in every]), p)
    top, bottom = rational.reconstruct(sample, modulus, widest, check)
    if top.bit_length() + bottom.bit_length() + spare > modulus.bit_length():
        return None
    digits = np.stack(every)
    flat = []
    for i in range(rows):
        check()
        flat += [rational.from_digits(digits[:, i, q], p) for q in range(columns)]
    found = rational.common_denominator(flat, modulus, widest, spare, check)
    if found is None:
        return None
    bottom, tops = found
    largest = max(abs(top) for top in tops)
    if norm * largest + (bottom << widest) >= modulus:
        return None
    return bottom, [tops[i * columns : (i + 1) * columns] for i in range(rows)]
