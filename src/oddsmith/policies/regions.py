"""Regions: what a policy looks like over all states, as data.

- `columns` (`Table.frame` as a data frame): every state with the best move in it, what it is
  worth, and whether play can come to it;
- `reachable`: the states that play can come to when everybody follows the policy, or when one
  player does and the others do anything;
- `stretches`: where the best move changes along one number of the state. A policy need not be a
  threshold, so these are all the stretches with one best move, not the first change only.

What the numbers of a state are called is the game's affair. In a table that is relative (see
`Table`), entry 0 of a field with one entry a player is the mover's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from oddsmith.errors import MissingExtraError, OptionError
from oddsmith.model.amounts import Bools
from oddsmith.model.condition import matching
from oddsmith.model.model import Model
from oddsmith.model.names import Names
from oddsmith.results.answer import Answer
from oddsmith.runtime.whole_files import rows_in

if TYPE_CHECKING:
    from oddsmith.policies.table import Table
    from oddsmith.solve.play.optimal import Solution

By = Literal["all", "one"]
Columns = dict[str, npt.NDArray[Any]]

BLOCK = 20_000
"""States that are written at a time."""


# Reachable states ---------------------------------------------------------------------------


def reachable(table: Table, by: By = "one", player: int | None = None) -> Bools:
    """Which states of a table play can come to.

    `by="all"`: everybody follows the policy. `by="one"`: the states in which a player who follows
    the policy may have to move, whatever policy the others follow; the union over all seats that
    the player may have, or a given one (0 for the first).
    """
    if by not in ("all", "one"):
        raise OptionError(f"States are reachable by 'all' or by 'one' player, not {by!r}.")
    model, solution = parts(table)
    players = len(model.players)
    if by == "all":
        return np.asarray(_followed(model, solution, range(players)).any(axis=1))
    only = table.player if player is None else player
    seats = range(players) if only is None else [only]
    states = np.zeros(model.states, bool)
    for seat in seats:
        states |= _met(model, _followed(model, solution, [seat]), seat)
    return states


def _followed(model: Model, solution: Solution, players: Sequence[int]) -> Bools:
    """The states (× lanes) that play can come to when some players follow the picks."""
    from oddsmith.policies import regions_kernels as kernels

    follows = np.zeros(len(model.players), bool)
    follows[list(players)] = True
    shift = np.empty(0, np.uint8) if model.shift is None else model.shift
    seen: Bools = kernels.follow_policy(
        model.choice, model.row, model.col, shift, model.mover, len(model.players),
        solution.pick, follows, model.start, model.start_lane if model.shift is not None else 0,
    )  # fmt: skip
    return seen


def _met(model: Model, seen: Bools, player: int) -> Bools:
    """Those in which the player is to move, or the game is over."""
    if model.shift is not None and model.lanes > 1:
        return seen[:, player]
    mine: Bools = seen[:, 0] & ((model.mover == player) | (model.winners >= 0))
    return mine


def decided(table: Table) -> Bools:
    """The states in which the policy makes a move: somebody whose policy it is has to."""
    from oddsmith.policies.table import NO_MOVE

    live: Bools = table.action != NO_MOVE
    if table.player is not None:
        live &= parts(table)[0].owner == table.player
    return live


def parts(table: Table) -> tuple[Model, Solution]:
    """The model and the solution that a table comes from; see `judge.with_model`."""
    model = model_of(table)
    assert table.solution is not None
    return model, table.solution


def model_of(table: Table) -> Model:
    """The model that a table comes from."""
    if table.model is None:
        raise OptionError(
            f"The policy {table.name} comes from a file, without the game's states: give it to "
            f"oddsmith.solve.play.judge.with_model first."
        )
    return table.model


# Every state --------------------------------------------------------------------------------


def columns(table: Table, states: slice = slice(None), reached: Columns | None = None) -> Columns:
    """Some states of a table (all, if none are named), column by column.

    Its fields; `move`, the best move (empty where the game is over); `worth` to the mover, or to
    the only player whom the table is for, and its bounds `lower` and `upper`; `margin` by which
    the move is better than the next best (infinite where there is none), each repeated while it
    leaves the state as it is, where advice compares them made once; `certain`, whether the
    bounds prove that it is the only best; and whether it is `reached_by_all` and
    `reached_by_one` (see `reachable`).
    """
    _, solution = parts(table)
    reached = reached if reached is not None else reached_columns(table)
    x = table.worth[states, 0]
    lower = np.nextafter(x - solution.lower[states, 0], -np.inf)
    upper = np.nextafter(x + solution.upper[states, 0], np.inf)
    if table.exact is not None:
        answers = [Answer.of_fraction(worth[0]) for worth in table.exact[states]]
        lower = np.array([answer.lower for answer in answers], np.float64)
        upper = np.array([answer.upper for answer in answers], np.float64)
    return {
        **_fields(table.names, states),
        "move": move_names(table, states),
        "worth": x,
        "lower": lower,
        "upper": upper,
        "margin": solution.margin[states],
        "certain": solution.certain[states],
        **{name: mask[states] for name, mask in reached.items()},
    }


def reached_columns(table: Table) -> Columns:
    """Which states are reachable, in both ways."""
    return {"reached_by_all": reachable(table, "all"), "reached_by_one": reachable(table, "one")}


def move_names(table: Table, states: slice = slice(None)) -> npt.NDArray[np.object_]:
    """The names of the best moves; empty where the game is over."""
    from oddsmith.policies.table import NO_MOVE

    names = np.full(NO_MOVE + 1, "", object)
    names[: len(table.game.actions)] = [action.name for action in table.game.actions]
    found: npt.NDArray[np.object_] = names[table.action[states]]
    return found


def _fields(names: Names, states: slice) -> Columns:
    """The numbers of the states by their names; the states themselves where they are no rows."""
    if names.why_no_rows:
        numbers = range(*states.indices(len(names)))
        return {"state": np.array([repr(names[i]) for i in numbers], object)}
    rows = names.rows[states]
    return {name: rows[:, i] for i, name in enumerate(names.columns)}


def frame(table: Table) -> Any:
    """Every state as a pandas DataFrame; see `columns`."""
    try:
        import pandas
    except ImportError:
        raise MissingExtraError(
            "A data frame needs pandas, which is not installed: pip install 'oddsmith[frame]'."
        ) from None
    return pandas.DataFrame(columns(table))


def write_csv(table: Table, path: str | Path) -> None:
    """Every state as a line of text, a block at a time; see `columns`."""
    with rows_in(path) as writer:
        for i, block in enumerate(_blocks(table)):
            if i == 0:
                writer.writerow(block)
            writer.writerows(zip(*(c.tolist() for c in block.values()), strict=True))


def _blocks(table: Table) -> Iterator[Columns]:
    reached = reached_columns(table)
    for first in range(0, len(table), BLOCK):
        yield columns(table, slice(first, first + BLOCK), reached)


# Where the best move changes ----------------------------------------------------------------


def stretches(
    table: Table, along: str, by: Sequence[str] | None = None, where: str | None = None
) -> Columns:
    """All stretches along one number of the state in which the best move is the same.

    For every combination of the numbers `by` (without them, of all the others), its states in
    the order of `along` are cut where the best move changes; each row is a stretch: the numbers
    `by`, its first and last value (`from`, `to`) and the `move`. `where` keeps only the states
    that satisfy a condition, such as `turn=0`.

    >>> from oddsmith import game, optimal
    >>> pig = optimal(game("pig", goal=12))
    >>> found = stretches(pig, "total", where="scores[0]=2 & scores[1]=4")
    >>> list(zip(found["from"].tolist(), found["to"].tolist(), found["move"], strict=True))
    [(0, 9, 'roll')]
    """
    kept = decided(table)
    if where is not None:
        kept &= matching(table.names, where)
    states = np.nonzero(kept)[0]
    value = table.names.column(along)[states]
    if by is None:
        by = [name for name in varying(table.names, states) if name != along]
    keys = [table.names.column(name)[states] for name in by]
    order = np.lexsort([value, *reversed(keys)])
    states, value, keys = states[order], value[order], [key[order] for key in keys]
    same = np.ones(max(len(states) - 1, 0), bool)
    for key in keys:
        same &= key[1:] == key[:-1]
    twice = np.nonzero(same & (value[1:] == value[:-1]))[0]
    if len(twice):
        pair = [table.names[int(states[i])] for i in (twice[0], twice[0] + 1)]
        raise OptionError(
            f"{pair[0]!r} and {pair[1]!r} are the same in {', '.join([*by, along])}: name more "
            f"numbers, or keep fewer states with where."
        )
    action = table.action[states]
    cut = np.nonzero(~(same & (action[1:] == action[:-1])))[0] + 1
    first = np.concatenate([[0], cut])[: len(states)]
    last = np.concatenate([cut, [len(states)]])[: len(first)] - 1
    rows: Columns = {name: key[first] for name, key in zip(by, keys, strict=True)}
    rows |= {"from": value[first], "to": value[last]}
    rows["move"] = move_names(table)[states[first]]
    return rows


def varying(names: Names, states: npt.NDArray[Any]) -> list[str]:
    """The numbers of the state that are not the same in all of some states."""
    columns = names.columns
    if not len(states):
        return []
    rows = names.rows[states]
    differ = (rows != rows[0]).any(axis=0)
    return [column for column, d in zip(columns, differ, strict=True) if d]
