"""How often the intervals of simulations hold the truth, measured: thousands of seeds a kind.

`python -m pytest -m slow -s` prints the table that docs/benchmarks.md has. What is claimed must
hold but for bad luck of five standard deviations; what is called approximate is only measured, and
must come near where nothing is rare.
"""

import math
from typing import NamedTuple

import pytest

from oddsmith import DRAW, Die, Game, length, move, simulate
from oddsmith import game as catalogued
from oddsmith.ask.match import Match, Playouts
from oddsmith.properties.statistical.check_paths import estimate
from oddsmith.rules.prism import parse_program
from oddsmith.solve.simulate.stream import Stream

pytestmark = pytest.mark.slow

SEEDS = 1500


def coin_program(p):
    """s=1 with chance p, at once; a reward of 1/p then; the goal s=3 after a geometric time."""
    return parse_program(f"""dtmc
    const int d = {round(1 / p)};
    module m
     s:[0..3] init 0;
     [] s=0 -> 1/d:(s'=1) + (d-1)/d:(s'=2);
     [] s=1 | s=2 -> 1/2:(s'=3) + 1/2:true;
     [] s=3 -> true;
    endmodule
    rewards "prize" s=1 : d/2; endrewards
    rewards "time" s<3 : 1; endrewards
    """)


class Wheel(Game):
    """One spin: player 1 wins one in `rare`, player 2 one in two of the others, else a draw."""

    rare: int = 1000

    class State(NamedTuple):
        won: int = -9

    def winner(self, s):
        return None if s.won == -9 else s.won

    @move(dice=lambda self, s: Die({0: 2, 1: self.rare - 1, DRAW: self.rare - 1}))
    def spin(self, s, who):
        return self.State(who)


def measured(what, claimed, held, seeds, strict=True):
    """Print how often intervals held, and hold them to their claim."""
    print(f"{what:<52} {claimed:.0%} {held / seeds:.4f} of {seeds:,}")
    doubt = 5 * math.sqrt(seeds * claimed * (1 - claimed))
    assert held >= claimed * seeds - doubt - (0 if strict else 0.03 * seeds), what


def holds(answer, truth):
    return answer.lower is not None and answer.lower <= truth <= answer.upper


@pytest.mark.parametrize("p", [1e-5, 1e-4, 1e-3, 1e-2, 0.1, 0.5])
@pytest.mark.parametrize("confidence", [0.95, 0.99])
def test_chances_of_paths(p, confidence):
    program = coin_program(p)
    asked = {"games": 1000, "confidence": confidence, "steps": 3}
    found = (estimate(program, "P=? [ F<=1 s=1 ]", seed=s, **asked)[0] for s in range(SEEDS))
    held = sum(holds(one.value, p) for one in found)
    measured(f"chance of a path, {p:g}, 1,000 paths", confidence, held, SEEDS)


@pytest.mark.parametrize("p", [1e-5, 1e-3, 0.1])
def test_chances_of_paths_until_they_are_known(p):
    program = coin_program(p)
    asked = {"half_width": 0.01, "steps": 3}
    found = (estimate(program, "P=? [ F<=1 s=1 ]", seed=s, **asked)[0] for s in range(SEEDS // 3))
    held = sum(holds(one.value, p) for one in found)
    measured(f"chance of a path, {p:g}, until ± 0.01", 0.95, held, SEEDS // 3)


@pytest.mark.parametrize("rare", [100_000, 10_000, 1000, 10, 2])
def test_chances_of_games(rare):
    game = Wheel(rare=rare)
    truths = (1 / rare, (1 - 1 / rare) / 2)
    found = [simulate(game, games=1000, seed=s, engine="interpreted") for s in range(SEEDS // 3)]
    for player, truth in enumerate(truths):
        held = sum(holds(one.win[player], truth) for one in found)
        measured(f"chance of a game, {truth:g}, 1,000 games", 0.95, held, SEEDS // 3)


@pytest.mark.parametrize("chance", [0.5, 0.05])
def test_what_a_move_is_worth(chance):
    """Games played on from a position: shared worth, by Hoeffding."""
    game, held = Wheel(rare=round(2 / (2 * chance))), 0
    truth = chance + (1 - chance) / 4
    for seed in range(SEEDS):
        playouts = Playouts(Match(game, game.start()), [], Stream(seed, 1))
        for _ in range(40):
            playouts.play()
        held += holds(playouts.estimate(0), truth)
    measured(f"worth of a position, {truth:g}, 40 games", 0.95, held, SEEDS)


def test_expected_lengths():
    program = coin_program(0.5)
    asked = {"games": 1000, "steps": 10_000}
    found = (estimate(program, 'R{"time"}=? [ F s=3 ]', seed=s, **asked)[0] for s in range(SEEDS))
    held = sum(holds(one.value, 3.0) for one in found)
    measured("expected length 3 (1 + geometric), 1,000 paths", 0.95, held, SEEDS, strict=False)


@pytest.mark.parametrize("games", [1_000, 10_000])
def test_variances_of_lengths(games):
    """Of Chutes and Ladders, whose variance the generating function of its length has."""
    climb, seeds = catalogued("chutes-and-ladders", players=1), 600
    truth = float(length(climb, generating_function=True).generating_function.variance)
    found = [simulate(climb, games=games, seed=s) for s in range(seeds)]
    held = sum(holds(one.variance, truth) for one in found)
    assert held == sum(holds(one.deviation, math.sqrt(truth)) for one in found)
    measured(f"variance of the length, {games:,} games", 0.95, held, seeds, strict=False)


@pytest.mark.parametrize(("p", "near"), [(0.5, True), (0.1, True), (1e-2, False), (1e-4, False)])
def test_expected_rewards(p, near):
    """A prize of 1/(2p) a step with chance p, two steps on average: worth 1, ever rarer."""
    program = coin_program(p)
    asked = {"games": 1000, "steps": 10_000}
    found = (estimate(program, 'R{"prize"}=? [ F s=3 ]', seed=s, **asked)[0] for s in range(SEEDS))
    held = sum(holds(one.value, 1.0) for one in found)
    if near:
        measured(f"expected reward, one in {1 / p:g}", 0.95, held, SEEDS, strict=False)
    else:
        print(f"expected reward, one in {1 / p:g}: {held / SEEDS:.4f} (called approximate)")


@pytest.mark.parametrize(("bound", "above"), [(0.12, False), (0.08, True), (0.51, False)])
def test_sequential_tests(bound, above):
    p = 0.5 if bound > 0.3 else 0.1
    delta = abs(p - bound)
    program, wrong, seeds = coin_program(p), 0, 400
    for seed in range(seeds):
        asked = {"seed": seed, "indifference": delta, "steps": 3}
        wrong += estimate(program, f"P>={bound} [ F<=1 s=1 ]", **asked)[0].holds is not above
    measured(f"test of >= {bound} where the chance is {p}", 0.95, seeds - wrong, seeds)
