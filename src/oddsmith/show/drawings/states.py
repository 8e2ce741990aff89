"""The states of a small game as a graph: in layers by how many moves they are from the start.

Layers are drawn from left to right. Within a layer, states are put in the order of the mean place
of their neighbours, forward and backward in turn (the barycentre method of Sugiyama, Tagawa and
Toda, 1981), which keeps most arrows from crossing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from oddsmith.show.pictures.spec import (
    Arrows,
    Axis,
    Floats,
    Key,
    Layer,
    Panel,
    Picture,
    Shapes,
    Texts,
)

HALF = (0.36, 0.25)
"""Half the width and the height of a state."""

SWEEPS = 12


@dataclass(frozen=True)
class Node:
    """A state: its name in short, whose turn it is, and how it has ended, if it has."""

    name: str
    mover: int | None
    ended: str = ""


@dataclass(frozen=True)
class Edge:
    """Rolls (and moves) that lead from a state to another."""

    source: int
    target: int
    label: str


def states_picture(
    nodes: Sequence[Node],
    edges: Sequence[Edge],
    *,
    title: str,
    small: str,
    fields: str,
    players: int,
) -> Picture:
    """The graph of states; the first one is the start."""
    x, y = layered(len(nodes), [(e.source, e.target) for e in edges])
    layers: list[Layer] = [*_arrows(x, y, edges)]
    layers += [_boxes(x, y, nodes), *_words(x, y, nodes)]
    legend = [Key(f"player {p + 1} to move", f"ink {p} pale") for p in range(players)]
    if players == 1:
        legend = []
    if any(node.ended for node in nodes):
        legend.append(Key("the game is over (pointed)", "faint"))
    wide, high = float(np.ptp(x)) + 1.6, float(np.ptp(y)) + 1.4
    return Picture(
        title=f"{title}: every state, and every roll",
        small=f"{small}; the start has a double border; under the number of a state: {fields}",
        panels=(
            Panel(
                layers,
                x=Axis(low=float(x.min()) - 0.8, high=float(x.max()) + 0.8),
                y=Axis(low=float(y.min()) - 0.7, high=float(y.max()) + 0.7),
                equal=True,
                bare=True,
            ),
        ),
        legend=legend,
        size=(min(14.0, 2.0 + 0.78 * wide), min(12.0, 1.0 + 0.78 * high)),
        alt=f"A graph of {len(nodes)} states and {len(edges)} arrows, from the start to the ends.",
    )


# Where states lie ---------------------------------------------------------------------------


def layered(count: int, edges: Sequence[tuple[int, int]]) -> tuple[Floats, Floats]:
    """The place of each state: x grows by layers, y by the order within one."""
    depth = _depths(count, edges)
    rows = [[s for s in range(count) if depth[s] == d] for d in range(max(depth) + 1)]
    near: list[set[int]] = [set() for _ in range(count)]
    for a, b in edges:
        if a != b:
            near[a].add(b)
            near[b].add(a)
    place = {s: k - (len(row) - 1) / 2 for row in rows for k, s in enumerate(row)}
    for sweep in range(SWEEPS):
        onward = sweep % 2 == 0
        for d in range(len(rows)) if onward else range(len(rows) - 1, -1, -1):
            beside = d - 1 if onward else d + 1

            def middle(s: int, beside: int = beside) -> float:
                seen = [place[t] for t in near[s] if depth[t] == beside]
                return sum(seen) / len(seen) if seen else place[s]

            rows[d].sort(key=middle)
            for k, s in enumerate(rows[d]):
                place[s] = k - (len(rows[d]) - 1) / 2
    x = np.array([depth[s] * 1.75 for s in range(count)])
    y = np.array([-place[s] * 1.15 for s in range(count)])
    return x, y


def _depths(count: int, edges: Sequence[tuple[int, int]]) -> list[int]:
    """How many moves each state is from the first one."""
    after: list[list[int]] = [[] for _ in range(count)]
    for a, b in edges:
        after[a].append(b)
    depth, queue = {0: 0}, [0]
    for s in queue:
        for t in after[s]:
            if t not in depth:
                depth[t] = depth[s] + 1
                queue.append(t)
    return [depth.get(s, 0) for s in range(count)]


# How they are drawn -------------------------------------------------------------------------


def _boxes(x: Floats, y: Floats, nodes: Sequence[Node]) -> Shapes:
    corners, fill, told = [], [], []
    for s, node in enumerate(nodes):
        if s == 0:  # a double border: a box behind the box
            corners.append(_box(x[s], y[s], 0.05))
            fill.append("paper")
            told.append(node.name)
        corners.append(_hexagon(x[s], y[s]) if node.ended else _box(x[s], y[s], 0.0))
        fill.append("faint" if node.mover is None else f"ink {node.mover} pale")
        told.append(" ".join(filter(None, [node.name, node.ended])))
    return Shapes(corners, fill=fill, edge="line", width=1.0, text=told)


def _box(x: float, y: float, more: float) -> Floats:
    a, b = HALF[0] + more, HALF[1] + more
    return np.array([(x - a, y - b), (x + a, y - b), (x + a, y + b), (x - a, y + b)])


def _hexagon(x: float, y: float) -> Floats:
    a, b = HALF
    points = [(-a, 0), (-0.7 * a, -b), (0.7 * a, -b), (a, 0), (0.7 * a, b), (-0.7 * a, b)]
    return np.array([(x + p, y + q) for p, q in points])


def _words(x: Floats, y: Floats, nodes: Sequence[Node]) -> list[Layer]:
    numbers = [str(s) for s in range(len(nodes))]
    found: list[Layer] = [
        Texts(x, y + 0.09, numbers, size=8.5, bold=True),
        Texts(x, y - 0.11, [node.name for node in nodes], size=7.0),
    ]
    ended = [s for s, node in enumerate(nodes) if node.ended]
    if ended:
        below = y[ended] - HALF[1] - 0.13
        found.append(Texts(x[ended], below, [nodes[s].ended for s in ended], size=7.0))
    return found


def _arrows(x: Floats, y: Floats, edges: Sequence[Edge]) -> list[Layer]:
    """Arrows from border to border with their labels; ways there and back bend apart."""
    pairs = {(e.source, e.target) for e in edges}
    ways: dict[float, list[tuple[float, float, float, float]]] = {}
    words: list[tuple[float, float, str]] = []
    for edge in edges:
        a, b = edge.source, edge.target
        if a == b:
            words.append((x[a], y[a] + HALF[1] + 0.14, f"↻ {edge.label}"))
            continue
        far = x[b] <= x[a] or x[b] - x[a] > 2.0
        bend = 0.16 if (b, a) in pairs or far else 0.0
        start, end = _border(x, y, a, b), _border(x, y, b, a)
        ways.setdefault(bend, []).append((*start, *end))
        way = np.array([end[0] - start[0], end[1] - start[1]])
        left = np.array([-way[1], way[0]])
        t = 0.42  # not in the middle, where the way back has its word
        at = np.array(start) + t * way + 4 * t * (1 - t) * bend * left
        beside = left / max(float(np.hypot(*left)), 1e-9) * 0.13
        words.append((float((at + beside)[0]), float((at + beside)[1]), edge.label))
    found: list[Layer] = []
    for bend, ends in ways.items():
        start_x, start_y, end_x, end_y = np.array(ends).T
        found.append(Arrows(start_x, start_y, end_x, end_y, bend=bend))
    if words:
        wx, wy, texts = zip(*words, strict=True)
        found.append(Texts(wx, wy, texts, ink="muted", size=6.8))
    return found


def _border(x: Floats, y: Floats, a: int, b: int) -> tuple[float, float]:
    """Where the way from state a to state b leaves the box of a."""
    dx, dy = x[b] - x[a], y[b] - y[a]
    half = (HALF[0] + 0.05, HALF[1] + 0.05)
    share = min(half[0] / abs(dx) if dx else np.inf, half[1] / abs(dy) if dy else np.inf)
    return float(x[a] + share * dx), float(y[a] + share * dy)
