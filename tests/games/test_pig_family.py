"""Pig and its relatives: rolls, endings, policies and small solutions, each told a second time.

The references here know nothing of the solver, and of the rules only what the paper prints:
every roll is enumerated die by die, every ending is played with turns counted out.
"""

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import product
from math import ceil
from typing import NamedTuple

import numpy as np
import pytest

from oddsmith import OptionError, explore, game
from oddsmith.games import catalogue, game_class
from oddsmith.games._jeopardy import Jeopardy, Race
from oddsmith.rules import interpret
from oddsmith.rules.digest import rules_digest

SMALL = [
    ("pig", {"goal": 12}),
    ("pig", {"goal": 8, "players": 1}),
    ("pig", {"goal": 5, "players": 3, "consolation": 1}),
    ("pig", {"goal": 7, "ending": "equal-turns", "ties": "shared", "beyond": 4}),
    ("pig", {"goal": 2, "ending": "one-more", "beyond": 1, "players": 3, "consolation": 1}),
    ("piglet", {}),
    ("piglet", {"goal": 4, "ending": "one-more", "ties": "shared", "beyond": 3}),
    ("piglet", {"goal": 3, "ending": "equal-turns", "beyond": 2, "players": 3}),
    ("two-dice-pig", {"goal": 15}),
    ("two-dice-pig", {"goal": 6, "bad": 6, "ending": "one-more", "beyond": 0}),
    ("frey", {"goal": 6, "beyond": 4}),
    ("frey", {"goal": 12, "ending": "first"}),
    ("big-pig", {"goal": 6, "beyond": 4}),
    ("piggy", {"goal": 15}),
    ("piggy", {"goal": 7, "dice": "sicherman", "ending": "equal-turns", "beyond": 3}),
    ("pig-dice", {"goal": 5, "beyond": 3}),
    ("pig-dice", {"goal": 12, "ending": "first"}),
    ("pig-dice", {"goal": 2, "beyond": 0, "players": 3, "ending": "equal-turns"}),
    ("pass-the-pigs", {"goal": 9}),
    ("pass-the-pigs", {"goal": 4, "oinkers": 4, "ending": "one-more", "beyond": 1}),
    ("hog", {"goal": 15, "most": 5}),
    ("hog", {"goal": 4, "most": 2, "ending": "equal-turns", "ties": "shared", "players": 3}),
    ("fast-pig", {"turns": 2}),
    ("fast-pig", {"players": 2, "most": 3}),
]
COMPILED = [SMALL[number] for number in (0, 3, 4, 6, 8, 10, 12, 14, 15, 19, 20, 21, 23)]
"""Each game once or twice: compiling takes seconds."""

NAMES = sorted({name for name, _ in SMALL})
ARRAYS = (
    "choice", "row", "col", "weight", "total", "action", "owner", "winners", "shift", "scores",
)  # fmt: skip


def name_of(case):
    name, options = case
    return "-".join([name, *(f"{k}={v}" for k, v in options.items())])


def made(case):
    return game(case[0], **case[1])


small_games = pytest.mark.parametrize("case", SMALL, ids=name_of)


@cache
def small_model(number, engine, symmetry):
    return explore(made(SMALL[number]), engine=engine, symmetry=symmetry)


# What holds for all of them ------------------------------------------------------------------


@pytest.mark.slow  # the catalogue's contract asks it of every game once
@pytest.mark.parametrize("case", COMPILED, ids=name_of)
@pytest.mark.parametrize("symmetry", [True, False], ids=["folded", "full"])
def test_compiled_and_interpreted_rules_give_the_same_model(case, symmetry):
    number = SMALL.index(case)
    compiled = small_model(number, "compiled", symmetry)
    plain = small_model(number, "interpreted", symmetry)
    for name in ARRAYS:
        mine, theirs = getattr(compiled, name), getattr(plain, name)
        assert (mine is None) == (theirs is None), name
        if mine is not None:
            np.testing.assert_array_equal(mine, theirs, err_msg=name)
    np.testing.assert_array_equal(compiled.names.rows, plain.names.rows)


def named(model):
    """The model by names: what each state leads to, who moves in it, who has won in it."""
    states = [model.state(i) for i in range(model.states)]
    found = {}
    for i, state in enumerate(states):
        leads = [
            (
                int(model.action[c]),
                frozenset(
                    (states[model.col[e]], int(model.weight[e]))
                    for e in range(model.row[c], model.row[c + 1])
                ),
            )
            for c in range(model.choice[i], model.choice[i + 1])
        ]
        mover = int(model.owner[i]) if leads else None
        found[state] = (leads, mover, int(model.winners[i]))
    return found


@pytest.mark.slow  # the catalogue's contract asks it of some
@small_games
def test_seats_are_alike_unless_turns_are_equal(case):
    number = SMALL.index(case)
    folded = small_model(number, "interpreted", True)
    full = small_model(number, "interpreted", False)
    equal = made(case).options.get("ending") == "equal-turns"
    alone = folded.origin.players == 1 or case[0] == "fast-pig"
    assert (folded.shift is None) == (equal or alone)
    assert named(folded.unfolded()) == named(full)


@small_games
def test_policies_name_a_legal_move(case):
    model = small_model(SMALL.index(case), "interpreted", False)
    rules = model.origin
    known = type(rules).named_policies()
    assert set(known) == (
        {"always"} if case[0] in ("hog", "fast-pig") else
        {"hold-at", "race", "odds"} | ({"end-race"} if case[0] == "pig" else set())
    )  # fmt: skip
    for i in np.flatnonzero(model.winners < 0):
        state = model.state(i)
        legal = {action.name for _, action in interpret.legal_actions(rules, state)}
        wanted = {name: found.rule(rules, state) for name, found in known.items()}
        assert set(wanted.values()) <= legal, (state, wanted)


@pytest.mark.parametrize("name", NAMES)
def test_the_file_is_named_after_the_game(name):
    assert game_class(name).key() == name


def test_what_games_share_is_no_game():
    assert not [name for name in catalogue() if "jeopardy" in name]
    with pytest.raises(OptionError, match="no game"):
        game("_jeopardy")


@pytest.mark.parametrize(("base", "rule"), [(Jeopardy, "ruin"), (Race, "is_over")])
def test_the_digest_covers_what_games_share(monkeypatch, base, rule):
    pig = game("pig", goal=33)
    before = rules_digest(pig)
    assert rules_digest(pig) == before
    monkeypatch.setattr(base, rule, lambda self, s: s)
    assert rules_digest(pig) != before


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("pig", {"goal": 0}, "one point or more, not 0"),
        ("hog", {"goal": -3}, "one point or more, not -3"),
        ("pig", {"beyond": -1}, "cannot be made to hold 1 before the goal"),
        ("pig", {"ending": "last"}, "one of first, equal-turns, one-more"),
        ("pig", {"ties": "draw"}, "one of leader, shared"),
        ("pig", {"consolation": 2}, "one of 0, 1"),
        ("two-dice-pig", {"bad": 3}, "one of 1, 6"),
        ("piggy", {"dice": "loaded"}, "one of standard, sicherman"),
        ("pass-the-pigs", {"oinkers": 1000}, "0 to 999, not 1000"),
        ("pass-the-pigs", {"goal": 0}, "one point or more"),
        ("hog", {"most": 25}, "1 to 24 dice, not 25"),
        ("fast-pig", {"most": 0}, "1 to 24 dice, not 0"),
        ("fast-pig", {"turns": 0}, "one turn or more, not 0"),
    ],
)
def test_options_that_make_no_game(name, options, message):
    with pytest.raises(OptionError, match=message):
        game(name, **options)


@pytest.mark.parametrize(
    ("name", "ending", "goal", "beyond"),
    [
        ("pig", "first", 100, 50),
        ("piglet", "first", 10, 10),
        ("two-dice-pig", "first", 100, 50),
        ("frey", "equal-turns", 100, 50),
        ("big-pig", "equal-turns", 100, 50),
        ("piggy", "first", 100, 50),
        ("pig-dice", "one-more", 100, 40),
        ("pass-the-pigs", "first", 100, 50),
    ],
)
def test_the_defaults_are_those_of_the_sources(name, ending, goal, beyond):
    rules = game(name)
    found = (rules.players, rules.ending, rules.ties, rules.goal, rules.beyond)
    assert found == (2, ending, "leader", goal, beyond)


# Rolls, as printed ---------------------------------------------------------------------------

D6 = range(1, 7)
ADD, SCORE, LOSE_ALL = "to the turn total", "to the score, and the turn is over", "all is lost"
NOTHING = (SCORE, 0)


def pig(total, spots):
    return NOTHING if spots == 1 else (ADD, spots)


def boyan(total, spots):
    return (SCORE, 1) if spots == 1 else (ADD, spots)


def two_dice_pig(total, a, b):
    if a == b == 1:
        return (LOSE_ALL, 0)
    return NOTHING if 1 in (a, b) else (ADD, a + b)


def piggy_sixes(total, a, b):
    if a == b == 6:
        return (LOSE_ALL, 0)
    return NOTHING if 6 in (a, b) else (ADD, a + b)


def frey(total, a, b):
    if a == b:
        return (SCORE, total + 25) if a == 1 else (ADD, 4 * a)
    return NOTHING if 1 in (a, b) else (ADD, a + b)


def big_pig(total, a, b):
    return (ADD, 25) if a == b == 1 else frey(total, a, b)


def piggy(total, a, b):
    return NOTHING if a == b else (ADD, a + b)


def pig_dice(total, a, b):
    """The first die has the pig's head in place of 1, the second its tail in place of 6."""
    head, tail = a == 1, b == 6
    if head and tail:
        return (ADD, total)
    if head:
        return (ADD, 2 * b)
    if tail:
        return (ADD, max(-total, -a))
    return NOTHING if a + b == 7 else (ADD, a + b)


PIGS = {
    "right": 1344, "left": 1294, "razorback": 767, "trotter": 365, "snouter": 137, "jowler": 32,
}  # fmt: skip
ALONE = {"right": 0, "left": 0, "razorback": 5, "trotter": 5, "snouter": 10, "jowler": 15}
ALIKE = {"right": 1, "left": 1, "razorback": 20, "trotter": 20, "snouter": 40, "jowler": 60}


def pass_the_pigs(total, one, other):
    if {one, other} == {"left", "right"}:
        return NOTHING
    return (ADD, ALIKE[one] if one == other else ALONE[one] + ALONE[other])


SICHERMAN = ([1, 2, 2, 3, 3, 4], [1, 3, 4, 5, 6, 8])
COUNTED = tuple([name for name, count in PIGS.items() for _ in range(count)] for _ in range(2))
ROLLS = [
    ("pig", {}, (D6,), pig),
    ("pig", {"consolation": 1}, (D6,), boyan),
    ("piglet", {"goal": 99}, ("HT",), lambda total, c: (ADD, 1) if c == "H" else NOTHING),
    ("two-dice-pig", {}, (D6, D6), two_dice_pig),
    ("two-dice-pig", {"bad": 6}, (D6, D6), piggy_sixes),
    ("frey", {}, (D6, D6), frey),
    ("big-pig", {}, (D6, D6), big_pig),
    ("piggy", {}, (D6, D6), piggy),
    ("piggy", {"dice": "sicherman"}, SICHERMAN, piggy),
    ("pig-dice", {}, (D6, D6), pig_dice),
]
STATES = [((0, 0), 0, 0), ((0, 7), 1, 2), ((30, 41), 0, 15), ((62, 3), 1, 60), ((98, 99), 0, 1)]


def expected(scores, turn, total, result):
    """The state after a roll with a result as printed."""
    kind, points = result
    if kind is ADD:
        return (scores, turn, total + points)
    score = 0 if kind is LOSE_ALL else scores[turn] + points
    return ((score, scores[1]) if turn == 0 else (scores[0], score), 1 - turn, 0)


def chances(rules, name, state):
    """Every state that a move leads to, with its chance."""
    action = rules.actions[[action.name for action in rules.actions].index(name)]
    found = interpret.outcomes(rules, "", action, state)
    total = sum(weight for weight, _, _ in found)
    counted = Counter()
    for weight, _, after in found:
        counted[after] += Fraction(weight, total)
    return counted


@pytest.mark.parametrize("start", STATES, ids=str)
@pytest.mark.parametrize(
    ("name", "options", "dice", "printed"), ROLLS, ids=[name_of(roll[:2]) for roll in ROLLS]
)
def test_every_roll_does_what_is_printed(name, options, dice, printed, start):
    rules = game(name, **options)
    wanted = Counter()
    for faces in product(*dice):
        wanted[expected(*start, printed(start[2], *faces))] += 1
    count = sum(wanted.values())
    found = chances(rules, rules.again, rules.State(*start))
    assert found == {after: Fraction(n, count) for after, n in wanted.items()}


@pytest.mark.parametrize("oinkers", [0, 4])
@pytest.mark.parametrize("start", STATES, ids=str)
def test_pigs_fall_as_the_sixth_graders_rolled_them(start, oinkers):
    rules = game("pass-the-pigs", oinkers=oinkers)
    assert sum(PIGS.values()) == 3939
    wanted = Counter()
    for one, other in product(PIGS, repeat=2):
        chance = Fraction(PIGS[one] * PIGS[other], 3939**2) * Fraction(1000 - oinkers, 1000)
        wanted[expected(*start, pass_the_pigs(start[2], one, other))] += chance
    if oinkers:
        wanted[expected(*start, (LOSE_ALL, 0))] += Fraction(oinkers, 1000)
    assert chances(rules, "roll", rules.State(*start)) == wanted


@pytest.mark.parametrize("start", STATES, ids=str)
@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("hog", "fast-pig")])
def test_holding_scores_the_turn_total(name, start):
    rules = game(name)
    scores, turn, total = start
    after = expected(scores, turn, total, (SCORE, total))
    assert chances(rules, "hold", rules.State(*start)) == {after: 1}


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_dice_rolled_at_once_score_unless_a_one_shows(number):
    wanted = Counter(0 if 1 in roll else sum(roll) for roll in product(D6, repeat=number))
    fractions = {points: Fraction(n, 6**number) for points, n in wanted.items()}
    hog = game("hog", ending="one-more")
    assert chances(hog, f"roll {number}", hog.State((5, 9), 0)) == {
        ((5 + points, 9), 1): chance for points, chance in fractions.items()
    }
    fast = game("fast-pig", turns=2)
    assert chances(fast, f"roll {number}", fast.State((5,), 0, 0)) == {
        ((5 + points,), 0, 1): chance for points, chance in fractions.items()
    }


def test_hog_does_not_count_beyond_a_goal_that_wins():
    hog = game("hog")
    assert set(chances(hog, "roll 1", hog.State((97, 9), 0))) == {
        ((97, 9), 1), ((99, 9), 1), ((100, 9), 1),
    }  # fmt: skip


def test_doubling_counts_as_far_as_it_can_matter():
    """Two players: all of it, but for the last turn, where more than the lead is no better."""
    rules = game("pig-dice")
    free = chances(rules, "roll", rules.State((60, 50), 0, 79))
    assert rules.State((60, 50), 0, 158) in free
    last = chances(rules, "roll", rules.State((60, 150), 0, 79))
    assert rules.State((60, 150), 0, 91) in last


# Endings, with turns counted out -------------------------------------------------------------


class Counting(NamedTuple):
    """A game of Pig with everything said: who leads since when, and how many turns are left."""

    scores: tuple
    turn: int
    total: int
    left: int | None = None
    leader: int | None = None


class Counted:
    """Pig or Piglet for any number of players, with one of the three endings."""

    def __init__(self, players, goal, ending, ties, beyond, faces):
        self.players, self.goal, self.ending, self.ties = players, goal, ending, ties
        self.beyond, self.faces = beyond, faces

    def start(self):
        return Counting((0,) * self.players, 0, 0)

    def ended(self, s, points):
        """The state after a turn that scores some points."""
        scores = tuple(score + points * (p == s.turn) for p, score in enumerate(s.scores))
        left, leader = s.left, s.leader
        if left is not None:
            left -= 1
            if scores[s.turn] > scores[leader]:
                leader = s.turn
        elif scores[s.turn] >= self.goal:
            leader = s.turn
            left = {
                "first": 0,
                "equal-turns": self.players - 1 - s.turn,
                "one-more": self.players - 1,
            }[self.ending]
        return Counting(scores, (s.turn + 1) % self.players, 0, left, leader)

    def moves(self, s):
        """Each move with its outcomes; none when the game is over."""
        if s.left == 0:
            return {}
        mine = s.scores[s.turn] + s.total
        lead = mine > max(score for p, score in enumerate(s.scores) if p != s.turn)
        found = {"hold": [(1, self.ended(s, s.total))]}
        if not (lead and mine >= self.goal + self.beyond * (self.ending != "first")):
            rolled = [
                self.ended(s, 0) if face is None else s._replace(total=s.total + face)
                for face in self.faces
            ]
            found["roll"] = [(1 / len(rolled), after) for after in rolled]
        return found

    def shares(self, s):
        """What the end is worth to each player."""
        if self.ties == "leader":
            return np.eye(self.players)[s.leader]
        best = np.array(s.scores) == max(s.scores)
        return best / best.sum()

    def hold_at(self, s, points):
        """The policy: never hold a turn that is the last and behind."""
        others = max(score for p, score in enumerate(s.scores) if p != s.turn)
        mine = s.scores[s.turn] + s.total
        if mine >= self.goal and mine > others:
            return "hold"
        return "hold" if s.total >= points and s.left is None else "roll"


class Solved:
    """A game as plain lists: the moves of each state as {name: [(chance, number)]}."""

    def __init__(self, start, moves_of, shares, players):
        self.numbers, self.states, self.moves = {start: 0}, [start], []
        for s in self.states:  # which grows
            self.moves.append(
                {
                    name: [(chance, self.number(after)) for chance, after in outcomes]
                    for name, outcomes in moves_of(s).items()
                }
            )
        over = [s for s, moves in enumerate(self.moves) if not moves]
        self.ends = np.zeros((len(self.states), players))
        self.ends[over] = [shares(self.states[s]) for s in over]

    def number(self, state):
        if state not in self.numbers:
            self.numbers[state] = len(self.states)
            self.states.append(state)
        return self.numbers[state]

    def best_play(self):
        """What the first of two players gets, by value iteration from nothing."""
        value = self.ends[:, 0].tolist()
        live = [s for s in reversed(range(len(value))) if self.moves[s]]
        for _ in range(5000):
            change = 0.0
            for s in live:
                best = max if self.states[s].turn == 0 else min
                new = best(sum(p * value[t] for p, t in o) for o in self.moves[s].values())
                change = max(change, abs(new - value[s]))
                value[s] = new
            if change < 1e-13:
                return value[0]
        raise AssertionError("no convergence")

    def played(self, policy):
        """What each player gets when all play by a policy, by elimination."""
        matrix = np.eye(len(self.states))
        for s, moves in enumerate(self.moves):
            for chance, after in moves[policy(self.states[s])] if moves else ():
                matrix[s, after] -= chance
        return np.linalg.solve(matrix, self.ends)[0]


def reference(counted):
    return Solved(counted.start(), counted.moves, counted.shares, counted.players)


def modelled(rules):
    """The game of the catalogue, from its explored model."""
    model = explore(rules, engine="interpreted", symmetry=False)

    def moves_of(s):
        i = model.find(s)
        return {
            rules.actions[model.action[c]].name: [
                (float(model.weight[e] / model.total[c]), model.state(model.col[e]))
                for e in range(model.row[c], model.row[c + 1])
            ]
            for c in range(model.choice[i], model.choice[i + 1])
        }

    def shares(s):
        won = interpret.winners(rules, s)
        bits = np.array([won >> player & 1 for player in range(rules.players)])
        return bits / bits.sum()

    return Solved(rules.start(), moves_of, shares, rules.players)


PIG_FACES, COIN = (None, 2, 3, 4, 5, 6), (None, 1)
ENDINGS = ("first", "equal-turns", "one-more")


@pytest.mark.parametrize("ties", ["leader", "shared"])
@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize(
    ("name", "goal", "beyond", "faces"),
    [("piglet", 3, 3, COIN), ("pig", 7, 2, PIG_FACES)],
    ids=["piglet", "pig"],
)
def test_best_play_of_two_is_worth_the_same_with_turns_counted(
    name, goal, beyond, faces, ending, ties
):
    rules = game(name, goal=goal, beyond=beyond, ending=ending, ties=ties)
    counted = Counted(2, goal, ending, ties, beyond, faces)
    assert modelled(rules).best_play() == pytest.approx(reference(counted).best_play(), abs=1e-9)


@pytest.mark.parametrize("ties", ["leader", "shared"])
@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("points", [1, 2])
def test_three_players_who_hold_share_as_with_turns_counted(ending, ties, points):
    rules = game("piglet", players=3, goal=3, beyond=2, ending=ending, ties=ties)
    counted = Counted(3, 3, ending, ties, 2, COIN)
    wanted = reference(counted).played(lambda s: counted.hold_at(s, points))
    found = modelled(rules).played(lambda s: rules.hold_at(s, points))
    np.testing.assert_allclose(found, wanted, atol=1e-12)
    assert sum(wanted) == pytest.approx(1)


@pytest.mark.parametrize("ending", ["equal-turns", "one-more"])
def test_having_to_hold_far_beyond_the_goal_costs_nothing(ending):
    """So the bound that keeps a turn finite does not change the game."""
    near, far = (
        modelled(game("piglet", goal=4, beyond=beyond, ending=ending)).best_play()
        for beyond in (6, 9)
    )
    assert near == pytest.approx(far, abs=1e-11)


def test_a_turn_that_reaches_the_goal_need_not_be_held():
    """P = 1 where a player can simply hold and win (the paper)."""
    pig = game("pig")
    assert interpret.winners(pig, pig.State((80, 99), 0, 19)) == interpret.GOES_ON
    assert interpret.winners(pig, pig.State((80, 99), 0, 20)) == 0b01
    assert interpret.winners(pig, pig.State((99, 80), 1, 25)) == 0b10


def test_a_consolation_may_win():
    pig = game("pig", consolation=1)
    won = pig.roll(pig.State((99, 50), 0, 0), 1)
    assert interpret.winners(pig, won) == 0b01


def test_the_round_of_equal_turns_is_played_to_its_end():
    pig = game("pig", players=3, ending="equal-turns")
    held = pig.hold(pig.State((10, 90, 99), 1, 11))
    assert held == ((10, 101, 99), 2, 0)
    assert interpret.winners(pig, held) == interpret.GOES_ON
    assert interpret.winners(pig, held._replace(total=2)) == interpret.GOES_ON
    assert interpret.winners(pig, held._replace(total=3)) == 0b100
    assert interpret.winners(pig, pig.roll(held, 1)) == 0b010
    assert interpret.winners(pig, pig.State((10, 90, 99), 2, 2)) == 0b100
    """The last of the round has nobody to fear."""


def test_everybody_else_has_one_more_turn():
    pig = game("pig", players=3, ending="one-more")
    held = pig.hold(pig.State((10, 90, 99), 1, 11))
    later = pig.roll(held, 1)
    assert later == ((10, 101, 99), 0, 0)
    assert interpret.winners(pig, later) == interpret.GOES_ON
    assert interpret.winners(pig, later._replace(total=92)) == 0b001
    assert interpret.winners(pig, pig.roll(later, 1)) == 0b010


@pytest.mark.parametrize(("ties", "won"), [("leader", 0b010), ("shared", 0b011)])
def test_ties_are_for_the_leader_or_shared(ties, won):
    pig = game("pig", players=3, ending="one-more", ties=ties)
    before = pig.State((10, 101, 99), 0, 91)
    assert interpret.winners(pig, before) == interpret.GOES_ON
    assert interpret.winners(pig, pig.hold(before)) == won


def test_a_player_who_leads_far_beyond_the_goal_must_hold():
    pig = game("pig", ending="one-more", beyond=10)
    free, bound = pig.State((95, 90), 0, 14), pig.State((95, 90), 0, 15)
    chasing = pig.State((120, 90), 1, 30)
    names = [
        [action.name for _, action in interpret.legal_actions(pig, s)]
        for s in (free, bound, chasing)
    ]
    assert names == [["roll", "hold"], ["hold"], ["roll", "hold"]]


# Small solutions -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("i", "j", "k", "printed"),
    [
        (0, 0, 0, Fraction(4, 7)),
        (0, 0, 1, Fraction(5, 7)),
        (0, 1, 0, Fraction(2, 5)),
        (0, 1, 1, Fraction(3, 5)),
        (1, 0, 0, Fraction(4, 5)),
        (1, 1, 0, Fraction(2, 3)),
    ],
)
def test_piglet_with_a_goal_of_two(i, j, k, printed):
    """The values that the paper prints, on the model as the mover sees it."""
    model = explore(game("piglet", goal=2))
    assert model.lanes == 2
    won = {s: float(model.winners[s] & 1) for s in range(model.states) if model.winners[s] >= 0}
    value = np.array([won.get(s, 0.0) for s in range(model.states)])
    for _ in range(300):
        for s in set(range(model.states)) - set(won):
            value[s] = max(
                sum(
                    model.weight[e] / model.total[c]
                    * (1 - value[model.col[e]] if model.shift[e] else value[model.col[e]])
                    for e in range(model.row[c], model.row[c + 1])
                )
                for c in range(model.choice[s], model.choice[s + 1])
            )  # fmt: skip
    assert value[model.find(model.origin.State((i, j), 0, k))] == pytest.approx(float(printed))


def test_fast_pig_is_best_with_five_or_six_dice():
    """4 n (5/6)^n on average, which is largest for 5 and 6 alike."""
    fast = game("fast-pig")
    model = explore(fast)
    average = {
        c + 1: sum(
            Fraction(int(model.weight[e]), int(model.total[c])) * int(model.scores[model.col[e], 0])
            for e in range(model.row[c], model.row[c + 1])
        )
        for c in range(model.choice[0], model.choice[1])
    }
    assert average == {n: 4 * n * Fraction(5, 6) ** n for n in range(1, 11)}
    assert average[5] == average[6] == max(average.values())
    assert float(average[5]) == pytest.approx(8.0376, abs=1e-4)


# Ways to play --------------------------------------------------------------------------------


def test_hold_at_holds_early_when_the_goal_is_reached():
    pig = game("pig", ending="one-more")
    assert pig.hold_at(pig.State((50, 50), 0, 19)) == "roll"
    assert pig.hold_at(pig.State((50, 50), 0, 20)) == "hold"
    assert pig.hold_at(pig.State((50, 50), 0, 20), 25) == "roll"
    assert pig.hold_at(pig.State((95, 50), 0, 6)) == "hold"
    assert pig.hold_at(pig.State((60, 101), 0, 41)) == "roll"
    assert pig.hold_at(pig.State((60, 101), 0, 42)) == "hold"


def test_race_goes_for_the_goal():
    pig = game("pig")
    assert pig.race(pig.State((50, 50), 0, 49)) == "roll"


@pytest.mark.parametrize(
    ("mine", "theirs", "hold"), [(0, 0, 21), (0, 3, 21), (0, 4, 22), (4, 0, 21), (5, 0, 20),
                                 (70, 0, 12), (0, 70, 30), (30, 60, 25)],
)  # fmt: skip
def test_end_race_keeps_pace(mine, theirs, hold):
    pig = game("pig")
    found = [pig.end_race(pig.State((mine, theirs), 0, total)) for total in range(30 + hold - 29)]
    assert found == ["roll"] * hold + ["hold"]


@pytest.mark.parametrize("scores", [(71, 0), (0, 71)])
def test_end_race_ends_it(scores):
    pig = game("pig")
    state = pig.State(scores, 0, 0)
    totals = range(100 - scores[0])
    assert {pig.end_race(state._replace(total=total)) for total in totals} == {"roll"}


def test_the_odds_of_pig_are_even_at_twenty():
    """Knizia: four points to gain five times in six, the turn total to lose once."""
    pig = game("pig")
    for score, total in product(range(0, 100, 9), range(100)):
        state = pig.State((score, 50), 0, total)
        if score + total < 100:
            assert pig.odds(state) == pig.hold_at(state, 20)


def test_the_odds_of_two_dice_depend_on_the_score():
    """Falk and Tadmor-Troyanski: roll while s + 11 t < 200 (at 200 it does not matter)."""
    rules = game("two-dice-pig")
    for score, total in product(range(100), range(0, 100)):
        if score + total < 100:
            roll = score + 11 * total < 200
            assert rules.odds(rules.State((score, 0), 0, total)) == ("roll" if roll else "hold")


@pytest.mark.parametrize(
    ("name", "options", "even"),
    [
        ("piglet", {}, 1),
        ("two-dice-pig", {"bad": 6}, Fraction(150, 11)),
        ("piggy", {}, Fraction(210, 6)),
        ("piggy", {"dice": "sicherman"}, Fraction(230, 4)),
    ],
)
def test_the_odds_of_other_dice(name, options, even):
    """Hold where what may be lost is no less than what may be gained, counted by hand.

    Two sixes or one are 11 of 36 rolls, the others add up to 150. All 36 rolls add up to 252, of
    which 6 doubles are 42; and of Sicherman's 1-1, 4-4 and twice 3-3 are 22.
    """
    rules = game(name, **options)
    held = next(t for t in range(99) if rules.odds(rules.State((0, 0), 0, t)) != rules.again)
    assert held == ceil(even)
