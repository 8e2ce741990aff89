"""Whether digits from a file are those of the solution: nothing in the file is believed.

A checkpoint has the digits X of the unknown x(t) that was asked for, up to p^k, and the residual r.
Whoever goes on from them finds the digits of A⁻¹ r, each step proved by its division; so the end is

    X + p^k (A⁻¹ r)(t),

and that is x(t) = (A⁻¹ b)(t) if and only if

    (A⁻¹ b)(t) - p^k (A⁻¹ r)(t) - X = 0,

whatever the unknowns that the file does not have were. Without a shortcut this takes all the work
anew. But modulo q^j it takes j steps, q being another prime: A is factored modulo q, and j digits
to the base q are lifted of both right-hand sides, b and r.

**Theorem.** Let the left-hand side not be zero, B the bits of its numerator over the norm of det A.
It is divisible by q^j for at most B / (30 j) of the primes q above 2^30. There are 50,697,537 of
them below 2^31 (one φ(d)-th of that which are 1 modulo d), and q is drawn by the system's random
numbers after the file has been read. Let n be the digits to the base p that are needed in all:
31 n bits bound the determinant and the numerator of x(t). A cofactor of A is no larger than the
bound on the determinant (principal minors of an M-matrix by Hadamard and Fischer, the others are
less; for d > 1 by Hadamard), and r is below 2^33, so B < 31 (2 n + k + 5), also where wide entries
were cut (`Matrix.narrow`). With j = 1 + n/32 steps fewer than 110 primes are bad, and a false file
passes for one prime with a chance below φ(d) 2.2e-6, for PRIMES of them below φ(d)² 5e-12. ∎

The bound on r is that of every true residual, and keeps all numbers within a machine word.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from typing import Any

from oddsmith.solve.exact.lift import Lifting
from oddsmith.solve.exact.modular import is_prime
from oddsmith.solve.exact.rational import from_digits, power

PRIMES = 2
"""Primes that are drawn."""

SMALLEST, LARGEST = 2**30, 2**31
MOST_LEFT = 2**33


def random_primes(order: int) -> Iterator[int]:
    """Primes between 2^30 and 2^31 that are 1 modulo the order, each as likely."""
    while True:
        number = SMALLEST + 1 + secrets.randbelow((LARGEST - SMALLEST) // order) * order
        number -= (number - 1) % order
        if number > SMALLEST and number % 2 and is_prime(number):
            yield number


def is_true(
    digits: Any, residual: Any, prime: int, needed: int,
    factored: Callable[[], Lifting], right: Callable[[int], Any],
    lift: Callable[[Lifting, list[Any], int], list[Any]],
) -> bool:  # fmt: skip
    """Whether digits and residual from a file lead to the solution (see the module's docstring).

    `factored` factors the matrix modulo one of the `random_primes`, `right(q)` gives the digits to
    the base q of the right-hand side as far as it was fed in, `lift(work, rights, j)` lifts j
    digits of the places that were asked for, for each of some right-hand sides.
    """
    if int(digits.max(initial=0)) >= prime:
        return False
    if int(residual.min(initial=0)) <= -MOST_LEFT or int(residual.max(initial=0)) >= MOST_LEFT:
        return False
    count, places, columns = digits.shape
    steps = 1 + needed // 32
    for _ in range(PRIMES):
        work = factored()
        base = work.prime
        whole, left = lift(work, [right(base), residual[None]], steps)
        modulus = power(base, steps)
        shift = power(prime, count) % modulus
        for i in range(places):
            for q in range(columns):
                kept = from_digits(digits[:, i, q], prime)
                rest = from_digits(whole[:, i, q], base) - shift * from_digits(left[:, i, q], base)
                if (rest - kept) % modulus:
                    return False
    return True
