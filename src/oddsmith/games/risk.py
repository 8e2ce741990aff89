"""A battle of Risk."""

from typing import NamedTuple

from oddsmith import Game, OptionError, d6, move, policy, product


def lost(attack, defence):
    """How many armies attacker and defender lose by their dice."""
    pairs = zip(sorted(attack, reverse=True), sorted(defence, reverse=True), strict=False)
    wins = [red > white for red, white in pairs]
    return wins.count(False), wins.count(True)


def losses(red, white):
    """What both lose when so many red and white dice are thrown."""
    return product(d6.pool(red), d6.pool(white)).map(lambda thrown: lost(*thrown))


LOSSES = tuple(losses(red, white) for red in (1, 2, 3) for white in (1, 2))


class Risk(Game):
    """A battle for one territory, fought until one side can fight no more.

    The attacker (player 1) announces one, two or three dice, always fewer than the armies in
    the attacking territory, as one army must stay. The defender (player 2) then chooses one die
    or two, at most one an army. Both throw. The highest dice are compared, and if both have
    thrown two or more, the next highest: the lower die loses an army, on equal dice the attacker
    does. The attacker wins when no defender is left, the defender when the attacker has one
    army.

    Source: Risk (A. Lamorisse), rules of the American edition, Parker Brothers. `attackers` (10)
    counts all armies in the attacking territory, `defenders` (10) those in the attacked one.
    Open points: the defender chooses after the attacker has announced and before anybody throws,
    and needs two armies for two dice (three in some editions, which are not offered). The rules
    let the attacker stop at any time; here a battle is for the territory alone, so to stop would
    be to lose, and it is no move.
    """

    title = "Risk, one battle"

    attackers: int = 10
    defenders: int = 10

    class State(NamedTuple):
        """Armies of attacker and defender, and the dice announced: 0 before the attacker does."""

        attackers: int
        defenders: int
        announced: int

    def validate(self):
        """Two sides, and both with armies to fight."""
        if self.players != 2:
            raise OptionError(f"A battle of Risk has two sides, not {self.players} players.")
        if self.attackers < 2 or self.defenders < 1:
            raise OptionError(
                f"A battle needs two attackers, of which one stays, and a defender, not "
                f"{self.attackers} and {self.defenders}."
            )

    def start(self):
        """All armies in place."""
        return self.State(self.attackers, self.defenders, 0)

    def ranges(self):
        """Armies only fall."""
        return {
            "attackers": range(self.attackers + 1),
            "defenders": range(self.defenders + 1),
            "announced": range(4),
        }

    def mover(self, s):
        """The attacker announces dice, then the defender."""
        return 0 if s.announced == 0 else 1

    def winner(self, s):
        """The side that can still fight."""
        if s.defenders == 0:
            return 0
        return 1 if s.attackers == 1 else None

    @move(
        each=range(1, 4),
        when=lambda self, s, dice: s.announced == 0 and dice < s.attackers,
        counts=False,
    )
    def attack(self, s, dice):
        """Announce an attack with so many dice."""
        return s._replace(announced=dice)

    @move(
        each=range(1, 3),
        when=lambda self, s, dice: s.announced > 0 and dice <= s.defenders,
        dice=lambda self, s, dice: LOSSES[2 * s.announced + dice - 3],
    )
    def defend(self, s, dice, fallen):
        """Defend with so many dice; both sides throw."""
        return self.State(s.attackers - fallen[0], s.defenders - fallen[1], 0)

    def roll_name(self, roll):
        """Who loses what."""
        sides = zip(roll, ("attacker", "defender"), strict=True)
        return ", ".join(f"{side} loses {armies}" for armies, side in sides if armies)

    @policy
    def dice(self, s, attack=3, defend=2):
        """Attack with so many dice and defend with so many, or with fewer if armies are few."""
        if s.announced == 0:
            return f"attack {max(1, min(attack, 3, s.attackers - 1))}"
        return f"defend {max(1, min(defend, 2, s.defenders))}"
