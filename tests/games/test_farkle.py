"""Farkle: its scores by brute force, and the whole game written a second time."""

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest

from oddsmith import OptionError, explore, game
from oddsmith.games.farkle import NOTHING, SCORINGS
from oddsmith.rules import interpret

ARRAYS = ("choice", "row", "col", "weight", "total", "action", "owner", "winners", "shift")
every_scoring = pytest.mark.parametrize("scoring", list(SCORINGS))

# Scores, face by face ------------------------------------------------------------------------


def of_a_kind(scoring, face, count):
    """Points of so many dice of one face; None if some of them do not score."""
    single = {1: 100, 5: 50}.get(face)
    if count < 3:
        return count * single if single else 0 if count == 0 else None
    three = 1000 if face == 1 else 100 * face
    if scoring == "basic":
        if count % 3 and not single:
            return None
        return count // 3 * three + count % 3 * (single or 0)
    if scoring == "facebook":
        return (count - 2) * three
    return {3: 300 if face == 1 else three, 4: 1000, 5: 2000, 6: 3000}[count]


def points(scoring, counts):
    """Points of dice, given how many show each face; None if some of them do not score."""
    found = [of_a_kind(scoring, face, count) for face, count in enumerate(counts, 1)]
    usual = None if None in found else sum(found)
    special = {
        "basic": {},
        "facebook": {(1, 1, 1, 1, 1, 1): 1500, (0, 0, 0, 2, 2, 2): 750},
        "playmonster": {
            (1, 1, 1, 1, 1, 1): 1500,
            (0, 0, 0, 2, 2, 2): 1500,
            (0, 0, 0, 0, 2, 4): 1500,
            (0, 0, 0, 0, 3, 3): 2500,
        },
    }[scoring].get(tuple(sorted(counts)))
    return max((p for p in (usual, special) if p is not None), default=None)


@cache
def options(scoring, counts):
    """All (points, dice set aside) that a roll allows."""
    found = set()
    for taken in product(*(range(count + 1) for count in counts)):
        worth = points(scoring, taken) if any(taken) else None
        if worth is not None:
            found.add((worth, sum(taken)))
    return frozenset(found)


@cache
def thrown(scoring, dice):
    """The options of every one of the 6^dice rolls, counted."""
    found = Counter()
    for roll in product(range(1, 7), repeat=dice):
        found[options(scoring, tuple(roll.count(face) for face in range(1, 7)))] += 1
    return found


@every_scoring
@pytest.mark.parametrize("dice", range(1, 7))
def test_what_dice_are_worth_by_brute_force(scoring, dice):
    expected = Counter()
    for menu, weight in thrown(scoring, dice).items():
        best = [max((p for p, kept in menu if kept == k), default=0) for k in range(1, 7)]
        expected[tuple(best)] += weight
    die = game("farkle", scoring=scoring).rolls[dice - 1]
    assert set(die.faces) == set(expected)
    for keeps, weight in expected.items():
        assert die.probability(keeps) == Fraction(weight, 6**dice)


@every_scoring
def test_chances_to_farkle(scoring):
    """Six dice farkle less often where three pairs score, too."""
    six = Fraction(20, 648) if scoring == "basic" else Fraction(15, 648)
    known = [Fraction(4, 6), Fraction(4, 9), Fraction(5, 18), Fraction(17, 108), Fraction(25, 324)]
    rolls = game("farkle", scoring=scoring).rolls
    assert [die.probability(NOTHING) for die in rolls] == [*known, six]


@pytest.mark.parametrize(
    ("scoring", "roll", "worth"),
    [
        ("basic", (1, 1, 1, 1, 5, 2), (100, 200, 1000, 1100, 1150, 0)),
        ("basic", (2, 2, 2, 2, 3, 4), (0, 0, 200, 0, 0, 0)),
        ("basic", (1, 2, 3, 4, 5, 6), (100, 150, 0, 0, 0, 0)),
        ("facebook", (1, 2, 3, 4, 5, 6), (100, 150, 0, 0, 0, 1500)),
        ("facebook", (3, 3, 3, 3, 5, 5), (50, 100, 300, 600, 650, 700)),
        ("facebook", (1, 1, 1, 1, 1, 1), (100, 200, 1000, 2000, 3000, 4000)),
        ("playmonster", (2, 2, 2, 3, 3, 3), (0, 0, 300, 0, 0, 2500)),
        ("playmonster", (2, 2, 2, 2, 3, 3), (0, 0, 200, 1000, 0, 1500)),
    ],
)
def test_scores_people_know(scoring, roll, worth):
    best = dict.fromkeys(range(1, 7), 0)
    counts = tuple(roll.count(face) for face in range(1, 7))
    for value, kept in options(scoring, counts):
        best[kept] = max(best[kept], value)
    assert tuple(best.values()) == worth
    assert worth in game("farkle", scoring=scoring).rolls[len(roll) - 1]


# A turn --------------------------------------------------------------------------------------


def test_a_turn():
    farkle = game("farkle", goal=5000)
    begun = farkle.start()
    assert moves(farkle, begun) == ["begin"]
    choice = farkle.begin(begun, (100, 150, 0, 0, 0, 0))
    assert choice == begun._replace(keeps=(100, 150, 0, 0, 0, 0))
    assert moves(farkle, choice) == ["keep 1", "keep 2"]
    kept = farkle.keep(choice, 2)
    assert kept == begun._replace(total=150, dice=4)
    assert moves(farkle, kept) == ["roll", "bank"]
    assert farkle.bank(kept) == begun._replace(scores=(150, 0), turn=1)
    assert farkle.roll(kept, NOTHING) == begun._replace(turn=1)
    only = farkle.roll(kept, (0, 0, 300, 0, 0, 0))
    assert only == begun._replace(total=450, dice=1)
    hot = farkle.roll(only, (50, 0, 0, 0, 0, 0))
    assert hot == begun._replace(total=500, dice=6)
    assert moves(farkle, hot) == ["roll", "bank"]


def test_who_has_thrown_what_is_missing_has_won():
    farkle = game("farkle", goal=500)
    s = farkle.start()._replace(scores=(0, 200), turn=1, total=100, dice=3)
    won = farkle.roll(s, (100, 200, 0, 0, 0, 0))
    assert (farkle.winner(won), won.total) == (1, 300)
    assert farkle.winner(farkle.roll(s, (50, 150, 0, 0, 0, 0))) is None


def test_an_opening_must_be_reached_once():
    farkle = game("farkle", opening=300)
    s = farkle.start()._replace(scores=(0, 300), total=250, dice=2)
    assert moves(farkle, s) == ["roll"]
    assert moves(farkle, s._replace(total=300)) == ["roll", "bank"]
    assert moves(farkle, s._replace(turn=1, total=50)) == ["roll", "bank"]


def test_only_turns_count():
    counted = [action.name for action in game("farkle").actions if action.counts]
    assert counted == ["begin"]


def moves(farkle, state):
    return [action.name for _, action in interpret.legal_actions(farkle, state)]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"goal": 1020}, "multiple of 50"),
        ({"goal": 0}, "multiple of 50"),
        ({"opening": 25}, "opening must be a multiple"),
        ({"opening": 1050}, "up to the goal of 1000"),
        ({"opening": -50}, "opening"),
        ({"scoring": "greedy"}, "one of basic, facebook, playmonster"),
    ],
)
def test_options_that_make_no_sense(wrong, message):
    with pytest.raises(OptionError, match=message):
        game("farkle", **wrong)


# The model -----------------------------------------------------------------------------------


@cache
def model_of(engine="interpreted", symmetry=True, **options):
    return explore(game("farkle", **options), engine=engine, symmetry=symmetry)


@pytest.mark.slow  # the catalogue's contract asks it of every game once
@pytest.mark.parametrize(
    ("symmetry", "chosen"),
    [
        (True, {"goal": 400}),
        (False, {"goal": 400}),
        (True, {"goal": 250, "scoring": "playmonster", "opening": 150, "players": 3}),
    ],
    ids=str,
)
def test_both_engines_give_the_same_model(symmetry, chosen):
    compiled = model_of("compiled", symmetry, **chosen)
    plain = model_of("interpreted", symmetry, **chosen)
    assert compiled.how.startswith("compiled")
    for name in ARRAYS:
        mine, theirs = getattr(compiled, name), getattr(plain, name)
        if theirs is not None:
            np.testing.assert_array_equal(mine, theirs, err_msg=name)
    assert all(compiled.state(i) == plain.state(i) for i in range(plain.states))


@pytest.mark.parametrize(
    "chosen",
    [{"goal": 450}, {"goal": 200, "players": 3}, {"goal": 900, "players": 1}],
    ids=str,
)
def test_states_have_numbers_of_their_own(chosen):
    farkle = game("farkle", scoring="facebook", **chosen)
    model = model_of(scoring="facebook", symmetry=False, **chosen)
    ranks = [farkle.rank(model.state(i)) for i in range(model.states)]
    assert len(set(ranks)) == model.states
    assert min(ranks) >= 0
    assert max(ranks) < farkle.size * farkle.players
    for i, rank in enumerate(ranks):
        assert farkle.unrank(rank) == model.state(i)
    assert ranks[0] == farkle.size - 1


@pytest.mark.parametrize("chosen", [{}, {"scoring": "playmonster", "opening": 350}], ids=str)
@pytest.mark.parametrize("at", [pytest.param(50, marks=pytest.mark.slow), 300, 10_000])
def test_the_policy_names_legal_moves(chosen, at):
    model = model_of(goal=600, **chosen)
    farkle = model.origin
    for i in np.flatnonzero(model.winners < 0):
        state = model.state(i)
        name = farkle.bank_at(state, at)
        assert name in moves(farkle, state)
        assert name != "bank" or state.total >= at
    assert farkle.bank_at(farkle.start()._replace(keeps=(100, 200, 0, 0, 0, 0))) == "keep 2"
    assert set(farkle.named_policies()) == {"bank-at"}


# The whole game a second time ----------------------------------------------------------------


def chance_by_model(model):
    """The mover's chance to win at the start if both play as well as they can."""
    begins = model.choice[:-1][np.diff(model.choice) > 0]
    going = np.flatnonzero(np.diff(model.choice))
    value = (model.winners > 0).astype(float)
    for _ in range(3000):
        target = np.where(model.shift == 0, value[model.col], 1 - value[model.col])
        each = np.add.reduceat(model.weight * target, model.row[:-1]) / model.total
        new = value.copy()
        new[going] = np.maximum.reduceat(each, begins)
        if np.abs(new - value).max() < 1e-13:
            break
        value = new
    return value[model.start]


def chance_by_hand(scoring, goal, opening):
    """The same from the rules: any scoring dice may be set aside, not only those worth most."""
    begin = {}

    def turn(mine, theirs, lost):
        """What a turn is worth; `lost` is what a farkle is worth."""

        @cache
        def stand(total, dice):
            bank = 0.0
            if total and (mine or total >= opening):
                bank = 1 - begin[theirs, mine + total]
            return max(bank, throw(total, dice))

        @cache
        def throw(total, dice):
            value = 0.0
            for menu, weight in thrown(scoring, dice).items():
                if not menu:
                    value += weight * lost
                elif mine + total + max(menu)[0] >= goal:
                    value += weight
                else:
                    value += weight * max(stand(total + p, dice - k or 6) for p, k in menu)
            return value / 6**dice

        return throw(0, 6)

    steps = range(0, goal, 50)
    for pair in sorted(product(steps, steps), key=sum, reverse=True):
        mine, theirs = pair
        if mine > theirs:
            continue
        begin[mine, theirs] = begin[theirs, mine] = 0.5
        for _ in range(400):
            before = begin[mine, theirs], begin[theirs, mine]
            begin[mine, theirs] = turn(mine, theirs, 1 - begin[theirs, mine])
            begin[theirs, mine] = turn(theirs, mine, 1 - begin[mine, theirs])
            after = begin[mine, theirs], begin[theirs, mine]
            if max(abs(a - b) for a, b in zip(before, after, strict=True)) < 1e-12:
                break
    return begin[0, 0]


@pytest.mark.parametrize(
    ("scoring", "goal", "opening"),
    [("basic", 500, 0), ("basic", 400, 200), ("facebook", 350, 0), ("playmonster", 350, 0)],
)
def test_the_model_agrees_with_the_rules_and_loses_nothing(scoring, goal, opening):
    """That also shows that choices worth fewer points with as many dice left are not missed."""
    model = model_of(scoring=scoring, goal=goal, opening=opening)
    expected = chance_by_hand(scoring, goal, opening)
    assert chance_by_model(model) == pytest.approx(expected, abs=1e-9)
    assert 0.5 < expected < 0.9
