"""Rules that are not what they seem: refused as they are first run, and right once mended.

The truths are computed here, by recursion in fractions over the rules as the docstrings of the
games tell them.
"""

import dataclasses
import random
import time
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum, IntEnum
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from oddsmith import DRAW, Die, Game, coin, d4, d6, explore, game, move, odds, simulate
from oddsmith.errors import OptionError, RuleError
from oddsmith.games import catalogue, files_called, game_class
from oddsmith.rules import interpret
from oddsmith.rules.players import knows_players

DEFECTS = Path(__file__).parent.parent / "data" / "defects"
RACE = '''
from typing import NamedTuple

from oddsmith import Game, d6, move, put


class Race(Game):
    """Throw a die in turn and move; landing on the other piece sends it back to the start."""

    goal: int = 12

    class State(NamedTuple):
        squares: tuple[int, int] = (0, 0)
        turn: int = 0

    def winner(self, s):
        for player in (0, 1):
            if s.squares[player] >= self.goal:
                return player
        return None

    @move(dice=d6)
    def throw(self, s, spots):
        me, other = s.turn, 1 - s.turn
        squares = put(s.squares, me, s.squares[me] + spots)
        if squares[me] == squares[other]:
            squares = put(squares, other, 0)
        return self.State(squares, other)
'''


def mended(name, *changes):
    """A game of a file in which some texts are replaced."""
    text = (DEFECTS / f"{name}.py").read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    names: dict[str, Any] = {"__name__": f"mended_{name}"}
    exec(text, names)
    found = [v for v in names.values() if isinstance(v, type) and issubclass(v, Game)]
    return found[-1]()


# Rules that do not say the same twice ----------------------------------------------------------


def test_rules_that_throw_their_own_dice():
    with pytest.raises(RuleError, match=r"OwnDice\.throw gave .* asked again.*dice=d6"):
        odds(game(f"{DEFECTS / 'own_dice.py'}"))
    with pytest.raises(RuleError, match="asked again"):
        simulate(game(f"{DEFECTS / 'own_dice.py'}"), games=10)


def test_rules_that_throw_their_own_dice_mended():
    @lru_cache
    def first_wins(mine, other):
        ahead = [mine + spots for spots in range(1, 7)]
        return sum(Fraction(1, 6) * (1 if at >= 8 else 1 - first_wins(other, at)) for at in ahead)

    subject = mended(
        "own_dice",
        ("@move\n", "@move(dice=d6)\n"),
        ("def throw(self, s):\n        spots = random.randint(1, 6)", "def throw(self, s, spots):"),
        ("import Game, move", "import Game, d6, move"),
    )
    assert odds(subject).win[0].exact == first_wins(0, 0)


class Walk(Game):
    """Toss a coin until there are four heads; the base of what follows, without a mistake."""

    goal: int = 4

    class State(NamedTuple):
        steps: int = 0
        turn: int = 0

    def winner(self, s):
        return 0 if s.steps >= self.goal else None

    @move(dice=coin)
    def toss(self, s, heads):
        return self.State(s.steps + heads, s.turn)


memory: list = []


COIN = random.Random(1)


class RememberingWinner(Walk):
    def winner(self, s):
        memory.append(s)
        return -1 if memory.count(s) > 1 else super().winner(s)


class RandomWinner(Walk):
    """One state alone is asked a question of chance; a fixed seed, so that the test is certain."""

    def winner(self, s):
        return COIN.choice((0, 1)) if s.steps >= self.goal else None


class RandomMover(Walk):
    def mover(self, s):
        return random.randrange(2)


class RandomWhen(Walk):
    @move(when=lambda self, s: random.random() < 0.5)
    def stop(self, s):
        return self.State(self.goal, 0)


class RandomDice(Walk):
    @move(dice=lambda self, s: Die({0: random.randint(1, 99), 1: 1}))
    def toss(self, s, heads):
        return self.State(s.steps + heads, s.turn)


class RandomScore(Walk):
    def score(self, s):
        return (random.randrange(9), 0)


class RandomStart(Walk):
    def start(self):
        return self.State(random.randrange(10**9))


@pytest.mark.parametrize(
    ("made", "rule"),
    [
        (RememberingWinner, "winner"),
        (RandomWinner, "winner"),
        (RandomMover, "mover"),
        (RandomWhen, "stop: when"),
        (RandomDice, "toss: dice"),
        (RandomScore, "score"),
        (RandomStart, "start"),
    ],
)
def test_every_rule_is_asked_twice(made, rule):
    with pytest.raises(RuleError, match=rf"{made.__name__}\.{rule} gave .* asked again"):
        list(map(explore, [made(goal=30)] * 40))  # two random numbers may be equal, forty are not


def test_dice_of_a_game_are_asked_for_twice():
    class Loaded(Walk):
        @move(dice=lambda self: Die([0, random.randrange(10**9)]))
        def toss(self, s, heads):
            return self.State(s.steps + 1, s.turn)

    with pytest.raises(RuleError, match=r"Loaded\.toss are others when asked for again"):
        explore(Loaded())


def test_rules_that_change_slowly_are_played_again_at_the_end():
    calls = 0

    class Tiring(Walk):
        """The longer it is explored, the more it takes back: no two calls in a row differ."""

        @move(dice=coin)
        def toss(self, s, heads):
            nonlocal calls
            calls += 1
            return self.State(s.steps + (heads if calls < 3000 else 2 * heads), s.turn)

    with pytest.raises(RuleError, match=r"gave something else in .* when asked again"):
        explore(Tiring(goal=4000), engine="interpreted")


# What states may hold --------------------------------------------------------------------------


def test_floats_in_a_state():
    with pytest.raises(RuleError, match=r"Tenths\.start .* x is 0\.0 \(float\).*whole numbers"):
        odds(game(f"{DEFECTS / 'float_state.py'}"))


def test_tenths_as_whole_numbers():
    @lru_cache
    def mover_loses(tenths):
        """The chance that the one who is to move when the sum is reached is the present mover."""
        if tenths >= 10:
            return Fraction(1)
        return 1 - sum(Fraction(1, 6) * mover_loses(tenths + k) for k in range(1, 7))

    subject = mended(
        "float_state",
        ("x: float = 0.0", "x: int = 0"),
        ("s.x >= 1 ", "s.x >= 10 "),
        ("s.x + spots / 10", "s.x + spots"),
    )
    # `winner` names whoever is to move once the sum is there: a player who never comes to move
    # with the sum below ten again is that one with the chance of an even number of throws.
    assert odds(subject).win[0].exact == mover_loses(0)


class Colour(Enum):
    RED = 1.5
    BLUE = 2.5


class Phase(IntEnum):
    BEGIN = 0
    END = 1


@dataclass(frozen=True)
class Card:
    rank: int
    suit: Any = None


@dataclass
class Loose:
    rank: int


class Thing:
    pass


def holding(first, then, kind: Any = Any):
    """A game whose state holds one value and then another."""

    class Holding(Game):
        class State(NamedTuple):
            held: kind = first
            steps: int = 0
            turn: int = 0

        def winner(self, s):
            return 0 if s.steps >= 2 else None

        @move
        def step(self, s):
            return self.State(then, s.steps + 1, s.turn)

    return Holding()


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("a", "b"),
        (None, 3),
        (Fraction(1, 3), Fraction(2, 3)),
        (Colour.RED, Colour.BLUE),
        (Phase.BEGIN, Phase.END),
        (frozenset(), frozenset({1, 2})),
        ((), (1, (2, "x"))),
        (Card(1), Card(2, Colour.RED)),
        (b"a", b"b"),
    ],
)
def test_what_is_compared_exactly(first, then):
    model = explore(holding(first, then), engine="interpreted")
    assert [model.state(i).held for i in range(3)] == [first, then, then]
    assert [type(model.state(i).held) for i in range(3)] == [type(first), type(then), type(then)]


@pytest.mark.parametrize(
    ("then", "words"),
    [
        (0.5, "float"),
        (float("nan"), "float"),
        (1j, "complex"),
        (Decimal("0.1"), "Decimal"),
        ((1, (2, 0.5)), r"held\[1\]\[1\] is 0.5"),
        (frozenset({0.5}), "float"),
        (Card(1, 0.5), r"held\.suit is 0.5"),
        (np.float64(0.5), "numpy"),
        (np.int64(3), r"int\(…\)"),
        ([1, 2], "use a tuple, not a list"),
        ({1, 2}, "use a frozenset, not a set"),
        ({1: 2}, "not a dict"),
        (([1],), r"held\[0\] is \[1\].*not a list"),
        (Loose(1), "immutable"),
        (np.zeros(2), "numpy"),
        (Thing(), "equals nothing but itself"),
        (lambda: 1, "equals nothing but itself"),
        (Thing, "equals nothing but itself"),
    ],
)
def test_what_is_not_compared_exactly(then, words):
    with pytest.raises(RuleError, match=rf"Holding\.step in .* .*{words}"):
        explore(holding(None, then), engine="interpreted")


@pytest.mark.parametrize(
    ("first", "then"),
    [
        (1, True),
        (True, 1),
        (1, Fraction(1)),
        (Phase.END, 1),
        ((0, 1), (0, True)),
        (Card(1), Card(True)),
        (frozenset({1}), frozenset({True})),
    ],
)
def test_numbers_of_two_types_in_one_place(first, then):
    assert first == then
    with pytest.raises(RuleError, match=r"held.*Python takes such numbers for equal"):
        explore(holding(first, then), engine="interpreted")


def test_a_start_out_of_range():
    with pytest.raises(RuleError, match=r"Holding\.start gave .* outside its range .* 32 bits"):
        explore(holding(10**30, 1))


def test_members_of_enumerations_come_back_as_such():
    class Phased(Game):
        class State(NamedTuple):
            phase: Phase = Phase.BEGIN
            steps: int = 0

        def winner(self, s):
            return 0 if s.steps > 2 else None

        @move
        def step(self, s):
            return self.State(Phase.END, s.steps + 1)

    model = explore(Phased(), engine="interpreted")
    assert model.names.packed is not None
    assert [model.state(i).phase for i in range(2)] == [Phase.BEGIN, Phase.END]
    assert all(type(model.state(i).phase) is Phase for i in range(2))


# Whose turn it is ------------------------------------------------------------------------------


def test_a_mover_who_is_not_declared():
    with pytest.raises(RuleError, match=r"does not say whose turn.*field 'player' `turn`"):
        odds(game(f"{DEFECTS / 'mover_field.py'}"))


def test_a_mover_who_is_declared():
    @lru_cache
    def mover_wins(at):
        if at >= 5:
            return Fraction(0)  # the other one has just come there
        thrown = sum(Fraction(1, 6) * (1 - mover_wins(at + k)) for k in range(1, 7))
        return max(thrown, 1 - mover_wins(at + 1))

    subject = mended("mover_field", ("player", "turn"))
    assert odds(subject).win[0].exact == mover_wins(0)


def test_a_mover_by_a_method():
    subject = type(mended("mover_field"))
    named = type("Named", (subject,), {"mover": lambda self, s: s.player})()
    assert odds(named).win[0].exact == odds(mended("mover_field", ("player", "turn"))).win[0].exact


class LateChoice(Game):
    """Walk far, and only then choose; nobody says who."""

    class State(NamedTuple):
        at: int = 0

    def winner(self, s):
        return 0 if s.at > 400 else None

    @move
    def walk(self, s):
        return self.State(s.at + 1)

    @move(when=lambda self, s: s.at > 300)
    def run(self, s):
        return self.State(s.at + 2)


@pytest.mark.parametrize(
    "engine", ["interpreted", pytest.param("compiled", marks=pytest.mark.slow)]
)
def test_a_decision_far_from_the_start(engine):
    with pytest.raises(RuleError, match=r"between walk and run .* give State a field `turn`"):
        explore(LateChoice(), engine=engine)
    assert explore(LateChoice(players=1), engine=engine).states == 403


def test_chance_alone_needs_no_mover():
    class Toss(Game):
        class State(NamedTuple):
            face: int = -1

        def winner(self, s):
            return None if s.face < 0 else s.face

        @move(dice=coin)
        def toss(self, s, face):
            return self.State(face)

    assert odds(Toss()).win[1].exact == Fraction(1, 2)


# How many players ------------------------------------------------------------------------------


@pytest.fixture
def race(tmp_path, monkeypatch):
    (tmp_path / "race.py").write_text(RACE)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "race.py"


def test_more_players_than_the_rules_know(race):
    with pytest.raises(OptionError, match=r"Race is written for 2 players, not 3.*self\.players"):
        game("race.py", players=3)
    with pytest.raises(RuleError, match=r"turn = 1 is outside its range.*numbered from 0"):
        odds(game("race.py", players=1))


def next_seat(rules, s):
    return (s.turn + 1) % rules.players


class Helped(Walk):
    """The rules know their players by way of a helper."""

    def winner(self, s):
        return s.turn if s.steps >= self.goal else None

    @move(dice=coin)
    def toss(self, s, heads):
        return self.State(s.steps + heads, next_seat(self, s))


class ByDice(Walk):
    """The rules know their players by way of their dice."""

    def winner(self, s):
        return s.steps - 1 if s.steps > 0 else None

    @move(dice=lambda self: Die(range(1, self.players + 1)))
    def toss(self, s, face):
        return self.State(face)


@pytest.mark.parametrize("made", [Helped, ByDice])
def test_rules_that_know_their_players(made):
    assert odds(made(players=3)).win[2].value > 0


def test_a_player_whom_the_rules_forget():
    class Two(Walk):
        """They look at `players`, but give the turn to two only."""

        def winner(self, s):
            return s.turn if s.steps >= self.goal else None

        @move(dice=coin)
        def toss(self, s, heads):
            assert self.players > 1
            return self.State(s.steps + heads, 1 - s.turn)

    with pytest.raises(RuleError, match="player 3 of Two neither moves nor wins"):
        odds(Two(players=3))


def test_the_catalogue_knows_its_players():
    assert [key for key in catalogue() if not knows_players(game_class(key))] == []


# Names and files -------------------------------------------------------------------------------


def test_a_name_that_is_a_file_too(race):
    for name in ("race", "RACE"):
        if files_called(name):  # some systems do not tell letters' cases apart
            with pytest.raises(OptionError, match=r"coin-race.*the file race\.py.*write"):
                game(name.lower())
    race.rename("mine.py")
    assert game("race").key() == "coin-race"
    with pytest.raises(OptionError, match=r"no game 'mine'.*write mine\.py"):
        game("mine")


def test_a_whole_name_of_the_catalogue_is_the_catalogues(race, capsys):
    from oddsmith.cli.arguments import the_game

    race.rename("pig.py")
    assert the_game("pig").key() == "pig"
    assert "for the file here, write pig.py" in capsys.readouterr().err
    assert files_called("./pig") == [] == files_called("../pig")


class Rolling(NamedTuple):
    total: int = 0


class Choosing(NamedTuple):
    total: int = 0


def test_phases_that_are_equal_tuples_are_told_apart_or_refused():
    """Solved as 4/9, exactly: a state of one phase was taken for that of the other (1611/4096)."""

    class Phases(Game):
        players: int = 1

        class State(NamedTuple):
            phase: Rolling | Choosing = Rolling(0)

        def winner(self, s):
            return 0 if s.phase.total >= 6 else DRAW if s.phase.total < 0 else None

        @move(dice=d4, when=lambda self, s: isinstance(s.phase, Rolling))
        def roll(self, s, r):
            total = -1 if r == 1 else s.phase.total + r - 2
            return self.State(Rolling(-1) if r == 1 else Choosing(total))

        @move(when=lambda self, s: isinstance(s.phase, Choosing))
        def go(self, s):
            return self.State(Rolling(s.phase.total + 1))

    with pytest.raises(RuleError, match=r"phase is Choosing.* was of the type Rolling before"):
        odds(Phases())


def test_a_field_that_is_not_compared():
    @dataclasses.dataclass(frozen=True)
    class Card:
        rank: int
        face: bool = dataclasses.field(default=False, compare=False)

    class Turns(Game):
        players: int = 1

        class State(NamedTuple):
            card: Any = Card(1)

        def winner(self, s):
            return 0 if s.card.face else None

        @move
        def turn_over(self, s):
            return self.State(Card(1, True))

    with pytest.raises(RuleError, match="compared without its field face"):
        odds(Turns())


def test_slow_rules_are_no_endless_loop(monkeypatch):
    monkeypatch.setattr(interpret, "RULE_SECONDS", 0.3)

    class Slow(Game):
        players: int = 1

        class State(NamedTuple):
            over: bool = False

        def winner(self, s):
            return 0 if s.over else None

        @move(dice=d6)
        def wait(self, s, r):
            time.sleep(0.1)
            return self.State(True)

    assert odds(Slow()).win[0].exact == 1


@pytest.mark.parametrize("found", [np.int64(0), np.array([0])])
def test_a_winner_of_numpys(found):
    class Numpys(Game):
        players: int = 1

        class State(NamedTuple):
            n: int = 0

        def winner(self, s):
            return found if s.n else None

        @move
        def go(self, s):
            return self.State(1)

    with pytest.raises(RuleError, match="must give a player's number"):
        odds(Numpys())


SETS = """
from typing import NamedTuple

from oddsmith import Game, d6, move

NAMES = {names}


class Sets(Game):
    players: int = 2

    class State(NamedTuple):
        squares: tuple[int, int] = (0, 0)
        turn: int = 0

    def winner(self, s):
        return next((p for p in (0, 1) if s.squares[p] >= 6), None)

    @move(dice=d6)
    def throw(self, s, spots):
        far = {far}
        squares = tuple(x + far if p == s.turn else x for p, x in enumerate(s.squares))
        return self.State(squares, 1 - s.turn)
"""
LONG = str({f"name {n}" for n in range(40)})


@pytest.mark.parametrize(
    "far", ["1 + int(next(iter(NAMES))[5:])", "1 + [*{*NAMES}].index('name 3')"]
)
def test_rules_that_go_through_sets_of_texts_are_refused(far, tmp_path):
    """The order of a set of texts is another in every process; here 40 texts, so it is seen."""
    (tmp_path / "sets.py").write_text(SETS.format(names=LONG, far=far))
    with pytest.raises(RuleError, match=r"in one process and another in the next.*Sort it"):
        explore(game(str(tmp_path / "sets.py")))


@pytest.mark.parametrize("far", ["spots + ('name 3' in NAMES)", "len(sorted(NAMES)[spots])"])
def test_rules_that_only_look_into_sets_are_none_of_these(far, tmp_path):
    (tmp_path / "sets.py").write_text(SETS.format(names=LONG, far=far))
    assert explore(game(str(tmp_path / "sets.py"))).states > 2
