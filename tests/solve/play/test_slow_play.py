"""Optimal play where it is hard: slow walks, long lines, ties and waiting everywhere.

The truth comes from closed forms, or from a chain solved by dense elimination here.
"""

from fractions import Fraction

import numpy as np
import pytest
from play_tables import Tables

from chance_tables import Impatient
from oddsmith import DRAW, best_response, explore, optimal
from oddsmith.policies.policy import Rule
from oddsmith.solve.play import optimal as solver
from oddsmith.solve.play.optimal import solve
from oddsmith.solve.play.problem import game_problem

INTERPRETED = {"engine": "interpreted"}


def walk(size, moves_at, *, lost=DRAW, won=0, **more):
    """A walk on 0 … size from the middle: moves_at(k) gives {name: {to: weight}}.

    Position k is state k - size // 2 (modulo size + 1), so that the start is state 0.
    """

    def number(k):
        return (k - size // 2) % (size + 1)

    moves = {
        number(k): {
            name: {number(t): w for t, w in row.items()} for name, row in moves_at(k).items()
        }
        for k in range(1, size)
    }
    tables = Tables(moves, {number(0): lost, number(size): won}, **more)
    tables.position = {number(k): k for k in range(size + 1)}
    return tables


def solved(tables):
    return solve(game_problem(explore(tables.game, **INTERPRETED)), progress=Impatient(2000))


def assert_worth(found, tables, truth, narrow=1e-8):
    """The bounds of the mover's worth contain truth(position) and are narrow."""
    model = found.problem.model
    for i in range(model.states):
        true = truth(tables.position[model.state(i).at])
        low = Fraction(float(found.x[i, 0])) - Fraction(float(found.lower[i, 0]))
        high = Fraction(float(found.x[i, 0])) + Fraction(float(found.upper[i, 0]))
        assert low <= true <= high
        assert high - low <= narrow


def picks(found, tables):
    """The move at each position."""
    model = found.problem.model
    return {
        tables.position[model.state(i).at]: model.origin.actions[model.action[found.picks[i]]].name
        for i in range(model.states)
        if model.choice[i + 1] > model.choice[i]
    }


# Gamblers: closed forms from Feller, vol. 1, XIV.2, and Dubins and Savage (1965) ----------------


@pytest.mark.parametrize("size", [200, 601, 2000])
def test_a_fair_game_is_fair_however_it_is_played(size):
    """Every choice ties in every state: k of n wins with k/n."""

    def bets(k):
        most = min(k, size - k)
        return {
            name: {k - bet: 1, k + bet: 1}
            for name, bet in zip("abc", {1, min(2, most), most}, strict=False)
        }

    tables = walk(size, bets)
    found = solved(tables)
    assert_worth(found, tables, lambda k: Fraction(k, size))
    choosing = [i for i in range(found.problem.states) if np.isfinite(found.margin[i])]
    assert not found.certain[choosing].any()
    assert np.abs(found.margin[choosing]).max() < 1e-10


def ruin(size, k, up, down):
    """The chance to come to `size` before 0 in single steps."""
    ratio = Fraction(down, up)
    return (1 - ratio**k) / (1 - ratio**size) if ratio != 1 else Fraction(k, size)


@pytest.mark.parametrize(("size", "up", "down"), [(300, 100, 99), (1000, 501, 500)])
def test_the_better_walk_is_taken(size, up, down):
    """One move is fair, one a little better, one does nothing: value iteration is far too slow."""

    def steps(k):
        return {"a": {k - 1: 1, k + 1: 1}, "b": {k - 1: down, k + 1: up}, "c": {k: 1}}

    tables = walk(size, steps)
    found = solved(tables)
    assert any("policy iteration by sparse LU" in line for line in found.how)
    assert_worth(found, tables, lambda k: ruin(size, k, up, down))
    assert set(picks(found, tables).values()) == {"b"}


def test_boldness_in_a_game_that_is_unfair():
    """Where every toss is against one, bold play is best; from the half, one toss decides."""
    size = 256

    def bets(k):
        bold = min(k, size - k)
        return {"a": {k - 1: 3, k + 1: 2}, "b": {k - bold: 3, k + bold: 2}}

    tables = walk(size, bets)
    found = solved(tables)

    def bold(k):
        if k in (0, size):
            return Fraction(int(k == size))
        won = Fraction(2, 5)
        return won * bold(2 * k) if 2 * k <= size else won + (1 - won) * bold(2 * k - size)

    assert_worth(found, tables, bold)
    best = optimal(tables.game, method="exact", **INTERPRETED)
    for i, (value,) in enumerate(best.exact):
        assert value == bold(tables.position[best.model.state(i).at])


@pytest.mark.parametrize("size", [40, 400])
def test_pausing_is_no_help(size):
    """Every position has a place to pause at: end components with exits of equal worth."""
    moves, ends = {}, {2 * size: DRAW, 2 * size + 1: 0}

    def number(k):
        return {0: 2 * size, size: 2 * size + 1}.get(k, (k - size // 2) % size)

    for k in range(1, size):
        moves[number(k)] = {
            "a": {number(k - 1): 1, number(k + 1): 1},
            "b": {number(k) + size: 1},  # pause
        }
        moves[number(k) + size] = {"a": {number(k): 1}, "b": {number(k) + size: 1}}
    tables = Tables(moves, ends)
    tables.position = {number(k) + more: k for k in range(1, size) for more in (0, size)}
    tables.position |= {2 * size: 0, 2 * size + 1: size}
    found = solved(tables)
    assert_worth(found, tables, lambda k: Fraction(k, size))


# One against one: the truth by dense elimination -----------------------------------------------


def tug(size, strength, passing):
    """Two pull a rope of `size`: in turn, each moves it one up or down, to his side more likely.

    Position k with player p to move is state 2 k + p less what makes the middle state 0.
    """
    middle = size // 2

    def number(k, player):
        return {0: 2 * size, size: 2 * size + 1}.get(k, 2 * ((k - middle) % size) + player)

    moves, owner = {}, {}
    for k in range(1, size):
        for player in range(2):
            up, down = (strength, 1) if player == 0 else (1, strength)
            s = number(k, player)
            owner[s] = player
            fair = {number(k - 1, 1 - player): 1, number(k + 1, 1 - player): 1}
            pull = {number(k - 1, 1 - player): down, number(k + 1, 1 - player): up}
            moves[s] = {"a": fair, "b": pull}
            if passing:
                moves[s]["c"] = {number(k, 1 - player): 1}
    return Tables(moves, {2 * size: 1, 2 * size + 1: 0}, owner, players=2), number


def chain(tables, name):
    """What every state is worth to player 1 if that move is always made, by dense elimination."""
    live = sorted(tables.moves)
    place = {s: i for i, s in enumerate(live)}
    matrix, right = np.eye(len(live)), np.zeros(len(live))
    for s in live:
        for t, p in tables.row(s, name).items():
            if t in place:
                matrix[place[s], place[t]] -= float(p)
            else:
                right[place[s]] += float(p) * float(tables.worth(t)[0])
    return dict(zip(live, np.linalg.solve(matrix, right), strict=True))


@pytest.mark.parametrize("passing", [False, True])
@pytest.mark.parametrize("size", [20, 300])
def test_both_pull(size, passing):
    """To pass would keep play for ever if both did; whoever can pull gains by it."""
    tables, _ = tug(size, 3, passing)
    found = solved(tables)
    model = found.problem.model
    worth = chain(tables, "b")
    assert found.upper.max() < 1e-8
    assert found.lower.max() < 1e-8
    for i in range(model.states):
        s = model.state(i).at
        if s in worth:
            mine = worth[s] if tables.owner[s] == 0 else 1 - worth[s]
            assert found.x[i, 0] == pytest.approx(mine, abs=1e-9)
    numbers = range(model.states)
    chosen = {int(model.action[found.picks[i]]) for i in numbers if found.picks[i] >= 0}
    assert chosen == {1}


def test_who_is_behind_waits_for_ever():
    """Who would lose a fair walk waits, and nobody can make him move: a draw."""
    size = 60
    moves, owner = {}, {}

    def number(k):
        return {0: size, size: size + 1}.get(k, (k - 20) % size)

    for k in range(1, size):
        # Whoever is behind decides: to play a fair step, or to stay.
        owner[number(k)] = 0 if k < size // 2 else 1
        moves[number(k)] = {"a": {number(k - 1): 1, number(k + 1): 1}, "b": {number(k): 1}}
    tables = Tables(moves, {size: 1, size + 1: 0}, owner, players=2)
    found = solved(tables)
    model = found.problem.model
    for i in range(model.states):
        if model.state(i).at < size:
            assert found.x[i, 0] == 0.5
            assert found.lower[i, 0] + found.upper[i, 0] < 1e-12
    best = optimal(tables.game, method="exact", **INTERPRETED)
    live = [i for i in range(len(best)) if best.model.choice[i + 1] > best.model.choice[i]]
    assert {value for i in live for value in best.exact[i]} == {Fraction(1, 2)}


def test_staying_together_for_ever_is_best():
    """A ring in which one player walks round for ever; every exit is worth less than a draw."""
    size = 30
    moves = {
        k: {"a": {(k + 1) % size: 1}, "b": {size: 2, size + 1: 3}, "c": {(k + 7) % size: 1, k: 2}}
        for k in range(size)
    }
    tables = Tables(moves, {size: 0, size + 1: 1}, dict.fromkeys(range(size), 0), players=2)
    found = solved(tables)
    best = optimal(tables.game, method="exact", **INTERPRETED)
    for i in range(best.model.states):
        if best.model.state(i).at < size:
            assert best.exact[i] == (Fraction(1, 2), Fraction(1, 2))
            assert abs(found.x[i, 0] - 0.5) <= found.lower[i, 0] + found.upper[i, 0] < 1e-12
            assert found.margin[i] <= 0.1 + 1e-12


def test_alone_staying_is_worth_nothing():
    """The same ring alone: whoever stays never wins, so the exits are taken at once."""
    size = 30
    moves = {
        k: {"a": {(k + 1) % size: 1}, "b": {size: 2, size + 1: 3 + k}, "c": {k: 1}}
        for k in range(size)
    }
    tables = Tables(moves, {size: 0, size + 1: DRAW})
    found = solved(tables)
    assert found.x[:, 0].min() == 0.0
    for i in range(found.problem.states):
        at = found.problem.model.state(i).at
        if at < size:  # walk round to the best exit, at 0
            low = Fraction(float(found.x[i, 0])) - Fraction(float(found.lower[i, 0]))
            high = Fraction(float(found.x[i, 0])) + Fraction(float(found.upper[i, 0]))
            assert low <= Fraction(2, 5) <= high
            assert high - low < 1e-12
    assert {value for (value,) in optimal(tables.game, method="exact", **INTERPRETED).exact} == {
        Fraction(0),
        Fraction(2, 5),
        Fraction(1),
    }


@pytest.mark.parametrize("players", [1, 2])
def test_only_endless_play(players):
    moves = {k: {"a": {(k + 1) % 5: 1}, "b": {k: 1, (k + 2) % 5: 1}} for k in range(5)}
    owner = {k: k % players for k in range(5)}
    tables = Tables(moves, {5: 0}, owner, players=players)
    found = solved(tables)
    assert (found.x == (0.0 if players == 1 else 0.5)).all()
    assert found.upper.max() < 1e-15
    assert found.lower.max() < 1e-15
    best = optimal(tables.game, method="exact", **INTERPRETED)
    assert set(best.exact) == {((Fraction(0),), (Fraction(1, 2),) * 2)[players - 1]}


# Long lines, wide states ------------------------------------------------------------------------


def test_a_long_line():
    """Twenty thousand steps, each with a choice: dynamic programming, no sweeps."""
    size = 20_000
    moves = {k: {"a": {k + 1: 1}, "b": {k + 1: 9, size + 1: 1}} for k in range(size)}
    tables = Tables(moves, {size: 0, size + 1: DRAW})
    found = solved(tables)
    assert sorted(found.x[:, 0]) == [0.0] + [1.0] * (size + 1)
    assert found.upper.max() < 1e-12
    assert set(found.pick) == {0}
    assert found.decisions == size
    assert found.certain.all()


def test_a_ladder_that_falls_back():
    """Thirty heads in a row, or a fair toss at once: the run comes to an end with certainty."""
    size = 30
    moves = {k: {"a": {k + 1: 1, 0: 1}, "b": {size: 1, size + 1: 1}} for k in range(size)}
    tables = Tables(moves, {size: 0, size + 1: DRAW})
    found = solved(tables)
    for i in range(found.problem.states):
        if found.problem.model.state(i).at <= size:
            assert found.x[i, 0] + found.upper[i, 0] >= 1.0 >= found.x[i, 0] - found.lower[i, 0]
    if np.isfinite(found.upper).all():
        assert found.lower.max() < 1e-4
    best = optimal(tables.game, method="exact", **INTERPRETED)
    assert best.exact[0] == (1,)


def test_ties_between_all_of_many_choices():
    """Three ways round a ring to the same exit, for two players in turn."""
    size = 12
    moves = {
        k: {
            "a": {(k + 1) % size: 1},
            "b": {(k + 2) % size: 1, (k + 1) % size: 2},
            "c": {(k + 5) % size: 1},
        }
        for k in range(1, size)
    }
    moves[0] = {"a": {size: 3, size + 1: 2}}
    tables = Tables(moves, {size: 0, size + 1: 1}, {k: k % 2 for k in range(size)}, players=2)
    value = Fraction(3, 5)
    best = optimal(tables.game, method="exact", **INTERPRETED)
    found = solved(tables)
    # Player 2 would rather draw, and can keep away from 0 only where player 1 lets him.
    for i in range(best.model.states):
        s = best.model.state(i).at
        worth = best.exact[i][tables.owner[s] if s < size else 0]
        if s == 0:
            assert worth == value
        if s < size:
            assert worth in (value, Fraction(1, 2))
            low = Fraction(float(found.x[i, 0])) - Fraction(float(found.lower[i, 0]))
            high = Fraction(float(found.x[i, 0])) + Fraction(float(found.upper[i, 0]))
            assert low <= best.exact[i][0] <= high
            assert high - low < 1e-12


def test_policy_iteration_is_not_needed_for_bounds(monkeypatch):
    """Where sparse LU would be too large, sweeps do what they can, and bounds still hold."""
    monkeypatch.setattr(solver.Work, "policy_iteration", lambda work, k: False)
    tables = walk(40, lambda k: {"a": {k - 1: 1, k + 1: 1}, "b": {k: 1}, "c": {k - 1: 2, k + 1: 1}})
    found = solved(tables)
    assert_worth(found, tables, lambda k: Fraction(k, 40))


def test_end_components_without_policy_iteration(monkeypatch):
    """A ring to walk round, as above, by sweeps alone."""
    monkeypatch.setattr(solver.Work, "policy_iteration", lambda work, k: False)
    moves = {k: {"a": {(k + 1) % 9: 1}, "b": {9: 2, 10: 3 + k, k: 7}} for k in range(9)}
    found = solved(Tables(moves, {9: 0, 10: DRAW}))
    for i in range(found.problem.states):
        if found.problem.model.state(i).at < 9:
            assert found.x[i, 0] == pytest.approx(0.4, abs=1e-9)
            assert found.lower[i, 0] + found.upper[i, 0] < 1e-9


def test_a_cycle_that_is_hardly_ever_left():
    """Round 2 and 5 for some 5·10^11 rounds; who decides then goes to 1, where he always wins.

    LU alone knows the chance to leave to five digits, and prefers to leave the best moves again.
    """
    moves = {
        0: {"a": {4: 1}},
        1: {"a": {0: 1, 2: 1}, "b": {6: 10**6, 5: 1}},
        2: {"a": {5: 10**12, 1: 2}},
        3: {"a": {3: 1}, "b": {2: 1000, 5: 1}},
        4: {"a": {3: 10**6, 2: 3}},
        5: {"a": {2: 1}, "b": {4: 7, 2: 1}},
    }
    owner = {0: 1, 1: 1, 2: 1, 3: 1, 4: 0, 5: 1}
    tables = Tables(moves, {6: 1}, owner, players=2)
    first = Rule(lambda game, state: "a", "a")
    for method in ("exact", "certified"):
        best = best_response(tables.game, first, 1, method=method, **INTERPRETED)
        start = best.model.start
        if method == "exact":
            assert best.exact[start] == (1,)
        else:
            low, high = best.solution.interval(start, 0)
            assert low <= 1 <= high
            assert high - low < 1e-9


def test_what_floats_do_not_see_is_settled_in_fractions():
    """One try in 10^16 wins: a try gains less than rounding, but who tries for ever surely wins."""
    moves = {
        0: {"a": {1: 1}, "c": {0: 1, 1: 10**4}},
        1: {"a": {0: 1}, "b": {2: 1, 0: 10**16}},
    }
    tables = Tables(moves, {2: 1}, {0: 0, 1: 1}, players=2)
    found = solved(tables)
    assert any("1 components in fractions" in line for line in found.how)
    for i in range(found.problem.states):
        won = int(tables.owner.get(found.problem.model.state(i).at, 0) == 1)
        low, high = found.interval(i, 0)
        assert low <= won <= high
        assert high - low < 1e-9
    exact = optimal(tables.game, method="exact", **INTERPRETED)
    assert exact.exact[exact.model.start] == (0, 1)
