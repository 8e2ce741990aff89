"""Games from a table of chances, for tests that need a chain of a given shape, and a guard."""

from typing import NamedTuple

from oddsmith import Die, Game, move


def table_game(rows, ends, *, players=2, start=0, resting=()):
    """The game in which state s leads to t with weight rows[s][t], and ends[s] is who has won.

    A move from a state in `resting` does not count towards the length.
    """
    dice = {s: Die(row) for s, row in rows.items()}

    class Table(Game):
        class State(NamedTuple):
            at: int = start

        def winner(self, s):
            return ends.get(s.at)

        @move(dice=lambda self, s: dice[s.at], when=lambda self, s: s.at not in resting)
        def go(self, s, to):
            return self.State(to)

        @move(dice=lambda self, s: dice[s.at], when=lambda self, s: s.at in resting, counts=False)
        def drift(self, s, to):
            return self.State(to)

    return Table(players=players)


class Impatient:
    """Watches work, and gives up on what seems to have no end."""

    def __init__(self, looks=100):
        self.looks = looks

    def update(self, stage, done, of, facts=""):
        self.looks -= 1
        if self.looks < 0:
            raise AssertionError(f"still {stage}: {facts}")
