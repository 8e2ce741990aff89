"""Optimal play of small random games against plain enumeration; see `play_tables.py`.

Everything the solver says is held against fractions: bounds, picks, margins, what is certain,
exact values, best responses, equilibria. Where it says nothing (no bounds, or an error) there must
be a reason: only a game of three or more, or for scores, may have no optimal play of fixed moves.
"""

import random
from fractions import Fraction
from unittest import mock

import numpy as np
import pytest
from hypothesis import HealthCheck, event, example, given, settings
from hypothesis import strategies as st
from play_tables import Round, Tables, larger, rounds, tabled

from oddsmith import DRAW, OddsmithError, best_response, explore, optimal
from oddsmith.policies.policy import Random, Rule
from oddsmith.solve.play import optimal as optimal_module
from oddsmith.solve.play.optimal import solve
from oddsmith.solve.play.problem import game_problem

INTERPRETED = {"engine": "interpreted"}
NARROW = 1e-9

briefly = settings(max_examples=70, suppress_health_check=[HealthCheck.too_slow])


def solved(tables, **settings):
    return solve(game_problem(explore(tables.game, **INTERPRETED)), **settings)


def interval(found, i, q):
    """The bounds of a worth as fractions, rounding-free."""
    x = Fraction(float(found.x[i, q]))
    return x - Fraction(float(found.lower[i, q])), x + Fraction(float(found.upper[i, q]))


def assert_bounds(found, truth, owner, narrow=NARROW):
    """The bounds contain truth[s][player] everywhere, and are narrow."""
    model = found.problem.model
    for i in range(model.states):
        s = model.state(i).at
        for q in range(found.problem.seats):
            low, high = interval(found, i, q)
            true = truth[s][(owner.get(s, 0) + q) % len(truth[s])]
            assert low <= true <= high, f"state {s}, seat {q}: {float(true)} not in {low}, {high}"
            assert high - low <= narrow, f"state {s}, seat {q}: {float(high - low)} wide"


def assert_says(error, *one_of):
    assert any(text in str(error) for text in one_of)


def picked(found):
    """The name of the move that the solution picks in each state."""
    model = found.problem.model
    live = [i for i in range(model.states) if model.choice[i + 1] > model.choice[i]]
    return {
        model.state(i).at: model.origin.actions[model.action[found.picks[i]]].name for i in live
    }


def worth_of_move(tables, s, name, truth):
    """What a move is worth to the mover if it is repeated while it does nothing."""
    row, mover = tables.row(s, name), tables.owner[s]
    leaving = 1 - row.get(s, 0)
    if leaving == 0:
        return tables.endless
    return sum(p * truth[t][mover] for t, p in row.items() if t != s) / leaving


def assert_decisions(tables, found, truth, blur=NARROW):
    """Picks are best, margins right, and what is certain is so."""
    model, picks = found.problem.model, picked(found)
    for i in range(model.states):
        s = model.state(i).at
        if s in tables.ends or len(tables.moves[s]) == 1:
            assert found.margin[i] == np.inf
            assert found.certain[i]
            continue
        worths = {name: worth_of_move(tables, s, name, truth) for name in tables.moves[s]}
        others = [worth for name, worth in worths.items() if name != picks[s]]
        true = worths[picks[s]] - max(others)
        assert abs(Fraction(float(found.margin[i])) - true) <= blur
        assert worths[picks[s]] >= max(worths.values()) - blur
        if found.certain[i]:
            assert true > 0
        elif blur == 0:
            assert true == 0  # the exact method can tell
        else:
            assert true <= blur


def under_picks(tables, found):
    """The values of a game under the picks of a solution."""
    picks = picked(found)
    return tables.values({s: picks.get(s, next(iter(named))) for s, named in tables.moves.items()})


# Alone, and one against one -------------------------------------------------------------------


def alone(tables):
    return {s: (worth,) for s, worth in tables.best().items()}


def against_one(tables):
    """What every state is worth to both; in passing, that max min is min max."""
    found = {}
    for s, (max_min, min_max) in tables.value().items():
        assert max_min == min_max
        found[s] = (max_min, 1 - max_min)
    return found


# The first solver's value iteration extrapolated beyond the truth, where an end component held it
# up: the bounds were 0 ± 1e-30 in the first game; in the second it never came to rest.
TOO_HIGH = Tables(
    {
        0: {"a": {3: 3}, "c": {5: 4}},
        1: {"b": {2: 5}},
        2: {"b": {0: 5, 4: 1}},
        3: {"b": {5: 2, 2: 3}, "c": {2: 1, 3: 1}},
        4: {"c": {3: 5}},
    },
    {5: 0},
)
RESTLESS = Tables(
    {
        0: {"a": {4: 1, 1: 5, 0: 2}, "b": {2: 1}, "c": {4: 3}},
        1: {"a": {0: 1, 4: 1}, "b": {0: 1}, "c": {3: 2}},
        2: {"a": {1: 4}},
        3: {"a": {0: 1, 2: 3}},
    },
    {4: 0},
)


@briefly
@given(tables=tabled(players=1) | tabled(players=1, scored=True))
@example(tables=TOO_HIGH)
@example(tables=RESTLESS)
def test_alone(tables):
    found, truth = solved(tables), alone(tables)
    assert_bounds(found, truth, tables.owner)
    assert_decisions(tables, found, truth)
    now = under_picks(tables, found)
    for s in tables.reached:
        assert truth[s][0] - now[s][0] <= NARROW


# A gamble whose win comes before its loss looks better in any number of moves than it is: sweeps
# that begin with a draw everywhere took it for 3/4, kept up by waiting to and fro (0 and 1).
GAMBLE = Tables(
    {0: {"a": {1: 1}, "b": {3: 1, 2: 1}}, 1: {"a": {0: 1}}, 2: {"a": {4: 999, 0: 1}}},
    {3: 0, 4: 1},
    {0: 0, 1: 0, 2: 0},
    players=2,
)
# Its bounds were 1/2 wide: the first player's wait loses nothing as long as the second waits too.
WIDE = Tables(
    {
        0: {"a": {1: 2, 0: 3}, "b": {1: 1, 2: 4}, "c": {0: 2, 3: 2}},
        1: {"a": {2: 4}, "b": {0: 3}, "c": {0: 3}},
    },
    {2: 0, 3: 0},
    {0: 0, 1: 1},
    players=2,
)


@briefly
@given(tables=tabled(players=2))
@example(tables=GAMBLE)
@example(tables=WIDE)
def test_one_against_one(tables):
    found, truth = solved(tables), against_one(tables)
    assert_bounds(found, truth, tables.owner)
    assert_decisions(tables, found, truth)
    # Each guarantees the value by the picks, whatever the other does.
    picks = picked(found)
    for player in range(2):
        fixed = {s: name for s, name in picks.items() if tables.owner[s] == player}
        rest = {s: next(iter(named)) for s, named in tables.moves.items()}
        answer = tables.best_response(1 - player, rest | fixed)
        for s in tables.reached:
            assert truth[s][player] - (1 - answer[s]) <= NARROW


@briefly
@given(
    tables=tabled(players=1) | tabled(players=2) | tabled(players=1, scored=True),
    tolerance=st.sampled_from([0.9, 0.1, 1e-2, 1e-4, 1e-8, 1e-15]),
)
def test_bounds_hold_at_every_tolerance(tables, tolerance):
    truth = alone(tables) if tables.players == 1 else against_one(tables)
    assert_bounds(solved(tables, tolerance=tolerance), truth, tables.owner, narrow=np.inf)


UNEVEN = st.sampled_from([1, 2, 10**3, 10**9, 2**40 + 1, 2**53 + 1])


# 2^53 + 2 less 2^53 + 1 is 1, but not in floats.
NEARLY_STAYS = Tables(
    {0: {"a": {1: 1, 2: 2}, "b": {2: 1}}, 1: {"a": {1: 2**53 + 1, 0: 1}}}, {2: DRAW}
)


@briefly
@given(tables=tabled(1, most=4, weights=UNEVEN) | tabled(2, most=4, weights=UNEVEN))
@example(tables=NEARLY_STAYS)
@example(
    tables=Tables(
        {0: {"a": {1: 1}}, 1: {"a": {2: 1, 0: 10**9}}, 2: {"a": {0: 1}, "c": {3: 1}}}, {3: 0}
    )
)
def test_bounds_hold_for_uneven_weights(tables):
    truth = alone(tables) if tables.players == 1 else against_one(tables)
    try:
        found = solved(tables)
    except OddsmithError as error:  # chances of 1e-9 in a cycle can be beyond floats
        event("refused")
        assert_says(error, "do not come to rest")
        return
    if np.isinf(found.upper).any():
        event("no bounds")
        assert any("no bounds" in line for line in found.how)
    else:
        assert_bounds(found, truth, tables.owner, narrow=np.inf)


@briefly
@given(tables=tabled(players=1) | tabled(players=2) | tabled(players=1, scored=True))
@example(tables=TOO_HIGH)
@example(tables=RESTLESS)
@example(tables=GAMBLE)
@example(tables=WIDE)
def test_bounds_hold_by_sweeps_alone(tables):
    """As in components that are too large for sparse LU."""
    truth = alone(tables) if tables.players == 1 else against_one(tables)
    with mock.patch.object(optimal_module.Work, "policy_iteration", return_value=False):
        try:
            found = solved(tables)
        except OddsmithError as error:
            assert tables.players == 2  # alone, plain sweeps come to rest
            assert_says(error, "do not come to rest")
            return
    if np.isinf(found.upper).any():
        event("no bounds")
        assert any("no bounds" in line for line in found.how)
    else:
        assert_bounds(found, truth, tables.owner, narrow=NARROW if tables.players == 1 else np.inf)


# Sweeps that evaluate picks only led to values that a player would rather wait than take.
RATHER_WAIT = Tables(
    {0: {"a": {3: 1}, "c": {1: 1}}, 1: {"a": {2: 1}, "b": {1: 1}}, 2: {"a": {0: 1}, "b": {1: 1}}},
    {3: 1},
    {0: 1, 1: 1, 2: 0},
    players=2,
)


@briefly
@given(tables=tabled(players=1) | tabled(players=2))
@example(tables=RATHER_WAIT)
def test_floats_are_near(tables):
    truth = alone(tables) if tables.players == 1 else against_one(tables)
    found = solved(tables, certify=False)
    assert np.isinf(found.upper).all()
    model = found.problem.model
    for i in range(model.states):
        s = model.state(i).at
        assert abs(found.x[i, 0] - truth[s][tables.owner.get(s, 0)]) < NARROW


# Fractions ------------------------------------------------------------------------------------


# Picks that stay for ever in a part of a component only: the rest may still leave it.
PARTLY_STUCK = Tables(
    {0: {"a": {1: 1, 3: 1}}, 1: {"a": {0: 1, 2: 1}}, 2: {"a": {2: 1}, "b": {0: 1}}},
    {3: 1},
    {0: 0, 1: 0, 2: 0},
    players=2,
)


@briefly
@given(tables=tabled(players=1) | tabled(players=2) | tabled(players=1, scored=True))
@example(tables=PARTLY_STUCK)
@example(tables=GAMBLE)
@example(tables=RESTLESS)
def test_exact(tables):
    truth = alone(tables) if tables.players == 1 else against_one(tables)
    best = optimal(tables.game, method="exact", **INTERPRETED)
    for i, values in enumerate(best.exact):
        s = best.model.state(i).at
        turned = [
            truth[s][(tables.owner.get(s, 0) + q) % tables.players] for q in range(len(values))
        ]
        assert list(values) == turned
    assert_decisions(tables, best.solution, truth, blur=Fraction(1, 10**14))
    assert_bounds(best.solution, truth, tables.owner)


@briefly
@given(tables=tabled(players=1) | tabled(players=2))
def test_exact_ties_are_ties(tables):
    truth = alone(tables) if tables.players == 1 else against_one(tables)
    found = optimal(tables.game, method="exact", **INTERPRETED).solution
    picks = picked(found)
    for i in range(found.problem.states):
        s = found.problem.model.state(i).at
        if s in tables.moves and len(tables.moves[s]) > 1:
            worths = {name: worth_of_move(tables, s, name, truth) for name in tables.moves[s]}
            assert worths[picks[s]] == max(worths.values())
            assert found.certain[i] == (list(worths.values()).count(worths[picks[s]]) == 1)
            if not found.certain[i]:
                assert found.margin[i] == 0


@pytest.mark.parametrize("players", [1, 2])
@pytest.mark.parametrize("seed", range(20))
def test_larger_games(seed, players):
    """Too many policies to try; but fractions are the truth where the tests above hold."""
    rng = random.Random(seed)
    tables = larger(rng, rng.choice([10, 20, 40, 80]), players)
    found = solved(tables)
    best = optimal(tables.game, method="exact", **INTERPRETED)
    for i, values in enumerate(best.exact):
        for q, value in enumerate(values):
            low, high = interval(found, i, q)
            assert low <= value <= high
            assert high - low < 1e-7
            assert sum(values) == 1 or players == 1
    if players == 2:  # what one can guarantee, the other cannot prevent
        for player in range(2):
            response = best_response(
                tables.game, best, player=player, method="exact", **INTERPRETED
            )
            assert response.exact[0][0] == best.exact[0][(player - tables.owner[0]) % 2]


# Against opponents with fixed moves -----------------------------------------------------------


@st.composite
def responses(draw, players, scored=False):
    """A game, who responds, the moves that the others make (None: any), and a method."""
    tables = draw(tabled(players=players, scored=scored))
    player = draw(st.integers(0, players - 1))
    at_random = draw(st.booleans())
    others = {
        s: None if at_random else draw(st.sampled_from(sorted(named)))
        for s, named in tables.moves.items()
        if tables.owner[s] != player
    }
    return tables, player, others, draw(st.sampled_from(["exact", "certified"]))


def assert_response(tables, player, others, method):
    against = Random() if None in others.values() else Rule(lambda game, s: others[s.at])
    found = best_response(tables.game, against, player=player, method=method, **INTERPRETED)
    truth = {s: (worth,) for s, worth in tables.best_response(player, others).items()}
    assert_bounds(found.solution, truth, {})
    if method == "exact":
        for i, (value,) in enumerate(found.exact):
            assert value == truth[found.model.state(i).at][0]
    # The response is one: played against the others, it gets what it says.
    mine = {s: found.game.actions[found.move(found.game, tables.state(s))].name
            for s in (found.model.state(i).at for i in range(found.model.states))
            if tables.owner.get(s) == player}  # fmt: skip
    rest = {s: next(iter(named)) for s, named in tables.moves.items()}
    now = tables.values(rest | others | mine)
    for i in range(found.model.states):
        s = found.model.state(i).at
        assert truth[s][0] - now[s][player] <= NARROW


# Exact responses took shares of a win for nothing.
SHARES = Tables(
    {0: {"a": {1: 1}, "b": {2: 1}}}, {1: DRAW, 2: 1}, {0: 0}, players=2
)  # fmt: skip


@briefly
@given(asked=responses(2) | responses(3) | responses(2, scored=True))
@example(asked=(SHARES, 0, {}, "exact"))
@example(asked=(GAMBLE, 0, {}, "certified"))
@example(asked=(GAMBLE, 0, {}, "exact"))
def test_best_response(asked):
    assert_response(*asked)


# More players, and scores that are not opposite -----------------------------------------------


def assert_equilibrium(tables, found):
    """The bounds contain what the picks are worth, and nobody gains more than the regret."""
    picks = picked(found)
    profile = {s: picks.get(s, next(iter(named))) for s, named in tables.moves.items()}
    assert_bounds(found, tables.values(profile), tables.owner)
    now = tables.values(profile)
    for player in range(tables.players):
        best = tables.best_response(player, profile)
        for s in tables.reached:
            assert best[s] - now[s][player] <= Fraction(found.regret)
    assert found.regret <= NARROW


def assert_equilibrium_if_any(tables):
    try:
        found = solved(tables)
    except OddsmithError as error:
        event("no equilibrium")
        assert_says(error, "was found", "round and round")
        assert all(tables.gain(profile) > 0 for profile in tables.profiles())
    else:
        assert_equilibrium(tables, found)


@briefly
@given(tables=tabled(players=3, most=5, profiles=64))
def test_three_players(tables):
    assert_equilibrium_if_any(tables)


@briefly
@given(tables=tabled(players=2, scored=True, profiles=64))
def test_two_players_for_scores(tables):
    assert_equilibrium_if_any(tables)


def test_a_game_without_equilibrium_is_refused():
    """Three players may quit in turn; each would rather the next one did.

    Compare Solan and Vieille, Deterministic multi-player Dynkin games, J. Math. Econ. 39 (2003).
    """
    moves = {i: {"a": {3 + i: 2, 3 + (i - 1) % 3: 3}, "b": {(i + 1) % 3: 1}} for i in range(3)}
    tables = Tables(moves, {3 + i: i for i in range(3)}, {i: i for i in range(3)}, players=3)
    assert all(tables.gain(profile) > 0 for profile in tables.profiles())
    with pytest.raises(OddsmithError, match=r"No optimal play of Tabled was found.*near State"):
        solved(tables)
    with pytest.raises(OddsmithError, match="round and round"):
        optimal(tables.game, method="exact", **INTERPRETED)


@briefly
@given(tables=tabled(players=3, most=4, profiles=48))
def test_three_players_exactly(tables):
    """A third is no float, but the exact method knows it."""
    try:
        best = optimal(tables.game, method="exact", **INTERPRETED)
    except OddsmithError as error:
        assert_says(error, "was found", "round and round")
        assert all(tables.gain(profile) > 0 for profile in tables.profiles())
        return
    now = under_picks(tables, best.solution)
    for i, values in enumerate(best.exact):
        s = best.model.state(i).at
        assert list(values) == [now[s][(tables.owner.get(s, 0) + q) % 3] for q in range(3)]
    for player in range(3):
        picks = picked(best.solution)
        profile = {s: picks.get(s, next(iter(named))) for s, named in tables.moves.items()}
        answer = tables.best_response(player, profile)
        assert all(answer[s] == now[s][player] for s in tables.reached)


# Players who differ by their seat only --------------------------------------------------------


@briefly
@given(table=rounds(2))
def test_seen_by_the_mover_or_plain_it_is_the_same(table):
    plain, number = table.plain()
    truth = against_one(plain)
    for symmetry in (True, False):
        model = explore(table.game, symmetry=symmetry, **INTERPRETED)
        assert (model.shift is not None) == symmetry
        found = solve(game_problem(model))
        best = optimal(table.game, symmetry=symmetry, method="exact", **INTERPRETED)
        for i in range(model.states):
            state = model.state(i)
            s = number.get(tuple(state))
            if s is None:  # a view that only occurs from another seat
                assert symmetry
                continue
            seat = state.turn if symmetry or s in plain.moves else 0
            for q in range(2):
                low, high = interval(found, i, q)
                assert low <= truth[s][(seat + q) % 2] <= high
                assert high - low <= NARROW
                assert best.exact[i][q] == truth[s][(seat + q) % 2]


@settings(briefly, max_examples=40)
@given(table=rounds(3, most=2))
def test_three_seen_by_the_mover(table):
    plain, number = table.plain()
    model = explore(table.game, **INTERPRETED)
    views = {
        s: model.find(table.game.State(at[turn:] + at[:turn], 0))
        for (at, turn), s in number.items()
    }
    try:
        found = solve(game_problem(model))
    except OddsmithError as error:
        event("no equilibrium")
        assert_says(error, "was found", "round and round")
        alike = [
            profile
            for profile in plain.profiles()
            if len({(views[s], name) for s, name in profile.items()})
            == len({views[s] for s in profile})
        ]
        assert all(plain.gain(profile) > 0 for profile in alike)
        return
    actions = table.game.actions
    profile = {s: actions[model.action[found.picks[views[s]]]].name for s in plain.moves}
    now = plain.values(profile)
    for (_, turn), s in number.items():
        for q in range(3):
            low, high = interval(found, views[s], q)
            assert low <= now[s][(turn + q) % 3] <= high
            assert high - low <= NARROW
    assert plain.gain(profile) <= Fraction(found.regret) <= NARROW


def test_the_reference_agrees_with_itself():
    """Piglet to 2 by enumeration: the first player wins with 4/7 (Neller and Presser 2004)."""
    views = [(mine, theirs) for mine in range(2) for theirs in range(2)]
    moves = {}
    for mine, theirs in views:
        # Places stand for points and for what is at risk: 0 and 1 point, 2: one at risk with none.
        won, risk = ((9, theirs), 0), ((2, theirs), 0)
        heads = risk if mine == 0 else won
        moves[mine, theirs] = {"a": {heads: 1, ((mine, theirs), 1): 1}}
    for theirs in range(2):
        moves[2, theirs] = {
            "a": {((9, theirs), 0): 1, ((0, theirs), 1): 1},
            "b": {((1, theirs), 1): 1},
        }
    ends = {(9, theirs): 0 for theirs in range(2)}
    plain, _ = Round(moves, ends, 2).plain()
    assert plain.value()[0] == (Fraction(4, 7), Fraction(4, 7))
