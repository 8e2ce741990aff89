# mypy: disable-error-code="untyped-decorator"
"""Arithmetic modulo a prime that fits half a machine word.

Primes are below 2³¹, so that a product of two residues fits a signed 64-bit word and a digit of a
lifted solution has 31 bits. Where roots of unity of order d are wanted (see `characters`), primes
are of the form kd + 1: modulo such a prime the d-th roots of unity exist.
"""

from __future__ import annotations

from collections.abc import Iterator

from oddsmith.ahead import kernel

LARGEST = 2**31


def primes(order: int = 1) -> Iterator[int]:
    """Primes below 2³¹ that are 1 modulo the order, the largest first.

    >>> next(primes()), next(primes(3)) % 3
    (2147483647, 1)
    """
    step = order if order % 2 == 0 else 2 * order
    number = LARGEST - 1 - (LARGEST - 2) % step
    while number > LARGEST // 2:
        if is_prime(number):
            yield number
        number -= step


def is_prime(number: int) -> bool:
    """Whether an odd number below 3·10⁹ is prime (Miller and Rabin; bases by Jaeschke 1993).

    >>> [n for n in range(3, 30, 2) if is_prime(n)]
    [3, 5, 7, 11, 13, 17, 19, 23, 29]
    """
    odd, twos = number - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for base in (2, 3, 5, 7):
        if number == base:
            return True
        power = pow(base, odd, number)
        if power in (1, number - 1):
            continue
        for _ in range(twos - 1):
            power = power * power % number
            if power == number - 1:
                break
        else:
            return False
    return True


def root_of_unity(order: int, prime: int) -> int:
    """A root of unity of exactly this order modulo a prime that is 1 modulo it.

    >>> root_of_unity(2, 7), pow(root_of_unity(3, 7), 3, 7)
    (6, 1)
    """
    for base in range(2, prime):
        root = pow(base, (prime - 1) // order, prime)
        if all(pow(root, order // q, prime) != 1 for q in _prime_factors(order)):
            return root
    raise AssertionError(f"{prime} is not prime")


def _prime_factors(number: int) -> list[int]:
    return [q for q in range(2, number + 1) if number % q == 0 and all(q % r for r in range(2, q))]


@kernel(inline="always")
def inverse(a: int, p: int) -> int:
    """The inverse of a modulo p, by Fermat."""
    found, power, e = 1, a % p, p - 2
    while e > 0:
        if e & 1:
            found = found * power % p
        power = power * power % p
        e >>= 1
    return found
