"""What people do wrong when they begin, and the sentence that would have helped them.

Each test is named after a mistake and made at the front door: the command line with its exit code,
or the functions that the guide teaches. An answer is one sentence (a model's has its place and a
caret below it), without a traceback, and says what to write instead.
"""

import inspect
import os
import re
import sys
from fractions import Fraction
from pathlib import Path

import pytest
import typer

import oddsmith
from oddsmith import (
    Die,
    OddsmithError,
    best_response,
    certify,
    check,
    duel,
    errors,
    explore,
    game,
    odds,
    optimal,
    simulate,
    tournament,
    visits,
)
from oddsmith.cli import commands as cli
from oddsmith.errors import OptionError
from oddsmith.questions.keywords import table
from oddsmith.questions.settings import KEYWORDS

RACE = '''
from typing import NamedTuple
import random

from oddsmith import Die, Game, d6, move, put


class Race(Game):
    """Throw a die in turn and move; the first to the goal wins."""

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
        squares = put(s.squares, s.turn, s.squares[s.turn] + spots)
        return self.State(squares, 1 - s.turn)
'''
RETURN = "return self.State(squares, 1 - s.turn)"
PUT = "squares = put(s.squares, s.turn, s.squares[s.turn] + spots)"

BOARD = """[board]
finish = 20
dice = "1d6"

[squares]
ladder = { at = 3, goto = 9 }
inn = { at = 12, wait = 1 }
well = { at = 15, hold = true }
"""

MODEL = """dtmc
module m
  s : [0..3] init 0;
  [] s=0 -> 0.5:(s'=1) + 0.5:(s'=2);
  [] s>0 -> (s'=s);
endmodule
"""


@pytest.fixture
def typed(tmp_path, monkeypatch, capsys):
    """What is said to somebody who types a command in a folder of their own: it must fail."""
    monkeypatch.chdir(tmp_path)

    def leave(code):
        raise SystemExit(code)

    monkeypatch.setattr(cli, "leave", leave)  # it ends the process, and this is the tests'

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["oddsmith", *words])
        with pytest.raises(SystemExit) as left:
            cli.main()
        shown = capsys.readouterr()
        assert left.value.code in (1, 2), shown
        assert shown.out == ""
        return sentence(shown.err)

    return run


def sentence(text):
    """A message, if it is one that people can read."""
    assert "Traceback" not in text
    assert "object at 0x" not in text
    first = text.strip().split("\n  ")[0]  # below it, a model's message shows the place
    assert first[-1] in ".?:)" or "Usage" in first, text
    return text


def changed(text, *changes):
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return text


@pytest.fixture
def solved(typed):
    """What is said about the race with a mistake in it."""

    def run(*changes, words=("solve", "race.py")):
        Path("race.py").write_text(changed(RACE, *changes))
        sys.modules.pop("oddsmith_user_race", None)
        return typed(*words)

    return run


def test_without_a_mistake_there_is_an_answer(tmp_path):
    (tmp_path / "race.py").write_text(RACE)
    assert odds(game(str(tmp_path / "race.py"))).win[0].value > 0.5


# Mistakes in rules ---------------------------------------------------------------------------

MISTAKES = {
    "the mover's field is called player": (
        [("turn: int", "player: int"), ("s.turn", "s.player"),
         ("@move(dice=d6)\n", "@move\n    def wait(self, s):\n"
          "        return self.State(s.squares, 1 - s.player)\n\n    @move(dice=d6)\n")],
        "call the field 'player' `turn`",
    ),
    "floats in the state": (
        [("tuple[int, int] = (0, 0)", "tuple[float, float] = (0.0, 0.0)")],
        r"squares\[0\] is 0.0 \(float\).* count in whole numbers",
    ),
    "whole numbers divided with /": (
        [("[s.turn] + spots", "[s.turn] + spots / 1")], "write // where whole numbers are divided"
    ),
    "the rules throw the die themselves": (
        [("@move(dice=d6)", "@move"), ("s, spots)", "s)"),
         (PUT, f"spots = random.randint(1, 10**9)\n        {PUT}")],
        r"asked again: .* Chance belongs into dice, as in @move\(dice=d6\)",
    ),
    "something is remembered outside the state": (
        [("    def winner", "    log = []\n\n    def winner"),
         ("return None", "self.log.append(s)\n        return -1 if self.log[1:] else None")],
        "what is to be remembered into the state",
    ),
    "a list in the state": (
        [("tuple[int, int] = (0, 0)", "list = [0, 0]")], "use a tuple, not a list"
    ),
    "an entry of the state is assigned": (
        [(PUT, "s.squares[s.turn] += spots\n        squares = s.squares")],
        r"a state does not change: put\(s\.field, index, value\)",
    ),
    "a field of the state is assigned": (
        [(PUT, "s.turn = 1\n        squares = s.squares")],
        r"s\._replace\(field=value\) gives another"
    ),
    "an attribute of the game is assigned": (
        [(PUT, f"self.count = 1\n        {PUT}")], "A game does not change"
    ),
    "no @move": ([("    @move(dice=d6)\n", "")], "put @move before at least one method"),
    "no return": ([(RETURN, "self.State(squares, 1 - s.turn)")], "does it end without `return`?"),
    "a tuple instead of a state": (
        [(RETURN, "return (squares, 1 - s.turn)")], r"must give a Race\.State, but gave"
    ),
    "State without self": ([(RETURN, RETURN.replace("self.", ""))], r"write self\.State"),
    "an option without self": ([("self.goal", "goal")], r"write self\.goal"),
    "dice, but no roll": ([("s, spots)", "s)")], "a move gets a roll exactly when it has dice"),
    "a roll, but no dice": (
        [("@move(dice=d6)", "@move")], "a move gets a roll exactly when it has dice"
    ),
    "dice as a number": (
        [("dice=d6", "dice=6")],
        r"dice must be a Die, not 6: write Die\(range\(1, 7\)\) for",
    ),
    "dice without their name": ([("@move(dice=d6)", "@move(d6)")], r"write @move\(dice=…\)"),
    "chances as the weights of a die": (
        [("dice=d6", "dice=Die({1: 0.5, 2: 0.5})")], "count how often a face comes"
    ),
    "a weight of nought somewhere in the game": (
        [("dice=d6", "dice=lambda self, s: Die({1: s.squares[0], 2: 1})")],
        r"Race\.throw: dice failed in State\(squares=\(0, 0\).*leave out those that never do",
    ),
    "winner gives True": ([("return player", "return True")], "must give a player's number"),
    "players counted from 1": (
        [("return player", "return player + 1")], "players are numbered 0 to 1"
    ),
    "no winner": ([("def winner", "def won")], r"needs a method `winner\(self, s\)`"),
    "the turn is not handed back": (
        [(RETURN, "return self.State(squares, s.turn + 1)")],
        "turn = 2 is outside its range 0 to 1: it says whose turn it is|followed by 0",
    ),
    "State is no NamedTuple": (
        [("class State(NamedTuple)", "class State")], r"write `class State\(NamedTuple\)`"
    ),
    "a field without a type": ([("turn: int = 0", "turn = 0")], "each needs a type"),
    "fields without defaults": (
        [("squares: tuple[int, int] = (0, 0)", "squares: tuple[int, int]"),
         ("turn: int = 0", "turn: int")],
        "give every field of State a default, or define start",
    ),
    "a field misspelt": ([("s.squares[player]", "s.square[player]")], "perhaps 'squares' is meant"),
    "an option misspelt in the rules": ([("self.goal", "self.gaol")], "perhaps 'goal' is meant"),
    "state and roll in the wrong order": (
        [("s, spots)", "spots, s)")], r"takes \(self, s, roll\), in this order"
    ),
    "the class is no Game": ([("Race(Game)", "Race")], r"holds no game: .*class MyGame\(Game\)"),
    "a syntax error": ([("def winner(self, s):", "def winner(self, s)")], "line 17: expected ':'"),
    "a name that is not to be imported": (
        [("d6, move", "d5, move")], "line 5, fails when it is loaded: .*'d5'"
    ),
    "a game that never ends": (
        [(RETURN, "return s")], "can go on for ever: .*--endless draw, or endless='draw'"
    ),
    "no move is legal": (
        [("dice=d6", "dice=d6, when=lambda self, s: s.turn == 0")],
        "has no legal move in .* let winner"
    ),
    "a rule that loops for ever": (
        [(PUT, f"while spots: pass\n        {PUT}")], "look for a loop without an end"
    ),
    "one name instead of several": (
        [("goal: int", "interchangeable = 'squares'\n    goal: int")],
        r"write interchangeable = \('squares',\)"
    ),
    "nobody is -1": (
        [("return None", "return -1")],
        r"over before the first move: winner gave -1, a draw, .* give None while the game goes on",
    ),
    "nobody is 0": (
        [("return None", "return 0")], "over before the first move: .* a win of player 1"
    ),
    "variants in a tuple of numbers": (
        [("@move(dice=d6)", "@move(dice=d6, each=(1, 2, 3))"), ("s, spots)", "s, k, spots)")],
        r"each must be a range such as range\(1, 4\)",
    ),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_rules(mistake, solved, monkeypatch):
    monkeypatch.setattr("oddsmith.rules.interpret.RULE_SECONDS", 0.3)
    changes, advice = MISTAKES[mistake]
    text = solved(*changes)
    assert re.search(advice, text.replace("\n", " ")), text


def test_more_players_than_the_rules_are_for(solved):
    text = solved(words=("solve", "race.py", "-n", "3"))
    assert "Race is written for 2 players, not 3" in text
    assert "range(self.players)" in text


def test_a_start_for_fewer_players(solved):
    change = ("(0, 1):", "range(self.players):")
    text = solved(change, words=("solve", "race.py", "-n", "3"))
    assert "start must give each of 3 players an entry" in text


def test_hidden_cards_and_the_best_play(typed):
    text = (Path(__file__).parent / "data" / "defects" / "monty_hall.py").read_text()
    Path("monty.py").write_text(text.replace("players: int", 'hidden = ("car",)\n    players: int'))
    said = typed("solve", "monty.py")
    assert "car, which they do not see" in said
    assert "--play random" in said


# Names, files and options --------------------------------------------------------------------


def test_the_name_of_a_file_without_its_ending(solved):
    text = solved(words=("solve", "race"))
    assert "write coin-race or race.py" in text


WORDS = {
    "a file that is not there": ("solve nothere.py", "There is no file 'nothere.py'"),
    "a game misspelt": ("solve gooose", "did you mean 'goose'"),
    "another ending": ("solve rules.txt", r"ends in \.py, one of a board in \.toml"),
    "the class misspelt": ("solve race.py:Rase", "did you mean 'Race'"),
    "an option misspelt": ("solve race.py --set gaol=5", "did you mean 'goal'"),
    "an option as --goal": ("solve race.py --goal 5", "given as --set goal=VALUE"),
    "an option without its value": ("solve race.py --set goal", "takes NAME=VALUE"),
    "a word for a number": ("solve race.py --set goal=many", "it is a whole number"),
    "no players": ("solve race.py -n 0", "choose 1 to 62"),
    "a method that there is not": ("solve race.py --method fast", "choose one of auto, exact"),
    "how to play a game of chance": ("solve race.py --play optimal", "leaves nothing to decide"),
    "a policy misspelt": ("solve pig --play hold", "did you mean 'hold-at'"),
    "a policy with half a point": ("solve pig --play hold-at-20.5", "of a policy are whole"),
    "a state with too many entries": (
        "policy piglet --at scores=(1,2,3)", r"scores has 2 entries, one a player, .*\(0,0\)"
    ),
    "a model in place of a game": ("play m.prism", "it is for oddsmith check"),
    "a number of games as 1e4": (
        "simulate coin-race --games 1e4", "--games takes a whole number, not '1e4': write 10000"
    ),
    "players as a word": ("solve goose -n two", "--players takes a whole number, not 'two'"),
    "a tolerance as a word": ("solve goose --tolerance=low", "takes a number, not 'low'"),
    "learning from nothing": ("learn piglet --games 0", "not 0 games"),
    "a duel where nothing is decided": (
        "duel coin-race optimal random", "nothing to decide, so there is no policy for it"
    ),
    "--play where policies are compared": (
        "duel piglet optimal random --play random", "stand after the game, without --play"
    ),
    "an option misspelt in its word": ("solve pig --tolerence 1", "did you mean --tolerance"),
    "an option of another command": ("solve pig --steps 5", "--steps is an option of simulate"),
    "two conditions on visits": (
        "visits coin-race --of turn --where turn=1", "not of and where"
    ),
    "whose piece, and what number": (
        "visits coin-race --of turn --player 2", "not of and player"
    ),
    "a state out of range": ("policy piglet --at scores=(99,0)", "is no state of Piglet"),
    "a part of a state's name in a property": (
        "check coin-race P=?[F(step[0]=1)]", "no variable, constant or formula step_0"
    ),
    "exact, and yet not": ("solve race.py --exact --method float", "contradict each other"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", WORDS)
def test_words(mistake, solved):
    words, advice = WORDS[mistake]
    assert re.search(advice, solved(words=words.split()))


def test_an_option_without_a_type(solved):
    words = ("solve", "race.py", "--set", "goal=5")
    assert "write `goal: int = 12`" in solved(("goal: int", "goal"), words=words)


def piglet_advice(scores, turn):
    piglet = game("piglet", goal=2)
    return optimal(piglet).advice(piglet.State(scores, turn, 0))


CALLS = {
    "a setting misspelt": (
        lambda: odds(game("coin-race"), tolerence=1e-9), "did you mean 'tolerance'"
    ),
    "a number of games that is none": (
        lambda: simulate(game("coin-race"), games=1e4),
        "games must be a whole number, not 10000.0: write 10000",
    ),
    "a keyword misspelt": (
        lambda: simulate(game("coin-race"), gmaes=10), "simulate has no keyword 'gmaes'.* 'games'"
    ),
    "a keyword of another question": (
        lambda: optimal(game("piglet"), play="random"), "optimal has no keyword 'play': it has"
    ),
    "a number as a text": (
        lambda: odds(game("coin-race"), tolerance="1e-9"), "must be a number, not '1e-9'"
    ),
    "a number where it is yes or no": (
        lambda: check("coin-race", 'P=? [ F "win1" ]', exact=1), "must be True or False, not 1"
    ),
    "a player as a text": (
        lambda: best_response(game("piglet"), "random", "1"), "player must be a whole number"
    ),
    "so many states": (
        lambda: explore(game("coin-race"), max_states=1e6), "whole number, not 1000000.0"
    ),
    "play without an end": (
        lambda: odds(game("coin-race"), endless="drw"), "choose one of error, draw"
    ),
    "policies of a duel by play": (
        lambda: duel(game("piglet"), "optimal", "random", play="random"), "no keyword 'play'"
    ),
    "a property that is no text": (
        lambda: check("coin-race", 3), "properties must be a text, not 3"
    ),
    "a game by its number": (lambda: game(3), "A game's name is a text, .* not 3"),
    "a condition that is a number": (
        lambda: visits(game("coin-race"), where=3), "a function of the state, not 3"
    ),
    "one policy in a tournament": (
        lambda: tournament(game("piglet"), "optimal"), "takes a list of policies"
    ),
    "two conditions": (
        lambda: visits(game("coin-race"), of="turn", where="turn=1"), "Give one of .*not of and wh"
    ),
    "a state out of range": (
        lambda: piglet_advice((99, 0), 0), r"is no state of Piglet: scores\[0\] = 99 is outside"
    ),
    "a state of three": (lambda: piglet_advice((1, 2, 3), 0), "scores has 2 entries"),
    "a turn of nobody": (lambda: piglet_advice((0, 0), 5), "turn = 5 is outside its range 0 to 1"),
    "a state as a tuple": (
        lambda: optimal(game("piglet", goal=2)).advice((0, 0)), "is not a state of Piglet"
    ),
    "a name in place of a game": (lambda: odds("pig"), r"such as game\('goose'\), not 'pig'"),
    "a class in place of a game": (
        lambda: odds(type(game("coin-race"))), r"is a class of games: give CoinRace\(\)"
    ),
    "a number in place of a die": (lambda: Die(6), r"write Die\(range\(1, 7\)\) for a d6"),
    "an option as a text": (lambda: game("pig", goal="50"), "it is a whole number"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", CALLS)
def test_calls(mistake):
    ask, advice = CALLS[mistake]
    with pytest.raises(OddsmithError, match=advice) as error:
        ask()
    sentence(str(error.value))


def test_nobody_may_watch():
    assert odds(game("coin-race"), progress=None).win[0].exact == Fraction(16, 27)


def test_errors_can_be_caught_by_their_name():
    kinds = {kind for kind in vars(errors).values() if isinstance(kind, type)}
    mine = {kind.__name__ for kind in kinds if issubclass(kind, OddsmithError)}
    mine |= {"NotProvedError", "SourceError"}  # what verify and check raise
    assert len(mine) >= 10
    for name in mine:
        assert name in oddsmith.__all__
        assert issubclass(getattr(oddsmith, name), OddsmithError)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--set", "goal=3", "--set", "goal=4"), "--set goal is given twice"),
        (("-n", "2", "--set", "players=3"), "There are 2 players or 3"),
    ],
)
def test_an_option_that_is_given_twice(words, said):
    with pytest.raises(OptionError, match=said):
        cli.app(["solve", "pig", *words], standalone_mode=False)


def test_a_pipe_in_place_of_a_file_of_rules(tmp_path):
    os.mkfifo(tmp_path / "rules.py")
    with pytest.raises(OptionError, match="is a pipe, not a file"):
        game(str(tmp_path / "rules.py"))


# Keywords are declared once -----------------------------------------------------------------


QUESTIONS = [
    name
    for name in oddsmith.__all__
    if callable(getattr(oddsmith, name)) and hasattr(getattr(oddsmith, name), "__wrapped__")
]


def test_every_question_shows_its_keywords():
    assert {"odds", "length", "visits", "values", "duel", "certify", "check"} <= set(QUESTIONS)
    for name in QUESTIONS:
        function = getattr(oddsmith, name)
        parameters = inspect.signature(function).parameters
        if name != "plot":  # its options are those of the picture
            assert all(p.kind is not p.VAR_KEYWORD for p in parameters.values()), name
        if "tolerance" in parameters and name != "check":
            for setting in set(KEYWORDS) - {"play", "explain"}:
                assert parameters[setting].default == KEYWORDS[setting].parameter.default or (
                    setting == "progress"
                )
                assert KEYWORDS[setting].says in function.__doc__


def test_the_command_line_has_the_same_settings():
    solve = typer.main.get_command(cli.app).commands["solve"]
    options = {option.name: option for option in solve.params}
    assert set(KEYWORDS) - set(options) == {"progress"}  # the bar
    for name in set(KEYWORDS) - {"progress"}:
        assert options[name].help == f"{KEYWORDS[name].says}."
        assert options[name].default == KEYWORDS[name].parameter.default


def test_the_guide_has_the_same_settings():
    guide = Path(__file__).parent.parent / "docs" / "guide.md"
    assert table() in guide.read_text(encoding="utf-8")


def test_what_answers_look_like_at_a_prompt_and_in_a_notebook():
    piglet = game("piglet", goal=3)
    property = 'Pmax=? [ F "win1" ]'
    for found in (explore(piglet), check(piglet, property), certify(piglet), odds(piglet)):
        assert "Piglet" in repr(found)
        assert len(repr(found)) < 100
        shown = found._repr_html_()
        assert len(shown) < 3000
        assert "array(" not in shown


# Mistakes in boards --------------------------------------------------------------------------

BOARDS = {
    "yes": ([("true", "yes")], "line 8: .* true or false"),
    "True": ([("true", "True")], "line 8: .* true or false"),
    "dice without quotes": ([('"1d6"', "2d6")], "line 3: .* stands in quotes"),
    "a colon": ([("finish = 20", "finish: 20")], "line 2: .* write finish = 63"),
    "dice of another language": ([("1d6", "1w6")], 'written like "2d6"'),
    "no finish": ([("finish = 20\n", "")], "as in finish = 63"),
    "a ladder beyond the finish": ([("goto = 9", "goto = 99")], r"square 3 \(ladder\).* 0 to 20"),
    "an effect misspelt": ([("goto", "gotto")], "did you mean 'goto'"),
    "a ladder and a snake in a circle": (
        [("wait = 1", "goto = 3"), ("goto = 9", "goto = 12")], "would go round for ever: 3 → 12 → 3"
    ),
    "two effects on one square": ([("at = 12", "at = 3")], "line 7, square 3 .* is ladder already"),
    "a name twice": ([("inn =", "ladder =")], "line 7: .* the name is there already"),
    "a square without its number": ([("at = 12, ", "")], "line 7: .* with its square"),
    "a word for a number": ([("wait = 1", 'wait = "one"')], "wait must be a whole number"),
    "a bracket that is not closed": ([("wait = 1 }", "wait = 1")], "line 7"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", BOARDS)
def test_boards(mistake, typed):
    changes, advice = BOARDS[mistake]
    Path("board.toml").write_text(changed(BOARD, *changes))
    text = typed("solve", "board.toml")
    assert re.search(advice, text), text


# Mistakes in models and properties -----------------------------------------------------------

MODELS = {
    "no semicolon": ([("(s'=2);", "(s'=2)")], "", "A ; is missing"),
    "==": ([("s=0 ->", "s==0 ->")], "", "written with one ="),
    "an update without its '": ([("(s'=1)", "(s=1)")], "", "with a ' after the name"),
    "chances that do not sum to one": ([("0.5:(s'=2)", "0.6:(s'=2)")], "", "sum to 11/10"),
    "a variable that is not declared": ([("s'=2", "t'=2")], "", "There is no variable t"),
    "a value out of range": ([("s'=2", "s'=7")], "", r"outside its range \[0\.\.3\]"),
    "a path without brackets": ([], "P=? F s=2", r"as in P=\? \[ F x=3 \]"),
    "== in a property": ([], "P=? [ F s==2 ]", "write = for equality"),
    "a bracket that is not closed": ([], "P=? [ F s=2", "a closing bracket ] is missing"),
    "a label that there is not": ([], 'P=? [ F "done" ]', 'There is no label "done"'),
    "rewards that there are not": ([], "R=? [ F s=2 ]", "has no rewards"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MODELS)
def test_models(mistake, typed):
    changes, question, advice = MODELS[mistake]
    Path("m.prism").write_text(changed(MODEL, *changes))
    text = typed("check", "m.prism", question or "P=? [ F s=2 ]")
    assert re.search(advice, text), text


def test_an_entry_of_a_games_state_in_a_property(solved):
    text = solved(words=("check", "race.py", "P=? [ F squares[2]=3 ]"))
    assert "squares_2. Did you mean squares_1?" in text
    as_elsewhere, as_prism = "P=? [ F squares[0]=3 & turn=1 ]", "P=? [ F squares_0=3 & turn=1 ]"
    one, other = oddsmith.check("race.py", as_elsewhere, as_prism, exact=True)
    assert one.text == as_elsewhere
    assert one.answer.exact == other.answer.exact


def test_a_constant_that_there_is_not(typed):
    Path("m.prism").write_text(MODEL)
    text = typed("check", "m.prism", "P=? [ F s=2 ]", "--const", "in=7")
    assert "There is no constant 'in' in m.prism" in text
