"""A model of a program or a file as a question about play sees it: where play is over, nothing is.

Languages know no end. Play of their models is over

- where the label `over` says so, if there is one, else where nothing happens any more: every
  choice leads back to the state;
- where somebody has won. Player i wins in the states of the i-th condition that is given: a label,
  or comparisons such as `x=3 & y>1`; without any, of the labels `win1`, `win2`, … (so what we have
  written ourselves is read back as it was).

An end that nobody has won is a draw. States that play never comes to, for it is over before, are
left out. Every choice is a move, and counts, unless a reward structure `length` says with zeros and
ones, of choices or of states, what counts. In a game a player decides in his own states. In a
decision process player 1 does in all, unless every state has one of the labels `player1`,
`player2`, …: so formats without players keep games. Choices of one state get
different names: where several have the same action, they are numbered.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import count, takewhile

import numpy as np
import numpy.typing as npt

from oddsmith.errors import LimitError, OptionError
from oddsmith.model import graph
from oddsmith.model.amounts import Amounts, Bools, Ints, Rewards
from oddsmith.model.condition import matching
from oddsmith.model.model import Model
from oddsmith.model.variables import Valuations
from oddsmith.rules.origin import Act, Origin

MOST_ACTIONS = 255
"""Policies number actions in a byte."""


def opened(model: Model, wins: Sequence[str] = ()) -> Model:
    """The model as play: without choices where play is over; see the module's docstring."""
    if len(model.initial) != 1:
        raise OptionError(
            f"{model.name} has {len(model.initial):,} initial states: who wins and how long it "
            f"takes is asked from one."
        )
    if not wins and "score1" in model.rewards and not model.is_chain:
        raise OptionError(
            f'{model.name} has scores (the rewards "score1"), and a model says only what they are '
            f'on the mean of a move: ask for the highest mean, R{{"score1"}}max=? [ F "over" ] '
            f"(check), or say what winning is (--win)."
        )
    wins = tuple(wins) or _numbered_wins(model)
    won = [_winning(model, text) for text in wins]
    players, owner = _players(model, len(won))
    still = _still(model)
    over = model.labels["over"].copy() if "over" in model.labels else still.copy()
    for states in won:
        over |= states
    reached = _reached(model, over)
    left_out = (reached & over & ~still).any()
    stays = (reached & ~over)[model.chooser]
    counts = np.where(over, 0, np.diff(model.choice))[reached]
    lengths = np.diff(model.row)[stays]
    edges = np.repeat(stays, np.diff(model.row))
    choice, row = _begins(counts), _begins(lengths)
    action, actions = _distinct_actions(model, stays, choice)
    try:
        weights = model.chance.at(edges).weights(row)
    except LimitError as reason:
        raise LimitError(
            f"{model.name} cannot be played forward, for {reason}: ask its properties (check)."
        ) from None
    number = np.cumsum(reached, dtype=np.int32) - np.int32(1)
    over, won = over[reached], [states[reached] for states in won]
    draw = over.copy()
    for states in won:
        draw &= ~states
    labels = {name: inside[reached] for name, inside in model.labels.items() if name != "init"}
    labels |= {f"win{p + 1}": np.zeros(len(over), bool) for p in range(len(players))}
    labels |= {f"win{p + 1}": states for p, states in enumerate(won)}
    labels = {"draw": draw} | labels | {"over": over}
    counting, notes = _counting(model)
    if left_out:
        notes += ("Play is over in states that the model goes on from: that is left out.",)
    length = Amounts.of_table(counting[stays], [Fraction(0), Fraction(1)])
    turns = Amounts.of_table(np.zeros(len(length), np.uint8), [Fraction(1)])
    mover = owner[reached]
    made = replace(
        model,
        choice=choice,
        row=row,
        col=number[model.col[edges]],
        chances=weights,
        initial=number[model.initial].astype(np.int64),
        names=model.names if reached.all() else model.names.subset(np.flatnonzero(reached)),
        labels=labels,
        rewards={"length": Rewards(choice=length), "turns": Rewards(choice=turns)},
        actions=actions,
        action=action,
        players=players,
        owner=np.where(over, 0, mover).astype(np.int8),
        notes=(*model.notes, *notes),
        how=model.how or "read from its file",
        source=model,
    )
    origin = Origin(model.name, len(players), tuple(map(Act, actions)), _digest(made), wins)
    return replace(made, origin=origin)


def refuse_without_wins(model: Model) -> None:
    """Refuse to say who wins where nobody has said what that is."""
    if isinstance(model.origin, Origin) and not model.origin.wins:
        raise OptionError(
            f"Nobody wins in {model.name}: say what winning is, --win LABEL or --win 'x=3 & y>1', "
            f"once for each player (win=[…] in Python)."
        )


def _winning(model: Model, text: str) -> Bools:
    """The states of a label, or of a condition."""
    name = text.strip().strip('"')
    if name in model.labels:
        return model.labels[name]
    if name.isidentifier() or text.strip().startswith('"'):
        known = ", ".join(model.labels)
        raise OptionError(f"{model.name} has no label {name!r}; it has {known}.")
    return matching(model.names, text)


def _numbered_wins(model: Model) -> tuple[str, ...]:
    """The labels win1, win2, … as far as there are such."""
    numbers = takewhile(lambda i: f"win{i}" in model.labels, count(1))
    return tuple(f"win{i}" for i in numbers)


def _players(model: Model, wins: int) -> tuple[tuple[str, ...], Ints]:
    """Who plays, and who decides in each state.

    That is as the model or its labels say; else there is one player for each win, and the first
    decides.
    """
    players, owner = model.players, model.owner
    if owner is None:
        players, owner = _labelled(model)
        if model.is_chain:  # nobody decides, so the labels need not be about players
            players, owner = (), np.zeros_like(owner)
    if not players:
        players = tuple(f"player{p + 1}" for p in range(max(wins, 1)))
    elif wins and wins != len(players):
        raise OptionError(
            f"{model.name} has {len(players)} players, but {wins} wins: each has one."
        )
    return players, owner


def _labelled(model: Model) -> tuple[tuple[str, ...], Ints]:
    """The players of the labels `player1`, `player2`, …, if every state has one of them."""
    numbers = takewhile(lambda i: f"player{i}" in model.labels, count(1))
    names = tuple(f"player{i}" for i in numbers)
    if names:
        by_player = np.column_stack([model.labels[name] for name in names])
        if (by_player.sum(axis=1) == 1).all():
            return names, by_player.argmax(axis=1).astype(np.int8)
    return (), np.zeros(model.states, np.int8)


def _still(model: Model) -> Bools:
    """The states in which nothing happens any more."""
    same = model.col == np.repeat(model.chooser, np.diff(model.row))
    still = np.ones(model.states, bool)
    still[np.repeat(model.chooser, np.diff(model.row))[~same]] = False
    return still


def _reached(model: Model, over: Bools) -> Bools:
    """The states that play comes to, if it stops where it is over."""
    row = np.asarray(model.state_row, np.int64)
    width = np.where(over, 0, np.diff(row))
    goes_on = np.repeat(~over, np.diff(row))
    return graph.reachable(_begins(width), model.col[goes_on], model.initial)


def _begins(counts: Ints) -> npt.NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def _counting(model: Model) -> tuple[Ints, tuple[str, ...]]:
    """What every choice adds to the length: 1, or what a reward structure of that name says.

    Where that says something else than zeros and ones, a note says that it is not followed.
    """
    every = np.ones(model.choices, np.uint8)
    reward = model.rewards.get("length")
    if reward is None:
        return every, ()
    earned = np.zeros(model.choices)
    if reward.choice is not None:
        earned += reward.choice.floats
    if reward.state is not None:
        earned += reward.state.floats[model.chooser]
    if np.isin(earned, (0.0, 1.0)).all():
        return earned.astype(np.uint8), ()
    return every, ('Every choice counts as a move: the rewards "length" are not zeros and ones.',)


def _distinct_actions(model: Model, stays: Bools, choice: Ints) -> tuple[Ints, tuple[str, ...]]:
    """Actions such that no two choices of a state have the same, and their names."""
    if model.is_chain:
        return np.zeros(int(choice[-1]), np.uint8), ("move",)
    move = np.asarray(model.move, np.int64)[stays]
    owner = np.repeat(np.arange(len(choice) - 1), np.diff(choice))
    order = np.lexsort((np.arange(len(move)), move, owner))
    same = np.zeros(len(move), bool)
    same[1:] = (np.diff(owner[order]) == 0) & (np.diff(move[order]) == 0)
    place = np.arange(len(move))
    first = np.maximum.accumulate(np.where(same, 0, place))
    rank = np.empty(len(move), np.int64)
    rank[order] = place - first
    several = int(rank.max(initial=0)) + 1
    used, index = np.unique(move * several + rank, return_inverse=True)
    if len(used) > MOST_ACTIONS:
        raise LimitError(
            f"{model.name} has {len(used)} different actions, those of one name in one state "
            f"numbered; {MOST_ACTIONS} is the most that play is asked of: ask its properties "
            f"(check)."
        )
    crowded = set(move[rank > 0].tolist())
    unnamed = "choice" if "choice" not in model.actions else "unnamed choice"
    names: dict[str, None] = {}
    for pair in used.tolist():
        action, nth = divmod(pair, several)
        name = model.actions[action] or unnamed
        name = f"{name} {nth + 1}" if action in crowded else name
        while name in names:  # files have actions of any name, such as "a 2"
            name += "'"
        names[name] = None
    return index.astype(np.uint8), tuple(names) or ("choice",)


def _digest(model: Model) -> str:
    """Sixteen hexadecimal digits that stand for the model as play: all that a policy can mean."""
    winners, owner = model.winners, np.asarray(model.owner)
    names = model.names
    text: list[object] = [model.players, model.actions, names.columns]
    states: Ints = np.empty(0, np.int64)
    if isinstance(names, Valuations):
        text.append([(v.low, v.high) for v in names.variables])
        states = names.packed
    elif names.why_no_rows:
        text.append([repr(names[i]) for i in range(len(names))])
    else:
        states = names.rows
    parts = hashlib.sha256(repr(text).encode("utf-8", "surrogatepass"))
    graph_of = (model.choice, model.row, model.col, model.weight, model.total, model.initial)
    for array in (*graph_of, model.move, model.counts, winners, owner, states):
        parts.update(f"{array.dtype.str} {array.shape}".encode())
        parts.update(np.ascontiguousarray(array).tobytes())
    return parts.hexdigest()[:16]
