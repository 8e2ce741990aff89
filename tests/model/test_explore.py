"""Exploration: every way to store and to find states gives the same model."""

import gc
from collections import Counter
from enum import IntEnum
from math import comb
from typing import ClassVar, NamedTuple

import numpy as np
import pytest

from oddsmith import DRAW, Die, Game, coin, d4, d6, explore, game, move, odds, put
from oddsmith.errors import RuleError
from oddsmith.questions import limits
from oddsmith.rules.digest import rules_digest

ENGINES = ["interpreted", "compiled"]
ARRAYS = ["choice", "row", "col", "weight", "total", "action", "owner", "winners", "shift"]


def assert_same_arrays(one, other):
    """Both models have the same numbers in the same order."""
    for name in ARRAYS:
        mine, theirs = getattr(one, name), getattr(other, name)
        if mine is None or theirs is None:
            assert mine is theirs, name
        else:
            np.testing.assert_array_equal(mine, theirs, err_msg=name)
    assert (one.start, one.start_lane) == (other.start, other.start_lane)


def named_transitions(model):
    """The model by names alone: (state, move) -> {successor: weight}, and the ends."""
    chances, ends = {}, {}
    for i in range(model.states):
        if model.winners[i] >= 0:
            ends[model.state(i)] = int(model.winners[i])
        for c in range(model.choice[i], model.choice[i + 1]):
            edges = range(model.row[c], model.row[c + 1])
            chances[model.state(i), int(model.action[c])] = {
                model.state(model.col[e]): int(model.weight[e]) for e in edges
            }
    return chances, ends


# Dice that depend on the state ---------------------------------------------------------------


class Climb(Game):
    """Climb eight steps: a coin on the first three, then a four-sided die; 8 or more wins."""

    class State(NamedTuple):
        height: int = 0

    def winner(self, s):
        return 0 if s.height >= 8 else None

    @move(dice=lambda self, s: coin if s.height < 3 else d4)
    def climb(self, s, steps):
        return self.State(min(8, s.height + steps))


@pytest.mark.parametrize("engine", ENGINES)
def test_dice_that_depend_on_the_state(engine):
    chances, ends = named_transitions(explore(Climb(), engine=engine))
    at = Climb.State
    assert chances[at(2), 0] == {at(2): 1, at(3): 1}
    assert chances[at(3), 0] == {at(4): 1, at(5): 1, at(6): 1, at(7): 1}
    assert chances[at(6), 0] == {at(7): 1, at(8): 3}
    assert ends == {at(8): 1}
    assert len(chances) == 8


def test_a_die_that_is_first_thrown_late():
    """The compiled engine learns a die when it meets it, beyond the states it has interpreted."""

    class Late(Climb):
        def winner(self, s):
            return 0 if s.height >= 300 else None

        @move(dice=lambda self, s: coin if s.height < 200 else d6)
        def climb(self, s, steps):
            return self.State(min(300, s.height + steps))

    compiled = explore(Late(), engine="compiled")
    assert_same_arrays(compiled, explore(Late(), engine="interpreted"))
    assert compiled.states == 301
    assert sorted(set(compiled.total.tolist())) == [2, 6]


# How states are found again ------------------------------------------------------------------


class Urn(Game):
    """Draw from an urn with replacement until a colour is drawn `limit` times; players tie."""

    limit: int = 6
    colours: int = 3

    class State(NamedTuple):
        drawn: tuple[int, ...]

    def start(self):
        return self.State((0,) * self.colours)

    def winner(self, s):
        for count in s.drawn:
            if count >= self.limit:
                return DRAW
        return None

    @move(dice=lambda self: Die({colour: colour + 1 for colour in range(self.colours)}))
    def draw(self, s, colour):
        return self.State(put(s.drawn, colour, s.drawn[colour] + 1))


class RangedUrn(Urn):
    """The same with a range, which makes the packed state a perfect index."""

    def ranges(self):
        return {"drawn": range(self.limit + 1)}


class RankedUrn(Urn):
    """The same with a number for each state, by the game itself."""

    first: ClassVar = 0

    @property
    def empty(self):
        return (0,) * self.colours

    def rank(self, s):
        number = 0
        for count in s.drawn:
            number = number * (self.limit + 1) + count
        return self.first + number

    def unrank(self, number):
        number -= self.first
        drawn = self.empty
        for i in range(self.colours - 1, -1, -1):
            drawn = put(drawn, i, number % (self.limit + 1))
            number //= self.limit + 1
        return self.State(drawn)


class HighRankedUrn(RankedUrn):
    """As `RankedUrn`, from rank 100,000 on: the table of states must grow to hold them."""

    first: ClassVar = 100_000


def urn_states(limit, colours):
    """All counts below the limit, and those where the last draw reached it."""
    return limit**colours + colours * limit ** (colours - 1)


@pytest.mark.parametrize(
    "urn", [Urn, RangedUrn, RankedUrn, pytest.param(HighRankedUrn, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("engine", ENGINES)
def test_hashed_ranged_and_ranked_states_are_the_same(urn, engine):
    plain = explore(Urn(), engine="interpreted")
    found = explore(urn(), engine=engine)
    assert found.states == urn_states(6, 3) == 324
    assert_same_arrays(found, plain)
    assert [tuple(found.state(i).drawn) for i in range(found.states)] == [
        tuple(plain.state(i).drawn) for i in range(plain.states)
    ]
    assert all(found.find(found.state(i)) == i for i in range(found.states))


def test_states_of_several_words():
    """Seven numbers of 32 bits each do not fit into one word, nor into three."""
    urn = Urn(limit=3, colours=7)
    compiled, plain = (explore(urn, engine=engine) for engine in ("compiled", "interpreted"))
    assert compiled.names.layout.words == 7
    assert compiled.states == urn_states(3, 7) == 7290
    assert_same_arrays(compiled, plain)
    np.testing.assert_array_equal(compiled.names.rows, plain.names.rows)
    layout = compiled.names.layout
    np.testing.assert_array_equal(
        layout.pack(layout.unpack(plain.names.packed)), plain.names.packed
    )


def test_states_with_negative_numbers_and_truth_values():
    class Drift(Game):
        """Walk from 0 to 120 either way; remember the sign of the last step."""

        class State(NamedTuple):
            at: int = 0
            up: bool = False
            trail: tuple[tuple[int, bool], bool] = ((0, False), True)

        def winner(self, s):
            return 0 if s.at == 120 else 1 if s.at == -120 else None

        @move(dice=Die([-1, 1]))
        def go(self, s, step):
            return self.State(s.at + step, step > 0, ((s.at, s.up), step < 0))

    compiled, plain = (explore(Drift(), engine=engine) for engine in ("compiled", "interpreted"))
    assert_same_arrays(compiled, plain)
    assert [compiled.state(i) for i in range(compiled.states)] == [
        plain.state(i) for i in range(plain.states)
    ]
    assert type(compiled.state(1).up) is bool
    assert type(compiled.state(1).trail[0][0]) is int


# States that are not rows of numbers ---------------------------------------------------------


class Light(Game):
    """A traffic light: red, green, amber; the shown word may be none at all."""

    class State(NamedTuple):
        shown: str | None = None
        rounds: int = 0

    def winner(self, s):
        return 0 if s.rounds == 2 else None

    @move(dice=coin)
    def change(self, s, heads):
        following = {None: "red", "red": "green", "green": "amber", "amber": None}
        shown = following[s.shown] if heads else s.shown
        return self.State(shown, s.rounds + (shown is None and heads))


def test_states_with_words_are_interpreted_and_the_model_says_why(monkeypatch):
    monkeypatch.setattr(limits, "INTERPRETED_FIRST", 0)
    model = explore(Light())
    assert model.states == 9
    assert [model.state(i) for i in (0, 1, 8)] == [(None, 0), ("red", 0), (None, 2)]
    assert all(model.find(model.state(i)) == i for i in range(model.states))


def test_states_with_words_cannot_be_compiled():
    with pytest.raises(RuleError, match=r"Light cannot be compiled: field shown .*NoneType"):
        explore(Light(), engine="compiled")


def test_a_field_that_is_a_number_first_and_none_later():
    class Forgetful(Game):
        """Toss twice; the last toss is remembered, then forgotten."""

        class State(NamedTuple):
            last: int | None = 0
            tosses: int = 0

        def winner(self, s):
            return 0 if s.tosses == 4 else None

        @move(dice=coin)
        def toss(self, s, heads):
            return self.State(None if heads else s.tosses, s.tosses + 1)

    model = explore(Forgetful(), engine="interpreted")
    assert model.states == 9
    assert {model.state(i).last for i in range(1, 3)} == {0, None}


def test_tuples_that_grow():
    class Trail(Game):
        """Remember every toss; three tosses end it."""

        class State(NamedTuple):
            tosses: tuple[int, ...] = ()

        def winner(self, s):
            return 0 if len(s.tosses) == 3 else None

        @move(dice=coin)
        def toss(self, s, heads):
            return self.State((*s.tosses, heads))

    model = explore(Trail())
    assert model.states == 1 + 2 + 4 + 8
    assert model.state(14) == Trail.State((1, 1, 1))


class Hands(Game):
    """Players, interchangeable, who hold cards with names: first to hold two aces wins."""

    interchangeable = ("hands",)

    class State(NamedTuple):
        hands: tuple[str, ...]
        turn: int

    def start(self):
        return self.State(("",) * self.players, 0)

    def winner(self, s):
        for player, hand in enumerate(s.hands):
            if hand == "AA":
                return player
        return None

    @move(dice=coin)
    def draw(self, s, ace):
        hands = put(s.hands, s.turn, s.hands[s.turn] + "A" * ace)
        return self.State(hands, (s.turn + 1) % self.players)


def test_interchangeable_players_with_words_in_their_hands():
    """The coin race of the Goose paper (16/27 for the first player), told with cards."""
    assert str(odds(Hands()).win[0].exact) == "16/27"


def test_unfolding_a_model_whose_states_are_not_numbers():
    folded = explore(Hands())
    full = explore(Hands(), symmetry=False)
    assert named_transitions(folded.unfolded()) == named_transitions(full)


# Ends ----------------------------------------------------------------------------------------


class Duel(Game):
    """Both shoot at once and hit one in two: who hits wins, both if both do; three rounds."""

    class State(NamedTuple):
        hits: tuple[int, int] = (0, 0)
        rounds: int = 0

    def winner(self, s):
        if s.hits == (1, 1):
            return (0, 1)
        if s.hits[0] == 1:
            return 0
        if s.hits[1] == 1:
            return (1,)
        return DRAW if s.rounds == 3 else None

    @move(dice=coin.pool(2))
    def shoot(self, s, hits):
        return self.State((hits[0], hits[1]), s.rounds + 1)


def test_several_winners_and_a_draw():
    """Each round: a quarter nobody, half exactly one (pooled: the second), a quarter both."""
    found = odds(Duel())
    assert explore(Duel()).labels["draw"].sum() == 1
    assert [str(a.exact) for a in (*found.win, found.draw)] == ["21/64", "63/64", "1/64"]


def test_a_winner_of_several_shapes_is_interpreted_with_a_reason(monkeypatch):
    monkeypatch.setattr(limits, "INTERPRETED_FIRST", 0)
    assert explore(Duel()).how.startswith("interpreted")


@pytest.mark.parametrize("engine", ENGINES)
def test_winners_in_a_tuple(engine):
    class Shared(Climb):
        players: int = 3

        def winner(self, s):
            return (0, 2) if s.height >= 8 else None

    model = explore(Shared(), engine=engine)
    assert model.winners.max() == 0b101
    assert [int(model.labels[f"win{p}"].sum()) for p in (1, 2, 3)] == [1, 0, 1]


def test_a_game_that_is_over_before_it_begins():
    class Over(Climb):
        goal: int = 8

        def winner(self, s):
            return 1 if s.height >= self.goal else None

    for engine in ENGINES:
        assert explore(Over(goal=0), engine=engine).states == 1
    found = odds(Over(goal=0))
    assert [a.exact for a in (*found.win, found.draw, found.duration)] == [0, 1, 0, 0]


# Rules outside the compiler's subset ---------------------------------------------------------


class Wordy(Game):
    """Rules that build a dictionary of lists: plain Python, but not for the compiler."""

    class State(NamedTuple):
        count: int = 0

    def winner(self, s):
        return 0 if s.count >= 150 else None

    @move(dice=coin)
    def go(self, s, heads):
        table = {"stay": [s.count, 0], "go": [s.count + 1, "one"]}
        return self.State(table["go" if heads else "stay"][0])


def test_rules_that_cannot_be_compiled_are_interpreted_with_a_reason(monkeypatch):
    monkeypatch.setattr(limits, "INTERPRETED_FIRST", 0)
    model = explore(Wordy())
    assert model.states == 151
    assert model.how.startswith("interpreted, some 100 times slower than compiled: ")
    assert "\n" not in model.how
    assert "test_explore.py" in model.how


def test_rules_that_cannot_be_compiled_are_refused_when_that_is_asked():
    with pytest.raises(RuleError, match="Wordy cannot be compiled: ") as caught:
        explore(Wordy(), engine="compiled")
    assert "\n" not in str(caught.value)


def test_a_small_game_is_interpreted():
    assert explore(Climb()).how == "interpreted"


# Compiled rules are kept by their digest: it must tell different rules apart -----------------


def with_step(size):
    """Two games that differ in a number only, which sits in an enumeration."""

    class Step(IntEnum):
        SIZE = size

    class Stepping(Climb):
        @move(dice=coin)
        def climb(self, s, heads):
            return self.State(min(8, s.height + heads * Step.SIZE))

    return Stepping()


@pytest.mark.slow
def test_compiled_rules_follow_an_enumeration():
    for size in (1, 2):
        compiled = explore(with_step(size), engine="compiled")
        assert compiled.states == 8 // size + 1


def test_the_digest_covers_enumerations():
    assert rules_digest(with_step(1)) != rules_digest(with_step(2))


def test_the_digest_covers_the_defaults_of_a_state():
    def starting(at):
        class Begin(Climb):
            class State(NamedTuple):
                height: int = at

        return Begin()

    assert rules_digest(starting(0)) == rules_digest(starting(0))
    assert rules_digest(starting(0)) != rules_digest(starting(1))


def test_the_digest_covers_the_order_of_a_states_fields():
    class One(Climb):
        class State(NamedTuple):
            height: int = 0
            moves: int = 0

    class Other(Climb):
        class State(NamedTuple):
            moves: int = 0
            height: int = 0

    Other.__name__, Other.__qualname__ = One.__name__, One.__qualname__
    Other.State.__qualname__ = One.State.__qualname__
    assert rules_digest(One()) != rules_digest(Other())


def test_the_digest_does_not_depend_on_when_garbage_is_collected():
    before, often = gc.get_threshold(), {rules_digest(game("pig"))}
    try:
        for allocations in range(1, 40):
            gc.set_threshold(allocations, 1, 1)
            often.add(rules_digest(game("pig")))
    finally:
        gc.set_threshold(*before)
    assert len(often) == 1


def test_the_digest_covers_helpers_options_and_dice_but_not_comments():
    def make(bonus, die):
        def helper(n):
            return n + bonus

        class Helped(Climb):
            goal: int = 8

            @move(dice=die)
            def climb(self, s, steps):
                return self.State(min(8, helper(s.height + steps)))

        return Helped

    same = [rules_digest(make(1, coin)()) for _ in range(2)]
    assert same[0] == same[1]
    others = [make(2, coin)(), make(1, d4)(), make(1, coin)(goal=9)]
    assert len({same[0], *map(rules_digest, others)}) == 4


# Counts from the literature ------------------------------------------------------------------


def test_states_of_the_goose_for_two():
    """4414 with the resting states kept: the reading notes; 94 won and 4 drawn are the paper's.

    Groote, Wiedijk and Zantema count 4046 states where dice are thrown.
    """
    model = explore(game("goose"), symmetry=False)
    assert model.states == 4414
    assert explore(game("goose")).full_states == 4414
    moves = Counter(model.origin.actions[a].name for a in model.action)
    assert moves["throw"] == 4046
    assert int((model.winners > 0).sum()) == 94


@pytest.mark.slow
def test_states_of_the_goose_for_three():
    """297,441: the reading notes."""
    assert explore(game("goose", players=3), engine="compiled").full_states == 297_441


@pytest.mark.parametrize("players", [2, 3, pytest.param(4, marks=pytest.mark.slow)])
def test_left_center_right_stays_within_its_variables(players):
    """The paper has n · C(4n, n) variables: tokens of each player, at most 3n, and a turn."""
    lcr = game("left-center-right", players=players)
    model = explore(lcr, symmetry=False)
    variables = players * comb(4 * players, players)
    ranks = {lcr.rank(model.state(i)) for i in range(model.states)}
    assert len(ranks) == model.states <= variables
    assert 0 <= min(ranks) <= max(ranks) < variables
    assert all(lcr.unrank(lcr.rank(model.state(i))) == model.state(i) for i in range(model.states))


class Ranked(Game):
    """A walk whose rank can be told to be wrong."""

    merge: int = 0
    shift: int = 0

    class State(NamedTuple):
        at: int = 0

    def ranges(self):
        return {"at": range(301)}

    def winner(self, s):
        return 0 if s.at == 300 else None

    def rank(self, s):
        return 7 if self.merge and s.at == 250 else s.at

    def unrank(self, number):
        return self.State(number + 1 if self.shift and number == 250 else number)

    @move(dice=coin)
    def go(self, s, heads):
        return self.State(s.at + heads)


@pytest.mark.slow
@pytest.mark.parametrize("wrong", [{"merge": 1}, {"shift": 1}])
def test_a_rank_that_does_not_tell_states_apart_is_an_error(wrong):
    assert explore(Ranked(), engine="compiled").states == 301
    with pytest.raises(RuleError, match=r"Ranked\.rank gives two states the same number"):
        explore(Ranked(**wrong), engine="compiled")
