"""Direct solvers work on arrays of their own: the chain that they solve stays as it was."""

from typing import NamedTuple

import numpy as np
import pytest

from oddsmith import Die, Game, move, odds
from oddsmith.errors import OptionError


class Drift(Game):
    """A walk to the goal by two moves that can lead to the same square, played at random."""

    players: int = 1
    goal: int = 60

    class State(NamedTuple):
        at: int = 30

    def winner(self, s):
        return 0 if s.at == self.goal else None

    @move(dice=Die([-1, 1]))
    def step(self, s, roll):
        return self.State(max(0, s.at + roll))

    @move(dice=Die([-1, 0, 1]))
    def stay(self, s, roll):
        return self.State(max(0, s.at + roll))


def expected_length(start=30, goal=60):
    """A lazy walk: it moves with chance 5/6, up or down alike, and is kept at 0.

    x(k) = c - k (k + 1) / (5/6) solves x(k) = 1 + 5/12 (x(k-1) + x(k+1)) + x(k)/6 with
    x(-1) = x(0), and x(goal) = 0 gives c.
    """
    return (goal * (goal + 1) - start * (start + 1)) * 6 / 5


def test_lengths_of_a_walk_with_equal_transitions():
    found = odds(Drift(), play="random", method="certified").duration
    assert expected_length() == 3276
    assert found.lower <= 3276 <= found.upper < 3276.001


def test_the_arrays_of_models_and_chains_cannot_be_changed():
    from oddsmith import game
    from oddsmith.model.closed import closed
    from oddsmith.model.explore import explore
    from oddsmith.solve.chain import make_chain

    for engine in ("interpreted", "compiled"):
        model = explore(game("coin-race"), engine=engine)
        process = closed(model)
        for holder in (
            model, model.unfolded(), model.names, process, process.chance, process.valuations,
            make_chain(model),
        ):  # fmt: skip
            arrays = [v for v in vars(holder).values() if isinstance(v, np.ndarray)]
            assert arrays
            for array in [*arrays, *process.labels.values()]:
                with pytest.raises(ValueError, match="read-only"):
                    array[0] = 1


class Seldom(Game):
    """Two states that play leaves once in 10^12 rounds."""

    players: int = 1

    class State(NamedTuple):
        at: int = 0

    def winner(self, s):
        return 0 if s.at == 2 else None

    @move(dice=Die({0: 10**12, 1: 10**12, 2: 1}))
    def go(self, s, to):
        return self.State(to if s.at == 0 else 0)


def test_sweeps_without_end_are_refused_even_if_asked_for():
    with pytest.raises(OptionError, match="more than 10,000,000 sweeps"):
        odds(Seldom(), method="certified", solver="gauss-seidel")
    assert odds(Seldom(), method="certified").duration.upper >= 3 * 10**12 + 1
    assert odds(Seldom(), method="exact").duration.exact == 3 * 10**12 + 1
