"""A policy as a map: the best move along two numbers of the state.

In space a policy is drawn by `policy_space`; the data behind both are in
`oddsmith.policies.regions`. A section is figure 3 of T. W. Neller and C. G. M. Presser, Optimal
Play of the Dice Game Pig, The UMAP Journal 25 (2004), for any game.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from oddsmith.errors import OptionError
from oddsmith.policies import regions
from oddsmith.policies.policy import Policy, as_policy
from oddsmith.policies.regions import By
from oddsmith.policies.restrict import RANDOM
from oddsmith.policies.table import NO_MOVE, Table
from oddsmith.show.drawings.cells import Cells, cells_of
from oddsmith.show.drawings.policy_look import (
    FLAT_INKS,
    MOST_NAMED,
    Look,
    called,
    inks,
    left_out,
    moves_on,
    present,
)
from oddsmith.show.pictures.spec import Axis, Ints, Line, Panel, Picture, Tiles


def section(
    table: Table,
    x: str | None = None,
    y: str | None = None,
    *,
    where: str | None = None,
    compare: Any = None,
    by: By = "one",
    labels: Mapping[str, str] | None = None,
) -> Picture:
    """Best moves along two numbers of the state.

    The others are fixed by `where`.

    What play can come to (see `regions.reachable`) has a strong colour. `compare` is another
    policy: dotted lines are drawn where its move changes.
    """
    look = Look(table, labels or {})
    cells = cells_of(table, (x, y), where)
    code = moves_on(cells)
    tiles, more = _tiles(cells, code, cells.of(regions.reachable(table, by), False))
    outline = _outline(cells, np.where(code == NO_MOVE, -1, code))
    layers: list[Tiles | Line] = [tiles, Line(*outline, ink="line", width=1.1)]
    if compare is not None:
        layers.append(_compared(cells, compare))
    across, up = (look.label(name) for name in cells.axes)
    fixed = f", where {look.where(cells)}" if cells.where else ""
    counts = ", ".join(
        f"{called(table, move)} in {np.count_nonzero(code == move):,}"
        for move in present(code)[:MOST_NAMED]
    )
    return Picture(
        f"{table.game.name}: {table.name} moves",
        [Panel(layers, Axis(across), Axis(up))],
        small=look.small(cells),
        legend=left_out(more),
        alt=f"A map of the {table.name} move by {across} and {up}{fixed}. Cells: {counts}.",
    )


def _tiles(cells: Cells, code: Ints, reached: Any) -> tuple[Tiles, int]:
    """The map: two kinds for each move, strong and pale; and how many kinds have no name."""
    table = cells.table
    ink = inks(table, code, FLAT_INKS) | {NO_MOVE: "faint"}
    kind = np.full(code.shape, -1, np.int64)
    names: list[str] = []
    colours: list[str] = []
    for move in sorted(present(code), key=lambda move: move == NO_MOVE):
        strong = (code == move) & (reached | (move == NO_MOVE))
        pale = (code == move) & ~strong
        for own, name, colour in (
            (strong, called(table, move), ink[move]),
            (pale, f"{called(table, move)}, not reachable", f"{ink[move]} pale"),
        ):
            if own.any():
                kind[own] = len(names)
                names.append(name)
                colours.append(colour)
    more = len(names) - MOST_NAMED
    names[MOST_NAMED:] = [""] * max(more, 0)
    across, up = cells.edges
    return Tiles(across, up, kind.T, names, colours), more


def _outline(cells: Cells, code: Ints) -> tuple[Any, Any]:
    """Lines between cells with different codes, joined as far as they are straight.

    As one line with gaps: places on both axes, not a number between one line and the next.
    """
    lines = []
    for across in (0, 1):
        swapped = code if across == 0 else code.T
        edges, along = cells.edges[across], cells.edges[1 - across]
        differ = (swapped[1:] != swapped[:-1]) & (swapped[1:] >= 0) & (swapped[:-1] >= 0)
        step = np.diff(np.pad(differ, ((0, 0), (1, 1))).astype(np.int8), axis=1)
        at, first = np.nonzero(step == 1)
        _, last = np.nonzero(step == -1)
        level = np.repeat(edges[at + 1], 3)
        ends = np.stack([along[first], along[last], np.full(len(at), np.nan)], axis=1).ravel()
        level[2::3] = np.nan
        lines.append((level, ends) if across == 0 else (ends, level))
    x, y = (np.concatenate(parts) for parts in zip(*lines, strict=True))
    return x, y


def _compared(cells: Cells, compare: Any) -> Line:
    """Where the moves of another policy change."""
    table = cells.table
    policy = as_policy(table.game, compare)
    if not isinstance(policy, Policy):
        raise OptionError(f"Compare with a policy that is known by itself, not with {policy}.")
    model = regions.parts(table)[0]
    states = cells.states[moves_on(cells) != NO_MOVE]
    states = states[states >= 0]
    chosen = policy.decide(model, states)
    if (chosen == RANDOM).any():
        raise OptionError(f"The policy {policy.name} takes any move: it has no changes to draw.")
    action = np.full(len(table), -1, np.int64)
    action[states] = model.move[chosen]
    return Line(*_outline(cells, cells.of(action, -1)), policy.name, ink="line", dash="dot")
