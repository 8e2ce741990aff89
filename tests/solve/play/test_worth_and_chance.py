"""What a position is worth is not the chance to win it: draws, waiting for ever, shared wins.

Every expected number is a fraction by hand, from the rules beside it.
"""

import re
from fractions import Fraction
from typing import NamedTuple

import pytest

from oddsmith import DRAW, Die, Game, coin, d6, duel, move, odds, optimal, policy, put, tournament
from oddsmith.errors import ContradictionError, NoEquilibriumError
from oddsmith.policies.regions import columns
from oddsmith.policies.report import Report
from oddsmith.present.play import Session
from oddsmith.results.answer import Answer

METHODS = ("exact", "certified")


class Long(Game):
    """A road; at its end player 1 may sit still for ever (not counted), or toss until he loses."""

    road: int = 3

    class State(NamedTuple):
        s: int = 0
        turn: int = 0

    def winner(self, s):
        return 1 if s.s == self.road + 1 else None

    @move(dice=Die({1: 1, 2: 1}), when=lambda self, s: s.s < self.road)
    def walk(self, s, roll):
        return self.State(min(s.s + roll, self.road), 0)

    @move(dice=coin, when=lambda self, s: s.s == self.road)
    def go(self, s, heads):
        return self.State(s.s + heads, 0)

    @move(when=lambda self, s: s.s == self.road, counts=False)
    def sit(self, s):
        return s


class Stall(Game):
    """Player 1 may play a lottery that he loses three times in four, or sit down for good."""

    class State(NamedTuple):
        s: int = 0
        turn: int = 0

    def winner(self, s):
        return None if s.s < 2 else s.s - 2

    @move(dice=Die({3: 3, 2: 1}), when=lambda self, s: s.s == 0)
    def risk(self, s, roll):
        return self.State(roll, 0)

    @move(counts=False)
    def sit(self, s):
        return self.State(1, 0)

    @policy
    def bold(self, s):
        return "risk" if s.s == 0 else "sit"


def holds(answer, truth):
    """Whether an answer is a truth, or bounds it closely."""
    if answer.exact is not None:
        return answer.exact == truth
    return answer.lower <= truth <= answer.upper and answer.upper - answer.lower < 1e-10


def said(game, *script):
    """What somebody who types a script at the terminal is told."""
    lines, heard = list(script), []
    Session(game, ask=lambda prompt: lines.pop(0), say=heard.append).play()
    return "\n".join(heard)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("game", [Long(), Long(road=1500), Stall()], ids=repr)
def test_who_waits_for_ever_has_not_won(game, method):
    """Both moves lead to worth 1/2 at most, and only waiting reaches that: a draw for certain."""
    if method == "exact" and game.options.get("road", 0) > 1000:
        pytest.skip("the same, slowly")
    found = odds(game, method=method)
    assert [holds(answer, 0) for answer in found.win] == [True, True]
    assert holds(found.draw, 1)


@pytest.mark.parametrize("method", METHODS)
def test_the_best_response_may_wait_for_ever(method):
    """It sits where it begins (1/2); where `bold` begins, that loses three times in four."""
    found = duel(Stall(), "best-response", "bold", method=method)
    assert holds(found.first, Fraction(1, 2))
    assert holds(found.second, Fraction(3, 4))
    assert holds(found.coin, Fraction(5, 8))
    assert str(found)


@pytest.mark.parametrize("method", METHODS)
def test_where_play_ends_worth_narrows_the_chance(method):
    """Without a draw the bounds of optimal play are taken: 1/3 of a lottery that may go on."""

    class Lottery(Game):
        class State(NamedTuple):
            s: int = 0
            turn: int = 0

        def winner(self, s):
            return None if s.s == 0 else s.s - 1

        @move(dice=Die({0: 3, 1: 1, 2: 2}))
        def draw_one(self, s, ticket):
            return self.State(ticket, 0)

        @move(dice=Die({0: 3, 1: 1, 2: 3}))
        def draw_another(self, s, ticket):
            return self.State(ticket, 0)

    found = odds(Lottery(), method=method)
    assert [holds(a, Fraction(n, 3)) for n, a in enumerate(found.win, 1)] == [True, True]
    assert found.draw.value == 0


def test_bounds_that_exclude_each_other_are_no_answer(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # a file is written about each
    known = Answer(0.5, 0.375, 0.625)
    assert known.tightened(0.0, 1.0) == known
    assert known.tightened(0.625, 1.0) == Answer(0.625, 0.625, 0.625)
    for bounds in [(0.75, 1.0), (0.0, 0.25), (0.5, 0.4), (float("nan"), 0.5)]:
        with pytest.raises(ContradictionError, match=r"from 0\.375 to 0\.625"):
            known.tightened(*bounds)


def test_in_play_a_draw_is_said_to_count():
    """The odds of a game that nobody will end are not chances to win."""
    text = said(Stall(), "?", "odds", "quit")
    assert text.count("a draw counts 1/2") == 2


# Wins that are shared ---------------------------------------------------------------------------


class Share(Game):
    """Player 1 shares the win (once in 10^9 games that fails, a draw), or tosses a coin for it."""

    rare: bool = False

    class State(NamedTuple):
        s: int = 0
        turn: int = 0

    def winner(self, s):
        return None if s.s == 0 else ((0, 1), 0, 1, DRAW)[s.s - 1]

    @move(dice=Die({1: 10**9 - 1, 4: 1}))
    def share(self, s, roll):
        return self.State(roll if self.rare else 1, 0)

    @move(dice=coin)
    def toss(self, s, heads):
        return self.State(2 if heads else 3, 0)

    @policy
    def sharing(self, s):
        return "share"

    @policy
    def tossing(self, s):
        return "toss"


@pytest.mark.parametrize("rare", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_a_shared_win_counts_a_half_with_draws_and_without(rare, method):
    found = duel(Share(rare=rare), "sharing", "tossing", method=method)
    assert all(holds(answer, Fraction(1, 2)) for _, answer in found.rows())
    table = tournament(Share(rare=rare), ["sharing", "tossing"], method=method)
    assert all(holds(answer, Fraction(1, 2)) for answer in table.mean.values())


def test_a_shared_win_counts_a_half_in_simulated_duels():
    found = duel(Share(), "sharing", "tossing", games=400)
    assert found.first.lower <= 0.5 <= found.first.upper
    assert found.first.value == 0.5  # all of these games are shared


# Moves that differ by less than floats can tell --------------------------------------------------


class Hair(Game):
    """Two lotteries: one wins with chance 1/3, the other with 1/3 + 1/(3 · 2^59)."""

    players: int = 1

    class State(NamedTuple):
        s: int = 0

    def winner(self, s):
        return None if s.s == 0 else 0 if s.s == 1 else ()

    @move(dice=Die({1: 1, 2: 2}))
    def third(self, s, roll):
        return self.State(roll)

    @move(dice=Die({1: (2**59 + 1) // 3, 2: 2**59 - (2**59 + 1) // 3}))
    def more(self, s, roll):
        return self.State(roll)


def test_fractions_rank_moves():
    more = Fraction((2**59 + 1) // 3, 2**59)
    margin = float(more - Fraction(1, 3))
    assert 0 < margin < 1e-18
    table = optimal(Hair(), method="exact")
    best, other = table.advice(Hair.State(0))
    assert (best.move, best.worth.exact, best.margin) == ("more", more, margin)
    assert (other.move, other.worth.exact, other.margin) == ("third", Fraction(1, 3), -margin)
    assert (best.loss, other.loss) == (0.0, margin)
    report = Report(table)
    assert report.closest() == (Hair.State(0), margin)
    assert report.to_dict()["undecided"] == 0
    assert "closest decision: by 5.8e-19" in str(report)


def test_how_close_is_too_close_to_call():
    """Odds of optimal play are those of moves that are best but for so much, which is said."""
    (note,) = (line for line in optimal(Hair(), method="certified").how if "too close" in line)
    within = float(re.search(r"best to within (\S+), and the odds are", note)[1])
    assert 1 / (3 * 2**59) <= within < 1e-12


def test_in_play_fractions_tell_moves_apart():
    text = said(Hair(), "?", "quit")
    assert "more   33.333 %  best" in text
    assert "third  33.333 %  costs 6e-17 %" in text


def test_the_bounds_of_an_exact_table_hold():
    found = columns(optimal(Hair(), method="exact"))
    start = list(found["s"]).index(0)
    truth = Fraction((2**59 + 1) // 3, 2**59)
    assert Fraction(found["lower"][start]) <= truth <= Fraction(found["upper"][start])
    assert found["upper"][start] - found["lower"][start] < 1e-15


# Players without an equilibrium ------------------------------------------------------------------


class Thieves(Game):
    """Three squirrels collect nuts: roll (a 1 loses all), or steal one from the next."""

    players: int = 3
    goal: int = 6
    interchangeable = ("nuts",)

    class State(NamedTuple):
        nuts: tuple[int, int, int] = (0, 0, 0)
        turn: int = 0

    def winner(self, s):
        for player in range(3):
            if s.nuts[player] >= self.goal:
                return player
        return None

    @move(dice=d6)
    def roll(self, s, spots):
        mine = 0 if spots == 1 else s.nuts[s.turn] + spots // 2
        return self.State(put(s.nuts, s.turn, mine), (s.turn + 1) % 3)

    @move(when=lambda self, s: s.nuts[(s.turn + 1) % 3] > 0)
    def steal(self, s):
        after = (s.turn + 1) % 3
        nuts = put(s.nuts, s.turn, s.nuts[s.turn] + 1)
        return self.State(put(nuts, after, s.nuts[after] - 1), after)

    @policy
    def always_roll(self, s):
        return "roll"


def test_what_was_looked_for_and_what_to_do_instead():
    with pytest.raises(NoEquilibriumError) as error:
        odds(Thieves())
    for part in (
        "for 3 players that is one move in each state",
        "nobody gains by moving otherwise",
        "State(nuts=(0, 0, 0), turn=0)",
        "--play always-roll for all",
        "--play best-response,always-roll,always-roll",
    ):
        assert part in str(error.value)
    instead = odds(Thieves(), play="best-response,always-roll,always-roll")
    assert instead.win[0].lower > odds(Thieves(), play="always-roll").win[0].upper


@pytest.mark.slow
def test_play_falls_back_on_a_way_to_play_that_the_game_names():
    text = said(Thieves(), "?", "quit")
    assert "The others play always-roll instead." in " ".join(text.split())
    assert "the others play always-roll." in text
    assert "Your chance to win against always-roll if you play your best" in text
