"""Learning against solving: `python -m benchmarks.learn [GAMES...]`, on Pig to 100.

How much of the gap between random and optimal play self-play closes, and at what cost. Policies are
measured exactly, against optimal play, a coin deciding who begins.
"""

import sys
import time

from oddsmith import explore, game, learn
from oddsmith.ask.learn import measure
from oddsmith.policies.policy import named
from oddsmith.questions.settings import Settings
from oddsmith.results.table import align
from oddsmith.solve.play.profile import optimal_table


def main() -> None:
    """Learn from ever more games; solve; compare."""
    budgets = [int(float(text)) for text in sys.argv[1:]] or [1_000, 10_000, 100_000, 1_000_000]
    pig = game("pig")
    began = time.perf_counter()
    model = explore(pig)
    best = optimal_table(model, Settings(method="certified"))
    solved = time.perf_counter() - began
    rows = []
    for games in budgets:
        began = time.perf_counter()
        policy = learn(pig, games=games)
        spent = time.perf_counter() - began
        found = measure(model, policy, best)
        row = [f"learned from {games:,} games", f"{len(policy):,}", f"{spent:.1f}"]
        rows.append([*row, f"{found.gets:.6f}", f"{found.closed:.2%}"])
        print(rows[-1], flush=True)
    for name in ("hold-at-20", "end-race"):
        found = measure(model, named(pig, name), best)
        rows.append([name, "", "", f"{found.gets:.6f}", f"{found.closed:.2%}"])
    rows.append(["optimal, solved", f"{model.states:,}", f"{solved:.1f}", "0.500000", "100.00%"])
    print(align(["Pig, goal 100", "states", "seconds", "against optimal", "gap closed"], rows))


if __name__ == "__main__":
    main()
