"""Every mistake in a board file is one sentence: the file, the line, the square, what to do."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddsmith import OptionError, game
from oddsmith.rules.board.game import board_class
from oddsmith.rules.board.toml_lines import line_of

GOOD = """\
# A board.
[board]
name = "Race"
finish = 20
dice = "2d6"
rules = '''
finish = 99 is not what counts here
[squares]
inn = { at = 1 }
'''
occupied = "return"

[squares]
inn  = { at = 5, wait = 1 }
well = { at = [8, 11], hold = true }

[jumps]
3 = 7

[first-throw]
"3,6" = 12
4 = { goto = 9, free = 10 }

[variants.short]
board = { finish = 12 }
"""


def complaint(text, *wanted, line=None, **options):
    """The one sentence that a text gives; it names the file, the line and what is wanted."""
    with pytest.raises(OptionError) as caught:
        board_class("my.toml", text)(**options)
    message = str(caught.value)
    assert "\n" not in message
    assert message.endswith((".", "?"))
    assert len(message) < 300
    assert "my.toml" in message
    for word in wanted:
        assert word in message, message
    if line is not None:
        number = line if isinstance(line, int) else text.split("\n").index(line) + 1
        assert f"my.toml, line {number}" in message, message
    return message


def changed(old, new):
    assert GOOD.count(old) == 1
    return GOOD.replace(old, new)


def test_the_good_board_is_good():
    made = board_class("my.toml", GOOD)()
    assert made.rules.finish == 20
    assert board_class("my.toml", GOOD)(variant="short").rules.finish == 12


INN = "inn  = { at = 5, wait = 1 }"
WELL = "well = { at = [8, 11], hold = true }"

LINES = {
    # what replaces a line: (the line, what is in the message)
    'finish = "far"': ("finish = 20", ["finish must be a whole number from 1 to 10000", "'far'"]),
    "finish = 20.0": ("finish = 20", ["whole number", "20.0"]),
    "finish = true": ("finish = 20", ["whole number", "True"]),
    "finish = 0": ("finish = 20", ["1 to 10000", "0"]),
    "finish = -3": ("finish = 20", ["-3"]),
    "finish = 1_000_000_000_000": ("finish = 20", ["1 to 10000"]),
    "finish = 0x" + "f" * 5000: ("finish = 20", ["a number that long"]),
    "finish = [20]": ("finish = 20", ["whole number", "[20]"]),
    "finish = nan": ("finish = 20", ["whole number", "nan"]),
    "finish = 1979-05-27": ("finish = 20", ["whole number"]),
    "finnish = 20": ("finish = 20", ["did you mean 'finish'"]),
    "colour = 20": ("finish = 20", ["no 'colour'", "there are dice, finish"]),
    "dice = 2": ('dice = "2d6"', ["2d6"]),
    'dice = "six"': ('dice = "2d6"', ["2d6", "'six'"]),
    'dice = "2d6+1"': ('dice = "2d6"', ["2d6+1"]),
    'dice = "2d0"': ('dice = "2d6"', ["faces must be a list"]),
    'dice = "0d6"': ('dice = "2d6"', ["number must be a whole number from 1 to 20"]),
    'dice = "20d20"': ('dice = "2d6"', ["too many ways"]),
    'dice = "d5000"': ('dice = "2d6"', ["0 to 1000"]),
    f'dice = "{"9" * 5000}d6"': ('dice = "2d6"', ["must be written like"]),
    "dice = { faces = [] }": ('dice = "2d6"', ["list"]),
    "dice = { faces = [0, 0] }": ('dice = "2d6"', ["always shows 0"]),
    "dice = { faces = [-1, 2] }": ('dice = "2d6"', ["-1"]),
    "dice = { faces = [1.5] }": ('dice = "2d6"', ["1.5"]),
    "dice = { faces = 6 }": ('dice = "2d6"', ["list", "6"]),
    'dice = { number = "two" }': ('dice = "2d6"', ["'two'"]),
    "dice = { sides = 6 }": ('dice = "2d6"', ["number and faces", "'sides'"]),
    f"dice = {{ number = 20, faces = {[1] * 500 + [2]} }}": ('dice = "2d6"', ["too many ways"]),
    'name = ["a"]': ('name = "Race"', ["name must be a text"]),
    "players = 'two'": ('name = "Race"', ["players", "1 to 62", "'two'"]),
    "players = 0": ('name = "Race"', ["players", "1 to 62"]),
    "players = 99": ('name = "Race"', ["players", "1 to 62"]),
    "players = true": ('name = "Race"', ["players", "True"]),
    "start = -1": ('name = "Race"', ["start", "-1"]),
    'overshoot = "fly"': ('name = "Race"', ["bounce, stay, win", "'fly'"]),
    "overshoot = ['win']": ('name = "Race"', ["bounce, stay, win"]),
    'occupied = "kick"': ('occupied = "return"', ["return, share, swap, restart", "'kick'"]),
    "inn = 5": (INN, ["inn must be like { at = 19, wait = 1 }"]),
    "inn = { wait = 1 }": (INN, ["with its square"]),
    "inn = { at = 25, wait = 1 }": (INN, ["square 25 (inn)", "0 to 19"]),
    "inn = { at = 20, wait = 1 }": (INN, ["square 20 (inn)", "0 to 19"]),
    "inn = { at = -1, wait = 1 }": (INN, ["square -1 (inn)"]),
    'inn = { at = "5", wait = 1 }': (INN, ["square '5' (inn)", "whole number"]),
    "inn = { at = [], wait = 1 }": (INN, ["nowhere"]),
    "inn = { at = [[5]], wait = 1 }": (INN, ["square [5] (inn)"]),
    "inn = { at = 5, wait = 101 }": (INN, ["square 5 (inn)", "0 to 100", "101"]),
    'inn = { at = 5, wait = "1" }': (INN, ["square 5 (inn)", "'1'"]),
    "inn = { at = 5, wait = true }": (INN, ["square 5 (inn)", "True"]),
    "inn = { at = 5, wiat = 1 }": (INN, ["square 5 (inn)", "did you mean 'wait'"]),
    "inn = { at = 5, fly = 1 }": (INN, ["no effect 'fly'", "there are again"]),
    "inn = { at = 5, wait = 1, hold = true }": (INN, ["one effect, not wait and hold"]),
    "inn = { at = 5, hold = 1 }": (INN, ["hold must be true or false"]),
    "inn = { at = 5, again = 'yes' }": (INN, ["again must be true or false"]),
    "inn = { at = 5, share = 1 }": (INN, ["share must be true or false"]),
    "inn = { at = 5, goto = 5 }": (INN, ["square 5 (inn)", "leads to itself"]),
    "inn = { at = 5, goto = 21 }": (INN, ["goto", "0 to 20", "21"]),
    "inn = { at = 5, goto = 3, share = true }": (INN, ["Nobody stays"]),
    "inn = { at = 0, wait = 1 }": (INN, ["The start can have no effect"]),
    "inn = { at = [5, 5], wait = 1 }": (INN, ["square 5 (inn)", "inn already"]),
    "inn = { at = 5, until = 1 }": (INN, ["square 5 (inn)", "No throw of these dice makes 1"]),
    "inn = { at = 5, until = [] }": (INN, ["until needs a throw"]),
    'inn = { at = 5, until = "3,7" }': (INN, ["'3,7' is no throw of 2 dice"]),
    'inn = { at = 5, until = "1,2,3" }': (INN, ["'1,2,3' is no throw of 2 dice"]),
    "inn = { at = 5, until = true }": (INN, ["True is no throw"]),
    'inn = { at = 5, until = "doubles" }': (INN, ["'doubles' is no throw"]),
    "inn = { at = 5, goto = 3 }\n#": (INN, []),  # fine: 5 → 3 → 7
    "'' = { at = 5 }": (INN, ["needs a name"]),
    '"a\\nb" = { at = 5 }': (INN, ["needs a name"]),
    "well = { at = [8, 5], hold = true }": (WELL, ["square 5 (well)", "inn already"]),
    "x = 7": ("3 = 7", ["square's number", "'x'"]),
    '"²" = 7': ("3 = 7", ["square's number"]),
    '"999999999999" = 7': ("3 = 7", ["square's number"]),
    "20 = 7": ("3 = 7", ["square 20", "from 0 to 19"]),
    "0 = 7": ("3 = 7", ["The start can have no effect"]),
    "3 = 21": ("3 = 7", ["0 to 20", "21"]),
    "3 = { goto = 7 }": ("3 = 7", ["A jump's end must be a whole number"]),
    "3.5 = 7": ("3 = 7", ["A jump's end"]),
    "5 = 7": ("3 = 7", ["square 5", "inn already"]),
    '"3,7" = 12': ('"3,6" = 12', ["'3,7' is no throw of 2 dice"]),
    '"40" = 12': ('"3,6" = 12', ["No throw of these dice makes 40"]),
    '"3,6" = 21': ('"3,6" = 12', ["goto", "0 to 20"]),
    '"3,6" = "12"': ('"3,6" = 12', ["goto", "'12'"]),
    '"3,6" = { free = 3 }': ('"3,6" = 12', ["goto = 26"]),
    '"3,6" = { goto = 12, if = 3 }': ('"3,6" = 12', ["goto and free, not 'if'"]),
    '"3,6" = { goto = 12, free = 20 }': ('"3,6" = 12', ["free", "0 to 19"]),
    "board = { finish = 4 }": ("board = { finish = 12 }", []),
    "board = { finnish = 4 }": (
        "board = { finish = 12 }",
        ["variant short", "did you mean 'finish'"],
    ),
    "board = { players = 'two' }": ("board = { finish = 12 }", ["variant short", "'two'"]),
    "board = 12": ("board = { finish = 12 }", ["A variant changes tables", "'board'"]),
    "bored = { finish = 12 }": ("board = { finish = 12 }", ["'bored'"]),
    "squares = { inn = { at = 99 } }": ("board = { finish = 12 }", ["variant short", "99 (inn)"]),
}


@pytest.mark.parametrize("new", [new for new, (_, wanted) in LINES.items() if wanted])
def test_a_mistake_names_its_line(new):
    old, wanted = LINES[new]
    complaint(changed(old, new), *wanted, line=GOOD.split("\n").index(old) + 1)


def test_squares_off_a_short_variant_are_named():
    complaint(changed("board = { finish = 12 }", "board = { finish = 4 }"), "short", "5 (inn)")


def test_what_is_false_is_not_there():
    text = changed('name = "Race"', "name = false").replace(INN, "inn = false")
    made = board_class("my.toml", text)()
    assert made.name == "my.toml"
    assert 5 not in made.rules.squares


def test_a_finish_is_needed():
    complaint(changed("finish = 20\n", ""), "[board] must say which square", line="[board]")


def test_the_start_comes_before_the_finish():
    text = changed('name = "Race"', "start = 20")
    complaint(text, "finish must be a whole number from 21", line="finish = 20")


def test_two_entries_for_one_square():
    complaint(changed("at = 5", "at = 3"), "square 3", "inn already", line="3 = 7")
    complaint(changed("at = 5", "at = 11"), "square 11 (well)", "inn already", line=WELL)


def test_two_entries_of_one_name():
    complaint(changed(WELL, "inn = { at = 6 }"), "Cannot overwrite", line=15)


def test_the_same_first_throw_twice():
    text = changed("4 = { goto = 9, free = 10 }", '"6,3" = 9')
    complaint(text, "exception already", line='"6,3" = 9')


def test_circles_of_goto():
    text = changed("3 = 7", "3 = 7\n7 = 9\n9 = 3")
    message = complaint(text, "round for ever: 3 → 7 → 9 → 3", line="3 = 7")
    assert "square 3" in message
    named = changed(INN, "inn = { at = 5, goto = 6 }\nout = { at = 6, goto = 5 }")
    complaint(named, "square 5 (inn)", "5 → 6 → 5", line="inn = { at = 5, goto = 6 }")
    tail = changed("3 = 7", "3 = 7\n7 = 9\n9 = 7")
    complaint(tail, "3 → 7 → 9 → 7")


def test_circles_of_again():
    text = """[board]
finish = 10
dice = "d2"
[squares]
hop = { at = 8, again = true }
back = { at = 9, goto = 7 }
[jumps]
7 = 6
"""
    board_class("my.toml", text)()  # 8 by 2 is the finish, 8 by 1 leads to 9, 7, 6
    text = text.replace("7 = 6", "7 = 8").replace("hop = { at = 8", "hop = { at = [8]")
    complaint(text, "square", "throws 1 goes round for ever", line=8)


def test_a_circle_that_nobody_comes_to_is_no_mistake():
    """Only even squares are reached: what a token on 1 would do does not matter."""
    text = """[board]
finish = 6
dice = { faces = [2] }
[squares]
hop = { at = 3, again = true }
back = { at = 5, goto = 3 }
"""
    assert board_class("my.toml", text)().track.size == 3  # 0, 2, 4


def test_a_finish_that_cannot_be_reached():
    text = '[board]\nfinish = 5\ndice = { faces = [2] }\novershoot = "stay"\n'
    complaint(text, "square 0 (start)", "No throw ever leads", line="finish = 5")
    trap = '[board]\nfinish = 5\ndice = "d2"\novershoot = "stay"\n'
    trap += "[jumps]\n4 = 3\n3 = 2\n"
    complaint(trap, "No throw ever leads", "finish (5)")
    gaol = "[board]\nfinish = 3\ndice = { faces = [0, 1] }\n"
    gaol += "[squares]\n\ngaol = { at = 1, until = 0 }\n"
    complaint(gaol, "square 1 (gaol)", "No throw ever leads", line=6)


def test_double_takes_two_dice():
    text = '[board]\nfinish = 5\n[squares]\ngaol = { at = 1, until = "double" }\n'
    complaint(text, "square 1 (gaol)", "A double takes two dice", line=4)
    complaint(text.replace('"double"', '"1,2"'), "no throw of one die", line=4)


def test_a_board_that_is_too_large():
    text = '[board]\nfinish = 10000\ndice = "d1000"\n'
    complaint(text, "too large", line="finish = 10000")


# The shape of the file ------------------------------------------------------------------------

SHAPES = {
    "nothing": ("", "needs a table [board]"),
    "a comment": ("# hello\n", "needs a table [board]"),
    "prose": ("A board with 63 squares.\n", "line 1: "),
    "a table that is not there": ("[bord]\nfinish = 3\n", "line 1: There is no table [bord]"),
    "a key before the table": ("finish = 3\n[board]\n", "line 1: finish must stand below"),
    "a table as a key": ("squares = 3\n[board]\nfinish = 3", "line 1: squares must be a table"),
    "an array of tables": ("[[board]]\nfinish = 3\n", "line 1: board must be a table"),
    "a string without end": ('[board]\nname = "x\nfinish = 3\n', "line 2: "),
    "a text without end": ('[board]\nname = """x\nfinish = 3\n', "line 3: "),
    "a table without end": ("[board\nfinish = 3\n", "line 1: "),
    "no value": ("[board]\nfinish =\n", "line 2: "),
    "two boards": ("[board]\nfinish = 3\n[board]\n", "line 3: "),
    "too deep": ("[board]\nfinish = " + "[" * 5000, "nested too deep"),
    "digits": ("[board]\nfinish = " + "9" * 5000, "number is too long"),
    "a variant called standard": (GOOD.replace("short", "standard"), "line 24: standard is"),
    "a variant that is no table": ("[board]\nfinish=3\n[variants]\nx = 1\n", "line 4: Variant 'x'"),
    "NUL": ("[board]\nfinish = 3\n\0", "line 3: "),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_file_that_is_no_board(shape):
    text, wanted = SHAPES[shape]
    assert wanted in complaint(text)


def test_files_that_cannot_be_read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def told(name, *wanted):
        with pytest.raises(OptionError) as caught:
            game(name)
        assert name in str(caught.value)
        for word in wanted:
            assert word in str(caught.value)

    told("nowhere.toml", "No such file")
    Path("folder.toml").mkdir()
    told("folder.toml", "directory")
    Path("binary.toml").write_bytes(bytes(range(128, 256)))
    told("binary.toml", "not a text file")
    Path("wide.toml").write_bytes(GOOD.encode("utf-16"))
    told("wide.toml", "not a text file")
    Path("empty.toml").write_bytes(b"")
    told("empty.toml", "[board]")
    with pytest.raises(OptionError, match=r"a\?b.toml is not a text file"):
        game("a\0b.toml")


def test_line_ends_and_marks_of_windows(tmp_path):
    path = tmp_path / "my.toml"
    path.write_bytes(b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode())
    assert game(str(path)).rules == board_class("my.toml", GOOD)().rules
    crlf = changed("wait = 1", "wiat = 1").replace("\n", "\r\n")
    with pytest.raises(OptionError, match=re.escape("my.toml, line 14, square 5 (inn): There")):
        board_class("my.toml", crlf)


# Layout: the same table in other words ---------------------------------------------------------

WRONG = "square 5 (inn): There is no effect 'wiat': did you mean 'wait'?"
LAYOUTS = {
    "a table of its own": ("[board]\nfinish = 9\n\n[squares.inn]\nat = 5\nwiat = 1\n", 6),
    "dotted keys": ("[board]\nfinish = 9\n[squares]\ninn.at = 5\ninn.wiat = 1\n", 5),
    "dotted from the top": ("board.finish = 9\nsquares.inn.at = 5\nsquares.inn.wiat = 1\n", 3),
    "inline tables": ("board = { finish = 9 }\nsquares = { inn = { at = 5, wiat = 1 } }\n", 2),
    "quoted keys": ("[board]\nfinish = 9\n['squares'.\"inn\"]\nat = 5\n'wiat' = 1\n", 5),
    "spaces": ("[ board ]\nfinish = 9\n[ squares . inn ]\n  at = 5\n  wiat  =  1 # !\n", 5),
    "before the board": ("[squares.inn]\nat = 5\nwiat = 1\n[board]\nfinish = 9\n", 3),
    "a list over lines": ("[board]\nfinish = 9\n[squares.inn]\nat = [\n5,\n]\nwiat = 1", 7),
    "keys inside a text": (
        '[board]\nrules = """\n[squares.inn]\nwiat = 1\n"""\nfinish = 9\n'
        "[squares]\ninn = { at = 5, wiat = 1 }\n",
        8,
    ),
    "odd white space": ("[board]\nname = 'a\u2028b'\nfinish = 9\n[squares.inn]\nat=5\nwiat=1", 6),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_mistakes_are_found_however_the_file_is_laid_out(layout):
    text, line = LAYOUTS[layout]
    assert complaint(text) == f"my.toml, line {line}, {WRONG}"
    good = board_class("my.toml", text.replace("wiat", "wait"))()
    assert good.rules.squares[5].wait == 1


def test_a_missing_key_is_at_its_table():
    assert line_of("[a]\n[a.b]\nc = 1\n", ("a", "b", "d")) == 2
    assert line_of("[a]\n[a.b]\nc = 1\n", ("a", "x")) == 1
    assert line_of("[a]\n", ("x",)) == 0


# Options ---------------------------------------------------------------------------------------


def test_options_that_make_the_board_wrong():
    told = complaint(GOOD, "square 5 (inn)", "0 to 100", "101", **{"inn.wait": 101})
    assert told.startswith("Option inn.wait of my.toml, ")
    complaint(GOOD, "Option jumps.3 of my.toml", "leads to itself", **{"jumps.3": 3})
    complaint(GOOD, "Option jumps.3 of my.toml", "0 to 20", **{"jumps.3": 99})
    complaint(GOOD, "Option dice of my.toml", "'two'", dice="two")
    complaint(GOOD, "Option finish of my.toml", "10000", finish=10**6)
    complaint(GOOD, "with finish=10", "square 11 (well)", finish=10, line=WELL)
    complaint(GOOD, "with dice='d6'", "is no throw of one die", dice="d6", line='"3,6" = 12')


def not_an_option(cls, *wanted, **options):
    with pytest.raises(OptionError) as caught:
        cls(**options)
    assert all(word in str(caught.value) for word in wanted), caught.value


def test_options_that_do_not_exist():
    cls = board_class("my.toml", GOOD)
    not_an_option(cls, "inn.wiat", "did you mean 'inn.wait'", **{"inn.wiat": 1})
    not_an_option(cls, "standard, short", variant="long")
    not_an_option(cls, "variant", variant=["short"])
    not_an_option(cls, "players", "whole number", players="two")
    not_an_option(cls, "62", players=0)
    not_an_option(cls, "whole number", finish="x")
    not_an_option(cls, "bounce, stay, win", overshoot="fly")
    with pytest.raises(OptionError, match="whole number"):
        cls.from_text({"inn.wait": "two"})


def test_an_option_of_what_a_variant_has_not():
    text = GOOD.replace("board = { finish = 12 }", "squares = { inn = false }")
    complaint(text, "no inn.wait in the variant short", variant="short", **{"inn.wait": 2})


def test_a_square_may_be_called_jumps():
    text = "[board]\nfinish = 9\n[squares]\njumps = { at = 5, wait = 1 }\n[jumps]\n3 = 4\n"
    made = board_class("my.toml", text)(**{"jumps.wait": 2, "jumps.3": 5})
    assert made.rules.squares[5].wait == 2
    assert made.rules.squares[3].goto == 5


# Any text at all -------------------------------------------------------------------------------

PIECES = [
    *["at", "wait", "goto", "again", "hold", "until", "restart", "extra", "share", "free"],
    *["[board]", "[squares]", "[jumps]", "[first-throw]", "[variants.x]", "[variants.x.squares]"],
    *["true", "false", "0", "1", "5", "20", "-1", "1.5", "nan", "9" * 20, "1979-05-27"],
    *['"double"', '"3,6"', '"2d6"', '"d0"', "{", "}", "[", "]", "=", ".", ",", "\n", '"', "'", "#"],
]  # fmt: skip


@st.composite
def mutated(draw):
    """The good board with a few pieces cut out, doubled, swapped or put in."""
    parts = re.split(r"(\s+|[={},.\[\]])", GOOD)
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(parts) - 1))
        kind = draw(st.sampled_from(["cut", "put", "replace", "copy"]))
        if kind == "cut":
            del parts[at : at + draw(st.integers(1, 3))]
            parts = parts or [""]
        elif kind == "put":
            parts.insert(at, draw(st.sampled_from(PIECES)))
        elif kind == "replace":
            parts[at] = draw(st.sampled_from(PIECES))
        else:
            parts.insert(at, draw(st.sampled_from(parts)))
    return "".join(parts)


def made_or_told(text, **options):
    """The game, or the sentence that says why not."""
    try:
        return board_class("my.toml", text)(**options)
    except OptionError as error:
        return str(error)


@settings(max_examples=400)
@given(mutated())
def test_any_text_is_a_game_or_one_sentence(text):
    made = made_or_told(text)
    if isinstance(made, str):
        assert "\n" not in made
        assert "my.toml" in made
    else:
        assert made.start().turn == 0
        assert hash(made) == hash(made)
        assert made.key()
        assert type(made)(**made.options) == made


VALUES = st.one_of(st.integers(), st.text(max_size=5), st.booleans(), st.none(), st.floats())


@settings(max_examples=100)
@given(
    st.dictionaries(
        st.sampled_from(
            ["players", "variant", "finish", "dice", "overshoot", "occupied", "inn.wait", "jumps.3"]
        ),
        VALUES,
        min_size=1,
        max_size=2,
    )
)
def test_any_options_are_a_game_or_one_sentence(options):
    assert "\n" not in str(made_or_told(GOOD, **options))


def test_the_command_line_prints_one_sentence(tmp_path):
    (tmp_path / "my.toml").write_text(changed("wait = 1", "wiat = 1"))
    code = "from oddsmith.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "solve", "my.toml"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.returncode == 1
    assert done.stderr == f"oddsmith: my.toml, line 14, {WRONG}\n"
