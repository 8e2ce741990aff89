"""Piglet in the PRISM language, one seat played by a given policy: an mdp for the other seat.

stormpy 2.0 checks no property of games of two players, but two mdps prove the value of one. Let v
be the chance of the first player when both play policies (x, y). If nobody does better against y
(`Pmax` of the first seat is v) and nobody against x (`Pmin` of the second is v), then v is the
value of the game and the policies are optimal. Nothing of oddsmith is used here.
"""

from collections.abc import Callable

Hold = Callable[[int, int, int], bool]
"""Whether to hold, by one's own score, the other's, and the turn total."""


def piglet_prism(goal: int, hold: Hold, seat: int) -> str:
    """PRISM source in which ``seat`` (1 or 2) plays by ``hold`` and the other one decides."""
    lines = []
    for me, other, number in (("a", "b", 1), ("b", "a", 2)):
        following = 3 - number
        flip = f"1/2 : (k'=k+1) + 1/2 : (k'=0)&(t'={following})"
        bank = f"({me}'={me}+k)&(k'=0)&(t'={following})"
        live = f"t={number} & {me}+k<{goal}"
        if number != seat:
            lines += [f"  [] {live} -> {flip};", f"  [] {live} -> {bank};"]
        else:
            for own in range(goal):
                for others in range(goal):
                    at = f"{live} & {me}={own} & {other}={others}"
                    totals = [k for k in range(goal - own) if hold(own, others, k)]
                    held = " | ".join(f"k={k}" for k in totals) or "false"
                    lines += [
                        f"  [] {at} & !({held}) -> {flip};",
                        f"  [] {at} & ({held}) -> {bank};",
                    ]
        lines.append(f"  [] t={number} & {me}+k>={goal} -> true;")
    return "\n".join(
        [
            "mdp",
            "module piglet",
            f"  a : [0..{goal - 1}] init 0;",
            f"  b : [0..{goal - 1}] init 0;",
            f"  k : [0..{goal}] init 0;",
            "  t : [1..2] init 1;",
            *lines,
            "endmodule",
            f'label "win1" = t=1 & a+k>={goal};',
            f'label "win2" = t=2 & b+k>={goal};',
            "",
        ]
    )
