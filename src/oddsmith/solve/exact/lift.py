# mypy: disable-error-code="untyped-decorator"
"""Dixon's p-adic lifting: the digits of a solution, one prime-sized digit a step.

Let A x = b over Z[ζ] (mostly: over the whole numbers), and p a prime for which A is invertible
modulo p. Then x = x₀ + x₁ p + x₂ p² + …, where with r₀ = b

    xᵢ = A⁻¹ rᵢ mod p,    rᵢ₊₁ = (rᵢ - A xᵢ) / p

(J. D. Dixon, Numer. Math. 40 (1982) 137-141). The residuals stay below |A| in size, so every step
is word-sized work: a solution with the factors modulo p and a product with the sparse matrix.
**Every step proves itself**: the division by p must leave no rest, which is checked, in whole
numbers, with the matrix as given; so after k steps A x = b modulo p^k for sure, whatever the
factors were. What lets one conclude from that to fractions is in `rational`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from oddsmith.ahead import kernel
from oddsmith.errors import OddsmithError
from oddsmith.solve.exact import characters, factor
from oddsmith.solve.exact.modular import primes

WIDEST = 2**31
"""Sums of the entries of a row must be below this: then a residual fits a machine word."""

TRIES = 8
"""Primes that are tried: a matrix that none of them suits is singular, or as good as that."""


@dataclass(eq=False)
class Lifting:
    """A system with its factors, and the residual of the digits found so far."""

    prime: int
    order: int
    """The order d of the roots of unity; 1 where entries are just whole numbers."""
    row: Any
    col: Any
    value: Any
    """The matrix over the whole numbers, φ(d) rows for each unknown."""
    factors: list[factor.Factors]
    inverses: list[Any]
    there: Any
    back: Any
    residual: Any
    """Unknowns · φ(d) × columns."""
    pool: ThreadPoolExecutor | None = None

    @property
    def size(self) -> int:
        """Numbers an unknown: φ(d)."""
        return len(self.factors)

    def step(self, given: Any | None = None) -> Any:
        """The next digit of every unknown (unknowns · φ × columns); `given` is added after it."""
        p, size = self.prime, self.size
        images = self._each(self._solve, range(size))
        digits = np.zeros_like(self.residual)
        for e in range(size):
            interpolate(images[e], self.back[:, e].copy(), self.factors[e].order, digits, p)
        matrix = (self.row, self.col, self.value)

        def advanced(rows: tuple[int, int]) -> int:
            return int(advance(*matrix, digits, self.residual, p, *rows))

        half = len(digits) // 2
        if sum(self._each(advanced, [(0, half), (half, len(digits))])):
            raise OddsmithError("A step of the p-adic lifting is not exact: please report this.")
        if given is not None:
            self.residual += given
        return digits

    def _each(self, task: Callable[[Any], Any], parts: Iterable[Any]) -> list[Any]:
        """Tasks side by side, if there are threads."""
        return list(map(task, parts) if self.pool is None else self.pool.map(task, parts))

    def _solve(self, e: int) -> Any:
        """The digits at a root of unity, by the numbers of its factors."""
        found = self.factors[e]
        columns = self.residual.shape[1]
        image = np.empty((len(found.order), columns), np.int64)
        evaluate(self.residual, self.there[e], found.order, image, self.prime)
        spare = np.empty((columns, int(found.dense_sizes.max(initial=0))), np.uint32)
        factor.solve(
            image, self.prime, found.bounds, found.eliminated, found.pivots, *found.lower,
            *found.upper, *self.inverses[e], spare,
        )  # fmt: skip
        return image


def start_lifting(
    row: Any, col: Any, value: Any, turn: Any, order: int,
    early: Any | None = None, density: float = factor.DENSE_SHARE, threads: int = 1,
    invert: Callable[[factor.Factors], Any] = factor.dense_inverses,
    check: Callable[[], None] = lambda: None, tried: Iterator[int] | None = None,
) -> Lifting:  # fmt: skip
    """Factor a matrix (sparse rows, entries value · ζ^turn) modulo a prime that suits it.

    Unknowns that are `early` are eliminated before all others. `check` may raise to stop it; the
    primes that are `tried` are the largest ones, unless they are given.
    """
    n = len(row) - 1
    early = np.zeros(n, bool) if early is None else early
    for p in islice(primes(order) if tried is None else tried, TRIES):
        roots, there, back = characters.embeddings(order, p)

        def one(root: int, p: int = p) -> tuple[factor.Factors, Any] | None:
            powers = np.array([pow(int(root), k, p) for k in range(order)], np.int64)
            reduced = value % p * powers[turn % order] % p
            rows = characters.compress(n, np.repeat(np.arange(n), np.diff(row)), col, reduced)
            check()
            found = factor.factor(rows[0], rows[1], rows[2] % p, p, early, density)
            check()
            inverse = None if found is None else invert(found)
            return None if found is None or inverse is None else (found, inverse)

        pool = ThreadPoolExecutor(threads) if threads > 1 and len(roots) > 1 else None
        found = list(map(one, roots) if pool is None else pool.map(one, roots))
        if all(each is not None for each in found):
            pairs = [each for each in found if each is not None]
            return Lifting(
                p, order, *characters.unfold(row, col, value, turn, order),
                [each[0] for each in pairs], [each[1] for each in pairs], there, back,
                np.zeros((0, 0), np.int64), pool,
            )  # fmt: skip
    raise singular()


def singular() -> OddsmithError:
    """The error for equations that have none or many solutions."""
    return OddsmithError("These equations have no single solution: the matrix is singular.")


@kernel
def evaluate(residual: Any, powers: Any, order: Any, image: Any, p: int) -> None:
    """The residual at a root of unity modulo p, by the numbers of the factors."""
    size = len(powers)
    for k in range(len(order)):
        for q in range(residual.shape[1]):
            sum_ = 0
            for j in range(size):
                part = residual[order[k] * size + j, q]
                if part < 0:
                    part += p  # mostly enough: residuals are small
                if part < 0 or part >= p:
                    part %= p
                sum_ = part if size == 1 else (sum_ + part * powers[j]) % p
            image[k, q] = sum_


@kernel
def interpolate(image: Any, weights: Any, order: Any, digits: Any, p: int) -> None:
    """Add what a root of unity gives to the digits."""
    size = len(weights)
    for k in range(len(order)):
        for q in range(digits.shape[1]):
            for j in range(size):
                at = order[k] * size + j
                if size == 1:
                    digits[at, q] = image[k, q]
                else:
                    digits[at, q] = (digits[at, q] + image[k, q] * weights[j]) % p


@kernel
def advance(
    row: Any, col: Any, value: Any, digits: Any, residual: Any, p: int, first: int, last: int
) -> int:
    """The next residual in some rows, in place; gives how many divisions left a rest."""
    wrong = 0
    for i in range(first, last):
        for q in range(residual.shape[1]):
            sum_ = residual[i, q]
            for e in range(row[i], row[i + 1]):
                sum_ -= value[e] * digits[col[e], q]
            quotient = sum_ // p
            if quotient * p != sum_:
                wrong += 1
            residual[i, q] = quotient
    return wrong
