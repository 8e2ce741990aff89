"""Boards play by their prose: tables against old Python games, and against a plain reference."""

import pickle
import random
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from tests.board_strategies import boards
from tests.rules.board_reference import Reference
from tests.rules.old_boards import ChutesAndLadders, Goose, SnakesAndLadders

from oddsmith import explore, game, odds
from oddsmith.model.replay import check_symmetry
from oddsmith.rules import interpret
from oddsmith.rules.board.game import board_class
from oddsmith.rules.board.walk import Walk
from oddsmith.rules.digest import rules_digest
from oddsmith.rules.layout import layout_of


def board(text, **options):
    return board_class("test.toml", text)(**options)


def turn(game, state):
    """Whether the turn counts, and the chance of each state after it."""
    ((_, action),) = interpret.legal_actions(game, state)
    outcomes = interpret.outcomes(game, layout_of(game, state), action, state)
    total = sum(weight for weight, _, _ in outcomes)
    found = Counter()
    for weight, _, new in outcomes:
        found[tuple(new.positions), new.turn] += Fraction(weight, total)
    return action.counts, dict(found)


# The catalogue against the Python it was before ----------------------------------------------

PAIRS = {
    "goose": (game("goose"), Goose()),
    "goose alone": (game("goose", players=1), Goose(players=1)),
    "goose for three": (game("goose", players=3), Goose(players=3)),
    "listing": (game("goose", variant="listing"), Goose(rules="listing")),
    "listing for three": (
        game("goose", variant="listing", players=3),
        Goose(rules="listing", players=3),
    ),
    "one die": (game("goose", variant="one-die"), Goose(dice=1)),
    "another maze": (game("goose", **{"maze.goto": 37}), Goose(maze=37)),
    "chutes": (game("chutes"), ChutesAndLadders()),
    "chutes for two": (game("chutes", players=2), ChutesAndLadders(players=2)),
    "snakes": (game("snakes"), SnakesAndLadders()),
    "snakes for three": (game("snakes", players=3), SnakesAndLadders(players=3)),
}


def reached(game, limit, seed=8):
    """States of a game that play comes to: all of a small one, some of a large one."""
    dice = random.Random(seed)
    states, seen = [game.start()], {game.start()}
    while states and len(seen) < limit:
        state = states.pop(dice.randrange(len(states)))
        if interpret.winners(game, state) >= 0:
            continue
        yield state
        for positions, mover in turn(game, state)[1]:
            new = game.State(positions, mover)
            if new not in seen:
                seen.add(new)
                states.append(new)


@pytest.mark.parametrize("pair", PAIRS)
def test_the_table_plays_as_the_python_did(pair):
    table, python = PAIRS[pair]
    assert tuple(table.start()) == tuple(python.start())
    for state in reached(python, 2500):
        same = table.State(*state)
        assert interpret.winners(table, same) == interpret.winners(python, state)
        assert turn(table, same) == turn(python, state)


@pytest.mark.parametrize("pair", ["goose", "listing", "one die", "goose alone", "snakes"])
def test_the_table_has_the_odds_the_python_had(pair):
    table, python = (odds(one, engine="interpreted", method="certified") for one in PAIRS[pair])
    assert table.evidence.states == python.evidence.states
    for mine, theirs in zip(
        (*table.win, table.draw, table.duration),
        (*python.win, python.draw, python.duration),
        strict=True,
    ):
        assert mine.lower <= theirs.upper
        assert theirs.lower <= mine.upper


# Random boards against the reference ---------------------------------------------------------


def compare_all(text, limit=400):
    """Every state that the reference comes to leads where the board says, with the same chance."""
    subject, reference = board(text), Reference(text)
    first = ((reference.start, 0),) * reference.players
    assert subject.start() == (reference.positions(first), 0)
    waiting, seen = [(first, 0)], {(first, 0)}
    for tokens, mover in waiting:
        state = subject.State(reference.positions(tokens), mover)
        over = [i for i, (square, _) in enumerate(tokens) if square == reference.finish]
        assert subject.winner(state) == (over[0] if over else None)
        if over or len(seen) > limit:
            continue
        counts, expected = reference.turn(tokens, mover)
        named = Counter()
        for (after, who), chance in expected.items():
            named[reference.positions(after), who] += chance
        assert turn(subject, state) == (counts, dict(named)), (text, state)
        for new in expected:
            if new not in seen:
                seen.add(new)
                waiting.append(new)
    return len(seen)


@settings(max_examples=250)
@given(boards())
def test_random_boards_play_by_the_prose(text):
    compare_all(text)


@settings(max_examples=60)
@given(boards(lattice=True))
def test_random_lattice_boards_play_by_the_prose(text):
    compare_all(text)
    assert board(text).why_no_lattice == ""


@settings(max_examples=60)
@given(boards(players=(1,)))
def test_the_track_is_the_walk_of_a_token_alone(text):
    """The tables of one token, against the reference with one player."""
    track, reference = board(text).track, Reference(text, players=1)
    codes = track.codes.tolist()
    assert codes[track.start] == reference.start
    seen = [((reference.start, 0),)]
    for (token,) in seen:
        if token[0] == reference.finish:
            continue
        at = codes.index(reference.position(token))
        counts, expected = reference.turn((token,), 0)
        if not counts and not token[1]:  # on hold: as if in company
            assert track.hold[at]
            continue
        found = Counter()
        if track.rest[at] >= 0:
            found[codes[track.rest[at]]] += Fraction(1)
        for entry in np.flatnonzero(track.source == at):
            target = int(track.target[entry])
            new = reference.finish if target < 0 else codes[target]
            found[new] += Fraction(int(track.weight[entry]), track.total)
        named = {reference.position(after[0]): p for (after, _), p in expected.items()}
        assert dict(found) == named, text
        seen += [after for after, _ in expected if after not in seen]


@settings(max_examples=40)
@given(boards())
def test_players_are_interchangeable_as_declared(text):
    subject = board(text)
    for state in list(reached(subject, 60)):
        check_symmetry(subject, layout_of(subject, state), state)


# Small boards by hand: what a reader of the prose expects ------------------------------------

BASE = """
[board]
finish = {finish}
dice = {dice}
overshoot = "{overshoot}"
occupied = "{occupied}"
players = {players}
"""


def small(rest="", finish=10, dice='"d2"', overshoot="bounce", occupied="share", players=2):
    text = BASE.format_map(locals()) + rest
    compare_all(text)
    return board(text)


def leads(game, positions, mover=0):
    """The chance of each state after a turn, as text."""
    found = turn(game, game.State(positions, mover))[1]
    return {state: str(chance) for state, chance in found.items()}


def test_goto_and_jumps_chain():
    made = small("[squares]\nslide = { at = 1, goto = 5 }\n[jumps]\n5 = 7\n7 = 10\n")
    assert leads(made, (0, 0)) == {((10, 0), 1): "1/2", ((2, 0), 1): "1/2"}


def test_again_goes_on_in_the_same_direction():
    made = small("[squares]\nhop = { at = [2, 4, 8], again = true }", dice="{ faces = [2] }")
    assert leads(made, (0, 0)) == {((6, 0), 1): "1"}
    bounced = small("[squares]\nhop = { at = 8, again = true }", dice="{ faces = [1, 3] }")
    assert leads(bounced, (9, 0))[(5, 0), 1] == "1/2"  # 12 bounces to 8, again to 5


def test_again_backwards_stops_at_the_start():
    made = small("[squares]\nhop = { at = 4, again = true }", finish=5, dice="{ faces = [5, 3] }")
    assert leads(made, (1, 0))[((0, 0), 1)] == "1/2"  # 6 bounces to 4, again to -1


def test_wait_rests_and_does_not_wait_again():
    made = small("[squares]\ninn = { at = 2, wait = 2 }", dice="{ faces = [2] }", players=1)
    state, lengths = made.start(), []
    while made.winner(state) is None:
        counts, found = turn(made, state)
        lengths.append(counts)
        (((positions, mover), _),) = found.items()
        state = made.State(positions, mover)
    assert lengths == [True, False, False, True, True, True, True]  # 2, rest, rest, 4, 6, 8, 10


def test_waits_of_different_squares_do_not_mix():
    rest = "[squares]\ninn = { at = [1, 3], wait = 2 }\ncamp = { at = 2, wait = 1, share = true }"
    made = small(rest, occupied="return")
    assert leads(made, (0, 0)) == {((12, 0), 1): "1/2", ((13, 0), 1): "1/2"}
    assert leads(made, (0, 13), 0) == {((12, 13), 1): "1/2", ((13, 13), 1): "1/2"}  # shared
    assert leads(made, (0, 12), 0) == {((0, 12), 1): "1/2", ((13, 12), 1): "1/2"}  # returned
    assert [made.place(p) for p in (1, 12, 11, 15, 13)] == [
        *["1 (inn)"] * 3,
        "3 (inn)",
        "2 (camp)",
    ]


def test_hold_ends_with_company():
    made = small("[squares]\nwell = { at = 2, hold = true }", occupied="return")
    assert leads(made, (2, 1)) == {((2, 1), 1): "1"}
    assert leads(made, (2, 2)) == {((3, 2), 1): "1/2", ((4, 2), 1): "1/2"}
    assert not turn(made, made.State((2, 1), 0))[0]


@pytest.mark.parametrize(
    ("until", "dice", "leaving"),
    [
        ("6", '"d6"', Fraction(1, 6)),
        ("[1, 2]", '"d6"', Fraction(2, 6)),
        ("7", '"2d6"', Fraction(6, 36)),
        ('"double"', '"2d6"', Fraction(6, 36)),
        ('"3,6"', '"2d6"', Fraction(2, 36)),
        ('"6,3"', '"2d6"', Fraction(2, 36)),
        ('["double", 4]', '"2d6"', Fraction(6 + 2, 36)),  # 1,3 and 3,1; 2,2 is a double
        ('"1,1,2"', '"3d2"', Fraction(3, 8)),
    ],
)
def test_until_lets_go_with_a_throw(until, dice, leaving):
    made = small(f"[squares]\ngaol = {{ at = 6, until = {until} }}", finish=40, dice=dice)
    assert 1 - turn(made, made.State((6, 0), 0))[1][(6, 0), 1] == leaving


def test_restart_and_extra():
    made = small(
        "[squares]\ndeath = { at = 1, restart = true }\nwind = { at = 2, extra = true }",
        occupied="return",
    )
    # 1 leads back to the start, which is occupied by the other: the throw is not played.
    assert leads(made, (0, 0)) == {((0, 0), 1): "1/2", ((2, 0), 0): "1/2"}
    assert leads(made, (0, 2)) == {((0, 2), 1): "1"}  # back from an occupied square: no extra


def test_extra_after_a_bounce_to_the_same_square():
    made = small("[squares]\nwind = { at = 9, extra = true }", dice="{ faces = [0, 2, 1] }")
    assert leads(made, (9, 0)) == {
        ((9, 0), 1): "1/3",  # a throw of 0 is no landing
        ((9, 0), 0): "1/3",
        ((10, 0), 1): "1/3",
    }


@pytest.mark.parametrize(
    ("overshoot", "end"), [("bounce", (8, 0)), ("stay", (9, 0)), ("win", (10, 0))]
)
def test_overshoot(overshoot, end):
    made = small(finish=10, dice="{ faces = [3, 1] }", overshoot=overshoot)
    assert leads(made, (9, 0))[end, 1] in ("1/2", "1")


@pytest.mark.parametrize(
    ("occupied", "after"),
    [("return", (1, 3)), ("share", (3, 3)), ("swap", (3, 1)), ("restart", (3, 0))],
)
def test_occupied(occupied, after):
    made = small(dice="{ faces = [1, 2] }", occupied=occupied)
    assert leads(made, (1, 3))[after, 1] == "1/2"


def test_a_swapped_token_has_not_landed():
    rest = "[squares]\ninn = { at = 1, wait = 1 }\nwind = { at = 2, extra = true }\n"
    made = small(rest + "well = { at = 3, hold = true }", occupied="swap")
    assert leads(made, (1, 2))[(2, 1), 0] == "1/2"  # the other is in the inn, and need not wait
    assert leads(made, (2, 4))[(4, 2), 1] == "1/2"  # the other has no extra turn on 2
    three = small(rest + "well = { at = 3, hold = true }", occupied="swap", players=3)
    assert leads(three, (3, 4, 3))[(4, 3, 3), 1] == "1/2"  # into the well, and held there
    assert not turn(three, three.State((4, 3, 5), 1))[0]


def test_a_token_in_a_waiting_room_is_on_the_square():
    rest = "[squares]\ninn = { at = 2, wait = 2 }"
    room = 12  # two turns to rest; 11: one
    assert leads(small(rest, occupied="restart"), (0, room))[(room, 0), 1] == "1/2"
    assert leads(small(rest, occupied="swap"), (1, 11))[(room, 1), 1] == "1/2"


FIRST = """
[first-throw]
"3,6" = 26
9 = 20
"double" = { goto = 30, free = 12 }
"""


def test_first_throws():
    made = small(FIRST, finish=60, dice='"2d6"', occupied="return")
    found = leads(made, (0, 0))
    assert found[(26, 0), 1] == "1/18"
    assert found[(20, 0), 1] == "1/18"  # 4 and 5: the first that fits holds for 3 and 6
    assert found[(30, 0), 1] == "1/6"
    assert leads(made, (0, 12))[(0, 12), 1] == "1/6"  # what must be free is not
    assert leads(made, (0, 30))[(30, 30), 1] == "1/6"  # and the target is not looked at
    assert leads(made, (0, 26))[(0, 26), 1] == "1/18"
    assert ((26, 0), 1) not in leads(made, (3, 0))


@pytest.mark.parametrize("occupied", ["share", "swap", "restart"])
def test_what_must_be_free_keeps_the_mover_whatever_occupied_says(occupied):
    made = small("[first-throw]\n1 = { goto = 5, free = 7 }", occupied=occupied)
    assert leads(made, (0, 7))[(0, 7), 1] == "1/2"
    assert leads(made, (0, 5))[(5, 5), 1] == "1/2"
    won = small("[first-throw]\n1 = { goto = 10, free = 7 }", occupied=occupied)
    assert leads(won, (0, 7))[(0, 7), 1] == "1/2"
    assert leads(won, (0, 6))[(10, 6), 1] == "1/2"


def test_first_throws_are_sent_on():
    made = small("[squares]\nhop = { at = 5, again = true }\n[first-throw]\n1 = 5")
    assert leads(made, (0, 0)) == {((6, 0), 1): "1/2", ((2, 0), 1): "1/2"}


def test_repeated_faces_weigh_more():
    made = small(dice="{ faces = [1, 1, 1, 2] }")
    assert leads(made, (0, 0)) == {((1, 0), 1): "3/4", ((2, 0), 1): "1/4"}


VARIED = """
[board]
finish = 10
dice = "d2"
occupied = "return"
[squares]
inn = { at = 1, wait = 1 }
trap = { at = 4, goto = 2 }
[variants.harsh]
board = { occupied = "restart", players = 3 }
squares = { inn = { at = 1, wait = 3 }, trap = false, well = { at = 4, hold = true } }
"""


def test_a_variant_replaces_what_it_names():
    harsh = board(VARIED, variant="harsh")
    assert (harsh.players, harsh.rules.occupied) == (3, "restart")
    assert harsh.rules.squares[1].wait == 3
    assert harsh.rules.squares[4].hold
    assert harsh.rules.finish == 10
    assert board(VARIED).rules.squares[4].goto == 2
    assert board(VARIED, variant="harsh", **{"inn.wait": 2}).rules.squares[1].wait == 2


def test_options_change_the_board():
    made = board(VARIED, finish=8, dice="2d[0,1,1]", overshoot="win", **{"inn.wait": 0})
    assert (made.rules.finish, made.rules.overshoot, made.rules.number_of_dice) == (8, "win", 2)
    assert made.rules.die.items() == {0: 1, 1: 2}.items()
    assert made.walk.rooms == ()
    assert made.described == {
        "finish": 8,
        "dice": "2d[0,1,1]",
        "overshoot": "win",
        "inn.wait": 0,
    }


# Engines --------------------------------------------------------------------------------------

ENGINES = """
[board]
finish = 7
dice = { number = 2, faces = [0, 1, 2] }
occupied = "swap"
[squares]
hop = { at = 2, again = true }
inn = { at = 3, wait = 2 }
gaol = { at = 5, until = "double" }
wind = { at = 6, extra = true }
[first-throw]
2 = { goto = 4, free = 6 }
"""


@pytest.mark.parametrize("occupied", ["swap", "return"])
def test_both_engines_give_the_same_model(occupied):
    subject = board(ENGINES, occupied=occupied)
    plain, compiled = (explore(subject, engine=engine) for engine in ("interpreted", "compiled"))
    assert compiled.how.startswith("compiled")
    assert plain.states > 30
    for name in ("choice", "row", "col", "weight", "total", "action", "owner", "winners", "shift"):
        np.testing.assert_array_equal(getattr(plain, name), getattr(compiled, name), name)
    np.testing.assert_array_equal(plain.names.rows, compiled.names.rows)


# Games as values ------------------------------------------------------------------------------


@settings(max_examples=20)
@given(boards())
def test_a_board_survives_pickling(text):
    subject = board(text, players=3)
    again = pickle.loads(pickle.dumps(subject))
    assert again == subject
    assert hash(again) == hash(subject)
    assert rules_digest(again) == rules_digest(subject)
    assert again.options == subject.options


@pytest.mark.parametrize("name", ["goose", "chutes-and-ladders", "snakes-and-ladders"])
def test_a_board_of_the_catalogue_survives_pickling(name):
    subject = game(name, players=2)
    assert pickle.loads(pickle.dumps(subject)) == subject
    assert type(pickle.loads(pickle.dumps(subject))) is type(subject)


def test_equality_and_the_call_that_makes_a_board_again():
    assert game("goose") == game("goose")
    assert game("goose") != game("goose", players=3)
    assert game("goose", **{"maze.goto": 30}) == game("goose")
    assert game("goose") != game("chutes")
    other = game("goose", variant="listing", players=3, **{"maze.goto": 37})
    assert eval(repr(other), {"Goose": type(other)}) == other
    assert repr(game("goose")) == "Goose()"


SAME = {
    "a comment": ("finish = 10", "finish = 10  # the end"),
    "layout": ("inn = { at = 1, wait = 1 }", "inn.at = 1\ninn.wait = 1"),
    "a name": ("finish = 10", 'finish = 10\nname = "Race"\nrules = "Run."\nsource = "us"'),
    "a square's name": ("inn =", "hut ="),
    "a square without effect": ("[squares]", "[squares]\nview = { at = 5 }"),
    "what is the default anyway": ("finish = 10", 'finish = 10\novershoot = "bounce"'),
    "dice in other words": ('"d2"', "{ number = 1, faces = [2, 1] }"),
    "a jump in other words": ("trap = { at = 4, goto = 2 }", "[jumps]\n4 = 2"),
    "a variant that is not played": ("wait = 3", "wait = 4"),
}
OTHER = {
    "the finish": ("finish = 10", "finish = 11"),
    "the dice": ('"d2"', '"d3"'),
    "occupied": ('"return"', '"swap"'),
    "overshoot": ("finish = 10", 'finish = 10\novershoot = "win"'),
    "the start": ("finish = 10", "finish = 10\nstart = 1"),
    "a wait": ("wait = 1 ", "wait = 2 "),
    "a goto": ("goto = 2", "goto = 3"),
    "a square": ("at = 4", "at = 5"),
    "share": ("wait = 1 ", "wait = 1, share = true "),
    "a first throw": ("[squares]", "[first-throw]\n1 = 5\n[squares]"),
    "the players": ("finish = 10", "finish = 10\nplayers = 3"),
}


@pytest.mark.parametrize("change", [*SAME, *OTHER])
def test_the_digest_changes_exactly_with_the_rules(change):
    old, new = (SAME | OTHER)[change]
    plain = VARIED if change == "a variant that is not played" else VARIED.split("[variants")[0]
    assert old in plain
    text = plain.replace(old, new, 1)
    if "start" in new:
        text = text.replace("inn = { at = 1", "inn = { at = 3")
    assert (rules_digest(board(text)) == rules_digest(board(plain))) == (change in SAME)


def test_boards_of_one_digest_number_their_throws_alike():
    """Compiled rules are kept by digest, so the order of lines must not matter to the tables."""
    lines = ['gaol = { at = 3, until = "double" }', 'cage = { at = 5, until = "1,3" }']
    head = '[board]\nfinish = 10\ndice = "2d3"\n[squares]\n'
    one, other = (board(head + "\n".join(order)) for order in (lines, lines[::-1]))
    assert rules_digest(one) == rules_digest(other)
    assert one.walk.throw_classes == other.walk.throw_classes
    assert one.die == other.die
    for table in ("landing", "testing", "blocking", "granting", "resting", "held", "square_of"):
        np.testing.assert_array_equal(getattr(one, table), getattr(other, table))


def test_the_digest_covers_how_tokens_walk(monkeypatch):
    """Its code stands beside that of the board, and is as much a rule."""
    before = rules_digest(board(VARIED))
    monkeypatch.setattr(Walk, "_tested", lambda self, square: square)
    assert rules_digest(board(VARIED)) != before


def test_the_digest_covers_variants_and_options():
    found = [board(VARIED), board(VARIED, variant="harsh"), board(VARIED, finish=9)]
    assert len({rules_digest(one) for one in found}) == 3
    assert rules_digest(board(VARIED, finish=10)) == rules_digest(board(VARIED))
