"""Pass the Pigs."""

from functools import cached_property

from oddsmith import Die, OptionError, move
from oddsmith.games._jeopardy import Jeopardy

RIGHT, LEFT, RAZORBACK, TROTTER, SNOUTER, JOWLER = range(6)
POINTS = (0, 0, 5, 5, 10, 15)
ROLLED = Die(dict(enumerate((1344, 1294, 767, 365, 137, 32))))
"""How a pig came to rest in 3939 rolls of 52 sixth-graders."""

PIG_OUT, SIDER, OINKER = 0, 1, -1


def scored(pigs):
    """What two pigs score together."""
    one, other = pigs
    if {one, other} == {RIGHT, LEFT}:
        return PIG_OUT
    if one == other:
        return 4 * POINTS[one] or SIDER
    return POINTS[one] + POINTS[other]


class PassThePigs(Jeopardy):
    """Throw two rubber pigs as dice; one on each side loses the turn.

    In turn, a player throws both pigs as often as they like, and what they score is added to the
    turn total: a razorback (on the back) or trotter (on its feet) 5, a snouter 10, a leaning
    jowler 15, a pig on its side 0; the sum for two different pigs, and twice the sum for two
    alike (20, 20, 40, 60). Two pigs on the same side (sider) score 1. One pig on its right side
    and one on its left (pig out) end the turn, and its total is lost. Whoever holds adds the turn
    total to their score. The first to 100 (`goal`) wins: who need only hold to win has won.

    The chances are those of 3939 rolls of single pigs: right side 1344, left side 1294, razorback
    767, trotter 365, snouter 137, leaning jowler 32; two pigs are taken to fall independently.

    `oinkers`: of every thousand throws, so many have pigs that touch, which ends the turn and
    loses its total and the entire score. The rolls above were of single pigs and say nothing of
    that, so it is 0 (default: none); in Kern's 6000 throws of two pigs there were 23, about 4 of a
    thousand. One pig on top of the other (out of the game) is left out. `ending` (first by
    default), `ties` and `beyond` as in Pig.

    Source: the rolls of Dean Ballard's 52 students (Wong) in T. W. Neller, C. G. M. Presser,
    Optimal Play of the Dice Game Pig, The UMAP Journal 25 (2004) 25–47, appendix; the scores in
    J. C. Kern, Pig Data and Bayesian Inference on Multinomial Probabilities, Journal of
    Statistics Education 14 (2006).
    """

    title = "Pass the Pigs"
    best_roll = 60

    oinkers: int = 0

    def validate(self):
        """Some throws must score."""
        super().validate()
        if not 0 <= self.oinkers < 1000:
            raise OptionError(
                f"Oinkers are counted in a thousand throws: 0 to 999, not {self.oinkers}."
            )

    @cached_property
    def throw(self):
        """What two pigs score, and how often."""
        apart = ROLLED.pool(2).map(scored)
        weights = {points: weight * (1000 - self.oinkers) for points, weight in apart.items()}
        if self.oinkers:
            weights[OINKER] = apart.total * self.oinkers
        return Die(weights)

    @move(dice=lambda self: self.throw, when=Jeopardy.may_roll)
    def roll(self, s, points):
        """Risk the turn total."""
        if points == OINKER:
            return self.ruin(s)
        return self.bust(s) if points == PIG_OUT else self.add(s, points)

    @move
    def hold(self, s):
        """Score the turn total."""
        return self.bank(s, s.total)

    def roll_name(self, roll):
        """What it is called that the pigs did, or the points."""
        return {PIG_OUT: "pig out", SIDER: "sider", OINKER: "oinker"}.get(roll, str(roll))
