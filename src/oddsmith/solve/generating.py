"""The generating function of a game's length, from its first chances.

With n counted states, G(z) = b + z a (I - z B)⁻¹ e, where B is the matrix of counted moves, a and b
say where play is before the first of them, e how it ends: so G = N/D with degrees of at most n, and
the first 2 (n + 1) chances determine it. They are whole numbers S_k over A T^k (`counted.py`), and
the sequence S has a recurrence with the characteristic polynomial of the whole-number matrix T B;
the shortest one divides that times a power of x, so by Gauss's lemma it is whole-numbered too. Its
roots are in absolute value at most T (B is substochastic): so its coefficients are at most
(1 + T)^(n+1).

Hence it is found by Berlekamp and Massey's algorithm modulo one prime above twice that bound
(J. L. Massey, IEEE Trans. Inf. Theory 15 (1969) 122–127), and then proved: D times the series of S,
in whole numbers, must have no coefficient from the order up to 2 (n + 1). An unlucky prime fails
that, and another is tried.
"""

from __future__ import annotations

from itertools import islice
from math import log10
from typing import Any

import numpy as np

from oddsmith.errors import LimitError
from oddsmith.results.generating import GeneratingFunction
from oddsmith.runtime.progress import Progress
from oddsmith.solve.chain import Chain
from oddsmith.solve.counted import Counted, counted

MOST_DIGITS = 2_000
"""Decimal digits that the coefficients may have."""


def generating_function(chain: Chain, progress: Progress) -> GeneratingFunction:
    """The generating function of the length, proved."""
    moves = counted(chain)
    digits = round(moves.states * log10(moves.total))
    if digits > MOST_DIGITS:
        raise LimitError(
            f"{chain.model.name} is too large for a generating function: its {moves.states:,} "
            f"states to move from would make coefficients of {digits:,} digits, and up to "
            f"{MOST_DIGITS:,} are computed. Ask for the chances up to a length (--horizon)."
        )
    series = _series(moves, progress)
    progress.update("generating function", 0, 1)
    top, bottom = _lowest_terms(moves, series, _shortest(moves, series))
    return GeneratingFunction(top, bottom, tail_rate(moves))


def tail_rate(moves: Counted) -> float:
    """The spectral radius of the counted moves: the largest of their strong components.

    The Perron root of a strong component is a simple one, so a plain eigenvalue solver finds it
    well; that of the whole matrix may have any multiplicity. Components from which no game ends
    have no part in it.
    """
    from scipy.sparse.csgraph import connected_components

    from oddsmith.model.graph import can_reach

    if not moves.states:
        return 0.0
    chances = moves.chances()
    count, component = connected_components(chances, connection="strong")
    ending = np.any([matrix[[-1], :].toarray()[0] > 0 for matrix in moves.digits], axis=0)
    ends = can_reach(chances.indptr, chances.indices, ending)
    largest = 0.0
    for number in range(count):
        inside = np.nonzero(component == number)[0]
        if not ends[inside].all():
            continue
        block = chances[inside][:, inside].toarray()
        largest = max(largest, float(np.abs(np.linalg.eigvals(block)).max()))
    return largest


def _series(moves: Counted, progress: Progress) -> list[int]:
    """The numerators S_k of the first chances, over A T^k; zeros after the longest game."""
    needed = 2 * (moves.states + 1)
    found = []
    for k, (numerator, _) in enumerate(islice(moves.terms(), needed)):
        found.append(numerator)
        if k % 16 == 0:
            progress.update("lengths in fractions", k, needed)
    return found + [0] * (needed - len(found))


def _shortest(moves: Counted, series: list[int]) -> Any:
    """The polynomial D(w), D(0) = 1, of the shortest recurrence of the series."""
    from flint import fmpz, fmpz_mod_ctx, fmpz_mod_poly_ctx, fmpz_poly

    exact = fmpz_poly(series)
    prime = fmpz(2) * fmpz(1 + moves.total) ** (moves.states + 1)
    while True:
        prime = _next_prime(prime)
        ring = fmpz_mod_poly_ctx(fmpz_mod_ctx(prime))
        found = [int(c) for c in ring.minpoly(series).coeffs()]
        half = int(prime) // 2
        whole = [c if c <= half else c - int(prime) for c in found]
        reverse = fmpz_poly(whole[::-1])
        order = len(whole) - 1
        product = (exact * reverse).coeffs()[order : len(series)]
        if whole[-1] == 1 and not any(product):
            return reverse


def _next_prime(number: Any) -> Any:
    number += 1 + number % 2
    while not number.is_probable_prime():
        number += 2
    return number


def _lowest_terms(
    moves: Counted, series: list[int], reverse: Any
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """N(z)/D(z) with z = T w, in whole numbers without a common factor."""
    from flint import fmpz_poly

    top = (fmpz_poly(series) * reverse).coeffs()[: len(series)]
    bottom = reverse.coeffs()
    while top and top[-1] == 0:
        top.pop()
    degree = max(len(top), len(bottom)) - 1
    powers = [1]
    for _ in range(degree):
        powers.append(powers[-1] * moves.total)
    numerator = fmpz_poly([c * powers[degree - j] for j, c in enumerate(top)])
    denominator = fmpz_poly(
        [moves.begin_total * c * powers[degree - j] for j, c in enumerate(bottom)]
    )
    common = numerator.gcd(denominator)
    if denominator[0] // common[0] < 0:
        common = -common
    reduced = (numerator // common).coeffs(), (denominator // common).coeffs()
    return tuple(int(c) for c in reduced[0]), tuple(int(c) for c in reduced[1])
