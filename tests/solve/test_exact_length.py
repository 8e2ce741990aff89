"""Exact distributions and generating functions: against plain play of the rules in fractions."""

from fractions import Fraction
from math import comb
from typing import NamedTuple

import numpy as np
import pytest

from oddsmith import DRAW, Die, Game, coin, d6, game, length, move, odds
from oddsmith.errors import LimitError, OptionError
from oddsmith.questions.settings import Settings
from oddsmith.runtime.progress import Silent
from oddsmith.solve import counted as counted_module
from oddsmith.solve import generating
from oddsmith.solve.counted import counted
from oddsmith.solve.engines.graph import prepare
from oddsmith.solve.exact_length import exact_distribution

# The published mean of Chutes and Ladders: published/chutes-and-ladders.toml says where.
CHUTES = Fraction(
    225837582538403273407117496273279920181931269186581786048583,
    5757472998140039232950575874628786131130999406013041613400,
)


class Once(Game):
    """Over before it begins if one so wishes (`goal=0`); rules that always are, are a mistake."""

    goal: int = 1

    class State(NamedTuple):
        at: int = 0
        turn: int = 0

    def winner(self, s):
        return 0 if s.at >= self.goal else None

    @move
    def step(self, s):
        return self.State(s.at + 1, 1 - s.turn)


class Toss(Game):
    """Toss at most four times; heads ends it."""

    class State(NamedTuple):
        tosses: int = 0
        turn: int = 0
        won: int = -9

    def winner(self, s):
        if s.won != -9:
            return s.won
        return DRAW if s.tosses == 4 else None

    @move(dice=coin)
    def toss(self, s, heads):
        return self.State(s.tosses + 1, 1 - s.turn, s.turn if heads else -9)


class Resting(Game):
    """Walk three steps; some throws make one rest, and rests do not count. They go in circles."""

    players = 1
    start_resting: bool = False

    class State(NamedTuple):
        at: int = 0
        rest: int = 0
        turn: int = 0

    def start(self):
        return self.State(0, 1 if self.start_resting else 0, 0)

    def winner(self, s):
        return 0 if s.at >= 3 and s.rest == 0 else None

    @move(dice=d6, when=lambda self, s: s.rest == 0)
    def walk(self, s, spots):
        if spots <= 2:
            return self.State(s.at + 1, 0, 0)
        if spots <= 4:
            return self.State(s.at, 1, 0)
        return self.State(s.at + 1, 2, 0)

    @move(dice=Die([0, 0, 1, 2, 2]), when=lambda self, s: s.rest > 0, counts=False)
    def sleep(self, s, rest):
        return self.State(s.at, rest, 0)


class Heavy(Game):
    """Dice with large weights, of totals that have no common factor."""

    players = 1

    class State(NamedTuple):
        at: int = 0
        turn: int = 0

    def winner(self, s):
        return 0 if s.at == 3 else None

    @move(dice=lambda self, s: HEAVY[s.at])
    def step(self, s, by):
        return self.State(s.at + by, 0)


HEAVY = [
    Die({0: 10**15, 1: 10**15 + 37}),
    Die({0: 2**50, 1: 2**49 + 12345678901}),
    Die({0: 1, 1: 10**14 + 31}),
]


def weighted(rules, state):
    """Where the one legal move of a state leads, in fractions, and whether it counts."""
    (action,) = (a for a in rules.actions if a.when is None or a.when(rules, state))
    die = action.die if action.dice is None else action.dice(rules, state)
    if die is None:
        return [(action.function(rules, state), Fraction(1))], action.counts
    rolls = [(action.function(rules, state, face), die.probability(face)) for face in die.faces]
    return rolls, action.counts


TINY = Fraction(1, 2**120)


def played(rules, horizon):
    """The chances of lengths 0, 1, …, by playing the rules; free moves until TINY is left."""
    now, found = {rules.start(): Fraction(1)}, []
    for _ in range(horizon + 1):
        ended, later = Fraction(0), {}
        while now:
            again = {}
            for state, chance in now.items():
                if rules.winner(state) is not None:
                    ended += chance
                    continue
                leads, counts = weighted(rules, state)
                if not counts and chance < TINY:
                    continue
                into = later if counts else again
                for target, share in leads:
                    into[target] = into.get(target, 0) + chance * share
            now = again
        found.append(ended)
        now = later
    return found


def terms_of(rules, horizon, **settings):
    chain = prepare(rules, Settings(method="certified", **settings)).chain
    found = [Fraction(*term) for _, term in zip(range(horizon + 1), counted(chain).terms())]  # noqa: B905
    return found + [Fraction(0)] * (horizon + 1 - len(found))


# Distributions -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "rules",
    [Once(goal=0), Toss(), game("coin-race"), game("coin-race", goal=3, players=3), Heavy()],
    ids=["once", "toss", "race", "race of three", "heavy"],
)
@pytest.mark.parametrize("symmetry", [True, False])
def test_lengths_are_those_of_plain_play(rules, symmetry):
    assert terms_of(rules, 12, symmetry=symmetry) == played(rules, 12)


@pytest.mark.parametrize("start_resting", [False, True])
def test_circles_of_free_moves_are_closed(start_resting):
    """Plain play leaves out what is tiny of a rest; the exact chances are just above."""
    rules = Resting(start_resting=start_resting)
    exact, plain = terms_of(rules, 6), played(rules, 6)
    for chance, nearly in zip(exact, plain, strict=True):
        assert nearly <= chance < nearly + 1000 * TINY
        assert chance.denominator < 10**40  # a fraction of the rules, not of the playing
    assert exact[3] > 0


def test_circles_of_free_moves_by_hand():
    """A rest is left with chance 2/5 a turn, at last surely: rests change no chance at all."""
    assert terms_of(Resting(), 4)[3:] == [Fraction(8, 27), Fraction(8, 27)]


def test_weights_that_need_digits_of_their_own():
    chain = prepare(Heavy(), Settings(method="certified")).chain
    assert len(counted(chain).digits) > 1


@pytest.mark.parametrize("bits", [3, 17, 40])
def test_digits_of_any_width_say_the_same(bits, monkeypatch):
    wide = terms_of(game("coin-race", goal=3), 40)
    monkeypatch.setattr(counted_module, "ROOM", bits + 6)
    monkeypatch.setattr(counted_module, "NARROW", 1)
    assert terms_of(game("coin-race", goal=3), 40) == wide


def test_the_first_heads_in_closed_form():
    """One player who needs g heads: the negative binomial distribution."""
    found = length(game("coin-race", players=1, goal=4), method="exact", horizon=30)
    for at, chance in found.exact_distribution.chances:
        assert chance == Fraction(comb(at - 1, 3), 2**at)


def test_an_exact_distribution_adds_up():
    exact = length(Toss(), method="exact").exact_distribution
    assert exact.chances == tuple((k, Fraction(1, 2 ** min(k, 3))) for k in (1, 2, 3, 4))
    assert exact.left == 0
    assert exact.at_most(2) == Fraction(3, 4)
    assert exact[0] == 0
    with pytest.raises(KeyError, match="horizon"):
        exact.at_most(exact.horizon + 1)
    with pytest.raises(KeyError, match="horizon"):
        exact[exact.horizon + 1]


def test_quantiles_are_decided_in_fractions():
    """Of Toss, exactly 3/4 are over after two tosses: a float sum must not decide that."""
    found = length(Toss(), method="exact")
    levels = (0.5, 0.75, Fraction(3, 4) + Fraction(1, 10**30), 1)
    assert [found.quantile(level) for level in levels] == [1, 2, 3, 4]
    assert found.quantiles == {0.05: 1, 0.5: 1, 0.95: 4}


def test_a_near_horizon_is_said():
    found = length(game("coin-race"), horizon=4)
    assert found.method == "exact"
    assert found.exact_distribution.left == Fraction(9, 16)
    assert found.quantiles == {0.05: 3, 0.5: 5, 0.95: 10}
    assert any("beyond that floats" in note for note in found.evidence.how)
    assert not any("beyond that floats" in n for n in length(Toss(), method="exact").evidence.how)


def test_exact_and_float_distributions_agree():
    near = length(game("goose"), method="certified")
    exact = exact_distribution(prepare(game("goose"), Settings()).chain, 80, Silent())
    floats = dict(near.distribution)
    for at, chance in exact.chances:
        assert float(chance) == pytest.approx(floats[at], rel=1e-12)
    assert [exact.quantile(level) for level in near.quantiles] == [*near.quantiles.values()]


def test_turns_are_counted_exactly():
    """With its rests counted, a game's mean is longer by the rests."""
    every = length(Resting(), turns=True, horizon=5, generating_function=True)
    assert every.generating_function.mean == every.duration.exact > 0
    assert every.duration.exact > length(Resting(), method="exact").duration.exact


def test_results_carry_the_fractions():
    found = length(game("coin-race"), horizon=4)
    written = found.to_dict()
    assert written["exact_distribution"][0] == {"length": 3, "exact": "1/4"}
    assert (written["left"], written["horizon"]) == ({"exact": "9/16"}, 4)
    named = dict(found.fractions())
    assert named["length 4"] == Fraction(3, 16)
    assert named["longer than 4"] == Fraction(9, 16)
    pytest.importorskip("pandas")
    assert list(found.to_frame()["exact"]) == ["1/4", "3/16"]
    assert "exact_distribution" not in length(game("coin-race")).to_dict()


@pytest.mark.parametrize("asked", [{"horizon": 5}, {"generating_function": True}])
def test_only_exact_answers_have_a_horizon(asked):
    with pytest.raises(OptionError, match="exact answers only"):
        length(Toss(), method="certified", **asked)


def test_a_horizon_is_a_number_of_moves():
    with pytest.raises(OptionError, match="0 or more"):
        length(Toss(), horizon=-1)


def test_free_moves_without_measure_are_refused(monkeypatch):
    monkeypatch.setattr(counted_module, "MOST_UPDATES", 1)
    with pytest.raises(LimitError, match="--turns"):
        length(Resting(), method="exact")


# Generating functions ------------------------------------------------------------------------


def function_of(rules):
    return length(rules, generating_function=True, horizon=0).generating_function


def test_generating_functions_by_hand():
    """One player who needs g heads has (z/2)^g / (1 - z/2)^g = (z/(2 - z))^g."""
    assert str(function_of(game("coin-race", players=1, goal=1))) == "z / (2 - z)"
    assert str(function_of(game("coin-race", players=1, goal=2))) == "z^2 / (4 - 4z + z^2)"
    assert str(function_of(Toss())) == "(4z + 2z^2 + z^3 + z^4) / 8"
    assert str(function_of(Once())) == "z"
    assert str(function_of(Once(goal=0))) == "1"


@pytest.mark.parametrize(
    "rules",
    [
        Once(goal=0),
        Toss(),
        Resting(),
        Resting(start_resting=True),
        Heavy(),
        game("coin-race", goal=4),
    ],
    ids=["once", "toss", "resting", "resting first", "heavy", "race"],
)
def test_a_generating_function_has_the_chances_and_the_mean(rules):
    found = function_of(rules)
    assert found.chances(40) == terms_of(rules, 40)
    assert found.mean == odds(rules, method="exact").duration.exact
    assert sum(found.numerator) == sum(found.denominator)  # G(1) = 1: the game ends
    assert found.denominator[0] > 0


def test_the_variance_is_that_of_the_chances():
    found = function_of(Toss())
    chances = list(enumerate(found.chances(4)))
    mean = sum(k * p for k, p in chances)
    assert found.mean == mean == Fraction(15, 8)
    assert found.variance == sum((k - mean) ** 2 * p for k, p in chances)
    assert (found.longest, found.rate) == (4, 0.0)
    negative = function_of(game("coin-race", players=1, goal=3))  # mean g/p, variance g(1-p)/p²
    assert (negative.mean, negative.variance, negative.longest) == (6, 6, None)


def test_chutes_and_ladders_has_its_published_mean():
    found = length(game("chutes-and-ladders"), generating_function=True, horizon=90)
    function = found.generating_function
    assert function.mean == found.duration.exact == CHUTES
    chances = function.chances(300)
    exact = found.exact_distribution
    assert exact.chances == tuple((k, p) for k, p in enumerate(chances[:91]) if p)
    assert float(chances[-1] / chances[-2]) == pytest.approx(function.rate, rel=1e-9)
    assert function.is_long


def test_the_rate_is_one_over_the_nearest_root():
    """Against the eigenvalues of the companion matrix, for a game without repeated roots."""
    found = function_of(Resting())
    roots = np.roots([float(c) for c in reversed(found.denominator)])
    assert 1 / min(abs(roots)) == pytest.approx(found.rate, rel=1e-4)


def test_a_function_is_in_lowest_terms():
    from flint import fmpz_poly

    for rules in (Toss(), Resting(), Heavy(), game("coin-race", goal=3)):
        found = function_of(rules)
        top, bottom = fmpz_poly(list(found.numerator)), fmpz_poly(list(found.denominator))
        assert top.gcd(bottom) == 1


def test_an_unlucky_prime_is_found_out(monkeypatch):
    """Modulo 3 the recurrence of a race is another: the proof fails, another prime is tried."""
    tried = []

    def first_unlucky(number, of=generating._next_prime):
        from flint import fmpz

        tried.append(number)
        return fmpz(3) if len(tried) == 1 else of(fmpz(2) ** 200)

    monkeypatch.setattr(generating, "_next_prime", first_unlucky)
    assert str(function_of(game("coin-race"))) == "(4z^3 - z^4) / (16 - 16z + 4z^3 - z^4)"
    assert len(tried) == 2


def test_a_large_chain_is_refused_at_once():
    with pytest.raises(LimitError, match="2,026 states to move from"):
        length(game("goose"), generating_function=True)


def test_a_function_as_json_and_in_a_file():
    found = length(game("coin-race"), generating_function=True)
    written = found.to_dict()["generating_function"]
    assert written["numerator"] == ["0", "0", "0", "4", "-1"]
    assert written["mean"]["exact"] == "16/3"
    named = dict(found.fractions())
    assert named["coefficient of z^1 in D(z)"] == -16
    assert "G(z)" in str(found)
    assert "G(z)" in found._repr_html_()


@pytest.mark.slow
@pytest.mark.parametrize("players", [3, 4])
def test_larger_functions_have_the_solver_s_mean(players):
    stake = {3: 4, 4: 2}[players]
    rules = game("left-center-right", players=players, stake=stake)
    function = generating.generating_function(prepare(rules, Settings()).chain, Silent())
    assert function.mean == odds(rules, method="exact").duration.exact
    chances = function.chances(60)
    assert chances == terms_of(rules, 60)
