"""The boards of the catalogue as they were written in Python before they became tables.

Kept as they were, as references: the tables must give the same games.
"""

from typing import ClassVar, Literal, NamedTuple

from oddsmith import Game, OptionError, d6, move, put

INN, WELL, PRISON, DEATH, BRIDGE, MAZE = 19, 31, 52, 58, 6, 42
FINISH, WAITING = 63, 64
GEESE = (5, 9, 14, 18, 23, 27, 32, 36, 41, 45, 50, 54, 59)


class Goose(Game):
    """A race of geese along 63 squares with two dice; the first to land on 63 wins.

    In turn, a goose throws the dice and moves as many squares forward; what it has too many at
    63 it moves back. On a square with a goose (5, 9, 14, 18, 23, 27, 32, 36, 41, 45, 50, 54, 59)
    it moves the same number again in the same direction. From the start, 3 and 6 lead to 53,
    4 and 5 to 26. The bridge (6) leads to 12, the maze (42) back to 30, death (58) back to the
    start. In the inn (19) a goose rests one turn. In the well (31) and in the prison (52) it
    waits until another arrives there. A goose that would end on an occupied square (other than
    well and prison) stays where it was; thrown back into the inn it does not rest again. A
    turn spent resting does not count towards the length of the game.

    Two geese, one in the well and one in the prison, wait for ever: a draw that no rule names.

    Options: `rules="listing"` takes the first throws as the paper's formal listing prints them
    (targets 26 and 53 swapped, the other square tested); `maze` is the square the maze leads
    back to; `dice=1` plays with one die.

    Source: J. F. Groote, F. Wiedijk, H. Zantema, A Probabilistic Analysis of the Game of the
    Goose, SIAM Review 58 (2016), section 2.
    """

    title = "Game of the Goose"
    interchangeable = ("positions",)
    squares = "positions"

    dice: Literal[1, 2] = 2
    rules: Literal["prose", "listing"] = "prose"
    maze: int = 30

    class State(NamedTuple):
        """Where each goose stands (64: just arrived in the inn), and whose turn it is."""

        positions: tuple[int, ...]
        turn: int

    first_throw: ClassVar = {"prose": ((53, 53), (26, 26)), "listing": ((26, 53), (53, 26))}
    """For 3-6 and 4-5: the target, and the square that must be free."""

    def validate(self):
        """The maze must lead to a square that leads nowhere else."""
        moving = (*GEESE, INN, DEATH, BRIDGE, MAZE)
        if not 0 <= self.maze < FINISH or self.maze in moving:
            raise OptionError(
                f"The maze cannot lead to {self.maze}: choose a square from 0 to {FINISH - 1} "
                f"that does not send a goose on (a goose, the bridge, the inn, the maze, death)."
            )

    def start(self):
        """Every goose before the first square."""
        return self.State((0,) * self.players, 0)

    def ranges(self):
        """Squares 0 to 63, and the inn's waiting room."""
        return {"positions": range(WAITING + 1)}

    def winner(self, s):
        """The goose on 63."""
        for player in range(self.players):
            if s.positions[player] == FINISH:
                return player
        return None

    def occupied(self, s, square):
        """Whether another goose stands on a square; the inn and its waiting room are one."""
        for player in range(self.players):
            other = s.positions[player]
            if player != s.turn and (
                other == square or (other in (INN, WAITING) and square in (INN, WAITING))
            ):
                return True
        return False

    def rests(self, s):
        """Whether the mover must rest: just arrived in the inn, or alone in well or prison."""
        square = s.positions[s.turn]
        return square == WAITING or (square in (WELL, PRISON) and not self.occupied(s, square))

    def throws(self, s):
        """Whether the mover may throw."""
        return not self.rests(s)

    @property
    def three_six(self):
        """Target and tested square of a first throw of 3 and 6."""
        return self.first_throw[self.rules][0]

    @property
    def four_five(self):
        """Target and tested square of a first throw of 4 and 5."""
        return self.first_throw[self.rules][1]

    def walk(self, square, count):
        """Where a goose ends that moves `count` on from a square, others not regarded."""
        while True:
            square += count
            if square > FINISH:
                square = 2 * FINISH - square
                count = -count
            if square not in GEESE:
                break
        if square == BRIDGE:
            square = 12
        elif square == INN:
            square = WAITING
        elif square == MAZE:
            square = self.maze
        elif square == DEATH:
            square = 0
        return square

    @move(dice=lambda self: d6.pool(self.dice), when=throws)
    def throw(self, s, roll):
        """Throw the dice and move."""
        old = s.positions[s.turn]
        if old == 0 and roll[0] == 3 and roll[-1] == 6:
            new, tested = self.three_six
        elif old == 0 and roll[0] == 4 and roll[-1] == 5:
            new, tested = self.four_five
        else:
            new = self.walk(old, sum(roll))
            tested = new
        if tested not in (WELL, PRISON) and self.occupied(s, tested):
            new = old
        return self.State(put(s.positions, s.turn, new), (s.turn + 1) % self.players)

    @move(when=rests, counts=False)
    def rest(self, s):
        """Rest a turn."""
        old = s.positions[s.turn]
        new = INN if old == WAITING else old
        return self.State(put(s.positions, s.turn, new), (s.turn + 1) % self.players)


class ChutesAndLadders(Game):
    """A race to square 100 with one die, up ladders and down chutes.

    Everybody starts off the board. In turn, a player throws one die and moves as many squares;
    at the foot of a ladder the piece climbs it, at the top of a chute it slides down. A throw
    that would lead past 100 is not played. Pieces do not disturb each other. The first on 100
    wins. By default one player plays alone, which is how the length is published.

    Source: the Milton Bradley board; S. C. Althoen, L. King, K. Schilling, How Long Is a Game of
    Snakes and Ladders?, The Mathematical Gazette 77 (1993) 71–76.
    """

    title = "Chutes and Ladders"
    interchangeable = ("positions",)
    squares = "positions"

    players: int = 1

    finish: ClassVar = 100
    first: ClassVar = 0
    overshoot_wins: ClassVar = False
    jumps: ClassVar = {
        **{1: 38, 4: 14, 9: 31, 21: 42, 28: 84, 36: 44, 51: 67, 71: 91, 80: 100},
        **{16: 6, 47: 26, 49: 11, 56: 53, 62: 19, 64: 60, 87: 24, 93: 73, 95: 75, 98: 78},
    }

    class State(NamedTuple):
        """Where each piece stands, and whose turn it is."""

        positions: tuple[int, ...]
        turn: int

    def start(self):
        """Every piece on the first square."""
        return self.State((self.first,) * self.players, 0)

    def ranges(self):
        """The squares of the board."""
        return {"positions": range(self.finish + 1)}

    @property
    def landing(self):
        """Where a piece ends that stops on a square."""
        return tuple(self.jumps.get(square, square) for square in range(self.finish + 1))

    def winner(self, s):
        """Whoever is on the last square."""
        for player in range(self.players):
            if s.positions[player] == self.finish:
                return player
        return None

    @move(dice=d6)
    def throw(self, s, spots):
        """Throw the die and move."""
        square = s.positions[s.turn] + spots
        if square > self.finish:
            square = self.finish if self.overshoot_wins else s.positions[s.turn]
        return self.State(
            put(s.positions, s.turn, self.landing[square]), (s.turn + 1) % self.players
        )


class SnakesAndLadders(ChutesAndLadders):
    """A race to field 20 with one die, up two ladders and down three snakes.

    Everybody starts on field 1. In turn, a player throws one die and moves as many fields;
    ladders lead from 2 to 5 and from 4 to 11, snakes from 8 to 5, from 18 to 3 and from 19 to
    9. Reaching or passing field 20 wins. Pieces do not disturb each other.

    This is the game as people play it. The PRISM model that the source prints differs: its win
    has no turn guard, and its figures come from resolving that overlap at random.

    Source: V. Sundarapandian Raani, Modeling and Analysis of Board Games, University of Twente
    (2018), section 3.
    """

    title = "Snakes and Ladders"

    players: int = 2

    finish: ClassVar = 20
    first: ClassVar = 1
    overshoot_wins: ClassVar = True
    jumps: ClassVar = {2: 5, 4: 11, 8: 5, 18: 3, 19: 9}
