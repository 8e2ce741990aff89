"""Sixteen."""

from oddsmith import OptionError, policy
from oddsmith.games.macao import Macao


class Sixteen(Macao):
    """Add up rolls of a die; the highest total up to sixteen wins.

    In turn, each player rolls one die, once at least and then as often as wanted, and adds up
    the rolls. Whoever goes beyond sixteen (`target`) is out. The highest total left wins.

    Source: T. W. Neller and C. G. M. Presser, Optimal Play of the Dice Game Pig, The UMAP
    Journal 25 (2004), name Sixteen, or Golden Sixteen, after R. Knizia, Dice Games Properly
    Explained, 1999: a game of approaching a goal without exceeding it. They do not tell more
    rules, so these are those of Macao with another target. Open points:

    - `ties`, `exact_wins`: as in Macao.
    - `stop_at`, `roll_at`: a total with which one must hold, and one with which one must roll
      on (0 and 0: none). The German pub game "16 tot" (spielwiki.de, saufspiele.net), in which
      16 is already too many, has 9 and 10: `target=15 stop_at=9 roll_at=10`.
    """

    title = "Sixteen"

    target: int = 16
    stop_at: int = 0
    roll_at: int = 0

    def validate(self):
        """As Macao, and always something one may do."""
        super().validate()
        if self.stop_at < 0 or self.roll_at < 0 or self.roll_at >= self.target:
            raise OptionError(
                f"One must stop at a total and roll on at one below the target of {self.target} "
                f"(0: at none), not {self.stop_at} and {self.roll_at}."
            )
        if self.stop_at == self.roll_at > 0:
            raise OptionError(f"With {self.stop_at} one cannot have to stop and to roll on.")

    def may_roll(self, s):
        """Whether the mover may roll on."""
        return s.total < self.target and (s.total == 0 or s.total != self.stop_at)

    def may_hold(self, s):
        """Whether the mover may hold."""
        return s.total > 0 and s.total != self.roll_at

    @policy
    def hold_at(self, s, points=13):
        """Roll until the total has so many points, where the rules let one choose."""
        return self.chosen(s, s.total >= points)
