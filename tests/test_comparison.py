"""Two games side by side: differences against an independent computation, and their wording."""

import json
from fractions import Fraction
from math import comb

import pytest

from oddsmith import OptionError, compare, game, odds
from oddsmith.ask.compare import Figure
from oddsmith.results.answer import Answer
from oddsmith.rules.board.changes import changes
from oddsmith.rules.board.game import board_class

BOARD = """
[board]
finish = 12
dice = "d6"
occupied = "return"
[squares]
inn = { at = [3, 5], wait = 1 }
slide = { at = 9, goto = 2 }
[jumps]
4 = 8
[first-throw]
6 = 1
"""


def board(text=BOARD, **options):
    return board_class("b.toml", text)(**options)


def first_wins(goal):
    """The chance to toss the goal-th head before the other, by the negative binomial law."""
    found = Fraction(0)
    for n in range(goal, 90):
        last = Fraction(comb(n - 1, goal - 1), 2**n)  # the goal-th head is toss n
        short = sum(Fraction(comb(n - 1, k), 2 ** (n - 1)) for k in range(goal))
        found += last * short  # the other has fewer after n - 1 tosses
    return found


def test_the_difference_of_exact_answers_is_exact():
    found = compare(game("coin-race"), game("coin-race", goal=3))
    figure = found["player 1 wins"]
    assert figure.a.exact == Fraction(16, 27)  # Goose paper, section 3
    expected = first_wins(3) - first_wins(2)
    assert abs(figure.difference.exact - expected) < Fraction(1, 10**20)
    assert [f.name for f in found.figures] == ["player 1 wins", "player 2 wins", "expected length"]
    # Both need the heads one after the other, so the first always has the shorter game:
    assert found["expected length"].difference.exact > 0
    assert found.quantiles[0.05][0] == 3  # the shortest race: heads, tails or heads, heads


def test_the_difference_of_certified_answers_contains_the_truth():
    games = game("snakes"), game("snakes", dice="d4")
    exact = compare(*games, method="exact")
    certified = compare(*games, method="certified")
    for figure in exact.figures:
        bounds = certified[figure.name].difference
        assert bounds.exact is None
        assert Fraction(bounds.lower) <= figure.difference.exact <= Fraction(bounds.upper)
        assert bounds.upper - bounds.lower < 1e-9
    plain = compare(*games, method="float")
    assert plain["player 1 wins"].difference.lower is None
    assert "from" not in str(plain)


def test_differences_of_mixed_answers():
    exact, bounded = Answer.of_fraction(Fraction(1, 3)), Answer(0.5, 0.25, 0.75)
    found = Figure("x", exact, bounded).difference
    assert Fraction(found.lower) <= Fraction(1, 4) - Fraction(1, 3)
    assert Fraction(found.upper) >= Fraction(3, 4) - Fraction(1, 3)
    assert found.exact is None
    assert Figure("x", Answer(0.5), bounded).difference == Answer(0.0)


def test_the_same_game_twice_differs_in_nothing():
    found = compare(board(), board())
    assert found.changes == ()
    assert all(figure.difference.exact == 0 for figure in found.figures)
    assert "what differs" not in str(found)


def test_different_numbers_of_players_compare_what_both_have():
    found = compare(game("coin-race"), game("coin-race", players=3))
    assert [figure.name for figure in found.figures] == [
        "player 1 wins",
        "player 2 wins",
        "expected length",
    ]
    assert found.changes == ("players: 2 → 3",)


CHANGES = {
    "finish: 12 → 13": ("finish = 12", "finish = 13"),
    "start: 0 → 1": ("finish = 12", "finish = 12\nstart = 1"),
    "dice: d6 → 2d6": ('"d6"', '"2d6"'),
    "dice: d6 → d[0,1,1,6]": ('"d6"', "{ faces = [1, 0, 6, 1] }"),
    "overshoot: bounce → win": ("finish = 12", 'finish = 12\novershoot = "win"'),
    "occupied: return → share": ('"return"', '"share"'),
    "inn (3, 5): wait 1 → wait 2": ("wait = 1", "wait = 2"),
    "inn (3, 5): wait 1 → wait 1, share": ("wait = 1", "wait = 1, share = true"),
    "inn (3, 5): wait 1 → hold": ("wait = 1", "hold = true"),
    "inn (3, 5): wait 1 → until 1 or 6": ("wait = 1", "until = [1, 6]"),
    "slide (9): goto 2 → restart": ("goto = 2", "restart = true"),
    "slide (9): goto 2 → nothing": ("slide = { at = 9, goto = 2 }", ""),
    "square 4: goto 8 → goto 7": ("4 = 8", "4 = 7"),
    "square 10: nothing → goto 1": ("4 = 8", "4 = 8\n10 = 1"),
    "hop (10): nothing → again": ("[jumps]", "hop = { at = 10, again = true }\n[jumps]"),
    "gift (11): nothing → extra": ("[jumps]", "gift = { at = 11, extra = true }\n[jumps]"),
    "first throw 6: goto 1 → nothing": ("6 = 1", ""),
    "first throw 6: goto 1 → goto 1 if 2 is free": ("6 = 1", "6 = { goto = 1, free = 2 }"),
}


@pytest.mark.parametrize("line", CHANGES)
def test_changed_rules_in_words(line):
    old, new = CHANGES[line]
    assert old in BOARD
    other = board(BOARD.replace(old, new))
    found = changes(board().rules, other.rules)
    assert found == [line]


def test_names_alone_are_no_change_of_rules():
    assert changes(board().rules, board(BOARD.replace("inn", "hut")).rules) == []


def test_a_comparison_as_text_and_as_json():
    found = compare(board(), board(occupied="swap", **{"inn.wait": 3}))
    text = str(found)
    assert "A  b.toml, 2 players" in text
    assert "B  b.toml, 2 players, occupied swap, inn.wait 3" in text
    assert "inn (3, 5): wait 1 → wait 3" in text
    data = json.loads(found.to_json())
    first = data["figures"][0]
    assert first["figure"] == "player 1 wins"
    exact = [Fraction(first[part]["exact"]) for part in ("a", "b", "difference")]
    assert exact[1] - exact[0] == exact[2]
    assert exact[0] == odds(board(), method="exact").win[0].exact
    assert set(data["quantiles"]) == {"0.05", "0.5", "0.95"}


def test_many_changes_are_cut_short():
    found = compare(game("chutes", players=1), game("snakes", players=1))
    assert "and 1" in str(found)  # … and 14 more
    assert len(str(found).splitlines()) < 45


def test_mistakes():
    with pytest.raises(OptionError, match="simulate each"):
        compare(game("coin-race"), game("coin-race"), method="estimate")
    with pytest.raises(OptionError, match="A game is needed"):
        compare(game("coin-race"), "goose")
    with pytest.raises(OptionError, match="method cannot be 'magic'"):
        compare(game("coin-race"), game("coin-race"), method="magic")
    with pytest.raises(KeyError):
        compare(game("coin-race"), game("coin-race"))["colour"]
