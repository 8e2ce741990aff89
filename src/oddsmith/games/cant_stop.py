"""Can't Stop."""

from functools import cached_property
from typing import NamedTuple

import numpy as np

from oddsmith import Die, Game, OptionError, move, policy, put

MARKERS = 3
NO_DICE = (0, 0, 0, 0)
NO_WAY = (-1, -1, -1, -1, -1, -1)


class CantStop(Game):
    """Climb columns by pairs of dice; stop in time. A few full columns win.

    Each possible sum of two dice has a column, the rarer the shorter. The player throws four
    dice, splits them into two pairs and moves up one step in the column of each pair's sum: a
    marker goes one step above the player's own square there (the bottom of the column, without
    one), or a marker that is already there goes up one step. There are three markers. What can
    be moved must be; if only one of two new columns can get the last marker, the player says
    which. The player may then stop, and replaces the markers by squares, or throws again; a
    throw that moves nothing loses the markers' steps and ends the turn. A player with a square
    at the top of a column has won it: nobody can use that column any more, and the others lose
    their squares in it. The first to win three columns wins the game.

    The board of the shop has six-sided dice and columns of 3, 5, 7, 9, 11, 13, 11, … 3 steps,
    too many positions to solve; boards like it are set by

    - `sides`: of the dice, which gives 2·sides - 1 columns (3 by default, of the real board 6);
    - `shortest`: steps of the shortest columns, each next one to the middle has two more (1 by
      default, of the real board 3);
    - `columns`: how many must be won (2 by default, of the real board 3).

    Players may pass and share spaces. Who need only stop to win has won. A throw that leaves no
    choice is played at once. The length of the game is its number of turns. Alone (`players=1`),
    that number is what the game is about.

    Source: S. Sackson, Can't Stop, Parker Brothers (1980); smaller boards with n-sided dice and
    other shortest columns in J. Glenn, H. Fang, C. P. Kruskal, A Retrograde Approximation
    Algorithm for One-Player Can't Stop (2006) and … for Two-Player Can't Stop (2007).
    """

    title = "Can't Stop"
    interchangeable = ("squares",)

    sides: int = 3
    shortest: int = 1
    columns: int = 2

    class State(NamedTuple):
        """The height of each player's squares by column, whose turn it is, and the turn so far.

        `markers` says how many steps above the square a marker is (0: none there); `dice` are
        those just thrown, if the player must choose how to pair them, else zeros.
        """

        squares: tuple[tuple[int, ...], ...]
        turn: int
        markers: tuple[int, ...]
        dice: tuple[int, int, int, int]

    def validate(self):
        """Somebody must be able to win."""
        if not 2 <= self.sides <= 6 or self.shortest < 1:
            raise OptionError(
                f"Can't Stop needs dice with 2 to 6 sides and columns of a step or more, not "
                f"{self.sides} sides and columns of {self.shortest}."
            )
        most = (2 * self.sides - 2) // self.players + 1
        if not 1 <= self.columns <= most:
            raise OptionError(
                f"With dice of {self.sides} sides and {self.players} players, 1 to {most} columns "
                f"can be asked for (or all columns are won and nobody has enough), not "
                f"{self.columns}."
            )

    def start(self):
        """An empty board."""
        return self.State((self.empty,) * self.players, 0, self.empty, NO_DICE)

    def ranges(self):
        """The highest column bounds everything."""
        heights = range(max(self.lengths) + 1)
        return {"squares": heights, "markers": heights, "dice": range(self.sides + 1)}

    @cached_property
    def lengths(self):
        """Steps of each column, that of two ones first."""
        middle = self.sides - 1
        return tuple(
            self.shortest + 2 * (middle - abs(column - middle)) for column in range(2 * middle + 1)
        )

    @cached_property
    def empty(self):
        """No steps in any column."""
        return (0,) * len(self.lengths)

    @cached_property
    def four(self):
        """Four dice."""
        return Die(range(1, self.sides + 1)).pool(4)

    @cached_property
    def ways(self):
        """What a throw can move, as rows of two columns: one (and -1), or two, perhaps equal."""
        count = len(self.lengths)
        one = [(column, -1) for column in range(count)]
        two = [(low, high) for low in range(count) for high in range(low, count)]
        return np.array(one + two, np.int64)

    @cached_property
    def names(self):
        """What to call them: columns are called by the sum of the dice."""
        return tuple(
            f"{low + 2}" if high < 0 else f"{low + 2} and {high + 2}"
            for low, high in self.ways.tolist()
        )

    def winner(self, s):
        """Whoever need only stop to have enough columns."""
        won = 0
        for column in range(len(self.lengths)):
            height = s.squares[s.turn][column] + s.markers[column]
            won += height == self.lengths[column]
        return s.turn if won >= self.columns else None

    # Moves --------------------------------------------------------------------------------

    @move(
        dice=lambda self: self.four,
        when=lambda self, s: s.markers == self.empty and s.dice == NO_DICE,
    )
    def begin(self, s, dice):
        """Throw the dice at the beginning of a turn."""
        return self.thrown(s, dice)

    @move(
        each=lambda self: self.names,
        when=lambda self, s, way: s.dice != NO_DICE and way in self.open(s, s.dice),
        counts=False,
    )
    def climb(self, s, way):
        """Pair the dice and move up."""
        return self.climbed(s, way)

    @move(
        dice=lambda self: self.four,
        when=lambda self, s: s.markers != self.empty and s.dice == NO_DICE,
        counts=False,
    )
    def roll(self, s, dice):
        """Risk what the markers have climbed."""
        return self.thrown(s, dice)

    @move(when=lambda self, s: s.markers != self.empty and s.dice == NO_DICE, counts=False)
    def stop(self, s):
        """Replace the markers by squares."""
        squares = s.squares
        for column in range(len(self.lengths)):
            if s.markers[column] > 0:
                height = squares[s.turn][column] + s.markers[column]
                if height == self.lengths[column]:
                    for player in range(self.players):
                        squares = put(squares, player, put(squares[player], column, 0))
                squares = put(squares, s.turn, put(squares[s.turn], column, height))
        return self.State(squares, (s.turn + 1) % self.players, self.empty, NO_DICE)

    def thrown(self, s, dice):
        """The state after a throw: a turn lost, the only way taken, or a choice."""
        found, only = 0, 0
        for way in self.open(s, dice):
            if way >= 0:
                found += 1
                only = way
        if found == 0:
            return self.State(s.squares, (s.turn + 1) % self.players, self.empty, NO_DICE)
        if found == 1:
            return self.climbed(s, only)
        return self.State(s.squares, s.turn, s.markers, dice)

    def climbed(self, s, way):
        """The state with the markers moved up."""
        low, high = self.ways[way]
        markers = put(s.markers, low, s.markers[low] + 1)
        if high >= 0:
            markers = put(markers, high, markers[high] + 1)
        return self.State(s.squares, s.turn, markers, NO_DICE)

    def open(self, s, dice):
        """The ways to climb with dice (ascending), each once; -1 in the places left over."""
        least, less, more, most = dice
        found, place, columns = NO_WAY, 0, len(self.lengths)
        for lower in (least + less, least + more, min(least + most, less + more)):
            low = lower - 2
            high = least + less + more + most - lower - 2
            if self.both(s, low, high):
                way = columns + low * columns - low * (low - 1) // 2 + high - low
                if way not in found:
                    found = put(found, place, way)
            else:
                if self.steps(s, low) > 0 and low not in found:
                    found = put(found, place, low)
                if self.steps(s, high) > 0 and high not in found:
                    found = put(found, place + 1, high)
            place += 2
        return found

    def both(self, s, low, high):
        """Whether markers can move up in two columns, or twice in one."""
        if low == high:
            return self.steps(s, low) > 1
        last = s.markers[low] == 0 and s.markers[high] == 0 and self.free(s) == 1
        return self.steps(s, low) > 0 and self.steps(s, high) > 0 and not last

    def steps(self, s, column):
        """How many steps a marker can still climb in a column."""
        if s.markers[column] == 0 and self.free(s) == 0:
            return 0
        for player in range(self.players):
            if s.squares[player][column] == self.lengths[column]:
                return 0
        return self.lengths[column] - s.squares[s.turn][column] - s.markers[column]

    def free(self, s):
        """Markers that are not on the board."""
        free = MARKERS
        for height in s.markers:
            free -= height > 0
        return free

    # Ways to play -------------------------------------------------------------------------

    @policy
    def stop_after(self, s, steps=3):
        """Stop when the markers have climbed so many steps; climb as much as possible."""
        if s.dice != NO_DICE:
            return self.preferred(s, lambda columns: len(columns))
        return self.stop_if(s, sum(s.markers) >= steps)

    @policy
    def rule_of(self, s, points=28):
        """Stop when the markers' progress has so many points, as the Rule of 28 has it.

        M. Keller's rule as given by J. Glenn, C. Aloi, A Generalized Heuristic for Can't Stop
        (2009): each marker counts its steps and one more, times 1 in the middle column, 2 beside
        it and so on; with all three markers out, 2 more in odd columns only, 2 fewer in even
        ones only, 4 more on one side of the board only. It prefers middle columns and to place
        few markers.
        """
        middle = self.sides - 1
        if s.dice != NO_DICE:
            return self.preferred(
                s,
                lambda columns: (
                    sum(self.sides - abs(column - middle) for column in columns)
                    - self.sides * sum(s.markers[column] == 0 for column in set(columns))
                ),
            )
        out = [column for column, steps in enumerate(s.markers) if steps]
        progress = sum((1 + abs(column - middle)) * (s.markers[column] + 1) for column in out)
        if len(out) == MARKERS:
            odd = sum(column % 2 for column in out)
            progress += 2 if odd == MARKERS else -2 if odd == 0 else 0
            progress += 4 if max(out) <= middle or min(out) >= middle else 0
        return self.stop_if(s, progress >= points)

    def stop_if(self, s, enough):
        """What to do with no dice on the table."""
        return "begin" if s.markers == self.empty else "stop" if enough else "roll"

    def preferred(self, s, worth):
        """The way to climb that is worth most, by its columns."""
        best = max(
            (way for way in self.open(s, s.dice) if way >= 0),
            key=lambda way: worth([column for column in self.ways[way].tolist() if column >= 0]),
        )
        return f"climb {self.names[best]}"
