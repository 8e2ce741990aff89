"""From a residue modulo p^k to the fraction it stands for.

If x = N/D with |N| ≤ n, 0 < D ≤ d and 2nd < m, then x modulo m determines N/D: of two such
fractions, N D' - N' D would be a multiple of m smaller than m. The pairs (r, t) with r = t x
modulo m are a lattice in the plane; N/D is its shortest vector, which Euclid's algorithm on
(m, x) comes by. Here the algorithm halves its numbers recursively (A. Schönhage, Acta Inform. 1
(1971) 139-144), so that fractions with hundreds of thousands of digits take seconds; its quotients
are found from leading digits only and may be off, which a last reduction of the plane lattice
(Lagrange and Gauss) makes good: any steps will do that keep the lattice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from oddsmith.results.digits import in_lowest_terms

STEPWISE_BITS = 1_024
"""Up to so many bits, Euclid's algorithm is carried out step by step."""

Matrix = tuple[Any, Any, Any, Any]
Check = Callable[[], None]


def go_on() -> None:
    """Nobody wants it stopped."""


def power(p: int, exponent: int) -> Any:
    """A power of p, as a FLINT integer."""
    from flint import fmpz

    return fmpz(p) ** exponent


def from_digits(digits: Any, p: int) -> Any:
    """The whole number with these digits to the base p, the lowest first (a FLINT integer)."""
    from flint import fmpz, fmpz_poly

    return fmpz_poly(digits.tolist())(fmpz(p))


def to_digits(number: Any, p: int, count: int) -> list[int]:
    """The lowest digits of a non-negative number to the base p.

    >>> to_digits(5 + 7 * 11, 11, 3)
    [5, 7, 0]
    """
    from flint import fmpz

    powers = [fmpz(p)]
    while 2 ** len(powers) < count:
        powers.append(powers[-1] ** 2)

    def cut(number: Any, level: int) -> list[int]:
        if level < 0:
            return [int(number)]
        if number < powers[0]:
            return [int(number)] + [0] * (2 ** (level + 1) - 1)
        high, low = divmod(number, powers[level])
        return cut(low, level - 1) + cut(high, level - 1)

    levels = len(powers) - 1
    return cut(fmpz(number) % powers[levels] ** 2, levels)[:count]


def reconstruct(
    residue: Any, modulus: Any, ratio_bits: int = 0, check: Check = go_on
) -> tuple[Any, Any]:
    """The shortest (N, D), D > 0, with N = D x modulo m; N may be larger by so many bits.

    `check` may raise to stop it.

    >>> third = 22369  # times 3, it is 1 modulo 67106
    >>> reconstruct(third, 67106)
    (1, 3)
    """
    from flint import fmpz

    x, m = fmpz(residue) % fmpz(modulus), fmpz(modulus)
    stop = (m.bit_length() + ratio_bits) // 2 + 8
    matrix = _halve(m, x, stop, check)
    a, b = matrix[0] * m + matrix[1] * x, matrix[2] * m + matrix[3] * x
    top, bottom = _shortest((a, matrix[1]), (b, matrix[3]), max(0, ratio_bits))
    return (-top, -bottom) if bottom < 0 else (top, bottom)


def _halve(a: Any, b: Any, stop: int, check: Check) -> Matrix:
    """A matrix of determinant ±1 that takes (a, b) to numbers of about `stop` bits."""
    from flint import fmpz

    total: Matrix = (fmpz(1), fmpz(0), fmpz(0), fmpz(1))
    while True:
        check()
        if b < 0:
            b = -b
            total = (total[0], total[1], -total[2], -total[3])
        if a < 0:
            a = -a
            total = (-total[0], -total[1], total[2], total[3])
        if a < b:
            a, b = b, a
            total = (total[2], total[3], total[0], total[1])
        bits = a.bit_length()
        if b == 0 or b.bit_length() <= stop:
            return total
        gain = (bits - stop) // 2
        if gain < 4 or b.bit_length() <= bits - gain:
            quotient = a // b  # a large quotient, or nearly there: one step by the book
            a, b = b, a - quotient * b
            step: Matrix = (fmpz(0), fmpz(1), fmpz(1), -quotient)
        else:
            step = _leading(a, b, gain, check)
            a, b = step[0] * a + step[1] * b, step[2] * a + step[3] * b
        total = _times(step, total)


def _leading(a: Any, b: Any, gain: int, check: Check) -> Matrix:
    """A matrix that shortens (a, b) by about `gain` bits, found from 2 `gain` leading bits."""
    from flint import fmpz

    shift = max(0, a.bit_length() - 2 * gain - 4)
    a, b = a >> shift, b >> shift
    stop = max(0, a.bit_length() - gain)
    if a.bit_length() > STEPWISE_BITS:
        return _halve(a, b, stop, check)
    x, y, limit = int(a), int(b), 1 << stop
    s, t, u, v = 1, 0, 0, 1
    while y >= limit:
        quotient, rest = divmod(x, y)
        x, y = y, rest
        s, t, u, v = u, v, s - quotient * u, t - quotient * v
    return fmpz(s), fmpz(t), fmpz(u), fmpz(v)


def _times(a: Matrix, b: Matrix) -> Matrix:
    return (
        a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3],
        a[2] * b[0] + a[3] * b[2], a[2] * b[1] + a[3] * b[3],
    )  # fmt: skip


def _shortest(a: tuple[Any, Any], b: tuple[Any, Any], weight: int) -> tuple[Any, Any]:
    """The shortest vector of the lattice of two, second coordinates weighing 2^weight."""

    def dot(a: tuple[Any, Any], b: tuple[Any, Any]) -> Any:
        return a[0] * b[0] + ((a[1] * b[1]) << (2 * weight))

    short, long = dot(a, a), dot(b, b)
    if short > long:
        a, b, short, long = b, a, long, short
    while True:
        times = (2 * dot(a, b) + short) // (2 * short)  # to the nearest
        b = (b[0] - times * a[0], b[1] - times * a[1])
        long = dot(b, b)
        if long >= short:
            return a
        a, b, short, long = b, a, long, short


def common_denominator(
    residues: Sequence[Any],
    modulus: Any,
    ratio_bits: int,
    spare_bits: int,
    check: Check = go_on,
) -> tuple[Any, list[Any]] | None:
    """D and all N with x = N/D modulo m, if the fractions are well below what m can tell.

    The sizes leave `spare_bits`; without that, more digits are needed.
    """
    from flint import fmpz

    m = fmpz(modulus)
    half = m // 2
    room = m.bit_length() - spare_bits
    bottom = fmpz(1)
    tops: list[Any] = []
    for x in residues:
        check()
        top = _centred(bottom * x % m, m, half)
        if top.bit_length() + bottom.bit_length() > room:
            top, more = reconstruct(bottom * x, m, ratio_bits - bottom.bit_length(), check)
            bottom *= more
            if top.bit_length() + bottom.bit_length() > room:
                return None
            if more != 1:
                tops = [more * other for other in tops]
        tops.append(top)
    if max((top.bit_length() for top in tops), default=0) + bottom.bit_length() > room:
        return None
    return bottom, tops


def _centred(x: Any, m: Any, half: Any) -> Any:
    return x - m if x > half else x


def flint_fraction(value: Fraction) -> Any:
    """A fraction for FLINT, which is faster than Python at them."""
    from flint import fmpq

    return fmpq(value.numerator, value.denominator)


def as_fraction(top: Any, bottom: Any) -> Fraction:
    """A fraction of FLINT integers in lowest terms, as Python has it."""
    from flint import fmpq

    value = fmpq(top, bottom)
    return in_lowest_terms(int(value.p), int(value.q))
