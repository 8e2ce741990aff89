"""Twenty-One with dice."""

from oddsmith import OptionError, d6, move, policy
from oddsmith.games.macao import Macao

TWO_DICE = 2 * d6


class TwentyOne(Macao):
    """Blackjack with dice: add up rolls; the highest total up to twenty-one wins.

    In turn, each player rolls one die, once at least and then as often as wanted, and adds up
    the rolls. Whoever goes beyond 21 (`target`) is out. The highest total left wins.

    Source: the rules of Twenty-One at dice-play.com and casino-game-rules.com; the game is one
    of R. Knizia's, Dice Games Properly Explained, 1999, whom T. W. Neller and C. G. M. Presser
    name for it without telling the rules. Open points:

    - `ties`, `exact_wins`: as in Macao; both sources play ties off.
    - `dice`: 1; or 2 to be quicker, of which one is put away at a total of 14 or more.
    - The same sources know a target of 36.
    """

    title = "Twenty-One"

    target: int = 21
    dice: int = 1

    def validate(self):
        """As Macao, with one die or two."""
        super().validate()
        if self.dice not in (1, 2):
            raise OptionError(f"Twenty-One takes one die or two, not {self.dice}.")
        if self.dice == 2 and self.target < 12:
            raise OptionError(f"With two dice the target must be 12 or more, not {self.target}.")

    @move(
        dice=lambda self, s: TWO_DICE if self.dice == 2 and s.total < 14 else d6,
        when=lambda self, s: self.may_roll(s),
    )
    def roll(self, s, spots):
        """Add a roll."""
        return self.added(s, spots)

    @policy
    def hold_at(self, s, points=18):
        """Roll until the total has so many points, where the rules let one choose."""
        return self.chosen(s, s.total >= points)
