"""Can't Stop: what throws allow by brute force, and the whole game written a second time."""

from collections import Counter
from functools import cache
from itertools import permutations, product
from random import Random

import numpy as np
import pytest

from oddsmith import OptionError, explore, game
from oddsmith.games.cant_stop import NO_DICE
from oddsmith.rules import interpret

ARRAYS = ("choice", "row", "col", "weight", "total", "action", "owner", "winners", "shift")


def moves(cant_stop, state):
    return [action.name for _, action in interpret.legal_actions(cant_stop, state)]


@cache
def model_of(engine="interpreted", symmetry=True, **options):
    return explore(game("cant-stop", **options), engine=engine, symmetry=symmetry)


# A turn, written with dictionaries from column (as printed) to height ---------------------------


def lengths(sides, shortest):
    return {c: shortest + 2 * min(c - 2, 2 * sides - c) for c in range(2, 2 * sides + 1)}


def climbs(tops, mine, closed, markers, throw):
    """All the markers that a throw of four dice allows; none of them: the turn is lost."""
    found = set()
    for one, two, three, four in permutations(throw):
        after = dict(markers)
        for column in (one + two, three + four):
            height = after.get(column, mine.get(column, 0))
            fits = column in after or len(after) < 3
            if fits and column not in closed and height < tops[column]:
                after[column] = height + 1
        if after != markers:
            found.add(frozenset(after.items()))
    return found


def by_column(heights):
    return {column: height for column, height in enumerate(heights, 2) if height}


def standing(state):
    """The mover's squares, the columns that are won, and the markers' heights."""
    mine = by_column(state.squares[state.turn])
    markers = {c: mine.get(c, 0) + steps for c, steps in by_column(state.markers).items()}
    return mine, markers


def closed_in(cant_stop, state):
    return {
        column
        for heights in state.squares
        for column, height in by_column(heights).items()
        if height == cant_stop.lengths[column - 2]
    }


def results(cant_stop, state):
    """Where a throw that leads to a state may end, by the game: the markers to choose from."""
    if state.dice == NO_DICE:
        return {frozenset(standing(state)[1].items())}
    return {
        frozenset(standing(cant_stop.climb(state, action.variant))[1].items())
        for _, action in interpret.legal_actions(cant_stop, state)
    }


def played(cant_stop, games):
    """The states of some games played at random, those at their end left out."""
    chance = Random(20_260)
    for _ in range(games):
        state = cant_stop.start()
        while cant_stop.winner(state) is None:
            yield state
            _, action = chance.choice(interpret.legal_actions(cant_stop, state))
            roll = sorted(chance.choices(range(1, cant_stop.sides + 1), k=4))
            rolled = (tuple(roll),) if action.has_roll else ()
            state = action.function(cant_stop, state, *action.arguments, *rolled)


BOARDS = [
    {"sides": 2, "shortest": 2},
    {"sides": 3, "columns": 3},
    {"sides": 4, "columns": 3, "players": 3},
    {"sides": 6, "shortest": 3, "columns": 3},
    {"sides": 3, "shortest": 2, "columns": 5, "players": 1},
]
every_board = pytest.mark.parametrize("chosen", BOARDS, ids=str)


@pytest.mark.parametrize("states", [8, pytest.param(40, marks=pytest.mark.slow)])
@every_board
def test_what_throws_allow_by_brute_force(chosen, states):
    cant_stop = game("cant-stop", **chosen)
    tops = lengths(cant_stop.sides, cant_stop.shortest)
    assert tuple(tops.values()) == cant_stop.lengths
    seen = list(played(cant_stop, 12))
    waiting = [state for state in seen if state.dice == NO_DICE]
    assert len(waiting) < len(seen)
    for state in waiting[:: len(waiting) // states + 1]:
        mine, markers = standing(state)
        closed = closed_in(cant_stop, state)
        for dice in cant_stop.four:
            expected = climbs(tops, mine, closed, markers, dice)
            after = cant_stop.roll(state, dice)
            assert (after.dice == dice) == (len(expected) > 1)
            if expected:
                assert results(cant_stop, after) == expected
            else:
                assert after == cant_stop.State(
                    state.squares, (state.turn + 1) % cant_stop.players, cant_stop.empty, NO_DICE
                )


def test_the_real_board():
    real = game("cant-stop", sides=6, shortest=3, columns=3)
    assert real.lengths == (3, 5, 7, 9, 11, 13, 11, 9, 7, 5, 3)
    assert real.four.total == 6**4
    assert len(real.actions) == 3 + 11 + 66


@pytest.mark.parametrize(
    ("columns", "good"), [((6, 7, 8), 0.92), ((4, 6, 8), 0.91), ((2, 3, 12), 0.44)]
)
def test_chances_to_move_with_three_markers(columns, good):
    real = game("cant-stop", sides=6, shortest=3, columns=3)
    markers = tuple(int(column in columns) for column in range(2, 13))
    state = real.start()._replace(markers=markers)
    moved = sum(weight for dice, weight in real.four.items() if real.roll(state, dice).turn == 0)
    hits = sum(
        any(a + b in columns for a, b in permutations(throw, 2))
        for throw in product(range(1, 7), repeat=4)
    )
    assert moved == hits
    assert round(moved / 6**4, 2) == good


def test_the_last_marker_goes_where_the_player_says():
    """The examples of the rules in the box."""
    real = game("cant-stop", sides=6, shortest=3, columns=3)
    two_out = tuple(int(column in (6, 10)) for column in range(2, 13))
    state = real.roll(real.start()._replace(markers=two_out), (2, 3, 4, 5))
    assert moves(real, state) == ["climb 5", "climb 9", "climb 6 and 8", "climb 7 and 7"]
    other = tuple(int(column in (3, 6)) for column in range(2, 13))
    state = real.roll(real.start()._replace(markers=other), (2, 4, 5, 5))
    assert moves(real, state) == ["climb 7", "climb 9", "climb 6 and 10"]


def test_a_column_that_is_won_is_closed():
    small = game("cant-stop", sides=2, shortest=2, columns=2)
    state = small.State(((0, 3, 0), (1, 3, 1)), 0, (1, 1, 0), NO_DICE)
    assert moves(small, state) == ["roll", "stop"]
    after = small.stop(state)
    assert after == small.State(((1, 4, 0), (1, 0, 1)), 1, (0, 0, 0), NO_DICE)
    assert small.begin(after, (1, 1, 2, 2)).markers == (1, 0, 1)
    assert small.begin(after, (1, 1, 1, 2)).markers == (1, 0, 0)
    assert small.winner(after) is None
    assert small.winner(after._replace(markers=(1, 0, 0))) is None
    assert small.winner(after._replace(turn=0, markers=(1, 0, 0))) == 0


def test_only_turns_count():
    counted = [action.name for action in game("cant-stop").actions if action.counts]
    assert counted == ["begin"]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"sides": 1}, "2 to 6 sides"),
        ({"sides": 7}, "2 to 6 sides"),
        ({"shortest": 0}, "a step or more"),
        ({"columns": 0}, "1 to 3 columns"),
        ({"sides": 2, "columns": 3}, "1 to 2 columns"),
        ({"sides": 2, "columns": 4, "players": 1}, "1 to 3 columns"),
    ],
)
def test_options_that_make_no_sense(wrong, message):
    with pytest.raises(OptionError, match=message):
        game("cant-stop", **wrong)


# The model -----------------------------------------------------------------------------------


@pytest.mark.slow  # the catalogue's contract asks it of every game once
@pytest.mark.parametrize(
    ("symmetry", "chosen"),
    [
        (True, {"sides": 2, "shortest": 2}),
        (False, {"sides": 2, "shortest": 2}),
        (True, {"sides": 3, "columns": 1, "players": 1}),
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
    np.testing.assert_array_equal(compiled.names.rows, plain.names.rows)


@pytest.mark.parametrize("policy", [("stop_after", 1), ("stop_after", 5), ("rule_of", 28)])
@every_board
def test_policies_name_legal_moves(policy, chosen):
    cant_stop = game("cant-stop", **chosen)
    for state in list(played(cant_stop, 12))[::5]:
        assert getattr(cant_stop, policy[0])(state, policy[1]) in moves(cant_stop, state)
    assert set(cant_stop.named_policies()) == {"stop-after", "rule-of"}


def test_the_rule_of_28():
    """A marker counts its steps and one more; 2 for odd columns; 4 for one side of the board."""
    real = game("cant-stop", sides=6, shortest=3, columns=3)

    def stops_at(*steps):
        heights = dict(steps)
        markers = tuple(heights.get(column, 0) for column in range(2, 13))
        state = real.start()._replace(markers=markers)
        return [n for n in range(1, 99) if real.rule_of(state, n) == "stop"][-1]

    assert stops_at((6, 1), (7, 1), (8, 1)) == 4 + 2 + 4
    assert stops_at((6, 2), (7, 1)) == 6 + 2
    assert stops_at((3, 1), (5, 1), (7, 2)) == 10 + 6 + 3 + 2 + 4
    assert stops_at((4, 1), (6, 1), (8, 1)) == 8 + 4 + 4 - 2


# The whole game a second time ----------------------------------------------------------------


def by_model(model, alone):
    """At the start: the chance to win, or alone the number of turns, if played well."""
    begins = model.choice[:-1][np.diff(model.choice) > 0]
    going = np.flatnonzero(np.diff(model.choice))
    value = np.zeros(model.states) if alone else (model.winners > 0).astype(float)
    best = np.minimum if alone else np.maximum
    for _ in range(5000):
        target = value[model.col]
        if not alone:
            target = np.where(model.shift == 0, target, 1 - target)
        each = np.add.reduceat(model.weight * target, model.row[:-1]) / model.total
        new = value.copy()
        new[going] = best.reduceat(each + alone * model.counts, begins)
        if np.abs(new - value).max() < 1e-13:
            break
        value = new
    return value[model.start]


def by_hand(sides, shortest, columns, alone):
    """The same from the rules: positions are frozen sets of (column, height)."""
    tops = lengths(sides, shortest)
    throws = Counter(tuple(sorted(t)) for t in product(range(1, sides + 1), repeat=4))
    value, seen = {}, []
    best = min if alone else max

    def begin(mine, theirs):
        if (mine, theirs) not in value:
            value[mine, theirs] = 1.0 if alone else 0.5
            seen.append((mine, theirs))
        return value[mine, theirs]

    def turn(mine, theirs):
        won = {c for c, height in mine | theirs if height == tops[c]}

        def passed(new):
            value = begin(new, theirs) if alone else 1 - begin(theirs, new)
            return value + alone

        @cache
        def stand(markers):
            new = frozenset((dict(mine) | dict(markers)).items())
            full = {c for c, height in new if height == tops[c]}
            if len(full) >= columns:
                return float(1)
            lost = frozenset((c, h) for c, h in theirs if c not in full)
            stop = alone + begin(new, theirs) if alone else 1 - begin(lost, new)
            return best(stop, throw(markers))

        @cache
        def throw(markers):
            total = 0.0
            for dice, weight in throws.items():
                after = climbs(tops, dict(mine), won, dict(markers), dice)
                if after:
                    total += weight * best(map(stand, after))
                else:
                    total += weight * passed(mine)
            return total / sides**4

        return throw(frozenset())

    nobody = frozenset()
    begin(nobody, nobody)
    for _ in range(500):
        before = dict(value)
        for position in reversed(list(seen)):
            value[position] = turn(*position)
        if len(before) == len(value) and all(
            abs(value[p] - old) < 1e-11 for p, old in before.items()
        ):
            break
    return value[nobody, nobody]


@pytest.mark.parametrize(
    ("sides", "shortest", "columns", "players"),
    [
        (2, 1, 2, 2),
        pytest.param(2, 2, 2, 2, marks=pytest.mark.slow),
        (2, 1, 3, 1),
        (2, 2, 3, 1),
        (3, 1, 1, 1),
    ],
)
def test_the_model_agrees_with_the_rules(sides, shortest, columns, players):
    alone = players == 1
    model = model_of(sides=sides, shortest=shortest, columns=columns, players=players)
    expected = by_hand(sides, shortest, columns, alone)
    assert by_model(model, alone) == pytest.approx(expected, abs=1e-8)
    assert expected >= 1 if alone else 0.5 < expected < 1
