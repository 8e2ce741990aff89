from enum import IntEnum
from typing import NamedTuple

from oddsmith import Game, d6, move, odds, simulate
from oddsmith.model.explore import explore


class Phase(IntEnum):
    BET = 0
    PLAY = 1


class G(Game):
    players: int = 1

    class State(NamedTuple):
        n: int = 0
        phase: Phase = Phase.BET

    def winner(self, s):
        return 0 if s.n >= 10 else -1 if s.n < 0 else None

    @move(dice=d6)
    def safe(self, s, r):
        return self.State(s.n + (r > 3), Phase.PLAY if s.phase is Phase.BET else Phase.BET)

    @move(dice=d6)
    def risk(self, s, r):
        return self.State(
            s.n + 2 if r > 1 else -1, Phase.PLAY if s.phase is Phase.BET else Phase.BET
        )


def mine(g, s):
    return "risk" if s.phase is Phase.BET else "safe"


def named(g, s):
    return "risk" if s.phase.name == "BET" else "safe"


if __name__ == "__main__":
    for p in (mine, named):
        try:
            print(p.__name__, odds(G(), play=p).win[0])
        except Exception as e:
            print(p.__name__, type(e).__name__, e)
        try:
            print(
                "   simulated, interpreted",
                simulate(G(), games=4000, play=p, engine="interpreted").win[0],
            )
        except Exception as e:
            print(p.__name__, type(e).__name__, e)
    try:
        print(explore(G(), engine="compiled").how)
    except Exception as e:
        print(type(e).__name__, str(e)[:300])
