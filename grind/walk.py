"""Walk: the chain of a game once all moves are settled, and what is true of it, in fractions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property

from grind.plain import (
    Chain,
    Plain,
    Vector,
    chain_of,
    chances,
    closed_classes,
    reach,
    solve,
    totals,
)

ZERO, ONE = Fraction(0), Fraction(1)


class Walk:
    """A Markov chain whose states may be over; a closed class without an end is over as well.

    If no move counts in it, it is a deadlock and a draw; if some do, play is endless.
    """

    def __init__(self, model: Plain, chain: Chain, counts: Sequence[int]) -> None:
        self.model, self.chain, self.counts = model, chain, counts
        self.over: dict[int, tuple[int, ...]] = {}
        self.deadlock: set[int] = set()
        self.endless: set[int] = set()
        for one in closed_classes(chain):
            if all(not chain[s] for s in one):
                continue
            (self.endless if any(counts[s] for s in one) else self.deadlock).update(one)
        for s in range(model.size):
            winners = model.winners[s]
            if winners is not None:
                self.over[s] = winners
            elif s in self.deadlock or s in self.endless:
                self.over[s] = ()

    @cached_property
    def odds(self) -> list[Vector]:
        """From every state: the chance of each player to win, of a draw, of play without an end."""
        players = self.model.players
        worth = {
            s: [
                *(ONE if p in won else ZERO for p in range(players)),
                ONE if not won else ZERO,
                ONE if s in self.endless else ZERO,
            ]
            for s, won in self.over.items()
        }
        return chances(self.chain, worth)

    @cached_property
    def scores(self) -> list[Vector]:
        """From every state: the mean score of each player; play that never ends scores nothing."""
        return self._mean_scores(0)

    def _mean_scores(self, never: int) -> list[Vector]:
        """Mean scores, where play that never ends has another."""
        assert self.model.scores is not None
        given, nothing = self.model.scores, (never,) * self.model.players
        worth = {s: [Fraction(n) for n in given[s] or nothing] for s in self.over}
        return chances(self.chain, worth)

    @cached_property
    def length(self) -> list[Fraction | None]:
        """The mean number of counted moves from every state; None where play may be endless."""
        stop = set(self.over) - self.endless
        return totals(self.chain, [Fraction(c) for c in self.counts], stop)

    @cached_property
    def variance(self) -> Fraction | None:
        """The variance of the length from the start, by its second moment; None if endless."""
        start, stop = self.model.start, set(self.over) - self.endless
        mean = self.length[start]
        if mean is None:
            return None
        # (c + L)² = c² + 2 c L + L², and the mean of c + L is that of the length from here.
        gained = [
            (2 * x - c) * Fraction(c) if x is not None else ZERO
            for c, x in zip(self.counts, self.length, strict=True)
        ]
        square = totals(self.chain, gained, stop)[start]
        assert square is not None
        return square - mean * mean

    def worth(self) -> list[Vector]:
        """What every state is worth to each player: a win shared by who wins, a draw by all."""
        players = self.model.players
        if self.model.scores is not None:  # nobody prefers play without an end to any score
            return self._mean_scores(min([0, *(n for one in self.model.scores for n in one or ())]))
        draw = ZERO if players == 1 else Fraction(1, players)

        def share(won: tuple[int, ...], player: int) -> Fraction:
            return draw if not won else Fraction(player in won, len(won))

        worth = {s: [share(won, p) for p in range(players)] for s, won in self.over.items()}
        return chances(self.chain, worth)

    def ends_within(self, turns: int) -> bool:
        """Whether play from the start takes no more turns than this on average."""
        every = totals(self.chain, [ONE] * len(self.chain), set(self.over))
        mean = every[self.model.start]
        return mean is not None and mean <= turns

    def visits(self, inside: Callable[[int], bool]) -> tuple[Fraction, Fraction | None]:
        """The chance to come to a set of states ever, and how many times it is entered.

        Play without end goes on (None: for ever).
        """
        over = set(self.over) - self.endless
        live = [[] if s in over else o for s, o in enumerate(self.chain)]
        goal = {s for s in range(self.model.size) if inside(s)}
        ever = reach(live, goal)[self.model.start]
        enters = [
            sum((p for p, t in o if inside(t) and not inside(s)), ZERO) for s, o in enumerate(live)
        ]
        times = totals(live, enters, over)[self.model.start]
        return ever, None if times is None else times + int(inside(self.model.start))

    def distribution(self, horizon: int) -> Vector:
        """The chance of every length up to a horizon, in counted moves."""
        size = self.model.size
        mass = [ZERO] * size
        mass[self.model.start] = ONE
        found = []
        for _ in range(horizon + 1):
            mass = self._uncounted(mass)
            found.append(sum((mass[s] for s in self.over if s not in self.endless), ZERO))
            after = [ZERO] * size
            for s in range(size):
                if mass[s] and self.counts[s] and (s not in self.over or s in self.endless):
                    for p, t in self.chain[s]:
                        after[t] += mass[s] * p
            mass = after
        return found

    def _uncounted(self, mass: Vector) -> Vector:
        """Where play waits for a move that counts, or is over."""
        free = [s for s in range(self.model.size)
                if not self.counts[s] and (s not in self.over or s in self.endless)]  # fmt: skip
        if not any(mass[s] for s in free):
            return mass
        place = {s: i for i, s in enumerate(free)}
        rows: list[dict[int, Fraction]] = [{i: ONE} for i in range(len(free))]
        for s in free:
            for p, t in self.chain[s]:
                if t in place:
                    row = rows[place[t]]
                    row[place[s]] = row.get(place[s], ZERO) - p
        rows = [{c: v for c, v in row.items() if v} for row in rows]
        visited = [y[0] for y in solve(rows, [[mass[s]] for s in free])]
        found = [ZERO if s in place else m for s, m in enumerate(mass)]
        for s in free:
            for p, t in self.chain[s]:
                if t not in place:
                    found[t] += visited[place[s]] * p
        return found


def walk(model: Plain, picks: Sequence[int]) -> Walk:
    """The walk of a game in which state s takes its choice picks[s]."""
    counts = [c[picks[s]].counts if c else 0 for s, c in enumerate(model.choices)]
    return Walk(model, chain_of(model, picks), counts)


def random_walk(model: Plain) -> Walk:
    """Every move as likely: a choice is a state of its own, between two states of the game."""
    size, chain, counts = model.size, [], []
    extra: Chain = []
    extra_counts: list[int] = []
    winners = list(model.winners)
    for choices in model.choices:
        share = Fraction(1, max(1, len(choices)))
        row = []
        for choice in choices:
            row.append((share, size + len(extra)))
            extra.append(choice.outcomes)
            extra_counts.append(choice.counts)
            winners.append(None)
        chain.append(row)
        counts.append(0)
    scores = None if model.scores is None else [*model.scores, *([None] * len(extra))]
    whole = Plain([[] for _ in winners], [0] * len(winners), model.start, list(model.names),
                  winners, scores, model.players)  # fmt: skip
    return Walk(whole, chain + extra, counts + extra_counts)
