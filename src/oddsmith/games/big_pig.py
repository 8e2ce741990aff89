"""Big Pig."""

from oddsmith.games.frey import Frey


class BigPig(Frey):
    """Frey's Pig, but a turn goes on after two 1s and their bonus of 25.

    In turn, a player rolls two dice as often as they like. A single 1 ends the turn and its total
    is lost. Two 1s add 25 to the turn total, other doubles twice their sum, all other rolls their
    sum. Whoever holds adds the turn total to their score. All have the same number of turns: when
    a score of `goal` (100) is held, the players who come after in the same round may still exceed
    it, and the highest wins.

    `ending` (equal-turns by default), `ties` and `beyond` as in Pig.

    Source: Knizia (1999) in T. W. Neller, C. G. M. Presser, Optimal Play of the Dice Game Pig,
    The UMAP Journal 25 (2004) 25–47, appendix: “Bonuses for Doubles”.
    """

    title = "Big Pig"

    def two_ones(self, s):
        """The bonus of 25, and the turn goes on."""
        return self.add(s, 25)
