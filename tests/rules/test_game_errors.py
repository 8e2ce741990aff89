"""Mistakes in a game, each answered by one clear sentence that names the rule and the state.

The base of most of them is `Walk`, a game without a mistake; each test says what it breaks.
"""

import builtins
import importlib.machinery
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Literal, NamedTuple

import pytest

from chance_tables import Impatient
from oddsmith import DRAW, Die, Game, coin, explore, game, length, move, odds, simulate, values
from oddsmith.errors import (
    EndlessError,
    LimitError,
    MissingExtraError,
    OddsmithError,
    OptionError,
    RuleError,
)
from oddsmith.rules import interpret
from oddsmith.runtime import memory

BEYOND = 150
"""More than the hundred states that are interpreted before rules are compiled."""


class Walk(Game):
    """Toss a coin; heads takes a step. The goal wins for the first player."""

    goal: int = 4

    class State(NamedTuple):
        steps: int = 0
        turn: int = 0

    def winner(self, s):
        return 0 if s.steps >= self.goal else None

    @move(dice=coin)
    def toss(self, s, heads):
        return s._replace(steps=s.steps + heads)


def complaint(kind, call, *words):
    """The message of the error that a call must raise: one line, with these words in it."""
    with pytest.raises(OddsmithError) as caught:
        call()
    message = str(caught.value)
    assert type(caught.value) is kind, message
    assert "\n" not in message
    assert message.rstrip(")\"'")[-1] in ".?!", message
    for word in words:
        assert word in message, f"{word!r} is not in: {message}"
    return message


def test_the_base_has_no_mistake():
    assert odds(Walk()).win[0].exact == 1


# The shape of a game, checked before any rule is run -----------------------------------------


def test_no_state():
    class Stateless(Game):
        def winner(self, s):
            return None

        @move
        def go(self, s):
            return s

    complaint(RuleError, Stateless, "Stateless", "State", "NamedTuple")


def test_a_state_that_is_no_named_tuple():
    class Plain(Walk):
        class State:
            pass

    complaint(RuleError, Plain, "Plain", "NamedTuple")


def test_no_winner():
    class Endless(Game):
        class State(NamedTuple):
            turn: int = 0

        @move
        def go(self, s):
            return s

    complaint(RuleError, Endless, "Endless", "winner(self, s)")


def test_no_move():
    class Still(Game):
        class State(NamedTuple):
            turn: int = 0

        def winner(self, s):
            return None

    complaint(RuleError, Still, "Still", "no move", "@move")


def test_a_move_with_dice_but_without_a_roll():
    class Walk2(Walk):
        @move(dice=coin)
        def toss(self, s):
            return s

    complaint(RuleError, Walk2, "Walk2.toss", "(self, s, roll)", "(self, s)")


def test_a_move_with_a_roll_but_without_dice():
    class Walk2(Walk):
        @move
        def toss(self, s, heads):
            return s

    complaint(RuleError, Walk2, "Walk2.toss", "(self, s)", "exactly when it has dice")


def test_a_condition_of_the_wrong_shape():
    class Walk2(Walk):
        @move(dice=coin, when=lambda s: True)
        def toss(self, s, heads):
            return s

    complaint(RuleError, Walk2, "Walk2.toss: when", "(self, s)")


def test_dice_of_the_wrong_shape():
    class Walk2(Walk):
        @move(dice=lambda self, s, more: coin)
        def toss(self, s, heads):
            return s

    complaint(RuleError, Walk2, "Walk2.toss: dice", "(self, s)")


def test_dice_that_are_no_dice():
    class Walk2(Walk):
        @move(dice=6)
        def toss(self, s, heads):
            return s

    complaint(RuleError, Walk2, "Walk2.toss", "must be a Die", "6")


@pytest.mark.parametrize("name", ["start", "winner", "mover"])
def test_a_rule_of_the_wrong_shape(name):
    cls = type("Walk2", (Walk,), {name: lambda self, s, more: None})
    complaint(RuleError, cls, f"Walk2.{name}")


def test_rank_without_unrank():
    class Walk2(Walk):
        def rank(self, s):
            return s.steps

    complaint(RuleError, Walk2, "Walk2", "rank", "unrank")


def test_a_range_for_a_field_that_does_not_exist():
    class Walk2(Walk):
        def ranges(self):
            return {"stairs": range(5)}

    complaint(RuleError, lambda: explore(Walk2()), "Walk2.ranges", "'stairs'")


def test_a_range_that_is_no_range():
    class Walk2(Walk):
        def ranges(self):
            return {"steps": 5}

    complaint(RuleError, lambda: explore(Walk2()), "Walk2.ranges", "steps", "range(64)")


# Options -------------------------------------------------------------------------------------


class Optional(Walk):
    kind: Literal["short", "long"] = "short"
    bonus: bool = False
    marks: tuple[int, ...] = (1, 2)


def test_an_unknown_option_suggests_the_nearest():
    complaint(OptionError, lambda: Optional(gaol=3), "Optional", "'gaol'", "did you mean 'goal'?")


def test_an_unknown_option_far_from_all_lists_them():
    complaint(OptionError, lambda: Optional(xyz=3), "'xyz'", "bonus, goal, kind, marks, players")


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("goal", "4", "a whole number"),
        ("goal", 4.0, "a whole number"),
        ("goal", True, "a whole number"),
        ("bonus", 1, "true or false"),
        ("kind", "medium", "one of short, long"),
        ("marks", 5, "a list of whole numbers"),
        ("marks", (1, "2"), "a list of whole numbers"),
        ("players", 0, "choose 1 to 62"),
        ("players", 63, "choose 1 to 62"),
    ],
)
def test_an_option_of_the_wrong_type(option, value, words):
    complaint(OptionError, lambda: Optional(**{option: value}), "Optional", str(value), words)


def test_options_as_text():
    made = Optional.from_text({"goal": "7", "bonus": "Yes", "kind": "long", "marks": "3, 5,8"})
    assert made == Optional(goal=7, bonus=True, kind="long", marks=(3, 5, 8))
    assert Optional.from_text({"bonus": "off"}).bonus is False


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"goal": "seven"}, "a whole number"),
        ({"goal": "7.5"}, "a whole number"),
        ({"bonus": "maybe"}, "true or false"),
        ({"kind": "medium"}, "one of short, long"),
        ({"marks": "3,x"}, "a list of whole numbers"),
        ({"gaol": "7"}, "did you mean 'goal'?"),
    ],
)
def test_options_as_text_that_cannot_be_read(settings, words):
    complaint(OptionError, lambda: Optional.from_text(settings), "Optional", words)


def test_a_game_does_not_change():
    with pytest.raises(AttributeError, match="does not change"):
        Walk().goal = 5


@pytest.mark.parametrize("question", [odds, values, length, explore, simulate])
def test_a_class_in_place_of_a_game(question):
    """`odds(Walk)` for `odds(Walk())` is the mistake a beginner makes first."""
    complaint(OptionError, lambda: question(Walk), "game")


def test_unknown_method_solver_and_engine():
    complaint(OptionError, lambda: explore(Walk(), engine="steam"), "'steam'", "compiled")
    complaint(OptionError, lambda: odds(Walk(), method="guess"), "'guess'", "certified")
    complaint(OptionError, lambda: odds(Walk(), solver="guess"), "'guess'", "gauss-seidel")
    complaint(OptionError, lambda: odds(Walk(), tolerance=0.0), "tolerance", "0.0")
    complaint(OptionError, lambda: values(Walk(), method="estimate"), "certified")


@pytest.mark.parametrize("tail", [-1.0, 1.5, float("nan")])
def test_an_impossible_tail(tail):
    """A negative tail can never be reached: the distribution would be played for ever."""
    call = lambda: length(Walk(), tail=tail, progress=Impatient())  # noqa: E731
    complaint(OptionError, call, "tail", str(tail))


# Rules that give something wrong -------------------------------------------------------------


def explored(cls, **options):
    return lambda: explore(cls(**options), engine="interpreted")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (None, ["None", "NoneType"]),
        ((1, 0), ["(1, 0)", "tuple"]),
        (1, ["gave 1", "int"]),
        ([1, 0], ["[1, 0]", "list"]),
    ],
)
def test_a_move_that_gives_no_state(given, words):
    class Walk2(Walk):
        @move(dice=coin)
        def toss(self, s, heads):
            return given

    complaint(
        RuleError, explored(Walk2), "Walk2.toss", "State(steps=0, turn=0)", "with roll 0", *words
    )


@pytest.mark.parametrize("value", [0.5, "1", True, None])
def test_a_field_of_the_wrong_type(value):
    class Walk2(Walk):
        @move(dice=coin)
        def toss(self, s, heads):
            return s._replace(steps=value)

    complaint(
        RuleError,
        explored(Walk2),
        "Walk2.toss",
        "in State(steps=0, turn=0)",
        f"steps={value!r}",
        "steps must be a whole number",
    )


class Pair(Game):
    """As Walk, its steps inside a tuple."""

    class State(NamedTuple):
        steps: tuple[int, int] = (0, 0)

    def winner(self, s):
        return 0 if s.steps[0] >= 4 else None

    @move(dice=coin)
    def toss(self, s, heads):
        return self.State((s.steps[0] + heads, 0))


def test_a_list_in_place_of_a_tuple():
    class Pair2(Pair):
        @move(dice=coin)
        def toss(self, s, heads):
            return self.State([s.steps[0] + heads, 0])

    complaint(RuleError, explored(Pair2), "Pair2.toss", "steps must be a tuple")


@pytest.mark.parametrize("value", [0.5, "1", None])
def test_a_wrong_type_inside_a_tuple(value):
    """A fraction of a step must not be cut off when states are packed."""

    class Pair2(Pair):
        @move(dice=coin)
        def toss(self, s, heads):
            return self.State((s.steps[0] + heads, value))

    complaint(RuleError, explored(Pair2), "Pair2.toss", "steps", repr(value), "whole number")


def test_a_list_where_the_annotation_says_only_tuple():
    class Pair2(Game):
        class State(NamedTuple):
            steps: tuple = (0, 0)

        def winner(self, s):
            return 0 if s.steps[0] >= 4 else None

        @move(dice=coin)
        def toss(self, s, heads):
            return self.State([s.steps[0] + heads, 0])

    complaint(RuleError, explored(Pair2), "Pair2.toss", "[0, 0]")


class Ranged(Walk):
    """Walk with a range that is one too small."""

    def ranges(self):
        return {"steps": range(self.goal)}


OUT_OF_RANGE = ["Ranged.toss", "steps = 4 is outside its range 0 to 3", "steps=3"]


def test_a_field_out_of_its_range():
    complaint(RuleError, explored(Ranged), *OUT_OF_RANGE, "with roll 1")


def test_a_field_out_of_its_range_in_compiled_rules():
    goal = BEYOND
    complaint(
        RuleError,
        lambda: explore(Ranged(goal=goal), engine="compiled"),
        f"steps = {goal} is outside its range 0 to {goal - 1}",
        f"State(steps={goal - 1}, turn=0)",
    )


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
def test_a_field_out_of_its_range_while_playing(engine):
    play = lambda: simulate(Ranged(goal=BEYOND), games=1, engine=engine)  # noqa: E731
    complaint(RuleError, play, "Ranged.toss", f"steps = {BEYOND} is outside its range")


def test_a_number_beyond_thirty_two_bits():
    class Walk2(Walk):
        @move(dice=coin)
        def toss(self, s, heads):
            return s._replace(steps=(s.steps + 2) ** 3)

    complaint(RuleError, explored(Walk2, goal=10**99), "Walk2.toss", "outside its range")


@pytest.mark.parametrize("given", [2, -2, (0, 2)])
def test_a_winner_who_does_not_play(given):
    class Walk2(Walk):
        def winner(self, s):
            return given if s.steps == 2 else None

    complaint(
        RuleError,
        explored(Walk2),
        "Walk2.winner",
        repr(given),
        "State(steps=2, turn=0)",
        "numbered 0 to 1",
    )


@pytest.mark.parametrize("given", [True, False, "first", 1.0, (0, "x")])
def test_a_winner_that_is_no_number(given):
    class Walk2(Walk):
        def winner(self, s):
            return given if s.steps == 2 else None

    complaint(RuleError, explored(Walk2), "Walk2.winner", repr(given), "steps=2", "DRAW, or None")


def test_a_winner_who_does_not_play_in_compiled_rules():
    class Walk2(Walk):
        def winner(self, s):
            return 5 if s.steps == BEYOND else None

    call = lambda: explore(Walk2(), engine="compiled")  # noqa: E731
    complaint(RuleError, call, "Walk2.winner gave 5", f"State(steps={BEYOND}, turn=0)")


@pytest.mark.slow
def test_a_winner_that_is_true_in_compiled_rules():
    """True is a number to the compiler; the interpreter refuses it, so both must."""

    class Walk2(Walk):
        def winner(self, s):
            if s.steps >= BEYOND:
                return s.steps >= self.goal
            return None

    call = lambda: explore(Walk2(), engine="compiled")  # noqa: E731
    with pytest.raises(RuleError, match=r"Walk2\.winner gave True|cannot be compiled"):
        call()


@pytest.mark.parametrize("given", [2, -1, None, True])
def test_a_mover_who_does_not_play(given):
    class Walk2(Walk):
        def mover(self, s):
            return given if s.steps == 2 else 0

    complaint(
        RuleError,
        explored(Walk2),
        "Walk2.mover",
        repr(given),
        "State(steps=2, turn=0)",
        "numbered 0 to 1",
    )


@pytest.mark.slow
def test_a_mover_who_does_not_play_in_compiled_rules():
    class Walk2(Walk):
        def mover(self, s):
            return 2 if s.steps == BEYOND else 0

    call = lambda: explore(Walk2(goal=200), engine="compiled")  # noqa: E731
    complaint(RuleError, call, "Walk2.mover gave 2", f"State(steps={BEYOND}, turn=0)")


def test_dice_of_an_option_that_are_no_dice():
    class Walk2(Walk):
        @move(dice=lambda self: 6)
        def toss(self, s, heads):
            return s

    complaint(RuleError, explored(Walk2), "Walk2.toss", "must be a Die", "6")


def test_dice_of_a_state_that_are_no_dice():
    class Walk2(Walk):
        @move(dice=lambda self, s: coin if s.steps < 2 else [1, 2])
        def toss(self, s, heads):
            return s._replace(steps=s.steps + heads)

    complaint(
        RuleError, explored(Walk2), "Walk2.toss: dice", "[1, 2]", "State(steps=2, turn=0)", "Die"
    )


def test_an_exception_inside_a_rule():
    class Walk2(Walk):
        @move(dice=coin)
        def toss(self, s, heads):
            return s._replace(steps=(1, 2, 3)[s.steps + heads])

    complaint(
        RuleError,
        explored(Walk2),
        "Walk2.toss failed",
        "State(steps=2, turn=0)",
        "with roll 1",
        "IndexError: tuple index out of range",
    )


def test_an_exception_inside_a_compiled_rule():
    class Walk2(Walk):
        @move(dice=coin)
        def toss(self, s, heads):
            return s._replace(steps=s.steps + heads + 1 // (BEYOND - s.steps) // 9)

    call = lambda: explore(Walk2(goal=200), engine="compiled")  # noqa: E731
    complaint(
        RuleError, call, "Walk2.toss failed", f"steps={BEYOND}", "ZeroDivisionError", "with roll 0"
    )


def test_an_exception_with_a_message_of_several_lines():
    class Walk2(Walk):
        def winner(self, s):
            raise ValueError("this\nand that")

    complaint(RuleError, explored(Walk2), "Walk2.winner failed", "ValueError", "State(steps=0")


def test_an_exception_in_the_start():
    class Walk2(Walk):
        def start(self):
            return self.State(steps=1 // 0)

    complaint(RuleError, explored(Walk2), "Walk2.start failed", "ZeroDivisionError")


def test_a_start_that_is_no_state():
    class Walk2(Walk):
        def start(self):
            return (0, 0)

    complaint(RuleError, explored(Walk2), "Walk2.start", "(0, 0)", "Walk2.State")


def test_a_rule_that_calls_itself_without_an_end():
    class Walk2(Walk):
        def winner(self, s):
            return self.winner(s)

    complaint(RuleError, explored(Walk2), "Walk2.winner", "calls itself", "State(steps=0, turn=0)")


def test_a_start_that_calls_itself_without_an_end():
    class Walk2(Walk):
        def start(self):
            return self.start()

    complaint(RuleError, explored(Walk2), "Walk2.start")


class Loop(Walk):
    """Once `at` steps are taken, a move never comes to an end."""

    goal: int = 200
    at: int = 2

    @move(dice=coin)
    def toss(self, s, heads):
        steps = s.steps + heads
        while steps > self.at:
            steps = max(steps, self.at + 1)
        return s._replace(steps=steps)


LOOP = ["Loop", "did not finish", "State(steps=2, turn=0)", "loop without an end"]


def test_a_loop_without_an_end(monkeypatch):
    monkeypatch.setattr(interpret, "RULE_SECONDS", 0.1)
    complaint(RuleError, explored(Loop), *LOOP)


def test_a_loop_without_an_end_while_playing(monkeypatch):
    monkeypatch.setattr(interpret, "RULE_SECONDS", 0.1)
    complaint(RuleError, lambda: simulate(Loop(), games=1, engine="interpreted"), *LOOP)


COMPILED_LOOP = """
    import sys
    sys.path[:0] = {folders!r}
    from oddsmith import OddsmithError, explore, simulate
    from oddsmith.runtime import watch
    from oddsmith.rules import interpret
    from test_game_errors import BEYOND, Loop
    interpret.RULE_SECONDS, watch.JOIN_SECONDS = 0.5, 0.1
    try:
        {call}
    except OddsmithError as error:
        print(type(error).__name__, error, flush=True)
"""


def in_another_process(call):
    """What a call prints; the endless loop dies with its process."""
    here = Path(__file__).parent
    source = COMPILED_LOOP.format(folders=[str(here), str(here.parent)], call=call)
    command = [sys.executable, "-c", textwrap.dedent(source)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_a_loop_without_an_end_in_compiled_rules():
    ended = in_another_process("explore(Loop(at=BEYOND), engine='compiled')")
    assert ended.stdout.startswith("RuleError A rule of Loop did not finish"), ended.stderr
    assert f"State(steps={BEYOND}, turn=0)" in ended.stdout


@pytest.mark.slow
def test_a_loop_without_an_end_while_playing_compiled():
    ended = in_another_process("simulate(Loop(at=BEYOND), games=5000, engine='compiled')")
    assert ended.stdout.startswith("RuleError A rule of Loop did not finish"), ended.stderr


def test_no_legal_move():
    class Walk2(Walk):
        @move(dice=coin, when=lambda self, s: s.steps < 2)
        def toss(self, s, heads):
            return s._replace(steps=s.steps + heads)

    complaint(RuleError, explored(Walk2), "Walk2", "no legal move", "State(steps=2, turn=0)")


@pytest.mark.slow
def test_no_legal_move_in_compiled_rules():
    class Walk2(Walk):
        @move(dice=coin, when=lambda self, s: s.steps < BEYOND)
        def toss(self, s, heads):
            return s._replace(steps=s.steps + heads)

    call = lambda: explore(Walk2(goal=200), engine="compiled")  # noqa: E731
    complaint(RuleError, call, "no legal move", f"State(steps={BEYOND}, turn=0)")


# Symmetry that is declared but not there -----------------------------------------------------


class Race(Game):
    """Toss in turn; two heads win: the players differ by their seat only."""

    interchangeable = ("steps",)

    class State(NamedTuple):
        steps: tuple[int, ...]
        turn: int

    def start(self):
        return self.State((0,) * self.players, 0)

    def winner(self, s):
        for player, steps in enumerate(s.steps):
            if steps >= 2:
                return player
        return None

    def moved(self, s, count):
        steps = tuple(n + count * (p == s.turn) for p, n in enumerate(s.steps))
        return self.State(steps, (s.turn + 1) % self.players)

    @move(dice=coin)
    def toss(self, s, heads):
        return self.moved(s, heads)


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_a_player_who_moves_otherwise(seat):
    class Unfair(Race):
        @move(dice=coin)
        def toss(self, s, heads):
            return self.moved(s, 2 * heads if s.turn == seat else heads)

    complaint(
        RuleError, explored(Unfair, players=3), "Unfair", "interchangeable", "toss", "turned by"
    )


@pytest.mark.parametrize("seat", [0, 1])
def test_a_player_who_wins_otherwise(seat):
    class Unfair(Race):
        def winner(self, s):
            for player, steps in enumerate(s.steps):
                if steps >= (1 if player == seat else 2):
                    return player
            return None

    complaint(RuleError, explored(Unfair), "Unfair", "interchangeable", "winner")


def test_a_player_who_may_not_move():
    class Unfair(Race):
        @move(dice=coin, when=lambda self, s: s.turn == 0)
        def toss(self, s, heads):
            return self.moved(s, heads)

        @move(when=lambda self, s: s.turn != 0)
        def wait(self, s):
            return self.moved(s, 0)

    complaint(RuleError, explored(Unfair), "Unfair", "interchangeable")


def test_an_interchangeable_field_of_the_wrong_length():
    class Race2(Race):
        def start(self):
            return self.State((0,) * 3, 0)

    complaint(
        RuleError,
        explored(Race2),
        "Race2.interchangeable",
        "'steps'",
        "2 players",
        "State(steps=(0, 0, 0), turn=0)",
    )


def test_an_interchangeable_field_that_is_one_number():
    class Walk2(Walk):
        interchangeable = ("steps",)

    complaint(RuleError, explored(Walk2), "Walk2.interchangeable", "'steps'")


def test_an_interchangeable_field_that_does_not_exist():
    class Walk2(Walk):
        interchangeable = ("stairs",)

    complaint(RuleError, Walk2, "Walk2.interchangeable", "'stairs'")


def test_interchangeable_players_without_a_turn():
    class Walk2(Race):
        class State(NamedTuple):
            steps: tuple[int, ...]

    complaint(RuleError, Walk2, "Walk2", "interchangeable", "turn")


@pytest.mark.parametrize("turn", [2, -1])
def test_a_turn_of_nobody(turn):
    class Race2(Race):
        @move(dice=coin)
        def toss(self, s, heads):
            return self.State(s.steps, turn)

    complaint(RuleError, explored(Race2), "Race2", f"turn = {turn}", f"turn={turn}")


# Questions that have no answer ---------------------------------------------------------------


class Circle(Walk):
    """From two steps on, play goes round for ever; before that, tails twice is a win."""

    def winner(self, s):
        return 1 if s.steps == -1 else None

    @move(dice=coin)
    def toss(self, s, heads):
        if s.steps >= 2:
            return s._replace(steps=5 - s.steps)
        return s._replace(steps=s.steps + 1 if heads else -1)


@pytest.mark.parametrize("question", [odds, values, length])
def test_play_that_can_go_on_for_ever(question):
    complaint(EndlessError, lambda: question(Circle()), "go on for ever", "State(steps=2, turn=0)")


def test_play_that_goes_on_for_ever_as_a_draw():
    """Two heads in a row lead into the circle: a quarter of the games."""
    found = odds(Circle(), endless="draw")
    assert [str(answer.exact) for answer in (*found.win, found.draw)] == ["0", "3/4", "1/4"]


def test_an_unknown_way_to_take_endless_play():
    complaint(OptionError, lambda: odds(Circle(), endless="win"), "'win'", "draw")


def test_a_game_that_does_not_end_while_playing():
    play = lambda: simulate(Circle(), games=10, max_moves=50)  # noqa: E731
    complaint(LimitError, play, "did not end within 50 moves", "State(steps=")


def test_more_states_than_allowed():
    call = lambda: explore(Walk(goal=50), max_states=20)  # noqa: E731
    complaint(LimitError, call, "more than 20 states", "simulate")


def test_more_states_than_allowed_in_compiled_rules():
    call = lambda: explore(Walk(goal=BEYOND), engine="compiled", max_states=120)  # noqa: E731
    complaint(LimitError, call, "more than 120 states", "simulate")


class Choice(Walk):
    @move
    def hold(self, s):
        return s._replace(steps=self.goal)


@pytest.mark.parametrize("question", [odds, values, length, simulate])
def test_policies_that_do_not_exist(question):
    call = lambda: question(Choice(), play="holt")  # noqa: E731
    complaint(OptionError, call, "no policy 'holt'", "best-response, optimal, random")


@pytest.mark.parametrize("question", [odds, values, length, simulate])
def test_policies_for_a_game_of_chance(question):
    complaint(OptionError, lambda: question(Walk(), play="random"), "nothing to decide")


def test_a_policy_that_gives_no_legal_move():
    call = lambda: odds(Choice(), play=lambda game, s: "run")  # noqa: E731
    complaint(RuleError, call, "'run'", "State(steps=0, turn=0)", "toss or hold")


def test_a_policy_that_fails():
    call = lambda: odds(Choice(), play=lambda game, s: s.nothing)  # noqa: E731
    complaint(RuleError, call, "policy", "State(steps=0, turn=0)", "AttributeError")


def test_too_many_policies():
    call = lambda: odds(Choice(), play="random,optimal,random")  # noqa: E731
    complaint(OptionError, call, "players", "3 ways to play")


def test_exact_refused_where_memory_is_short(monkeypatch):
    model = explore(
        game("goose"), engine="interpreted"
    )  # before: a slow exploration looks at the memory too
    monkeypatch.setattr(memory, "available", lambda: 8_000_000)
    call = lambda: odds(model, method="exact")  # noqa: E731
    complaint(LimitError, call, "equations that fill up", "MiB are free", "certified")


def test_weights_beyond_sixty_four_bits():
    """They cannot be stored, and must not be rounded."""

    class Walk2(Walk):
        @move(dice=Die({0: 2**70, 1: 1}))
        def toss(self, s, heads):
            return s._replace(steps=s.steps + heads)

    with pytest.raises(OddsmithError) as caught:
        explore(Walk2(), engine="interpreted")
    assert "\n" not in str(caught.value)


def test_a_data_frame_without_pandas(monkeypatch):
    plain_import = builtins.__import__

    def without_pandas(name, *args, **kwargs):
        if name.split(".")[0] == "pandas":
            raise ImportError(name)
        return plain_import(name, *args, **kwargs)

    found = odds(Walk())
    monkeypatch.setattr(builtins, "__import__", without_pandas)
    complaint(MissingExtraError, found.to_frame, "pandas", "pip install 'oddsmith[frame]'")


# Games by name and by file -------------------------------------------------------------------


def test_an_unknown_game_suggests_the_nearest():
    complaint(OptionError, lambda: game("gose"), "'gose'", "did you mean 'goose'?")


def test_an_unknown_game_far_from_all_lists_them():
    complaint(OptionError, lambda: game("zzz"), "'zzz'", "goose", "left-center-right")


def test_a_file_that_is_not_there(tmp_path):
    path = str(tmp_path / "none.py")
    complaint(OptionError, lambda: game(path), path)


def test_a_folder_in_place_of_a_file(tmp_path):
    (tmp_path / "folder.py").mkdir()
    complaint(OptionError, lambda: game(str(tmp_path / "folder.py")), "folder.py")


def test_a_file_that_cannot_be_read(tmp_path, monkeypatch):
    """As root everything can be read, so the system's refusal is played."""

    def refuse(loader, path):
        raise PermissionError(13, "Permission denied")

    path = written(tmp_path, "x = 1")
    monkeypatch.setattr(importlib.machinery.SourceFileLoader, "get_data", refuse)
    complaint(OptionError, lambda: game(path), "mine.py", "cannot be read", "Permission denied")


def written(folder, text):
    path = folder / "mine.py"
    path.write_text(textwrap.dedent(text))
    return str(path)


def test_a_file_with_a_mistake_in_its_syntax(tmp_path):
    path = written(tmp_path, "x = 1\nclass Pig(Game:\n    pass\n")
    complaint_line = "class Pig(Game:"
    with pytest.raises(OptionError) as caught:
        game(path)
    assert "mine.py, line 2" in str(caught.value)
    assert complaint_line in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_text(tmp_path):
    path = tmp_path / "mine.py"
    for content in (b"\xff\xfe\x00\x01", b"x = 1\x00\n"):
        path.write_bytes(content)
        with pytest.raises(OptionError) as caught:
            game(str(path))
        assert "mine.py" in str(caught.value)
        assert "\n" not in str(caught.value)
        assert "None" not in str(caught.value)
        assert str(caught.value).endswith(".")


def test_a_file_that_fails_when_it_is_loaded(tmp_path):
    path = written(tmp_path, "import nothing_of_the_kind\n")
    complaint(OptionError, lambda: game(path), "mine.py", "ModuleNotFoundError", "nothing_of_the")


@pytest.mark.parametrize("engine", ["compiled", "interpreted"])
@pytest.mark.parametrize("rule", ["start", "winner", "go"])
def test_a_rule_that_ends_the_program(tmp_path, engine, rule):
    """`exit()` in a rule ended it with 0 and without a word."""
    path = written(
        tmp_path,
        f"""
        import sys
        from typing import NamedTuple
        from oddsmith import Game, d6, move
        class Leave(Game):
            players: int = 1
            class State(NamedTuple):
                n: int = 0
            def start(self):
                if "{rule}" == "start": sys.exit()
                return self.State(0)
            def winner(self, s):
                if "{rule}" == "winner" and s.n > 1: sys.exit()
                return 0 if s.n > 9 else None
            @move(dice=d6)
            def go(self, s, r):
                if "{rule}" == "go" and s.n > 1: exit()
                return self.State(s.n + r)
        """,
    )
    with pytest.raises(OddsmithError, match=r"ends the program|compiled"):
        odds(game(path), engine=engine)
    with pytest.raises(OddsmithError, match=f"{rule} ends the program"):
        odds(game(path))


def test_a_file_that_ends_the_program(tmp_path):
    path = written(tmp_path, "raise SystemExit(3)\n")
    complaint(OptionError, lambda: game(path), "mine.py")


TWO_GAMES = """
    from typing import NamedTuple
    from oddsmith import Game, coin, move

    class One(Game):
        class State(NamedTuple):
            turn: int = 0
        def winner(self, s):
            return None
        @move
        def go(self, s):
            return s

    class Two(One):
        pass
"""


def test_a_file_with_two_games(tmp_path):
    path = written(tmp_path, TWO_GAMES)
    complaint(OptionError, lambda: game(path), "mine.py", "One, Two", "mine.py:MyGame")
    assert type(game(f"{path}:Two")).__name__ == "Two"


def test_a_file_without_a_game(tmp_path):
    path = written(tmp_path, "from oddsmith import Game\n")
    complaint(OptionError, lambda: game(path), "mine.py", "holds no game", "class MyGame(Game):")


def test_a_game_that_its_file_does_not_have(tmp_path):
    path = written(tmp_path, TWO_GAMES)
    complaint(OptionError, lambda: game(f"{path}:Tow"), "'Tow'", "did you mean 'Two'?")


def test_draw_is_no_player():
    """DRAW, used by the rules above, cannot be mistaken for the last player's number."""
    assert DRAW not in range(Walk().players)
