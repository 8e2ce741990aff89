"""Games of limited turns, approach games, First Orchard and Risk: rules and published figures.

The references here know nothing of the solver: they are recursions written from the rules as
people tell them, or backward induction over an explored model.
"""

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest

from oddsmith import DRAW, OptionError, explore, game
from oddsmith.games import game_class
from oddsmith.games.risk import LOSSES, losses
from oddsmith.games.shi import ROLL as PRODUCTS
from oddsmith.games.skunk import ROLL, TWO_ONES
from oddsmith.rules import interpret

SMALL = [
    ("first-orchard", {"fruit": 2, "steps": 3}),
    ("macao", {}),
    ("macao", {"ties": "draw", "exact_wins": True}),
    ("macao", {"players": 3, "target": 7}),
    ("risk", {"attackers": 5, "defenders": 4}),
    ("shi", {"turns": 2, "cap": 20, "lead": 10}),
    ("shi", {"turns": 1, "cap": 5, "lead": 40}),
    ("sixteen", {}),
    ("sixteen", {"target": 15, "stop_at": 9, "roll_at": 10}),
    ("skunk", {"turns": 2, "cap": 6, "lead": 3}),
    ("skunk", {"turns": 1, "cap": 5, "lead": 30}),
    ("think", {"turns": 3, "cap": 20}),
    ("twenty-one", {}),
    ("twenty-one", {"dice": 2, "ties": "draw"}),
]
COMPILED = [SMALL[number] for number in (0, 2, 3, 4, 5, 8, 9, 11, 13)]
"""Each game once or twice: compiling takes seconds."""

NAMES = sorted({name for name, _ in SMALL})
ARRAYS = (
    "choice", "row", "col", "weight", "total", "action", "owner", "winners", "shift", "scores",
)  # fmt: skip


def name_of(case):
    name, options = case
    return "-".join([name, *(f"{k}={v}" for k, v in options.items())])


small_games = pytest.mark.parametrize("case", SMALL, ids=name_of)


def made(case):
    return game(case[0], **case[1])


@cache
def small_model(number, engine, symmetry):
    return explore(made(SMALL[number]), engine=engine, symmetry=symmetry)


# What holds for all of them ------------------------------------------------------------------


@pytest.mark.slow  # the catalogue's contract asks it of every game once
@pytest.mark.parametrize("case", COMPILED, ids=name_of)
@pytest.mark.parametrize("symmetry", [True, False], ids=["folded", "full"])
def test_compiled_and_interpreted_rules_give_the_same_model(case, symmetry):
    number = SMALL.index(case)
    compiled = small_model(number, "compiled", symmetry)
    plain = small_model(number, "interpreted", symmetry)
    for name in ARRAYS:
        mine, theirs = getattr(compiled, name), getattr(plain, name)
        assert (mine is None) == (theirs is None), name
        if mine is not None:
            np.testing.assert_array_equal(mine, theirs, err_msg=name)
    np.testing.assert_array_equal(compiled.names.rows, plain.names.rows)


@small_games
def test_somebody_decides_and_chances_add_up(case):
    model = small_model(SMALL.index(case), "interpreted", False)
    assert not model.is_chain
    weight = model.weight.astype(np.int64)
    np.testing.assert_array_equal(np.add.reduceat(weight, model.row[:-1]), model.total)
    assert (np.diff(model.choice) > 0).tolist() == (model.winners < 0).tolist()


PARAMETERS = {
    "dice": [(), (1, 1), (2,), (9, 9), (0, 0)],
    "emptiest": [()],
    "fullest": [()],
    "hold-at": [(), (0,), (1,), (9,), (10,), (14,), (1000,)],
    "odds-at-most": [(), (50,), (100, 3), (100_000, 1)],
    "odds-less": [(), (50,), (100, 3), (100_000, 1)],
}


@small_games
def test_policies_name_legal_moves(case):
    """In every state, even with odd parameters."""
    model = small_model(SMALL.index(case), "interpreted", False)
    policies = model.origin.named_policies()
    assert policies
    for i in np.flatnonzero(model.winners < 0):
        state = model.state(i)
        legal = {action.name for _, action in interpret.legal_actions(model.origin, state)}
        for name, policy in policies.items():
            for numbers in PARAMETERS[name]:
                assert policy.rule(model.origin, state, *numbers) in legal, (name, numbers, state)


@pytest.mark.parametrize("name", NAMES)
def test_the_source_and_the_title_are_given(name):
    cls = game_class(name)
    assert "Source:" in cls.__dict__["__doc__"]
    assert cls.__dict__["title"]
    assert cls.key() == name


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("first-orchard", {"players": 2}, "played together, as one player, not 2"),
        ("first-orchard", {"fruit": 0}, "needs a fruit a tree"),
        ("first-orchard", {"steps": 0}, "a step of the raven, not 4 and 0"),
        ("macao", {"players": 1}, "Macao needs two players, not 1"),
        ("macao", {"players": 3, "ties": "draw"}, "choose ties=again"),
        ("macao", {"ties": "share"}, "it is one of again, draw"),
        ("macao", {"target": 5}, "6 or more, not 5"),
        ("risk", {"players": 3}, "two sides, not 3 players"),
        ("risk", {"attackers": 1}, "needs two attackers, of which one stays"),
        ("risk", {"defenders": 0}, "and a defender, not 10 and 0"),
        ("shi", {"players": 3}, "for two players, not 3"),
        ("shi", {"turns": 0}, "needs a turn each"),
        ("sixteen", {"stop_at": -1}, "not -1 and 0"),
        ("sixteen", {"roll_at": 16}, "below the target of 16"),
        ("sixteen", {"stop_at": 9, "roll_at": 9}, "With 9 one cannot"),
        ("skunk", {"players": 1}, "alone, for points, play think"),
        ("skunk", {"cap": 0}, "a cap of 1 or more"),
        ("skunk", {"lead": -1}, "a lead of 0 or more"),
        ("think", {"players": 2}, "solitaire, not for 2 players; two play skunk"),
        ("think", {"turns": 0}, "needs a turn"),
        ("twenty-one", {"dice": 3}, "one die or two, not 3"),
        ("twenty-one", {"dice": 2, "target": 11}, "must be 12 or more, not 11"),
    ],
)
def test_options_that_do_not_go_together(name, options, message):
    with pytest.raises(OptionError, match=message):
        game(name, **options)


# A reference: backward induction over a model without cycles --------------------------------


def backward(model, level, ends, follow=None):
    """What every state is worth to the first player, who wants much; the second wants little.

    States of a level lead to lower levels only. `follow` has the number of the move to make in
    each state, if that is given.
    """
    value = np.array(ends, float)
    order = np.argsort(level, kind="stable")
    for states in np.split(order, np.flatnonzero(np.diff(level[order])) + 1):
        states = states[model.winners[states] < 0]
        if len(states) == 0:
            continue
        counts = model.choice[states + 1] - model.choice[states]
        choices = spread(model.choice[states], counts)
        widths = model.row[choices + 1] - model.row[choices]
        edges = spread(model.row[choices], widths)
        parts = model.weight[edges] * value[model.col[edges]]
        worth = np.add.reduceat(parts, np.cumsum(widths) - widths) / model.total[choices]
        if follow is not None:
            value[states] = worth[model.action[choices] == np.repeat(follow[states], counts)]
        else:
            first = np.cumsum(counts) - counts
            most, least = np.maximum.reduceat(worth, first), np.minimum.reduceat(worth, first)
            value[states] = np.where(model.owner[states] == 0, most, least)
    return value


def spread(starts, counts):
    """The numbers starts[0] … starts[0]+counts[0]-1, starts[1] …, one after the other."""
    ends = np.cumsum(counts)
    return np.arange(ends[-1]) + np.repeat(starts - ends + counts, counts)


def shares(model):
    """What the ends of a game of two are worth to the first player."""
    return np.select([model.winners == 1, model.winners == 0], [1.0, 0.5], 0.0)


def followed(model, name, *numbers):
    """The number of the move that a named policy makes in every state."""
    policy = model.origin.named_policies()[name].rule
    moves = [action.name for action in model.origin.actions]
    follow = np.zeros(model.states, np.int64)
    for i in np.flatnonzero(model.winners < 0):
        follow[i] = moves.index(policy(model.origin, model.state(i), *numbers))
    return follow


def columns(model, *names):
    return [model.names.column(name) for name in names]


# THINK ---------------------------------------------------------------------------------------


def test_two_dice_are_worth_what_the_paper_says():
    counts = Counter()
    for a, b in product(range(1, 7), repeat=2):
        counts[TWO_ONES if a == b == 1 else 0 if 1 in (a, b) else a + b] += 1
    assert dict(ROLL.items()) == counts
    assert (counts[0], counts[8]) == (10, 5)
    assert sum(points * ways for points, ways in counts.items() if points > 0) == 200


def think_values(turns, rolls=None):
    """E(r, s, t) of the paper, by its own equations; `rolls` is the policy, or the best is."""
    ways = Counter(a + b for a, b in product(range(2, 7), repeat=2))

    @cache
    def gain(r, s, t):
        if r > turns:
            return 0.0
        hold = gain(r + 1, s + t, 0)
        if (rolls is not None and not rolls(s, t)) or t > 45:
            return hold
        roll = sum(n * (k + gain(r, s, t + k)) for k, n in ways.items())
        roll += 10 * (-t + gain(r + 1, s, 0)) + (-s - t + gain(r + 1, 0, 0))
        return roll / 36 if rolls is not None else max(roll / 36, hold)

    return gain


PUBLISHED = {
    None: 36.29153313960543,
    "odds-at-most": 36.29151996719233,
    "odds-less": 36.29132666694349,
}


@pytest.mark.parametrize(
    ("rolls", "published"),
    [
        (None, PUBLISHED[None]),
        (lambda s, t: s + 11 * t <= 200, PUBLISHED["odds-at-most"]),
        (lambda s, t: s + 11 * t < 200, PUBLISHED["odds-less"]),
    ],
    ids=["best", "at-most", "less"],
)
def test_the_equations_of_the_paper_give_its_figures(rolls, published):
    assert think_values(5, rolls)(1, 0, 0) == pytest.approx(published, rel=1e-13)


@cache
def think_model(turns, cap=50):
    model = explore(game("think", turns=turns, cap=cap), engine="compiled")
    left, total = columns(model, "left", "total")
    return model, left * (cap + 12) - total


@pytest.mark.parametrize("name", PUBLISHED)
def test_think_gives_the_published_figures(name):
    model, level = think_model(5)
    follow = None if name is None else followed(model, name)
    value = backward(model, level, model.scores[:, 0], follow)
    assert value[model.start] == pytest.approx(PUBLISHED[name], rel=1e-13)


@pytest.mark.slow
def test_think_of_twenty_turns_gives_the_published_figures():
    model, level = think_model(20)
    assert model.states < 3_000_000
    best = backward(model, level, model.scores[:, 0])
    assert best[model.start] == pytest.approx(104.78360865008132, rel=1e-13)
    points, total = columns(model, "points", "total")
    follow = np.where(points + 11 * total <= 200, 0, 1)  # roll, hold
    odds_based = backward(model, level, model.scores[:, 0], follow)
    assert odds_based[model.start] == pytest.approx(104.72378302093477, rel=1e-13)


def best_rolls(model, level):
    """In which states the best play rolls, and would lose by holding."""
    value = backward(model, level, model.scores[:, 0])
    hold = np.full(model.states, np.inf)
    held = np.flatnonzero(model.action == 1)
    hold[np.repeat(np.arange(model.states), np.diff(model.choice))[held]] = value[
        model.col[model.row[held]]
    ]
    return value > hold + 1e-12


@pytest.mark.parametrize("turns", [5, pytest.param(20, marks=pytest.mark.slow)])
def test_the_cap_of_think_costs_nothing(turns):
    """The best play holds long before it, and the odds policies too."""
    model, level = think_model(turns)
    assert columns(model, "total")[0][best_rolls(model, level)].max() <= 18


# SKUNK ---------------------------------------------------------------------------------------


def skunk_arrays(turns, most, cap=None, lead=None):
    """What the first turn is worth to its player, by whole arrays; no states, no rules.

    The axes are the mover's and the other's score. At `most` scores and totals stop; no sensible
    play comes near. Also, for each turn and total, the most points that a player who had better
    roll would be ahead by holding.
    """
    own, other = np.ogrid[: most + 1, : most + 1]
    start = np.where(own > other, 1.0, np.where(own == other, 0.5, 0.0))
    rolled = np.full((turns * 2, most + 1), -most)
    for number in reversed(range(turns * 2)):
        after = 1 - start.T  # what it is worth to the mover to end the turn with a score
        values = {}
        for total in reversed(range(most + 1)):
            hold = np.concatenate([after[total:], np.repeat(after[-1:], total, axis=0)])
            values[total] = hold
            if total + 12 <= most:
                roll = sum(ways * values[total + points] for points, ways in SUMS)
                roll = (roll + 10 * after + after[:1]) / 36
                ahead = own + total - other
                if cap is not None and total >= cap:
                    roll[ahead >= lead] = 0.0
                better = (roll > hold + 1e-13) & (own + total < most) & (other < most)
                rolled[number, total] = ahead[better].max(initial=-most)
                values[total] = np.maximum(roll, hold)
            values.pop(total + 13, None)
        start = values[0]
    return start[0, 0], rolled


SUMS = tuple(Counter(a + b for a, b in product(range(2, 7), repeat=2)).items())


def skunk_value(turns, cap, lead):
    model = explore(game("skunk", turns=turns, cap=cap, lead=lead), engine="compiled")
    turn, total, left = columns(model, "turn", "total", "left")
    value = backward(model, (2 * left - turn) * 10_000 - total, shares(model))
    return value[model.start]


@pytest.mark.slow
def test_skunk_is_worth_what_arrays_without_rules_say():
    """Two turns each, with the bound and without."""
    small, _ = skunk_arrays(2, 120, cap=10, lead=4)
    assert skunk_value(2, 10, 4) == pytest.approx(small, abs=1e-12)
    free, rolled = skunk_arrays(2, 160)
    assert skunk_value(2, 30, 15) == pytest.approx(free, abs=1e-12)
    assert rolled[:, 25:100].max() <= 14  # the best play never rolls where it must hold


@pytest.mark.slow
@pytest.mark.parametrize(("turns", "most"), [(5, 280), (8, 400)])
def test_the_bound_of_skunk_costs_nothing(turns, most):
    free, rolled = skunk_arrays(turns, most)
    bound, _ = skunk_arrays(turns, most, cap=30, lead=15)
    assert free == pytest.approx(bound, abs=1e-13)
    assert rolled[:, 25 : most // 2].max() <= 14
    if turns == 5:
        assert free == pytest.approx(0.4154361138298477, abs=1e-12)


@pytest.mark.slow
def test_skunk_at_its_default_options():
    assert skunk_value(5, 30, 15) == pytest.approx(0.4154361138298477, abs=1e-12)


def test_a_turn_of_skunk():
    skunk = game("skunk")
    state = skunk.State
    begun = state((20, 7), 0, 9, 3)
    assert skunk.roll(begun, 8) == state((20, 7), 0, 17, 3)
    assert skunk.roll(begun, 0) == state((20, 7), 1, 0, 3)
    assert skunk.roll(begun, TWO_ONES) == state((0, 7), 1, 0, 3)
    assert skunk.hold(begun) == state((29, 7), 1, 0, 3)
    second = state((29, 7), 1, 5, 1)
    assert skunk.hold(second) == state((29, 12), 0, 0, 0)
    ends = {(29, 12): 0, (12, 29): 1, (8, 8): DRAW}
    assert all(skunk.winner(state(scores, 0, 0, 0)) == who for scores, who in ends.items())
    assert skunk.winner(second) is None
    assert not skunk.may_roll(state((0, 15), 0, 30, 1))
    assert skunk.may_roll(state((0, 16), 0, 30, 1))
    assert skunk.may_roll(state((90, 0), 0, 29, 1))


# Shi -----------------------------------------------------------------------------------------


def test_products():
    counts = Counter(0 if 1 in (a, b) else a * b for a, b in product(range(1, 7), repeat=2))
    assert dict(PRODUCTS.items()) == counts
    assert counts[0] == 11


def shi_free(turns, reach):
    """The first player's share, by arrays over the difference of scores, without a bound."""
    ways = Counter(a * b for a, b in product(range(2, 7), repeat=2)).items()
    ahead = np.arange(-reach, reach + 1)
    start = np.where(ahead > 0, 1.0, np.where(ahead == 0, 0.5, 0.0))
    rolled = np.zeros((turns * 2, reach + 1), np.int64) - reach
    for number in reversed(range(turns * 2)):
        after = 1 - start[::-1]
        values = {}
        for total in reversed(range(reach + 1)):
            hold = np.concatenate([after[total:], np.full(total, after[-1])])
            values[total] = hold
            if total + 36 <= reach:
                roll = (sum(n * values[total + k] for k, n in ways) + 11 * after) / 36
                better = (roll > hold + 1e-13) & (np.abs(ahead + total) < reach / 2)
                rolled[number, total] = (ahead + total)[better].max(initial=-reach)
                values[total] = np.maximum(roll, hold)
            values.pop(total + 37, None)
        start = values[0]
    return start[reach], rolled


@pytest.mark.slow
def test_shi_is_worth_what_arrays_without_rules_say():
    free, rolled = shi_free(6, 900)
    assert rolled[:, 54:400].max() <= 14
    model = explore(game("shi"), engine="compiled")
    turn, total, left = columns(model, "turn", "total", "left")
    value = backward(model, (2 * left - turn) * 10_000 - total, shares(model))
    assert value[model.start] == pytest.approx(free, abs=1e-12)
    assert free == pytest.approx(0.43494536405113615, abs=1e-12)


def test_a_turn_of_shi():
    shi = game("shi")
    state = shi.State
    begun = state(5, 1, 20, 2)
    assert shi.roll(begun, 36) == state(5, 1, 56, 2)
    assert shi.roll(begun, 0) == state(5, 0, 0, 1)
    assert shi.hold(begun) == state(-15, 0, 0, 1)
    assert shi.hold(state(5, 0, 20, 2)) == state(25, 1, 0, 2)
    assert [shi.winner(state(x, 0, 0, 0)) for x in (3, 0, -3)] == [0, DRAW, 1]
    assert shi.may_roll(state(31, 1, 60, 1))
    assert not shi.may_roll(state(30, 1, 60, 1))


# Macao, Sixteen, Twenty-One ------------------------------------------------------------------


def approach(target, tie, exact_wins=False, stop=0, roll_at=0, pair_below=0):
    """The first player's best chance in a game of two; a tie, or two busts, is worth `tie`."""
    one = [(k, 1) for k in range(1, 7)]
    two = list(Counter(a + b for a, b in product(range(1, 7), repeat=2)).items())

    def best(value_of, bust):
        """What a turn is worth to its mover, given what holding and going bust are worth."""

        @cache
        def worth(total):
            if total > target:
                return bust
            if total == target and exact_wins:
                return 1
            options = []
            if total > 0 and total != roll_at:
                options.append(value_of(total))
            if total < target and (total == 0 or total != stop):
                die = two if total < pair_below else one
                ways = sum(n for _, n in die)
                options.append(sum(n * worth(total + k) for k, n in die) / Fraction(ways))
            return max(options)

        return worth(0)

    def second(first):
        def value_of(total):
            return 1 if total > first else 1 - tie if total == first else 0

        return best(value_of, 1 - tie if first == 0 else 0)

    return best(lambda total: 1 - second(total), 1 - second(0))


def played_again(*args, **keywords):
    """The first player's best chance if after a tie the second player begins."""
    chance = 0.5
    for _ in range(40):  # a tie is rarer than a game in three
        chance = float(approach(*args, 1 - chance, **keywords))
    return chance


def swept(model):
    """The value of every state by sweeps to convergence, for models with cycles."""
    assert model.shift is None
    value = shares(model)
    weight = model.weight / np.repeat(model.total, np.diff(model.row))
    going = np.flatnonzero(model.winners < 0)
    first = model.choice[going]
    for _ in range(2000):
        worth = np.add.reduceat(weight * value[model.col], model.row[:-1])
        most, least = np.maximum.reduceat(worth, first), np.minimum.reduceat(worth, first)
        new = np.where(model.owner[going] == 0, most, least)
        change = np.abs(new - value[going]).max()
        value[going] = new
        if change < 1e-15:
            break
    return value[model.start]


@pytest.mark.parametrize(
    ("name", "options", "target", "keywords"),
    [
        ("macao", {}, 9, {}),
        ("macao", {"exact_wins": True}, 9, {"exact_wins": True}),
        ("macao", {"target": 12}, 12, {}),
        ("sixteen", {}, 16, {}),
        (
            "sixteen",
            {"target": 15, "stop_at": 9, "roll_at": 10},
            15,
            {"stop": 9, "roll_at": 10},
        ),
        ("twenty-one", {}, 21, {}),
        ("twenty-one", {"dice": 2}, 21, {"pair_below": 14}),
    ],
)
def test_approach_games_are_worth_what_a_recursion_says(name, options, target, keywords):
    drawn = explore(game(name, ties="draw", **options), symmetry=False)
    assert swept(drawn) == pytest.approx(float(approach(target, Fraction(1, 2), **keywords)))
    again = explore(game(name, **options), symmetry=False)
    assert swept(again) == pytest.approx(played_again(target, **keywords), abs=1e-12)


def test_turns_of_macao():
    macao = game("macao")
    state = macao.State
    assert macao.roll(state((0, 0), 0, 5), 4) == state((0, 0), 0, 9)
    assert macao.roll(state((0, 0), 0, 5), 5) == state((10, 0), 1, 0)
    assert macao.hold(state((0, 0), 0, 5)) == state((5, 0), 1, 0)
    assert macao.hold(state((5, 0), 1, 6)) == state((5, 6), 1, 0)
    assert macao.winner(state((5, 6), 1, 0)) == 1
    assert macao.winner(state((5, 10), 1, 0)) == 0
    assert macao.winner(state((0, 0), 0, 9)) is None
    # A tie and two busts are played again; the last of those who tied begins.
    assert macao.hold(state((5, 0), 1, 5)) == state((0, 0), 1, 0)
    assert macao.roll(state((10, 0), 1, 8), 3) == state((0, 0), 1, 0)
    legal = interpret.legal_actions
    names = [[a.name for _, a in legal(macao, state((0, 0), 0, total))] for total in (0, 4, 9)]
    assert names == [["roll"], ["roll", "hold"], ["hold"]]


def test_draws_and_exact_wins_of_macao():
    macao = game("macao", ties="draw", exact_wins=True)
    state = macao.State
    assert macao.hold(state((5, 0), 1, 5)) == state((5, 5), 1, 0)
    assert macao.winner(state((5, 5), 1, 0)) == DRAW
    assert macao.winner(state((10, 10), 1, 0)) == DRAW
    assert macao.winner(state((10, 0), 1, 9)) == 1


def test_macao_of_four():
    """Who is not among the best sits out; the turn goes on to the next who plays."""
    macao = game("macao", players=4)
    state = macao.State
    out, away = 10, 11
    assert macao.hold(state((7, 0, 8, 8), 1, 3)) == state((away, away, 0, 0), 3, 0)
    assert macao.hold(state((0, 8, 8, 3), 0, 8)) == state((0, 0, 0, away), 0, 0)
    assert macao.hold(state((away, away, 0, 0), 3, 4)) == state((away, away, 0, 4), 2, 0)
    assert macao.hold(state((away, away, 0, 4), 2, 6)) == state((away, away, 6, 4), 2, 0)
    assert macao.winner(state((away, away, 6, 4), 2, 0)) == 2
    busts = state((away, out, 0, out), 2, 9)
    assert macao.roll(busts, 1) == state((away, 0, 0, 0), 2, 0)


@pytest.mark.parametrize("name", ["macao", "sixteen", "twenty-one"])
def test_everybody_holding_alike_wins_as_often_as_totals_say(name):
    """Two players with hold-at and a draw: the chances are those of two independent totals."""
    model = explore(game(name, ties="draw"), symmetry=False)
    target = model.origin.target
    points = target - 2

    @cache
    def totals(total):
        if total > target:
            return Counter({0: Fraction(1)})
        if total >= points:
            return Counter({total: Fraction(1)})
        found = Counter()
        for spots in range(1, 7):
            for end, chance in totals(total + spots).items():
                found[end] += chance / 6
        return found

    tied = sum(chance**2 for chance in totals(0).values())
    follow = followed(model, "hold-at", points)
    mine, theirs, total = columns(model, "totals[0]", "totals[1]", "total")
    played = (mine > 0).astype(int) + (theirs > 0)
    level = (2 - played) * 100 - total
    assert backward(model, level, model.winners == 0, follow)[model.start] == pytest.approx(
        float(tied)
    )
    for wins in (1, 2):
        value = backward(model, level, model.winners == wins, follow)
        assert value[model.start] == pytest.approx(float((1 - tied) / 2))


# First Orchard -------------------------------------------------------------------------------

ORCHARD = Fraction(434845789256784110537, 688747536000000000000)


def orchard(fruit, steps, pick=max):
    """The chance of winning from the rules alone, trees in any order; a die repeats if idle."""

    def less(trees, i):
        return tuple(sorted((*trees[:i], trees[i] - 1, *trees[i + 1 :])))

    @cache
    def chance(trees, left):
        if not any(trees):
            return Fraction(1)
        if left == 0:
            return Fraction(0)
        full = [i for i in range(4) if trees[i]]
        after = {i: chance(less(trees, i), left) for i in full}
        basket = pick(after[i] for i in full) if callable(pick) else after[PICKS[pick](full)]
        won = sum(after.values()) + basket + chance(trees, left - 1)
        return won / (len(full) + 2)

    return chance((fruit,) * 4, steps)


PICKS = {"fullest": lambda full: full[-1], "emptiest": lambda full: full[0]}


def test_the_rules_of_first_orchard_give_the_published_fraction():
    assert orchard(4, 5) == ORCHARD


def orchard_of_the_game(rules, policy=None):
    """The same from the game's own moves, with fractions: p = a + q p where a die may be idle."""
    chosen = rules.named_policies()[policy].rule if policy else None

    @cache
    def chance(state):
        won = interpret.winners(rules, state)
        if won != interpret.GOES_ON:
            return Fraction(won)
        worth = {}
        for _, action in interpret.legal_actions(rules, state):
            found = interpret.outcomes(rules, "", action, state)
            whole = sum(weight for weight, _, _ in found)
            idle = sum(weight for weight, _, new in found if new == state)
            part = sum(weight * chance(new) for weight, _, new in found if new != state)
            worth[action.name] = part / (whole - idle)
        return worth[chosen(rules, state)] if chosen else max(worth.values())

    return chance(rules.start())


def test_first_orchard_gives_the_published_fraction():
    assert orchard_of_the_game(game("first-orchard")) == ORCHARD


def test_first_orchard_of_other_sizes_and_by_its_policies():
    for fruit, steps in [(1, 1), (2, 3), (2, 6)]:
        rules = game("first-orchard", fruit=fruit, steps=steps)
        assert orchard_of_the_game(rules) == orchard(fruit, steps)
        for policy in PICKS:
            assert orchard_of_the_game(rules, policy) == orchard(fruit, steps, policy)
    assert orchard(4, 5, "fullest") == ORCHARD
    assert orchard(4, 5, "emptiest") < ORCHARD


def test_one_fruit_a_tree_and_one_step():
    """Five fruit faces in six while four trees bear, then four in five, and so on."""
    assert orchard(1, 1) == Fraction(5, 6) * Fraction(4, 5) * Fraction(3, 4) * Fraction(2, 3)


def test_moves_of_first_orchard():
    rules = game("first-orchard")
    state = rules.State
    assert rules.roll(state((4, 0, 2, 1), 3, False), 0) == state((3, 0, 2, 1), 3, False)
    assert rules.roll(state((4, 0, 2, 1), 3, False), 1) == state((4, 0, 2, 1), 3, False)
    assert rules.roll(state((4, 0, 2, 1), 3, False), 4) == state((4, 0, 2, 1), 3, True)
    assert rules.roll(state((4, 0, 2, 1), 3, False), 5) == state((4, 0, 2, 1), 4, False)
    basket = state((4, 0, 2, 1), 3, True)
    names = [action.name for _, action in interpret.legal_actions(rules, basket)]
    assert names == ["pick apple", "pick plum", "pick cherry"]
    assert rules.pick(basket, 2) == state((4, 0, 1, 1), 3, False)
    assert (rules.fullest(basket), rules.emptiest(basket)) == ("pick apple", "pick cherry")
    assert rules.winner(state((0, 0, 0, 0), 4, False)) == 0
    assert rules.winner(state((1, 0, 0, 0), 5, False)) == DRAW


# Risk ----------------------------------------------------------------------------------------


def test_three_dice_against_two_as_published():
    assert dict(LOSSES[5].items()) == {(0, 2): 2890, (1, 1): 2611, (2, 0): 2275}
    assert LOSSES[5].total == 7776


def test_other_dice_by_hand():
    """One die against one: the attacker must throw more, 15 in 36; and so on."""

    def chances(red, white):
        die = LOSSES[2 * red + white - 3]
        assert die == losses(red, white)
        return {lost: Fraction(ways, die.total) for lost, ways in die.items()}

    assert chances(1, 1) == {(0, 1): Fraction(15, 36), (1, 0): Fraction(21, 36)}
    higher = sum(max(a, b) > c for a, b, c in product(range(6), repeat=3))
    assert chances(2, 1) == {(0, 1): Fraction(higher, 216), (1, 0): Fraction(216 - higher, 216)}
    assert chances(1, 2)[0, 1] == Fraction(55, 216)
    assert chances(2, 2) == {
        (0, 2): Fraction(295, 1296),
        (1, 1): Fraction(420, 1296),
        (2, 0): Fraction(581, 1296),
    }


def battle(attackers, defenders, most=(3, 2), choose=True):
    """The attacker's chance of taking the territory, from the rules alone, as a fraction."""
    thrown = {}
    for red, white in product(range(1, 4), range(1, 3)):
        ends = Counter()
        for faces in product(range(1, 7), repeat=red + white):
            pairs = zip(
                sorted(faces[:red], reverse=True), sorted(faces[red:], reverse=True), strict=False
            )
            won = [a > d for a, d in pairs]
            ends[won.count(False), won.count(True)] += Fraction(1, 6 ** (red + white))
        thrown[red, white] = ends

    @cache
    def chance(a, d):
        if d == 0:
            return Fraction(1)
        if a == 1:
            return Fraction(0)
        reds = range(1, min(most[0], a - 1) + 1)
        whites = range(1, min(most[1], d) + 1)

        def fought(red, white):
            return sum(p * chance(a - x, d - y) for (x, y), p in thrown[red, white].items())

        if not choose:
            return fought(reds[-1], whites[-1])
        return max(min(fought(red, white) for white in whites) for red in reds)

    return chance(attackers, defenders)


@pytest.mark.parametrize(("attackers", "defenders"), [(2, 1), (3, 2), (5, 4), (4, 6), (10, 10)])
def test_risk_is_worth_what_a_recursion_says(attackers, defenders):
    model = explore(game("risk", attackers=attackers, defenders=defenders))
    a, d, announced = columns(model, "attackers", "defenders", "announced")
    level = 2 * (a + d) - (announced > 0)
    won = shares(model)
    best = backward(model, level, won)[model.start]
    assert best == pytest.approx(float(battle(attackers, defenders)), abs=1e-13)
    for most in [(3, 2), (1, 2), (3, 1)]:
        value = backward(model, level, won, followed(model, "dice", *most))[model.start]
        expected = battle(attackers, defenders, most, choose=False)
        assert value == pytest.approx(float(expected), abs=1e-13)


def test_moves_of_risk():
    risk = game("risk", attackers=3, defenders=2)
    state = risk.State
    legal = interpret.legal_actions
    names = [action.name for _, action in legal(risk, risk.start())]
    assert names == ["attack 1", "attack 2"]
    assert risk.attack(risk.start(), 2) == state(3, 2, 2)
    assert [action.name for _, action in legal(risk, state(3, 2, 2))] == ["defend 1", "defend 2"]
    assert [action.name for _, action in legal(risk, state(3, 1, 2))] == ["defend 1"]
    assert risk.defend(state(3, 2, 2), 2, (1, 1)) == state(2, 1, 0)
    movers = [risk.mover(s) for s in (risk.start(), state(3, 2, 2))]
    assert movers == [0, 1]
    ends = [risk.winner(s) for s in (state(2, 0, 0), state(1, 2, 0), state(2, 1, 0))]
    assert ends == [0, 1, None]
