"""Optimal play of small random games of two and three players, against all deviations.

Play may go on for ever, which is a draw: worth a half or a third to everybody. The reference tries
every policy of every player alone against the policy in the certificate, in fractions.
"""

from __future__ import annotations

import copy
import random
from fractions import Fraction
from itertools import product
from typing import NamedTuple

import pytest
from tests.solve.process import all_policies as plain

from oddsmith import Die, Game, certify, move
from oddsmith.certificate import checker
from oddsmith.certificate.verify import verify
from oddsmith.errors import OddsmithError

SIZE = 5


class Chart(Game):
    """A game drawn at random: places, whose turn it is there, two moves, two outcomes each."""

    players: int = 2
    seed: int = 0

    class State(NamedTuple):
        place: int = 0

    def start(self):
        return self.State(0)

    def drawn(self, place, move):
        rng = random.Random(self.seed * 1000 + place * 10 + move)
        return rng.randrange(SIZE + self.players), rng.randrange(SIZE + self.players)

    def mover(self, s):
        return random.Random(self.seed * 77 + s.place).randrange(self.players)

    def winner(self, s):
        return s.place - SIZE if s.place >= SIZE else None

    @move(dice=Die({0: 1, 1: 2}))
    def go(self, s, side):
        return self.State(self.drawn(s.place, 0)[side])

    @move(dice=Die({0: 1, 1: 2}))
    def wander(self, s, side):
        return self.State(self.drawn(s.place, 1)[side])


def value(game, names, chosen, player):
    """What the places are worth to a player if these moves are made: endless play is a draw."""
    chain, stop = [], set()
    for i, place in enumerate(names):
        if place >= SIZE:
            stop.add(i)
            chain.append({i: Fraction(1)})
            continue
        row = {}
        for side, chance in ((0, Fraction(1, 3)), (1, Fraction(2, 3))):
            there = names.index(game.drawn(place, chosen[i])[side])
            row[there] = row.get(there, 0) + chance
        chain.append(row)
    share = Fraction(1, game.players)
    won = [int(place - SIZE == player) for place in names]
    above = plain.chain_reach(chain, stop, [max(w - share, 0) for w in won])
    below = plain.chain_reach(chain, stop, [max(share - w, 0) for w in won])
    return [share + a - b for a, b in zip(above, below, strict=True)]


def deviations(game, names, policy, player):
    """The most that a player gets by leaving the policy alone, in every place."""
    owns = [
        i for i, place in enumerate(names)
        if place < SIZE and game.mover(game.State(place)) == player
    ]  # fmt: skip
    best = None
    for moves in product((0, 1), repeat=len(owns)):
        chosen = list(policy)
        for i, m in zip(owns, moves, strict=True):
            chosen[i] = m
        found = value(game, names, chosen, player)
        best = found if best is None else list(map(max, best, found))
    return best


@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize("method", ["exact", "certified"])
def test_nobody_gains_by_leaving_the_policy(players, method):
    from oddsmith import explore

    certified = 0
    for seed in range(25):
        game = Chart(players=players, seed=seed)
        try:
            found = certify(game, ask="play", method=method)
        except OddsmithError:  # no equilibrium without chance moves, or none was found
            assert players > 2
            continue
        certified += 1
        model = explore(game)
        names = [model.state(s).place for s in range(model.states)]
        policy = found.content["claims"][0]["policy"]
        for player, one in enumerate(found.verdict.proved):
            worth = value(game, names, policy, player)[0]
            most = deviations(game, names, policy, player)[0]
            assert one.lower <= worth <= most <= one.upper, seed
            assert one.upper - one.lower < (1e-9 if method == "certified" else 1e-99)
    assert certified > (20 if players == 2 else 8)


def test_a_policy_that_can_be_improved_is_not_proved(tmp_path):
    refused = 0
    for seed in range(25):
        game = Chart(seed=seed)
        content = certify(game, ask="play", method="exact").content
        for s, count in enumerate(content["model"]["choices"]):
            if count < 2:
                continue
            forged = copy.deepcopy(content)
            claim = forged["claims"][0]
            claim["policy"][s] = 1 - claim["policy"][s]
            try:
                checker.check(forged)
            except checker.Refused:
                refused += 1
    assert refused > 10


def test_its_rules_are_run_again(tmp_path):
    path = tmp_path / "chart.cert"
    certify(Chart(seed=1), ask="play").save(path)
    with pytest.raises(OddsmithError, match="--rules"):
        verify(path)
    assert verify(path, rules=f"{__file__}:Chart").rules
