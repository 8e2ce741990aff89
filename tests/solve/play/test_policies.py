"""Policies and what becomes of a game under them: restriction, tables, files, advice.

The chain that policies make of a game is built here once more, state by state from the tables.
"""

import itertools
import math
import os
import random
import sys
import zipfile
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from play_tables import Tables, rounds, tabled

from oddsmith import (
    DRAW,
    Die,
    Game,
    OddsmithError,
    OptionError,
    Policy,
    Table,
    best_response,
    explore,
    game,
    move,
    odds,
    optimal,
    values,
)
from oddsmith.ask.study import Study
from oddsmith.errors import EndlessError, LimitError, RuleError
from oddsmith.policies.policy import Random, Rule
from oddsmith.policies.restrict import FREE, RANDOM, restrict
from oddsmith.solve.play.judge import with_model

INTERPRETED = {"engine": "interpreted"}

briefly = settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
with_files = settings(
    briefly,
    max_examples=20,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)


def decides(tables):
    """Whether there is anything to decide."""
    return any(len(tables.moves.get(s, ())) > 1 for s in tables.reached)


def assert_one_sentence(error, *parts):
    text = str(error.value)
    assert "\n" not in text
    assert text.endswith((".", "?"))
    for part in parts:
        assert part in text


# Restriction ----------------------------------------------------------------------------------


def chances(model, c):
    """The chances of a choice by the names of the states it leads to, duplicates added up."""
    found = {}
    for e in range(int(model.row[c]), int(model.row[c + 1])):
        lane = 0 if model.shift is None else int(model.shift[e])
        key = model.state(int(model.col[e])), lane
        found[key] = found.get(key, 0) + Fraction(int(model.weight[e]), int(model.total[c]))
    assert sum(found.values()) == 1
    return found


def naive(model, decided, everywhere):
    """What is left of a model after decisions, by names: state -> list of (chances, action)."""
    todo = list(range(model.states)) if everywhere else [model.start]
    left = {}
    while todo:
        s = todo.pop()
        name = model.state(s)
        if name in left:
            continue
        span = range(int(model.choice[s]), int(model.choice[s + 1]))
        choices = [(chances(model, c), int(model.action[c])) for c in span]
        if len(span) > 1 and decided[s] == RANDOM:
            mixed = {}
            for row, _ in choices:
                for t, p in row.items():
                    mixed[t] = mixed.get(t, 0) + p / len(span)
            choices = [(mixed, None)]
        elif len(span) > 1 and decided[s] != FREE:
            choices = [choices[decided[s] - span.start]]
        left[name] = choices
        todo += [model.find(t) for row, _ in choices for t, _ in row]
    return left


@st.composite
def decisions(draw):
    """A model, and for each of its states a decision: a choice, all of them, or any at random."""
    kinds = tabled(2, most=7, profiles=10**4) | tabled(2, scored=True) | rounds(2)
    subject = draw(kinds)
    model = explore(subject.game, **INTERPRETED)
    decided = [
        draw(
            st.sampled_from([FREE, RANDOM, *range(int(model.choice[s]), int(model.choice[s + 1]))])
        )
        for s in range(model.states)
    ]
    return model, decided


@briefly
@given(asked=decisions(), everywhere=st.booleans())
def test_restriction(asked, everywhere):
    model, decided = asked
    numbers = np.array(decided)
    left = restrict(model, lambda states: numbers[states], everywhere)
    wanted = naive(model, decided, everywhere)
    assert {left.state(i) for i in range(left.states)} == set(wanted)
    assert left.state(left.start) == model.state(model.start)
    for i in range(left.states):
        name, old = left.state(i), model.find(left.state(i))
        span = range(int(left.choice[i]), int(left.choice[i + 1]))
        found = [(chances(left, c), int(left.action[c])) for c in span]
        assert [row for row, _ in found] == [row for row, _ in wanted[name]]
        for (_, action), (_, expected) in zip(found, wanted[name], strict=True):
            assert expected in (None, action)
        assert left.owner[i] == model.owner[old]
        assert left.winners[i] == model.winners[old]
        if model.scores is not None:
            assert left.scores[i].tolist() == model.scores[old].tolist()


def test_only_states_with_a_choice_are_asked_and_each_once():
    tables = Tables({0: {"a": {1: 1}}, 1: {"a": {2: 1}, "b": {1: 1}}, 2: {"c": {3: 1}}}, {3: 0})
    model = explore(tables.game, **INTERPRETED)
    asked = []

    def decide(states):
        asked.extend(model.state(int(s)).at for s in states)
        return model.choice[states]

    restrict(model, decide)
    assert asked == [1]


def test_random_moves_with_dice_of_all_kinds():
    """Thirds and fifths and a certain move: the common measure is 3 · 3 · 5."""
    tables = Tables(
        {0: {"a": {1: 1, 2: 2}, "b": {1: 2, 0: 3}, "c": {2: 1}}}, {1: 0, 2: 1}, players=2
    )
    model = explore(tables.game, **INTERPRETED)
    chain = restrict(model, lambda states: np.full(len(states), RANDOM))
    assert chain.is_chain
    row = {state.at: p for (state, _), p in chances(chain, 0).items()}
    third = Fraction(1, 3)
    assert row == {
        1: third * third + third * Fraction(2, 5),
        2: third * (2 * third + 1),
        0: Fraction(1, 5),
    }
    found = odds(tables.game, play="random", method="exact", **INTERPRETED)
    assert found.win[0].exact == tables.values({0: None})[0][0]


def test_dice_without_a_common_measure_are_refused():
    primes = 2**31 - 1, 2**31 + 11
    tables = Tables(
        {0: {"a": {1: 1, 2: primes[0] - 1}, "b": {1: 1, 2: primes[1] - 1}}}, {1: 0, 2: DRAW}
    )
    with pytest.raises(LimitError) as error:
        odds(tables.game, play="random", **INTERPRETED)
    assert_one_sentence(error, "63 bits", "simulate")


def resting_game(size):
    """A line in which the last state has a move that counts and one that does not."""

    class Line(Game):
        class State(NamedTuple):
            at: int = 0

        def winner(self, s):
            return 0 if s.at >= size else None

        @move
        def walk(self, s):
            return self.State(s.at + 1)

        @move(when=lambda self, s: s.at < size - 1)
        def run(self, s):
            return self.State(s.at + 1)

        @move(when=lambda self, s: s.at == size - 1, counts=False)
        def rest(self, s):
            return self.State(s.at + 1)

    return Line(players=1)


@pytest.mark.parametrize("size", [5, 1500])
def test_random_moves_that_count_and_that_do_not(size):
    """However far the state is away in which it matters."""
    with pytest.raises(OptionError) as error:
        odds(resting_game(size), play="random", **INTERPRETED)
    assert_one_sentence(error, "count", f"at={size - 1}")


# Policies in questions ------------------------------------------------------------------------


@st.composite
def profiles(draw, players=2):
    """A game that ends however it is played, and a move (or None: any) in every state."""
    tables = draw(tabled(players=players, ending=True))
    for player in range(players):
        at_random = draw(st.booleans())
        for s in tables.moves:
            if tables.owner[s] == player:
                tables.moves[s] = dict(tables.moves[s])
        tables.at_random = {**getattr(tables, "at_random", {}), player: at_random}
    profile = {
        s: None if tables.at_random[tables.owner[s]] else draw(st.sampled_from(sorted(named)))
        for s, named in tables.moves.items()
    }
    return tables, profile


def policies_of(tables, profile):
    rule = Rule(lambda game, s: profile[s.at], "table")
    return [Random() if tables.at_random[p] else rule for p in range(tables.players)]


@briefly
@given(asked=profiles())
def test_odds_of_policies(asked):
    """Chances of each to win, by the chain itself."""
    tables, profile = asked
    assume(decides(tables))
    truth = tables.values(profile)
    found = odds(tables.game, play=policies_of(tables, profile), method="exact", **INTERPRETED)
    alone = {s: won for s, won in tables.ends.items() if won in (0, 1)}
    if len(alone) == len(tables.ends):  # nothing is shared: chances are what play is worth
        assert [answer.exact for answer in found.win] == list(truth[0])
    assert sum(answer.exact for answer in found.win) + found.draw.exact >= 1


@briefly
@given(asked=profiles(), data=st.data())
def test_a_policy_where_another_holds(asked, data):
    tables, _ = asked
    assume(decides(tables))
    split = data.draw(st.integers(0, 6))
    first, last = (
        Rule(lambda g, s: min(tables.moves[s.at])),
        Rule(lambda g, s: max(tables.moves[s.at])),
    )
    for condition in (f"at>={split}", lambda game, s: s.at >= split):
        play = first.where(condition, last)
        mixed = {s: (max if s >= split else min)(named) for s, named in tables.moves.items()}
        rule = Rule(lambda g, s, mixed=mixed: mixed[s.at])
        both = [
            odds(tables.game, play=each, method="exact", **INTERPRETED) for each in (play, rule)
        ]
        assert both[0].win == both[1].win


BAD = Tables({0: {"a": {1: 1, 2: 1}, "b": {2: 1}}}, {1: 0, 2: DRAW})


@pytest.mark.parametrize(
    ("rule", "parts"),
    [
        (lambda game, s: "c", ["'c'", "a or b"]),
        (lambda game, s: "jump", ["'jump'", "a or b"]),
        (lambda game, s: None, ["None", "a or b"]),
        (lambda game, s: 0, ["0", "a or b"]),
        (lambda game, s: ["a"], ["['a']", "a or b"]),
        (lambda game, s: 1 / 0, ["ZeroDivisionError"]),
        (lambda game, s: s.nothing, ["AttributeError"]),
    ],
)
def test_illegal_moves(rule, parts):
    with pytest.raises(RuleError) as error:
        odds(BAD.game, play=Rule(rule, "mine"), **INTERPRETED)
    assert_one_sentence(error, "The policy mine", "State(at=0, turn=0)", *parts)


def test_policies_with_a_memory_or_a_coin_of_their_own():
    """Their odds were called exact, and were other ones when they were asked again."""
    turns, coins = itertools.count(), random.Random(1)
    alternating = Rule(lambda game, s: "ab"[next(turns) % 2], "mine")
    tossing = Rule(lambda game, s: coins.choice("ab"), "mine")
    for rule in (alternating, tossing):
        with pytest.raises(RuleError) as error:
            odds(BAD.game, play=rule, **INTERPRETED)
        assert_one_sentence(error, "The policy mine", "State(at=0, turn=0)", "the same every time")


def test_a_policy_that_ends_the_program():
    with pytest.raises(RuleError, match="The policy mine ends the program in State"):
        odds(BAD.game, play=Rule(lambda game, s: sys.exit(), "mine"), **INTERPRETED)


class Numbered(Policy):
    name = "numbered"

    def __init__(self, number):
        self.number = number

    def move(self, game, state):
        return self.number


@pytest.mark.parametrize("number", [2, 3, 99, -1])
def test_illegal_numbers(number):
    with pytest.raises(RuleError) as error:
        odds(BAD.game, play=Numbered(number), **INTERPRETED)
    assert_one_sentence(error, "The policy numbered", "State(at=0, turn=0)", "a or b")


@pytest.mark.parametrize(
    "play", [3, 2.5, [], ["optimal"] * 3, "nothing", "hold-at-x", "best-response,best-response", ""]
)
def test_what_is_no_policy(play):
    with pytest.raises(OddsmithError) as error:
        odds(BAD.game if play == "nothing" else game("pig", goal=5), play=play)
    assert_one_sentence(error)


def test_endless_policies_are_told():
    tables = Tables({0: {"a": {0: 1}, "b": {1: 1}}}, {1: 0})
    with pytest.raises(EndlessError) as error:
        odds(tables.game, play=lambda game, s: "a", **INTERPRETED)
    assert "\n" not in str(error.value)
    assert odds(tables.game, play=lambda game, s: "b", **INTERPRETED).win[0].exact == 1


# Tables: asking ---------------------------------------------------------------------------------


def assert_advice(table, tables, truth):
    """Moves are worth what their outcomes are, the best first, margins what they are better by."""
    for s in tables.reached:
        state = tables.state(s)
        advice = table.advice(state)
        if s in tables.ends:
            assert advice == []
            continue
        mover = tables.owner[s]
        worth = {
            name: sum(p * truth[t][mover] for t, p in tables.row(s, name).items())
            for name in tables.moves[s]
        }
        assert {each.move for each in advice} == set(worth)
        assert [each.worth.value for each in advice] == sorted(
            (each.worth.value for each in advice), reverse=True
        )
        for each in advice:
            true = worth[each.move]
            assert Fraction(each.worth.lower) <= true <= Fraction(each.worth.upper)
            assert each.worth.upper - each.worth.lower < 1e-9
            if table.exact is not None:
                assert each.worth.exact == true
            others = [value for name, value in worth.items() if name != each.move]
            if others:
                assert each.margin == pytest.approx(float(true - max(others)), abs=1e-9)
            else:
                assert each.margin == math.inf
        assert abs(max(worth.values()) - truth[s][mover]) < 1e-9 or any(
            s in tables.row(s, name) for name in worth
        )


@briefly
@given(
    tables=tabled(1) | tabled(2) | tabled(1, scored=True),
    method=st.sampled_from(["exact", "certified"]),
)
def test_advice(tables, method):
    if tables.players == 1:
        truth = {s: (worth,) for s, worth in tables.best().items()}
    else:
        truth = {s: (worth, 1 - worth) for s, (worth, _) in tables.value().items()}
    assert_advice(optimal(tables.game, method=method, **INTERPRETED), tables, truth)


@briefly
@given(table=rounds(2), method=st.sampled_from(["exact", "certified"]), symmetry=st.booleans())
def test_advice_from_every_seat(table, method, symmetry):
    plain, number = table.plain()
    truth = plain.value()
    best = optimal(table.game, method=method, symmetry=symmetry, **INTERPRETED)
    for (at, turn), s in number.items():
        if s in plain.ends:
            continue
        for each in best.advice(table.game.State(at, turn)):
            worth = sum(p * truth[t][0] for t, p in plain.row(s, each.move).items())
            true = worth if turn == 0 else 1 - worth
            assert Fraction(each.worth.lower) <= true <= Fraction(each.worth.upper)
            assert each.worth.upper - each.worth.lower < 1e-9


def test_advice_that_cannot_be_given():
    best = optimal(game("pig", goal=10))
    state = best.game.State
    with pytest.raises(OptionError) as error:
        best.advice(3)
    assert_one_sentence(error, "not a state")
    for unknown in (state((500, 0), 0, 0), state((0, 99), 0, 0), state((0, 0), 0, -3)):
        with pytest.raises(OptionError) as error:
            best.index(unknown)
        assert_one_sentence(error, "does not know")
    with pytest.raises(OddsmithError) as error:
        best.advice(state((0, 0), 0, -3))
    assert "\n" not in str(error.value)
    with pytest.raises(OddsmithError) as error:
        best.advice(state((500, 0), 0, 0))
    assert_one_sentence(error, "outside its range")
    assert best.advice(state((10, 0), 1, 0)) == []  # it is over
    with pytest.raises(OddsmithError):
        best.advice(state((0, 0), 2, 0))
    response = best_response(best.game, "hold-at-3")
    with pytest.raises(OptionError) as error:
        response.advice(state((0, 0), 1, 0))
    assert_one_sentence(error, "player 1", "player 2")


def test_a_state_that_looks_like_another_is_not_that_one():
    """Places and turns are packed into one word: a turn too large must not run into the place."""
    tables = Tables(
        {0: {"a": {1: 1}}, 1: {"a": {2: 1}, "b": {0: 1}}}, {2: 0}, {0: 0, 1: 1}, players=2
    )
    best = optimal(tables.game, **INTERPRETED)
    with pytest.raises(OptionError):
        best.index(tables.game.State(0, 3))  # 0 · 2 + 3 = 1 · 2 + 1
    assert best.index(tables.game.State(1, 1)) == 1


# Tables: keeping --------------------------------------------------------------------------------


def assert_same_table(one, other):
    assert len(one) == len(other)
    assert (one.name, one.player, one.relative) == (other.name, other.player, other.relative)
    assert one.error == other.error or one.exact is not None
    for i in range(len(one)):
        state = one.names[i]
        there = other.index(state)
        assert one.action[i] == other.action[there]
        assert one.worth[i].tolist() == other.worth[there].tolist()


def assert_round_trip(table, path):
    table.save(path)
    loaded = Table.load(path, table.game)
    assert_same_table(table, loaded)
    loaded.save(path)
    assert_same_table(table, Table.load(path, table.game))
    return loaded


@with_files
@given(tables=tabled(1) | tabled(2) | tabled(1, scored=True))
def test_a_table_that_was_kept_plays_alike(tables, tmp_path):
    best = optimal(tables.game, method="certified", **INTERPRETED)
    loaded = assert_round_trip(best, tmp_path / "best.policy")
    for s in tables.reached:
        if s in tables.moves:
            mine, again = best.advice(tables.state(s)), loaded.advice(tables.state(s))
            assert mine == again
    if tables.players == 1 or not decides(tables):
        return  # nobody to play it against
    played = [
        odds(tables.game, play=each, endless="draw", **INTERPRETED).to_dict()["win"]
        for each in (best, loaded, str(tmp_path / "best.policy"))
    ]
    assert played[0] == played[1] == played[2]


@pytest.mark.parametrize("name", ["pig", "piglet"])
def test_a_relative_table_that_was_kept(name, tmp_path):
    subject = game(name, goal=12)
    best = optimal(subject)
    assert best.relative
    loaded = assert_round_trip(best, tmp_path / "best.policy")
    model = explore(subject, symmetry=False)
    for i in range(model.states):
        state = model.state(i)
        if model.choice[i + 1] > model.choice[i]:
            assert best.move(subject, state) == loaded.move(subject, state)
    response = best_response(subject, loaded)
    assert_round_trip(response, tmp_path / "response.policy")
    assert response.worth[response.model.start, 0] == pytest.approx(best.worth[0, 0], abs=1e-9)


@pytest.mark.parametrize("method", ["exact", "certified"])
def test_large_scores_that_cancel(method, tmp_path):
    """What is kept are floats: an error of 1e-17 each, of scores of 1e9, is one of 1e-8."""
    tables = Tables(
        {
            0: {"a": {1: 1, 2: 1}, "b": {1: 2, 2: 3}},
            1: {"a": {3: 1, 4: 2}},
            2: {"a": {5: 1, 6: 2}},
        },
        dict.fromkeys(range(3, 7), 0),
        scores={3: (10**9 + 1,), 4: (7,), 5: (-(10**9) - 1,), 6: (-6,)},
    )
    best = optimal(tables.game, method=method, **INTERPRETED)
    truth = {s: (worth,) for s, worth in tables.best().items()}
    best.save(tmp_path / "scores.policy")
    for table in (best, Table.load(tmp_path / "scores.policy", tables.game)):
        for s in tables.moves:
            for each in table.advice(tables.state(s)):
                true = sum(p * truth[t][0] for t, p in tables.row(s, each.move).items())
                assert Fraction(each.worth.lower) <= true <= Fraction(each.worth.upper)
                assert each.worth.upper - each.worth.lower < 1e-4


class Words(Game):
    """States that are no rows of numbers."""

    class State(NamedTuple):
        said: str = ""
        more: tuple = ()

    def winner(self, s):
        return 0 if s.said == "ba" else DRAW if len(s.said) > 1 else None

    @move(dice=Die({"a": 2, "b": 1}))
    def say(self, s, letter):
        return s._replace(said=s.said + letter)

    @move
    def be(self, s):
        return self.State(s.said + "b", (*s.more, "c"))


class Growing(Game):
    """States whose tuples grow: the first looks like a row of numbers."""

    class State(NamedTuple):
        path: tuple[int, ...] = (0,)

    def winner(self, s):
        return 0 if sum(s.path) == 3 else DRAW if len(s.path) > 3 else None

    @move(dice=Die({0: 1, 1: 1}))
    def toss(self, s, face):
        return self.State((*s.path, face))

    @move
    def double(self, s):
        return self.State((*s.path, s.path[-1] + 1))


@pytest.mark.parametrize("made", [Words, Growing])
def test_tables_of_states_that_are_no_rows(made, tmp_path):
    subject = made(players=1)
    best = optimal(subject, method="certified", **INTERPRETED)
    assert best.advice(subject.start())[0].worth.value == best.worth[0, 0]
    loaded = assert_round_trip(best, tmp_path / "words.policy")
    assert odds(subject, play=loaded, **INTERPRETED).win[0].value == best.worth[0, 0]


def test_a_table_for_other_rules_is_refused(tmp_path):
    path = tmp_path / "pig.policy"
    optimal(game("pig", goal=10), **INTERPRETED).save(path)
    for other in (game("pig", goal=11), game("piglet", goal=10), game("pig", goal=10, players=3)):
        with pytest.raises(OptionError) as error:
            Table.load(path, other)
        assert_one_sentence(error, "other rules", "goal=10")
        with pytest.raises(OptionError):
            odds(other, play=str(path), **INTERPRETED)
    best = optimal(game("pig", goal=10), **INTERPRETED)
    with pytest.raises(OptionError) as error:
        odds(game("pig", goal=11), play=best, **INTERPRETED)
    assert_one_sentence(error, "rules")


def damaged(path):
    """The file cut short, and with single bytes changed, all over."""
    whole = path.read_bytes()
    for size in (0, 1, 3, 4, 20, len(whole) // 2, len(whole) - 1, len(whole) - 30):
        yield whole[:size]
    rng = np.random.default_rng(1)
    for at in rng.integers(0, len(whole), 60):
        yield whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :]


def test_a_damaged_file_is_told(tmp_path):
    best = optimal(game("pig", goal=6))
    whole, path = tmp_path / "whole.policy", tmp_path / "damaged.policy"
    best.save(whole)
    refusals = []
    for content in damaged(whole):
        path.write_bytes(content)
        try:
            loaded = Table.load(path, best.game)
        except OptionError as error:
            refusals.append(str(error))
        else:  # a byte that does not matter, such as a date
            assert_same_table(best, loaded)
    assert len(refusals) > 20
    assert all("damaged.policy" in text and "\n" not in text for text in refusals)


def write_text(path):
    path.write_text("hold at twenty")


def write_array(path):
    with path.open("wb") as file:
        np.save(file, np.arange(3))


def write_arrays(path):
    with path.open("wb") as file:
        np.savez(file, action=np.arange(3))


def write_zip(path):
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("meta.json", "{}")


def write_meta(path, **changes):
    """A file of the right kind in which something is missing."""
    best = optimal(game("pig", goal=6))
    best.save(path)
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files if name not in changes}
    with path.open("wb") as file:
        np.savez(file, **arrays, **{k: v for k, v in changes.items() if v is not None})


@pytest.mark.parametrize(
    "write",
    [
        write_text,
        write_array,
        write_arrays,
        write_zip,
        lambda path: write_meta(path, meta=np.array("{}")),
        lambda path: write_meta(path, meta=np.array('{"format": "oddsmith policy 1"}')),
        lambda path: write_meta(path, meta=np.array("[]")),
        lambda path: write_meta(path, meta=np.array("no json")),
        lambda path: write_meta(path, action=None),
        lambda path: write_meta(path, worth=None),
        lambda path: write_meta(path, codes=None),
        lambda path: write_meta(path, worth=np.zeros((2, 2))),
    ],
)
def test_what_is_no_policy_file(write, tmp_path):
    path = tmp_path / "some.policy"
    write(path)
    with pytest.raises(OptionError) as error:
        Table.load(path, game("pig", goal=6))
    assert_one_sentence(error, "some.policy")


def test_files_that_are_not_there(tmp_path):
    subject = game("pig", goal=6)
    with pytest.raises(OptionError) as error:
        Table.load(tmp_path / "none.policy", subject)
    assert_one_sentence(error, "none.policy")
    with pytest.raises(OptionError) as error:
        Table.load(tmp_path, subject)
    assert_one_sentence(error)
    best = optimal(subject)
    for nowhere in (tmp_path, tmp_path / "no" / "where.policy"):
        with pytest.raises(OddsmithError) as error:
            best.save(nowhere)
        assert_one_sentence(error, "cannot be written")


def test_a_table_knows_nothing_beyond_the_end():
    best = optimal(BAD.game, **INTERPRETED)
    with pytest.raises(OptionError):
        best.move(BAD.game, BAD.state(1))


# What a state is worth and what play makes of it -------------------------------------------------


@briefly
@given(tables=tabled(2, ending=True))
def test_optimal_play_gives_what_it_is_worth(tables):
    """The chain of optimal policies is worth the value, by the solvers of chains."""
    assume(all(won in (0, 1) for won in tables.ends.values()))
    found = odds(tables.game, method="exact", **INTERPRETED)
    assert found.win[0].exact == tables.value()[0][0]
    everywhere = values(tables.game, **INTERPRETED).values
    for s in tables.reached:
        answer = everywhere[tables.state(s)]["win 1"]
        truth = tables.value()[s][0]
        assert answer.lower <= truth <= answer.upper


def test_worth_is_believed_if_its_writer_is_you(tmp_path, monkeypatch):
    """A file of somebody else plays its moves; what it says of worth has no bounds."""
    best = optimal(game("pig", goal=6))
    path = tmp_path / "pig.policy"
    best.save(path)
    mine = Table.load(path, best.game)
    assert mine.advice(best.game.start())[0].worth.lower is not None
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    with path.open("wb") as file:
        np.savez(file, **arrays | {"worth": arrays["worth"] * 0 + 0.75})
    forged = Table.load(path, best.game)
    assert forged.foreign
    assert forged.advice(best.game.start())[0].worth.lower is None
    assert Study(best.game, against=forged).solved is None
    with pytest.raises(OptionError, match="not believed"):
        with_model(forged)
    played = odds(best.game, play=[forged, forged])
    assert played.win[0].value == pytest.approx(odds(best.game, play=[best, best]).win[0].value)
    best.save(path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "elsewhere"))
    assert Table.load(path, best.game).foreign


@pytest.mark.parametrize("kind", ["fifo", "bomb", "worth", "text"])
def test_hostile_policy_files(kind, tmp_path):
    best = optimal(game("pig", goal=6))
    path = tmp_path / "some.policy"
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "bomb":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
            file.writestr("action.npy", b"\0" * 10**6)
            file.filelist[0].file_size = 10**14  # what the list of the parts says
    elif kind == "worth":
        write_meta(path, worth=np.full(best.worth.shape, 7.0))
    else:
        write_meta(path, meta=np.array("[" * 10**5))
    with pytest.raises(OptionError) as error:
        Table.load(path, best.game)
    assert_one_sentence(error, "some.policy")
