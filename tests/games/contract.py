"""One contract for every game of the catalogue, whatever its rules.

Each module test_catalogue_*.py gives the cases: a fixture `case` with a game's name and options.
"""

from fractions import Fraction

import numpy as np
import pytest

from oddsmith import explore, game, odds, simulate, values
from oddsmith.games import game_class
from oddsmith.rules.layout import Layout

SOLVERS = ("gauss-seidel", "lu", "idr", "bicgstab", "gmres")
ARRAYS = ("choice", "row", "col", "weight", "total", "action", "owner", "winners", "shift")


def name_of(case):
    name, options = case
    return "-".join([name, *(f"{k}={v}" for k, v in options.items())])


both_symmetries = pytest.mark.parametrize("symmetry", [True, False], ids=["folded", "full"])


def cases(every, slow):
    """The cases as parameters of a fixture; some are slow: another one's rules, varied."""
    marks = pytest.mark.slow
    return [pytest.param(c, marks=marks) if c[0] in slow or c in slow else c for c in every]


def made(case):
    name, options = case
    return game(name, **options)


_made = {}


def once(key, make):
    """What `make` gives, made once."""
    if key not in _made:
        _made[key] = make()
    return _made[key]


def model_of(case, engine="compiled", symmetry=True):
    key = (name_of(case), engine, symmetry)
    return once(key, lambda: explore(made(case), engine=engine, symmetry=symmetry))


def odds_of(case):
    return once(name_of(case), lambda: odds(model_of(case), method="certified"))


# What a person reads -------------------------------------------------------------------------


def test_a_game_shows_how_to_make_it(case):
    """`repr` is the call that makes the game again."""
    cls = game_class(case[0])
    assert eval(repr(made(case)), {cls.__name__: cls}) == made(case)


# The model -----------------------------------------------------------------------------------


@both_symmetries
def test_chances_are_positive_and_add_up(case, symmetry):
    model = model_of(case, symmetry=symmetry)
    weight = model.weight.astype(np.int64)
    assert (weight > 0).all()
    np.testing.assert_array_equal(np.add.reduceat(weight, model.row[:-1]), model.total)
    assert (np.diff(model.row) > 0).all()
    assert ((model.col >= 0) & (model.col < model.states)).all()


def test_a_state_is_over_or_has_a_move(case):
    model = model_of(case)
    np.testing.assert_array_equal(np.diff(model.choice) > 0, model.winners < 0)


@both_symmetries
@pytest.mark.parametrize("engine", ["compiled", "interpreted"])
def test_names_lead_back_to_states(case, symmetry, engine):
    model = model_of(case, engine, symmetry)
    assert all(model.find(model.state(i)) == i for i in range(model.states))
    assert type(model.state(0)) is model.origin.State
    layout = model.names.layout
    assert isinstance(layout, Layout)
    rows = model.names.rows
    np.testing.assert_array_equal(layout.unpack(layout.pack(rows)), rows)
    assert layout.row(model.state(model.states - 1)) == rows[-1].tolist()


@both_symmetries
def test_compiled_and_interpreted_rules_give_the_same_model(case, symmetry):
    compiled = model_of(case, "compiled", symmetry)
    plain = model_of(case, "interpreted", symmetry)
    assert compiled.how.startswith("compiled")
    assert plain.how.startswith("interpreted")
    for name in ARRAYS:
        mine, theirs = getattr(compiled, name), getattr(plain, name)
        assert (mine is None) == (theirs is None), name
        if mine is not None:
            np.testing.assert_array_equal(mine, theirs, err_msg=name)
    np.testing.assert_array_equal(compiled.names.rows, plain.names.rows)
    assert (compiled.start, compiled.start_lane) == (plain.start, plain.start_lane)


def named(model):
    """The model by names: what each state leads to, who moves in it, who has won in it."""
    found = {}
    for i in range(model.states):
        leads = [
            (
                int(model.action[c]),
                frozenset(
                    (model.state(model.col[e]), int(model.weight[e]))
                    for e in range(model.row[c], model.row[c + 1])
                ),
            )
            for c in range(model.choice[i], model.choice[i + 1])
        ]
        mover = int(model.owner[i]) if leads else None
        found[model.state(i)] = (leads, mover, int(model.winners[i]))
    return found


def test_the_mover_relative_model_unfolds_to_the_full_one(case):
    folded, full = model_of(case), model_of(case, symmetry=False)
    unfolded = folded.unfolded()
    assert named(unfolded) == named(full)
    assert unfolded.state(unfolded.start) == full.state(full.start)
    assert (folded.full_states, folded.full_transitions) == (full.states, full.transitions)


# The answers ---------------------------------------------------------------------------------


def answers_of(result):
    return [*result.win, result.draw, result.duration, *result.score]


def agree(one, other):
    """Two intervals that contain the same truth meet."""
    return one.lower <= other.upper and other.lower <= one.upper


def check_estimates(played, other):
    """Intervals of a simulation meet those of the same truth.

    All chances have one; a mean of numbers that are all equal has none, and claims nothing.
    """
    chances = len(played.win) + 1
    for n, pair in enumerate(zip(answers_of(played), answers_of(other), strict=True)):
        if n < chances or all(answer.lower is not None for answer in pair):
            assert agree(*pair)


def test_all_solvers_agree(case):
    """Forward and backward, every solver, folded and full: all contain the same truth."""
    found = [odds(model_of(case), method="certified", solver=solver) for solver in SOLVERS]
    found.append(odds(model_of(case, symmetry=False), method="certified"))
    for result in found:
        assert result.method == "certified"
        for mine, theirs in zip(answers_of(result), answers_of(odds_of(case)), strict=True):
            assert agree(mine, theirs), result
            assert mine.upper - mine.lower < 1e-7


@pytest.mark.parametrize("solver", ["auto", "lu"])
def test_backward_values_agree_with_forward_odds(case, solver):
    every = values(model_of(case), solver=solver).values
    start = made(case).start()
    forward = answers_of(odds_of(case))
    for mine, theirs in zip(every[start].values(), forward, strict=False):
        assert agree(mine, theirs)
        assert mine.upper - mine.lower < 1e-7


def test_the_exact_answer_is_in_the_bounds(case):
    if case[0] == "goose":
        pytest.skip("fractions of thousands of digits take too long for a test")
    exact = odds(model_of(case), method="exact")
    for answer, bounds in zip(answers_of(exact), answers_of(odds_of(case)), strict=True):
        assert isinstance(answer.exact, Fraction)
        assert Fraction(bounds.lower) <= answer.exact <= Fraction(bounds.upper)
    if not (exact.score or made(case).options.get("ties") == "shared"):
        assert sum(answer.exact for answer in (*exact.win, exact.draw)) == 1


def test_a_plain_float_is_called_one(case):
    found = odds(model_of(case), method="float")
    assert found.method == "float"
    for answer, bounds in zip(answers_of(found), answers_of(odds_of(case)), strict=True):
        assert (answer.lower, answer.upper, answer.exact) == (None, None, None)
        assert answer.value == pytest.approx(bounds.value, rel=1e-9, abs=1e-9)


# Playing -------------------------------------------------------------------------------------


def test_simulation_contains_the_solution(case):
    """At 99.99 % confidence, with a seed that was not chosen for its result."""
    played = simulate(made(case), games=4000, seed=20_260, confidence=0.9999, engine="compiled")
    check_estimates(played, odds_of(case))
