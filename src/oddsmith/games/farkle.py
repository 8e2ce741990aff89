"""Farkle, or Ten Thousand."""

from functools import cache, cached_property
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np

from oddsmith import Game, OptionError, d6, move, policy, put

UNIT = 50
"""Every score is a multiple of it."""

NOTHING: tuple[int, ...] = (0, 0, 0, 0, 0, 0)


def alike(times, points, ones=None):
    """So many of a kind, each face worth the points times its number; or ones something else."""
    worth = {(face,) * times: points * face for face in range(1, 7)}
    return worth | {(1,) * times: points if ones is None else ones}


def same(times, points):
    """So many of a kind, worth the same whatever the face."""
    return {(face,) * times: points for face in range(1, 7)}


def groups(sizes, points):
    """Six dice that fall into groups of one face each, of these sizes."""
    rolls = d6.pool(6).faces
    fitting = [roll for roll in rolls if sorted(map(roll.count, set(roll))) == sorted(sizes)]
    return dict.fromkeys(fitting, points)


BASIC = {(1,): 100, (5,): 50} | alike(3, 100, ones=1000)
STRAIGHT = {(1, 2, 3, 4, 5, 6): 1500}
SCORINGS = {
    "basic": BASIC,
    "facebook": BASIC
    | alike(4, 200, ones=2000)
    | alike(5, 300, ones=3000)
    | alike(6, 400, ones=4000)
    | STRAIGHT
    | groups((2, 2, 2), 750),
    "playmonster": BASIC
    | {(1, 1, 1): 300}
    | same(4, 1000)
    | same(5, 2000)
    | same(6, 3000)
    | STRAIGHT
    | groups((2, 2, 2), 1500)
    | groups((4, 2), 1500)
    | groups((3, 3), 2500),
}
"""Points of each combination of dice, in ascending order, that scores by itself."""


@cache
def rolls_of(scoring):
    """The dice: for one to six dice thrown, what the best 1, 2, … 6 of them are worth."""
    table = SCORINGS[scoring]

    @cache
    def worth(dice):
        """The most points for these dice, all of them used; 0 if that is impossible."""
        best = table.get(dice, 0)
        for size in range(1, len(dice)):
            for others in combinations(dice[1:], size - 1):
                rest = list(dice)
                for die in (dice[0], *others):
                    rest.remove(die)
                first, second = table.get((dice[0], *others), 0), worth(tuple(rest))
                if first and second:
                    best = max(best, first + second)
        return best

    def keeps(roll):
        return tuple(max(map(worth, combinations(roll, kept)), default=0) for kept in range(1, 7))

    return tuple(d6.pool(count).map(keeps) for count in range(1, 7))


def menu_code(dice, keeps):
    """The number of dice and what they are worth, as one number."""
    code = dice
    for points in keeps:
        code = code * 128 + points // UNIT
    return code


class Farkle(Game):
    """Set scoring dice aside and roll the rest, or bank; no score loses the turn.

    A turn begins with six dice. After each roll the player must set aside at least one scoring
    die or combination of dice of this roll, which adds to the turn total, and then either rolls
    the dice that are left or banks the turn total and passes the dice. When all six dice have
    been set aside ("hot dice"), all six may be rolled again. A roll in which nothing scores (a
    "farkle") loses the turn total and ends the turn. The first player to reach the goal wins.

    Scoring (`scoring`), combinations of one roll only:

    - `basic` (default): a one 100, a five 50, three of a kind 100 times the face, three ones
      1,000;
    - `facebook`: also four, five and six of a kind, twice, three and four times as much as three
      of a kind; 1 to 6 1,500; three different pairs 750;
    - `playmonster`: a one 100, a five 50, three of a kind 100 times the face, three ones only
      300; four of a kind 1,000, five 2,000, six 3,000; 1 to 6, three pairs, or four of a kind and
      a pair 1,500; two times three of a kind 2,500.

    What else people agree on before they play:

    - `goal`: 10,000 or 5,000 at the table, 1,000 by default, which is solved in a moment;
    - `opening`: what the turn total must be for a player without points to bank: 0 by default,
      often 350 or 500;
    - who has thrown what is missing to the goal has won, as in the analysis of Pig: nobody
      rolls on with that, and the others get no last turn;
    - hot dice may be banked; there is no penalty for three farkles in a row.

    The player says how many dice to set aside, 1 to 6, and sets aside those worth most. That
    leaves out only choices of as many dice worth fewer points, which are never better for one or
    two players: whoever has more points and as many dice left can do as if they had fewer,
    whatever the other does, and is at the goal no later. A roll that leaves no choice is set
    aside at once. The length of the game is its number of turns.

    Source: the rules are described in T. W. Neller, C. G. M. Presser, Optimal Play of the Dice
    Game Pig, The UMAP Journal 25 (2004) 25–47, "Jeopardy Race Games", and in R. Knizia, Dice
    Games Properly Explained (1999), as Ten Thousand; scores from the article Farkle of
    Wikipedia (basic), the game on Facebook of 2009 (facebook) and the boxed game of PlayMonster.
    """

    title = "Farkle"
    interchangeable = ("scores",)

    goal: int = 1000
    scoring: Literal["basic", "facebook", "playmonster"] = "basic"
    opening: int = 0

    class State(NamedTuple):
        """Points banked, whose turn it is, its points so far, dice to roll or just rolled.

        After a roll, `keeps` says what the best 1, 2, … 6 of these dice are worth (0: they
        cannot be set aside); it is all zero before one.
        """

        scores: tuple[int, ...]
        turn: int
        total: int
        dice: int
        keeps: tuple[int, ...]

    def validate(self):
        """Points come in fifties."""
        if self.goal < UNIT or self.goal % UNIT:
            raise OptionError(f"The goal must be a multiple of {UNIT} points, not {self.goal}.")
        if self.opening % UNIT or not 0 <= self.opening <= self.goal:
            raise OptionError(
                f"The opening must be a multiple of {UNIT} points up to the goal of {self.goal}, "
                f"not {self.opening}."
            )

    def start(self):
        """Nobody has a point."""
        return self.State(self.nothing, 0, 0, 6, NOTHING)

    def ranges(self):
        """Nobody banks the goal: it ends the game before."""
        return {
            "scores": range(self.goal),
            "total": range(self.goal + 1),
            "dice": range(1, 7),
            "keeps": range(4001),
        }

    def winner(self, s):
        """Whoever need only bank to reach the goal."""
        return s.turn if s.scores[s.turn] + s.total >= self.goal else None

    @cached_property
    def rolls(self):
        """What one to six dice can show."""
        return rolls_of(self.scoring)

    @move(
        dice=lambda self: self.rolls[5],
        when=lambda self, s: s.total == 0 and s.keeps == NOTHING,
    )
    def begin(self, s, keeps):
        """Roll six dice at the beginning of a turn."""
        return self.rolled(s, keeps)

    @move(
        dice=lambda self, s: self.rolls[s.dice - 1],
        when=lambda self, s: s.total > 0 and s.keeps == NOTHING,
        counts=False,
    )
    def roll(self, s, keeps):
        """Risk the turn total."""
        return self.rolled(s, keeps)

    @move(
        each=range(1, 7),
        when=lambda self, s, kept: s.keeps[kept - 1] > 0,
        counts=False,
    )
    def keep(self, s, kept):
        """Set so many dice aside."""
        return self.aside(s, kept, s.keeps[kept - 1])

    @move(when=lambda self, s: self.may_bank(s), counts=False)
    def bank(self, s):
        """Be content with the turn total."""
        scores = put(s.scores, s.turn, s.scores[s.turn] + s.total)
        return self.passed(scores, s.turn)

    def rolled(self, s, keeps):
        """The state after a roll: a turn lost, the game won, the only dice set aside, a choice."""
        most, ways, only = 0, 0, 0
        for kept in range(1, 7):
            most = max(most, keeps[kept - 1])
            if keeps[kept - 1] > 0:
                ways += 1
                only = kept
        if ways == 0:
            return self.passed(s.scores, s.turn)
        missing = self.goal - s.scores[s.turn]
        if s.total + most >= missing:
            return self.State(s.scores, s.turn, missing, 6, NOTHING)
        if ways == 1:
            return self.aside(s, only, most)
        return s._replace(keeps=keeps)

    def may_bank(self, s):
        """There must be points, none in the air, and enough of them the first time."""
        enough = s.scores[s.turn] > 0 or s.total >= self.opening
        return enough and s.total > 0 and s.keeps == NOTHING

    def aside(self, s, kept, points):
        """The state with so many dice set aside; after the last of them all are back."""
        left = s.dice - kept if s.dice > kept else 6
        return self.State(s.scores, s.turn, s.total + points, left, NOTHING)

    def passed(self, scores, turn):
        """The dice go to the next player."""
        return self.State(scores, (turn + 1) % self.players, 0, 6, NOTHING)

    def roll_name(self, roll):
        """What the best one, two, … dice are worth."""
        worth = [f"{kept} for {points}" for kept, points in enumerate(roll, 1) if points]
        return ", ".join(worth) or "farkle"

    @policy
    def bank_at(self, s, points=300):
        """Set aside as many points as possible; roll until there are so many in the turn."""
        if s.keeps != NOTHING:
            return f"keep {s.keeps.index(max(s.keeps)) + 1}"
        if s.total == 0:
            return "begin"
        return "bank" if s.total >= points and self.may_bank(s) else "roll"

    # A dense index ------------------------------------------------------------------------

    @cached_property
    def menus(self):
        """The codes of all rolls that leave a choice, ascending."""
        found = [
            menu_code(count, keeps)
            for count, die in enumerate(self.rolls, 1)
            for keeps in die.faces
            if sum(points > 0 for points in keeps) > 1
        ]
        return np.array(sorted(found), np.int64)

    @cached_property
    def steps(self):
        """The goal in units."""
        return self.goal // UNIT

    @cached_property
    def size(self):
        """How many numbers the states of one mover take."""
        pairs = (self.steps + 1) // 2 * (self.steps + 3)
        return pairs * self.steps ** (self.players - 1) * (6 + len(self.menus))

    def rank(self, s):
        """The number of a state.

        The mover's score and turn total make a triangle (together they are the goal at most),
        folded into a rectangle; then come the others' scores and what the dice show. The start
        has the largest number of its mover, so that a table has its size from the beginning.
        """
        score, total = s.scores[s.turn] // UNIT, s.total // UNIT
        if 2 * score < self.steps:
            number = score * (self.steps + 3) + total
        else:
            row = self.steps - 1 - score
            number = row * (self.steps + 3) + self.steps + 1 - row + total
        for seat in range(1, self.players):
            number = number * self.steps + s.scores[(s.turn + seat) % self.players] // UNIT
        shown = 6 - s.dice
        if s.keeps != NOTHING:
            shown = 6 + int(np.searchsorted(self.menus, menu_code(s.dice, s.keeps)))
        number = number * (6 + len(self.menus)) + shown
        return (s.turn + 1) * self.size - 1 - number

    def unrank(self, number):
        """The state with a number."""
        turn = number // self.size
        number = (turn + 1) * self.size - 1 - number
        number, shown = divmod(number, 6 + len(self.menus))
        dice, keeps = 6 - shown, NOTHING
        if shown >= 6:
            code = int(self.menus[shown - 6])
            for place in range(5, -1, -1):
                keeps = put(keeps, place, code % 128 * UNIT)
                code //= 128
            dice = code
        scores = self.nothing
        for seat in range(self.players - 1, 0, -1):
            number, score = divmod(number, self.steps)
            scores = put(scores, (turn + seat) % self.players, score * UNIT)
        row, column = divmod(number, self.steps + 3)
        if column <= self.steps - row:
            score, total = row, column
        else:
            score, total = self.steps - 1 - row, column - (self.steps + 1 - row)
        scores = put(scores, turn, score * UNIT)
        return self.State(scores, turn, total * UNIT, dice, keeps)

    @cached_property
    def nothing(self):
        """No points for anybody."""
        return (0,) * self.players
