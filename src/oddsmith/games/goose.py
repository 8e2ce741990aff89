"""The Game of the Goose."""

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
