"""First Orchard."""

from typing import NamedTuple

from oddsmith import DRAW, Die, Game, OptionError, move, policy, put

FRUIT = ("apple", "pear", "plum", "cherry")
BASKET, RAVEN = 4, 5
DIE = Die(range(6))


class FirstOrchard(Game):
    """Pick all the fruit, together, before the raven reaches the orchard.

    Four trees bear four fruits each (`fruit`). Throw the die: a colour picks a fruit of that
    colour, or does nothing if its tree is empty; the basket picks a fruit of one's choice; the
    raven takes a step. When the last fruit is picked the players win; when the raven has taken
    all its steps they lose (the game counts that as a draw). They play together, so it does not
    matter how many they are: to the game they are one.

    Source: A. Farkaschovsky, Erster Obstgarten (First Orchard), HABA 2009. The rules lay out five
    path cards, and the published chance of best play, 434845789256784110537 in
    688747536000000000000, is for a raven of five steps, the default of `steps`. Read to the
    letter the raven starts before the first card and must pass the last one: `steps=6`.
    """

    title = "First Orchard"

    players: int = 1
    fruit: int = 4
    steps: int = 5

    class State(NamedTuple):
        """Fruit on each tree, steps the raven has taken, and whether the basket was thrown."""

        trees: tuple[int, int, int, int]
        raven: int
        basket: bool

    def validate(self):
        """All players are one, and there is something to pick and somebody to fear."""
        if self.players != 1:
            raise OptionError(
                f"First Orchard is played together, as one player, not {self.players}."
            )
        if self.fruit < 1 or self.steps < 1:
            raise OptionError(
                f"First Orchard needs a fruit a tree and a step of the raven, not {self.fruit} "
                f"and {self.steps}."
            )

    def start(self):
        """Full trees, the raven far away."""
        return self.State((self.fruit,) * 4, 0, False)

    def ranges(self):
        """Trees from full to empty, the raven from start to end."""
        return {"trees": range(self.fruit + 1), "raven": range(self.steps + 1)}

    def winner(self, s):
        """The players when all trees are empty; nobody when the raven is there."""
        if max(s.trees) == 0:
            return 0
        return DRAW if s.raven == self.steps else None

    @move(dice=DIE, when=lambda self, s: not s.basket)
    def roll(self, s, face):
        """Throw the die."""
        if face == RAVEN:
            return s._replace(raven=s.raven + 1)
        if face == BASKET:
            return s._replace(basket=True)
        return s._replace(trees=put(s.trees, face, max(0, s.trees[face] - 1)))

    @move(each=FRUIT, when=lambda self, s, tree: s.basket and s.trees[tree] > 0, counts=False)
    def pick(self, s, tree):
        """Pick a fruit of one's choice."""
        return self.State(put(s.trees, tree, s.trees[tree] - 1), s.raven, False)

    def roll_name(self, roll):
        """The die's picture."""
        return (*FRUIT, "basket", "raven")[roll]

    @policy
    def fullest(self, s):
        """Pick from the tree with most fruit."""
        return f"pick {FRUIT[s.trees.index(max(s.trees))]}" if s.basket else "roll"

    @policy
    def emptiest(self, s):
        """Pick from the tree with least fruit that has any."""
        least = min(fruit for fruit in s.trees if fruit > 0)
        return f"pick {FRUIT[s.trees.index(least)]}" if s.basket else "roll"
