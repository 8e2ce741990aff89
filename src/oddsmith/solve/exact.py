"""Exact answers: fractions, component by component.

The value x of every live state solves (T - W) x = c, with the integer weights W of transitions
inside the component, their totals T on the diagonal, and c from components solved before and
from the ends of the game. Single states are substituted; a larger component goes to FLINT, which
solves by Dixon's p-adic lifting (J. D. Dixon, Numer. Math. 40 (1982) 137–141).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

from oddsmith import memory
from oddsmith.errors import LimitError
from oddsmith.progress import Progress
from oddsmith.solve.chain import Chain

MAX_COMPONENT = 6_000
"""FLINT's solver is dense: time grows with the cube of a component."""


Known = Callable[[int], Sequence[int] | None]


def exact_values(
    chain: Chain,
    gain: Callable[[int], Sequence[int]],
    known: Known,
    progress: Progress,
) -> list[Fraction]:
    """The values of some questions in the start state, as fractions.

    `gain(place)` gives what a move from a place earns for each question, `known(state)` what a
    state is worth where that is known (every end of the game is), else None.
    """
    if chain.largest > MAX_COMPONENT:
        raise LimitError(
            f"{chain.model.game.name} has {chain.largest:,} states that depend on each other; "
            f"exact answers are for up to {MAX_COMPONENT:,}. Ask for method='certified'."
        )
    memory.require(8 * 6 * chain.largest**2, "An exact solution", "ask for method='certified'")
    found = known(chain.model.start)
    if found is not None:
        return [Fraction(value) for value in found]
    values: dict[int, list[Any]] = {}
    for c in reversed(range(len(chain.bounds) - 1)):
        first, last = int(chain.bounds[c]), int(chain.bounds[c + 1])
        progress.update("solving exactly", chain.size - last, chain.size)
        places = [p for p in range(first, last) if known(int(chain.order[p])) is None]
        if places:
            _solve_component(chain, places, gain, known, values)
    start = values[int(chain.place[chain.model.start])]
    return [Fraction(int(v.p), int(v.q)) for v in start]


def _solve_component(
    chain: Chain,
    places: list[int],
    gain: Callable[[int], Sequence[int]],
    known: Known,
    values: dict[int, list[Any]],
) -> None:
    from flint import fmpq, fmpq_mat, fmpz, fmpz_mat

    size = len(places)
    number = {place: i for i, place in enumerate(places)}
    matrix = [fmpz(0)] * (size * size)
    right: list[list[Any]] = []
    for i, place in enumerate(places):
        total = int(chain.model.total[chain.model.choice[chain.order[place]]])
        matrix[i * size + i] += total
        row = [fmpq(total * amount) for amount in gain(place)]
        for weight, target in _transitions(chain, place):
            worth = known(target)
            there = int(chain.place[target])
            if worth is None and there in number:
                matrix[i * size + number[there]] -= weight
            else:
                worth = values[there] if worth is None else worth
                row = [sum_ + weight * value for sum_, value in zip(row, worth, strict=True)]
        right.append(row)
    if size == 1:
        values[places[0]] = [value / matrix[0] for value in right[0]]
        return
    flat = [value for row in right for value in row]
    solved = fmpq_mat(fmpz_mat(size, size, matrix)).solve(
        fmpq_mat(size, len(right[0]), flat), algorithm="dixon"
    )
    for i, place in enumerate(places):
        values[place] = [solved[i, q] for q in range(len(right[0]))]


def _transitions(chain: Chain, place: int) -> Iterator[tuple[int, int]]:
    """Every transition of a live state as (weight, state)."""
    model = chain.model
    state = chain.order[place]
    for e in range(int(model.state_row[state]), int(model.state_row[state + 1])):
        yield int(model.weight[e]), int(model.col[e])
