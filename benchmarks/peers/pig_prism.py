"""Pig in the PRISM language, for Storm.

stormpy 2.0 reads and builds the game of two players (smg, with the players of PRISM-games) but
checks no property of it: `model_checking` gives None. The nearest that it accepts is the same
model as an mdp: every state, choice and transition of the game, one maximiser for both players
(`Pmax`); or, with `hold_at`, the best response to a player who holds at so many points. Storm has
no mover-relative form, so the turn is a variable.
"""


def pig_prism(goal: int, kind: str = "mdp", hold_at: int | None = None) -> str:
    """Both players decide; or, with `hold_at`, only the first, against hold-at-n."""
    faces = " + ".join(f"1/6 : (k'=k+{face})" for face in range(2, 7))
    lines = []
    for me, turn, other in (("a", 0, 1), ("b", 1, 0)):
        number = turn + 1
        on = f"t={turn} & {me}+k<{goal}"
        roll, hold = on, on
        if hold_at is not None and turn == 1:
            roll, hold = f"{on} & k<{hold_at}", f"{on} & k>={hold_at}"
        lines.append(f"  [roll{number}] {roll} -> 1/6 : (k'=0)&(t'={other}) + {faces};")
        lines.append(f"  [hold{number}] {hold} -> ({me}'={me}+k)&(k'=0)&(t'={other});")
        lines.append(f"  [end{number}] t={turn} & {me}+k>={goal} -> true;")
    players = "".join(f"player p{n}\n  [roll{n}], [hold{n}], [end{n}]\nendplayer\n" for n in (1, 2))
    return "\n".join(
        [
            "mdp" if kind == "mdp" else "smg\n" + players,
            "module pig",
            f"  a : [0..{goal - 1}] init 0;",
            f"  b : [0..{goal - 1}] init 0;",
            f"  k : [0..{goal + 5}] init 0;",
            "  t : [0..1] init 0;",
            *lines,
            "endmodule",
            f'label "win1" = t=0 & a+k>={goal};',
            f'label "win2" = t=1 & b+k>={goal};',
        ]
    )
