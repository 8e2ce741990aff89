"""Left-Center-Right for N players as PRISM source, written from the printed rules.

The rules: everybody starts with three tokens. In its turn a player throws one die for each of its
tokens, three at most; each die sends a token to the left (1), to the pot (2), to the right (3), or
keeps it (4, 5, 6). Players without tokens are skipped. The last player with tokens wins, the
moment that nobody else has any. Nothing of oddsmith is used here.

A state is the tokens ``c1`` .. ``cN`` and ``turn``, which is always a player with tokens: the
update of a throw passes the turn to the next player who has some, so a step of the chain is a turn
as the printed table counts it. The next player is the one on the left.
"""

from collections import Counter
from itertools import product

TOKENS, DICE = 3, 3


def throws(dice: int) -> dict[tuple[int, int, int], int]:
    """The outcomes (to the left, to the pot, to the right) of ``dice`` dice, out of 6**dice."""
    faces = {1: "L", 2: "C", 3: "R"}
    found: Counter[tuple[int, int, int]] = Counter()
    for roll in product(range(1, 7), repeat=dice):
        sent = Counter(faces.get(face) for face in roll)
        found[sent["L"], sent["C"], sent["R"]] += 1
    return dict(sorted(found.items()))


def lcr_prism(players: int) -> str:
    """PRISM source of Left-Center-Right for ``players`` players.

    >>> print(lcr_prism(3).splitlines()[0])
    dtmc
    """
    if players < 2:
        raise ValueError(f"Left-Center-Right needs two players or more, not {players}")
    everyone = range(1, players + 1)

    def update(player: int, left: int, pot: int, right: int) -> str:
        gains = Counter({player: -left - pot - right})
        to_left, to_right = player % players + 1, (player - 2) % players + 1
        gains[to_left] += left
        gains[to_right] += right
        order = [(player + step - 1) % players + 1 for step in range(1, players + 1)]
        # The first player after this one who has tokens when they are passed; the last in line is
        # the player itself, which is the turn when nobody else has any.
        turn = str(order[-1])
        for other in reversed(order[:-1]):
            turn = f"(c{other}+{gains[other]}>0 ? {other} : {turn})"
        parts = [f"(c{i}'=c{i}+{gain})" for i, gain in sorted(gains.items()) if gain]
        parts.append(f"(turn'={turn})")
        return " & ".join(parts).replace("+-", "-")

    total = TOKENS * players
    holding = "+".join(f"(c{i}>0?1:0)" for i in everyone)
    lines = ["dtmc", "", f"formula over = {holding} = 1;", "", "module lcr"]
    lines += [f"  c{i} : [0..{total}] init {TOKENS};" for i in everyone]
    lines += [f"  turn : [1..{players}] init 1;", ""]
    for i in everyone:
        for dice in range(1, DICE + 1):
            have = f"c{i}>={dice}" if dice == DICE else f"c{i}={dice}"
            updates = " + ".join(
                f"{ways}/{6**dice} : {update(i, *sent)}" for sent, ways in throws(dice).items()
            )
            lines.append(f"  [] turn={i} & {have} & !over -> {updates};")
    lines += ["  [] over -> true;", "endmodule", ""]
    lines += [f'label "win{i}" = over & c{i}>0;' for i in everyone]
    lines += ['label "over" = over;', "", 'rewards "turns"', "  !over : 1;", "endrewards", ""]
    return "\n".join(lines)
