"""What the tests of exchange share: processes at random, games, equality, and Storm as a reader."""

import itertools
from fractions import Fraction
from functools import cache

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from oddsmith.games import game
from oddsmith.model.amounts import Amounts, Rewards
from oddsmith.model.closed import closed
from oddsmith.model.explore import explore
from oddsmith.model.formats.ordered import in_order
from oddsmith.model.model import Model
from oddsmith.model.variables import Layout, Valuations, Variable

GAMES = (
    ("goose", {"players": 2}),
    ("pig", {"goal": 8}),
    ("left-center-right", {}),
    ("chutes-and-ladders", {"players": 1}),
)
GOOSE_PLAYER_1 = 0.39362513739375739
"""Groote, Wiedijk, Zantema: the chance of player 1 of 2; see tests/oracle."""

quickly = settings(deadline=None, max_examples=60)


@cache
def process_of_game(name, **options):
    return closed(explore(game(name, **options)))


# Processes at random ------------------------------------------------------------------------

amounts = st.fractions(0, 20, max_denominator=30)


@st.composite
def processes(draw, kinds=("dtmc", "mdp", "smg"), distinct=False, stuck=False):
    """A small process with everything that one can have; `stuck`: deadlocks among its states."""
    kind = draw(st.sampled_from(kinds))
    states = draw(st.integers(1, 6))
    choice, row, col, chance = [0], [0], [], []
    dead = draw(st.lists(st.booleans(), min_size=states, max_size=states)) if stuck else []
    dead = np.array(dead or [False] * states)
    for s in range(states):
        if dead[s]:
            col.append(s)
            chance.append(Fraction(1))
            row.append(len(col))
            choice.append(choice[-1] + 1)
            continue
        count = 1 if kind == "dtmc" else draw(st.integers(1, 3))
        choice.append(choice[-1] + count)
        for _ in range(count):
            targets = draw(
                st.lists(st.integers(0, states - 1), min_size=1, max_size=4, unique=True)
            )
            weights = draw(
                st.lists(st.integers(1, 9), min_size=len(targets), max_size=len(targets))
            )
            col += targets
            chance += [Fraction(w, sum(weights)) for w in weights]
            row.append(len(col))
    choices = choice[-1]
    initial = sorted(draw(st.sets(st.integers(0, states - 1), min_size=1, max_size=2)))
    is_set = st.lists(st.booleans(), min_size=states, max_size=states)
    labels = {"init": np.isin(np.arange(states), initial), "deadlock": dead}
    for name in draw(st.sets(st.sampled_from(["goal", "bad", "win1"]))):
        labels[name] = np.array(draw(is_set))
    names = ("", "roll", "hold", "pick_red")
    action = draw(st.lists(st.integers(0, 3), min_size=choices, max_size=choices))
    game_ = kind == "smg"
    owner = draw(st.lists(st.integers(0, 1), min_size=states, max_size=states))
    return Model(
        kind=kind,
        choice=np.array(choice, np.int64),
        row=np.array(row, np.int64),
        col=np.array(col, np.int32),
        chances=Amounts.of(chance),
        initial=np.array(initial, np.int64),
        names=draw(valuations(states, distinct)),
        labels=labels,
        rewards=draw(rewards(states, choices)),
        actions=names,
        action=np.array(action, np.int32),
        players=("player1", "player2") if game_ else (),
        owner=np.array(owner, np.int8) if game_ else None,
        name="a process at random",
    )


@st.composite
def valuations(draw, states, distinct):
    columns = [draw(st.lists(st.integers(-3, 5), min_size=states, max_size=states))]
    columns.append(draw(st.lists(st.integers(0, 1), min_size=states, max_size=states)))
    if distinct:
        columns.append(draw(st.permutations(range(10, 10 + states))))
    variables = [
        Variable(name, 0, 1, True) if name == "b" else Variable(name, min(c), max(c))
        for name, c in zip(("x", "b", "z"), columns, strict=False)
    ]
    layout = Layout(variables)
    return Valuations(layout, layout.pack([np.array(c, np.int64) for c in columns]))


@st.composite
def rewards(draw, states, choices):
    found = {}
    for name in draw(st.sets(st.sampled_from(["steps", "cost"]))):
        state, of_choice = None, None
        if draw(st.booleans()):
            state = Amounts.of(draw(st.lists(amounts, min_size=states, max_size=states)))
        if draw(st.booleans()):
            of_choice = Amounts.of(draw(st.lists(amounts, min_size=choices, max_size=choices)))
        found[name] = Rewards(state, of_choice)
    return found


# Equality -----------------------------------------------------------------------------------


def fractions_of(earned, count):
    return [Fraction(0)] * count if earned is None else [earned.exact[i] for i in earned.index]


def assert_same(written, found, players=True):
    """The process that was written is the one that was read, exactly."""
    written = in_order(written)
    for part in ("choice", "row", "col", "initial"):
        assert np.array_equal(getattr(written, part), getattr(found, part)), part
    count = written.transitions
    assert fractions_of(written.chance, count) == fractions_of(found.chance, count)
    for name, there in written.labels.items():
        assert np.array_equal(there, found.labels[name]), name
    assert written.valuations.variables == found.valuations.variables
    assert np.array_equal(written.valuations.packed, found.valuations.packed)
    assert list(written.rewards) == list(found.rewards)
    for name, earned in written.rewards.items():
        for part, count in (("state", written.states), ("choice", written.choices)):
            ours, theirs = getattr(earned, part), getattr(found.rewards[name], part)
            assert fractions_of(ours, count) == fractions_of(theirs, count), (name, part)
    assert [written.actions[i] for i in written.action] == [found.actions[i] for i in found.action]
    if players:
        assert (written.kind, written.players) == (found.kind, found.players)
        assert (written.owner is None) == (found.owner is None)
        assert written.owner is None or np.array_equal(written.owner, found.owner)


# Storm --------------------------------------------------------------------------------------


def storm_rows(model):
    """For each choice of Storm's model, its targets and exact chances."""
    matrix = model.transition_matrix
    return [
        [(e.column, Fraction(str(e.value))) for e in matrix.get_row(r)]
        for r in range(matrix.nr_rows)
    ]


def our_rows(process):
    process = in_order(process)
    exact = fractions_of(process.chance, process.transitions)
    row, col = process.row.tolist(), process.col.tolist()
    return [list(zip(col[a:b], exact[a:b], strict=True)) for a, b in itertools.pairwise(row)]


def storm_value(model, text, sound=True):
    """A property in the initial state, by Storm's sound methods."""
    import stormpy
    from benchmarks.peers.storm import environment

    asked = stormpy.parse_property(text)
    (start,) = model.initial_states
    if model.is_exact:
        return float(Fraction(str(stormpy.model_checking(model, asked)[start].value)))
    result = stormpy.model_checking(model, asked, environment=environment(1e-12, sound))
    return float(result[start].value)


def storm_states(model, process, states):
    """The number in Storm's model of each of some states, by their variables.

    Storm leaves out variables with one value.
    """
    found = model.state_valuations
    shown = list(found.get_all_variables())
    number = {tuple(int(found.get_value(s, v)) for v in shown): s for s in range(model.nr_states)}
    columns = {v.name: i for i, v in enumerate(process.valuations.variables)}
    places = [columns[v.name] for v in shown]
    ours = {}
    for state in states:
        values = process.valuations.values(state)
        ours[state] = number[tuple(values[i] for i in places)]
    return ours
