"""Nodes: states seen from seats, with the choices that a bound allows, and their ranks."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from oddsmith.certificate.claim import Claim, Graph, Int64s
from oddsmith.model.amounts import Amounts, Bools, Floats
from oddsmith.model.model import Model
from oddsmith.model.spans import spans
from oddsmith.model.variables import Layout, Valuations, Variable


@dataclass(frozen=True, eq=False)
class Nodes:
    """Node n has the options `choice[n]:choice[n+1]`; one that stops has a loop (origin -1)."""

    choice: Int64s
    row: Int64s
    col: Int64s
    weight: Int64s
    origin: Int64s
    """The choice of the graph that each option is."""
    stop: Bools

    @property
    def count(self) -> int:
        """Number of nodes."""
        return len(self.stop)

    @property
    def node(self) -> Int64s:
        """The node that each option belongs to."""
        return np.repeat(np.arange(self.count), np.diff(self.choice))

    @property
    def chance(self) -> Floats:
        """The chance of each outcome."""
        return self.weight / self.totals

    @property
    def totals(self) -> Int64s:
        """The sum of the weights beside each outcome."""
        total = np.add.reduceat(self.weight, self.row[:-1])
        return np.repeat(total, np.diff(self.row))

    def process(self) -> Model:
        """The nodes as a process, with chances as fractions."""
        return process_of(self.choice, self.row, self.col, self.weight, self.totals)

    def gains(self, claim: Claim) -> Floats:
        """What each option earns."""
        if claim.gain is None:
            return np.zeros(len(self.origin))
        return np.array([*(float(x) for x in claim.gain), 0.0])[self.origin]  # -1 earns nothing

    def exact_gains(self, claim: Claim) -> list[Fraction] | None:
        """What each option earns, as fractions."""
        gain = claim.gain
        if gain is None:
            return None
        return [gain[c] if c >= 0 else Fraction(0) for c in self.origin.tolist()]


def nodes_of(graph: Graph, claim: Claim, policy: Int64s | None, free: Bools) -> Nodes:
    """The nodes of a claim: all choices for who decides in a free state, else the policy's."""
    seats, states = claim.seats, graph.states
    counts = np.diff(graph.choice)
    wide = free & (counts > 1)
    picked = graph.choice[:-1] + (0 if policy is None else policy)
    options = np.ones((states, seats), np.int64)
    options[:, 0] = np.where(wide & ~claim.stop, counts, 1)
    many = options.ravel()
    choice = np.concatenate([[0], np.cumsum(many)])
    state = np.repeat(np.repeat(np.arange(states), seats), many)
    seat = np.repeat(np.tile(np.arange(seats), states), many)
    place = np.arange(choice[-1]) - np.repeat(choice[:-1], many)
    first = np.where(wide[state] & (seat == 0), graph.choice[:-1][state], picked[state])
    stops = claim.stop[state]
    origin = np.where(stops, -1, first + place)
    lengths = np.ones(len(origin), np.int64)
    lengths[~stops] = np.diff(graph.row)[origin[~stops]]
    row = np.concatenate([[0], np.cumsum(lengths)])
    option = np.repeat(np.arange(len(origin)), lengths)
    inner = np.arange(row[-1]) - np.repeat(row[:-1], lengths)
    loops = stops[option]
    col, weight = state[option] * seats + seat[option], np.ones(len(option), np.int64)
    moved = graph.row[origin[option[~loops]]] + inner[~loops]
    to = graph.col[moved] * seats
    if seats > 1:
        assert graph.shift is not None
        to += (seat[option[~loops]] - graph.shift[moved]) % seats
    col[~loops], weight[~loops] = to, graph.weight[moved]
    return Nodes(choice, row, col, weight, origin, np.repeat(claim.stop, seats))


def process_of(choice: Int64s, row: Int64s, col: Int64s, weight: Int64s, total: Int64s) -> Model:
    """A process with chances weight / total."""
    tops, top = np.unique(weight, return_inverse=True)
    bottoms, bottom = np.unique(total, return_inverse=True)
    pairs, index = np.unique(top * len(bottoms) + bottom, return_inverse=True)
    exact = [
        Fraction(int(tops[pair // len(bottoms)]), int(bottoms[pair % len(bottoms)]))
        for pair in pairs.tolist()
    ]
    chance = Amounts(index.astype(np.int32), np.array([float(p) for p in exact]), exact)
    return bare_process(choice, row, col, chance)


def bare_process(choice: Int64s, row: Int64s, col: Int64s, chance: Amounts) -> Model:
    """A process of which only the graph matters."""
    states = len(choice) - 1
    layout = Layout([Variable("node", 0, max(states - 1, 0))])
    chain = len(row) == len(choice)
    return Model(
        "dtmc" if chain else "mdp",
        choice.astype(np.int64),
        row.astype(np.int64),
        col.astype(np.int32),
        chance,
        np.array([0], np.int64),
        Valuations(layout, layout.pack([np.arange(states)])),
    )


def ranks(nodes: Nodes, safe: Bools, earns: Bools) -> tuple[Int64s, Bools]:
    """Ranks as the checker wants them, and the nodes that have none.

    Nodes that are safe have rank 0. A node is ranked as soon as every option of it earns, or has
    an outcome that is ranked.
    """
    rank = np.where(safe, 0, -1).astype(np.int64)
    owner = nodes.node
    met = earns.copy()
    waiting = np.bincount(owner[~met], minlength=nodes.count)
    rank[(waiting == 0) & ~safe] = 0
    entering, begin = _entering(nodes)
    front, height = np.flatnonzero(rank == 0), 0
    while len(front):
        height += 1
        into = entering[spans(begin[front], begin[front + 1] - begin[front])]
        new = np.unique(into[~met[into]])
        met[new] = True
        np.subtract.at(waiting, owner[new], 1)
        front = np.unique(owner[new])
        front = front[(waiting[front] == 0) & (rank[front] < 0)]
        rank[front] = height
    return np.maximum(rank, 0), rank < 0


def leading_to(nodes: Nodes, targets: Bools) -> Bools:
    """The nodes from which play may come to some nodes, those included."""
    found, owner = targets.copy(), nodes.node
    entering, begin = _entering(nodes)
    front = np.flatnonzero(targets)
    while len(front):
        into = np.unique(owner[entering[spans(begin[front], begin[front + 1] - begin[front])]])
        front = into[~found[into]]
        found[front] = True
    return found


def _entering(nodes: Nodes) -> tuple[Int64s, Int64s]:
    """The options that may lead to each node: entering[begin[n]:begin[n+1]]."""
    option = np.repeat(np.arange(len(nodes.origin)), np.diff(nodes.row))
    order = np.argsort(nodes.col, kind="stable")
    return option[order], np.searchsorted(nodes.col[order], np.arange(nodes.count + 1))
