"""The values of a chain in its start state, as fractions.

The whole of the chain's live states is one system: its components need no separate treatment,
for the elimination finds an order in which what comes later in a game goes first, and makes no
fill between components. Where the chain is seen by the mover, questions that name a seat are
split by characters of the seats (see `characters`), and the systems are solved side by side.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, replace
from fractions import Fraction
from math import gcd
from threading import Lock
from typing import Any

import numpy as np

from oddsmith.model.spans import spans
from oddsmith.runtime.interrupt import Interrupt
from oddsmith.runtime.progress import Progress
from oddsmith.solve.chain import Chain
from oddsmith.solve.exact import characters
from oddsmith.solve.exact.lifted import LiftingPlan
from oddsmith.solve.exact.linear import Report, solve_at
from oddsmith.solve.exact.rational import as_fraction, flint_fraction
from oddsmith.solve.exact.system import Matrix

THREADS = 2


def start_values(
    chain: Chain,
    worth: Any,
    earned: Any,
    plan: LiftingPlan,
    free: Any | None = None,
    most: float | None = None,
) -> tuple[list[Fraction], list[Report]]:
    """What the start is worth for some questions that name no seat, and what that took.

    `worth` (states × questions) says what states are worth where play ends, `earned` (places ×
    questions) the sum over the outcomes of a move of their weights times what they earn. `free`
    says of each place whether its value is unknown (all, unless told): at the others play is
    taken to end too. `most` bounds the values.
    """
    place = int(chain.place[chain.model.start])
    if place < 0 or (free is not None and not free[place]):
        return [Fraction(int(value)) for value in worth[chain.model.start]], []
    report = Report()
    with Interrupt() as interrupt:
        plan = replace(plan, interrupt=interrupt)
        found = _plain(chain, worth, earned, free, most, plan, report)
    return found, [report] if report.unknowns else []


def _plain(
    chain: Chain, worth: Any, earned: Any, free: Any | None, most: float | None, plan: LiftingPlan,
    report: Report,
) -> list[Fraction]:  # fmt: skip
    """The start's values; where every end is worth the same and nothing is earned, it is that."""
    ending = chain.place < 0
    if free is not None:
        ending[chain.order[~free]] = True
    ends = worth[ending]
    same = (ends == ends[:1]).all(axis=0) & (earned == 0).all(axis=0)
    found = [Fraction(int(value)) for value in ends[0]]
    asked = np.flatnonzero(~same)
    if len(asked):
        matrix, right, number = system(chain, worth[:, asked], earned[:, asked], free)
        start = int(number[chain.place[chain.model.start]])
        (solved,) = solve_at(matrix, right, [start], most, plan, report)
        for q, value in zip(asked, solved, strict=True):
            found[q] = value
    return found


def seat_values(
    chain: Chain, worth: Any, others: Any, earned: Any, plan: LiftingPlan, most: int = 1
) -> tuple[list[Fraction], list[Fraction], list[Report]]:
    """What the start is worth to every player, and for questions that name no seat.

    `worth` (states × seats) is what ends are worth to seats, as the mover there sees them, at
    most `most` in size; `others` and `earned` are as in `start_values`.
    """
    seats, model = chain.lanes, chain.model
    place = int(chain.place[model.start])
    lane = model.start_lane
    if place < 0:
        turned = np.roll(worth[model.start], lane)
        plain = [Fraction(int(value)) for value in others[model.start]]
        return [Fraction(int(value)) for value in turned], plain, []
    orders = [d for d in range(1, seats + 1) if seats % d == 0]
    reports = [Report() for _ in orders]

    def one(order: int, report: Report, plan: LiftingPlan) -> list[list[Fraction]]:
        if order == 1:
            ends = np.column_stack([worth.sum(axis=1), others])
            moves = np.column_stack([np.zeros(chain.size, np.int64), earned])
            return [_plain(chain, ends, moves, None, None, plan, report)]
        matrix, right = _turned_system(chain, worth, order)
        bound = most * seats * int(np.abs(characters.powers(order)).max())
        return solve_at(matrix, right, [place], bound, plan, report)

    with Interrupt() as interrupt, ThreadPoolExecutor(1 if plan.cuda else THREADS) as pool:
        together: tuple[dict[int, tuple[float, float]], Lock] = ({}, Lock())
        parts = [_Part(plan.progress, order, *together) for order in orders]
        ways = [
            replace(plan, threads=THREADS, interrupt=interrupt, progress=part) for part in parts
        ]
        here = [copy_context().run for _ in orders]  # what is chosen there is written down here
        jobs = pool.map(lambda run, *given: run(one, *given), here, orders, reports, ways)
        found = dict(zip(orders, jobs, strict=True))
    values = []
    for player in range(seats):
        seat = (player - lane) % seats
        value = flint_fraction(found[1][0][0])
        for order in orders[1:]:
            for j, (coordinate,) in enumerate(found[order]):
                value += flint_fraction(coordinate) * ramanujan_sum(order, j - seat)
        values.append(as_fraction(value.p, value.q * seats))
    return values, found[1][0][1:], [report for report in reports if report.unknowns]


@dataclass
class _Part:
    """The progress of one of several systems, in one bar for all of them.

    Digits are added up; getting ready shows until they come.
    """

    progress: Progress
    number: int
    lifting: dict[int, tuple[float, float]]
    """How far the digits of each system are; shared by all, as the lock is."""
    lock: Lock

    def update(self, stage: str, done: float, of: float | None, facts: str = "") -> None:
        """What one of them says."""
        with self.lock:
            if stage == "lifting" and of is not None:
                self.lifting[self.number] = (done, of)
                done, of = (sum(parts) for parts in zip(*self.lifting.values(), strict=True))
                facts = f"{int(done):,} of {int(of):,} digits"
            elif self.lifting:
                return
            self.progress.update(stage, done, of, facts)


def ramanujan_sum(order: int, power: int) -> int:
    """The trace of ζ^power, ζ a primitive root of unity of this order.

    >>> [ramanujan_sum(3, k) for k in range(3)], ramanujan_sum(4, 1)
    ([2, -1, -1], 0)
    """
    # Σ over divisors g of (order, power) of μ(order/g) g
    from flint import fmpz

    common = gcd(order, power)
    return sum(
        int(fmpz(order // g).moebius_mu()) * g for g in range(1, common + 1) if common % g == 0
    )


def wide(numbers: Any) -> Any:
    """Whole numbers as int64, or as Python's own where sums of products could overflow."""
    large = len(numbers) and int(np.abs(numbers).max(initial=0)) >= 2**40
    return numbers.astype(object if large else np.int64)


def totals_of(chain: Chain) -> Any:
    """The sum of the weights of every live state, as whole numbers of any size."""
    return chain.model.total[chain.model.choice[chain.order]].astype(object)


def system(
    chain: Chain, worth: Any, earned: Any, free: Any | None = None
) -> tuple[Matrix, Any, Any]:
    """The system of the places whose values are unknown, and their numbers in it.

    For `worth`, `earned` and `free` see `start_values`.
    """
    model = chain.model
    places = np.arange(chain.size) if free is None else np.flatnonzero(free)
    number = np.full(chain.size, -1)
    number[places] = np.arange(len(places))
    states = chain.order[places]
    totals = wide(model.total[model.choice[states]])
    source, edges = _edges(model.state_row, states)
    weight = wide(model.weight[edges])
    there = chain.place[model.col[edges]]
    target = np.where(there >= 0, number[there], -1)
    right = wide(earned[places])
    ends = target < 0
    np.add.at(right, source[ends], weight[ends, None] * wide(worth[model.col[edges[ends]]]))
    inside = ~ends
    row = np.searchsorted(source[inside], np.arange(len(places) + 1))
    return Matrix(row, target[inside], weight[inside], totals), right, number


def _turned_system(chain: Chain, worth: Any, order: int) -> tuple[Matrix, Any]:
    """The system of the seats' Fourier transform at a root of unity of this order."""
    model = chain.model
    assert model.shift is not None
    totals = wide(model.total[model.choice[chain.order]])
    source, edges = _edges(model.state_row, chain.order)
    weight, turn = wide(model.weight[edges]), model.shift[edges].astype(np.int64)
    target = chain.place[model.col[edges]]
    ends = target < 0
    powers = characters.powers(order)
    size = powers.shape[1]
    right = np.zeros((chain.size, size), weight.dtype)
    for seat in range(chain.lanes):
        given = weight[ends] * worth[model.col[edges[ends]], seat]
        np.add.at(right, source[ends], given[:, None] * powers[(turn[ends] + seat) % order])
    inside = ~ends
    row = np.searchsorted(source[inside], np.arange(chain.size + 1))
    matrix = Matrix(row, target[inside], weight[inside], totals, turn[inside], order)
    return matrix, right.reshape(-1, 1)


def _edges(row: Any, states: Any) -> tuple[Any, Any]:
    """The transitions of some states, with the states' numbers in the list."""
    counts = row[states + 1] - row[states]
    return np.repeat(np.arange(len(states)), counts), spans(row[states], counts)
