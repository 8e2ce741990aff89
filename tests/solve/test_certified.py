"""Bounds that must contain the truth, against solutions by plain Gaussian elimination.

The truth is computed here, in fractions, from the table that a chain is made of; it shares no
code with the engine. Storm's exact engine is a second witness for a handful of chains.
"""

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from chance_tables import Impatient, table_game
from oddsmith import DRAW, OddsmithError, explore, length, odds, values, visits
from oddsmith.questions import limits

SOLVERS = ("auto", "gauss-seidel", "lu", "idr", "bicgstab", "gmres")
INTERPRETED = {"engine": "interpreted"}

briefly = settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])


# The truth, in fractions ---------------------------------------------------------------------


def solved(matrix, right):
    """Gauss and Jordan, in fractions: X with matrix X = right."""
    rows = [
        [Fraction(x) for x in (*left, *after)] for left, after in zip(matrix, right, strict=True)
    ]
    size = len(rows)
    for i in range(size):
        pivot = next(k for k in range(i, size) if rows[k][i] != 0)
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [x / rows[i][i] for x in rows[i]]
        for k in range(size):
            if k != i and rows[k][i] != 0:
                factor = rows[k][i]
                rows[k] = [x - factor * y for x, y in zip(rows[k], rows[i], strict=True)]
    return [row[size:] for row in rows]


class Table:
    """A chain as a table: rows[s][t] is a weight, ends[s] who has won in s."""

    def __init__(self, rows, ends, *, players=2, start=0, resting=()):
        self.rows, self.ends, self.players, self.start = rows, ends, players, start
        self.resting = frozenset(resting)
        self.game = table_game(rows, ends, players=players, start=start, resting=self.resting)

    def __repr__(self):
        return f"Table({self.rows}, {self.ends}, start={self.start}, resting={set(self.resting)})"

    @property
    def reached(self):
        """The states that can be reached, the start first."""
        found = [self.start]
        for s in found:
            found += [t for t in self.rows.get(s, ()) if t not in found]
        return found

    def chance(self, s, t):
        return Fraction(self.rows[s].get(t, 0), sum(self.rows[s].values()))

    def backward(self, worth, gain):
        """x(s) = worth(s) where that is known, else the mean of gain(s, t) + x(t)."""
        live = [s for s in self.reached if worth(s) is None]
        known = {s: worth(s) for s in self.reached if worth(s) is not None}
        matrix = [[int(s == t) - self.chance(s, t) for t in live] for s in live]
        right = []
        for s in live:
            earned = [
                [self.chance(s, t) * x for x in gain(s, t)]
                + [self.chance(s, t) * x for x in known.get(t, ())]
                for t in self.rows[s]
            ]
            width = len(gain(s, next(iter(self.rows[s]))))
            total = [Fraction(0)] * width
            for row in earned:
                for q in range(width):
                    total[q] += row[q] + (row[width + q] if len(row) > width else 0)
            right.append(total)
        return known | dict(zip(live, solved(matrix, right), strict=True))

    def truth(self):
        """For each state: the chance of each player to win, of a draw, and the expected length."""

        def worth(s):
            if s not in self.ends:
                return None
            won = self.ends[s]
            return [Fraction(int(won == p)) for p in range(self.players)] + [
                Fraction(int(won == DRAW)),
                Fraction(0),
            ]

        def gain(s, t):
            return [0] * (self.players + 1) + [int(s not in self.resting)]

        return self.backward(worth, gain)

    def ever(self, inside):
        """The chance of ever being in a set."""

        def worth(s):
            if s in inside:
                return [Fraction(1)]
            return [Fraction(0)] if s in self.ends else None

        return self.backward(worth, lambda s, t: [0])[self.start][0]

    def times(self, inside):
        """The expected number of times that a set is entered, the start included."""

        def gain(s, t):
            return [int(s not in inside and t in inside)]

        found = self.backward(lambda s: [Fraction(0)] if s in self.ends else None, gain)
        return found[self.start][0] + int(self.start in inside)

    def lengths(self, most):
        """The chances of the lengths 0 … most, and what is left, by playing on mass."""
        now, chances = {self.start: Fraction(1)}, []
        for _ in range(most + 1):
            ended, counted = Fraction(0), {}
            while now:
                s, mass = now.popitem()
                if s in self.ends:
                    ended += mass
                    continue
                target = now if s in self.resting else counted
                for t in self.rows[s]:
                    target[t] = target.get(t, 0) + mass * self.chance(s, t)
            chances.append(ended)
            now = counted
        return chances, sum(now.values())


@st.composite
def tables(draw, most=7, weights=None, resting=False):
    """Random chains that end: every state has a way to a later one, the last are ends."""
    weights = st.integers(1, 9) if weights is None else weights
    live = draw(st.integers(1, most))
    ends = draw(st.integers(1, 3))
    rows = {}
    for s in range(live):
        others = draw(st.lists(st.integers(0, live + ends - 1), max_size=3))
        onward = draw(st.integers(s + 1, live + ends - 1))
        rows[s] = {t: draw(weights) for t in dict.fromkeys([*others, onward])}
    won = st.sampled_from([0, 1, DRAW])
    ended = {live + i: draw(won) for i in range(ends)}
    # Resting states lead onward only, so that what does not count ends.
    free = draw(st.sets(st.integers(0, live - 1))) if resting else ()
    for s in free:
        rows[s] = {t: w for t, w in rows[s].items() if t > s}
    return Table(rows, ended, resting=free)


def assert_contains(answer, truth, what=""):
    low, high = Fraction(answer.lower), Fraction(answer.upper)
    assert low <= truth <= high, f"{what}: {float(truth)!r} is not in [{low}, {high}] = {answer}"
    assert low <= Fraction(answer.value) <= high


def main_answers(result):
    return [*result.win, result.draw, result.duration]


# Certified bounds ----------------------------------------------------------------------------


@briefly
@given(table=tables(resting=True), solver=st.sampled_from(SOLVERS))
def test_certified_odds_contain_the_truth(table, solver):
    found = odds(table.game, method="certified", solver=solver, **INTERPRETED)
    for answer, truth in zip(main_answers(found), table.truth()[table.start], strict=True):
        assert_contains(answer, truth, solver)
        assert answer.upper - answer.lower < 1e-9 * (1 + answer.value)


@briefly
@given(table=tables(resting=True))
def test_exact_odds_are_the_truth(table):
    found = odds(table.game, method="exact", **INTERPRETED)
    assert [answer.exact for answer in main_answers(found)] == table.truth()[table.start]
    for answer in main_answers(found):
        assert_contains(answer, answer.exact)


@briefly
@given(
    table=tables(),
    solver=st.sampled_from(SOLVERS),
    tolerance=st.sampled_from([0.9, 0.5, 0.1, 1e-2, 1e-4, 1e-8, 1e-15]),
)
def test_bounds_contain_the_truth_at_every_tolerance(table, solver, tolerance):
    settings = {"solver": solver, "tolerance": tolerance, **INTERPRETED}
    truth = table.truth()
    found = odds(table.game, method="certified", **settings)
    for answer, true in zip(main_answers(found), truth[table.start], strict=True):
        assert_contains(answer, true, f"{solver} to {tolerance}")
    every = values(table.game, **settings).values
    for s in table.reached:
        for answer, true in zip(every[table.game.State(s)].values(), truth[s], strict=True):
            assert_contains(answer, true, f"{solver} to {tolerance}, state {s}")


def walk(size, start, up=1, down=1):
    """The gambler's ruin: from k to k+1 or k-1, until 0 (player 2 wins) or size (player 1)."""
    rows = {k: {k - 1: down, k + 1: up} for k in range(1, size)}
    return Table(rows, {0: 1, size: 0}, start=start)


@pytest.mark.parametrize("tolerance", [0.5, 0.1, 1e-2, 1e-3])
@pytest.mark.parametrize("solver", SOLVERS)
def test_a_loose_tolerance_still_bounds_the_length(solver, tolerance):
    """Ruin from the middle of 0 … 20 takes k (n - k) = 100 tosses (Feller, vol. 1, XIV.3)."""
    found = odds(
        walk(20, 10).game, method="certified", solver=solver, tolerance=tolerance, **INTERPRETED
    )
    assert_contains(found.duration, 100)


@briefly
@given(table=tables(resting=True), solver=st.sampled_from(SOLVERS))
def test_values_contain_the_truth_in_every_state(table, solver):
    found = values(table.game, solver=solver, **INTERPRETED).values
    truth = table.truth()
    assert len(found) == len(table.reached)
    for s in table.reached:
        for answer, true in zip(found[table.game.State(s)].values(), truth[s], strict=True):
            assert_contains(answer, true, f"state {s} by {solver}")


def test_values_of_a_state_with_very_many_ends():
    """What a single move earns is a sum of many terms, and its rounding counts too."""
    ends = {s: 1 if s % 3 == 0 else 0 for s in range(1, 3001)}
    table = Table({0: dict.fromkeys(ends, 1)}, ends)
    answers = values(table.game, **INTERPRETED).values[table.game.State(0)]
    assert_contains(answers["win 1"], Fraction(2, 3))
    assert_contains(answers["win 2"], Fraction(1, 3))
    found = visits(table.game, where=lambda s: s.at and s.at % 3 == 0, method="certified")
    assert_contains(found.visits[0].ever, Fraction(1, 3))
    assert_contains(found.visits[0].times, Fraction(1, 3))


@pytest.mark.parametrize("method", ["auto", "exact"])
def test_values_are_what_they_say_they_are(method):
    """A small game may be answered by fractions or by bounds, never by a bare float as exact."""
    table = walk(5, 2)
    try:
        found = values(table.game, method=method, **INTERPRETED)
    except OddsmithError:
        return
    answer = found.values[table.game.State(2)]["win 1"]
    if found.method == "exact":
        assert answer.exact == Fraction(2, 5)
    else:
        assert found.method == "certified"
        assert answer.upper - answer.lower < 1e-9


# How long it lasts ---------------------------------------------------------------------------


@briefly
@given(table=tables(resting=True))
def test_the_distribution_of_the_length(table):
    found = length(table.game, **INTERPRETED)
    distribution = dict(found.distribution)
    chances, left = table.lengths(60)
    for moves, true in enumerate(chances):
        assert abs(distribution.get(moves, 0.0) - true) <= 1e-14 + found.unresolved
    assert abs(sum(distribution.values()) + found.unresolved - 1) <= 1e-11
    assert_contains(found.duration, table.truth()[table.start][-1])
    for level in (0.05, 0.5, 0.95):
        if 1 - left > level:
            reached, at = Fraction(0), -1
            while reached < Fraction(level) * (1 - Fraction(1, 10**13)):
                at += 1
                reached += chances[at]
            assert found.quantiles[level] == at
            assert found.quantile(level) == at


def test_a_quantile_is_the_same_however_it_is_asked():
    """Half of the games take at most n/2 moves when 1 … n are equally likely."""
    for most in range(2, 61, 2):
        rows = {k: {k + 1: most - k - 1, most + 1: 1} for k in range(most - 1)}
        rows[most - 1] = {most + 1: 1}
        table = Table(rows, {most + 1: 0})
        found = length(table.game, **INTERPRETED)
        assert found.quantiles[0.5] == most // 2
        assert found.quantile(0.5) == most // 2


@briefly
@given(table=tables(), tail=st.sampled_from([0.3, 1e-3, 1e-6]))
def test_the_mass_beyond_the_distribution_is_bounded(table, tail):
    found = length(table.game, tail=tail, **INTERPRETED)
    last = found.distribution[-1][0] if found.distribution else 0
    chances, _ = table.lengths(last)
    assert found.unresolved <= tail * 1.001 + 1e-12
    assert 1 - sum(chances) <= Fraction(found.unresolved)


# Where it leads ------------------------------------------------------------------------------


@briefly
@given(
    table=tables(),
    inside=st.sets(st.integers(0, 9), min_size=1),
    solver=st.sampled_from(SOLVERS),
    method=st.sampled_from(["exact", "certified"]),
)
def test_visits_contain_the_truth(table, inside, solver, method):
    found = visits(
        table.game, where=lambda s: s.at in inside, method=method, solver=solver, **INTERPRETED
    ).visits
    assert len(found) == 1
    ever, times = table.ever(inside), table.times(inside)
    assert_contains(found[0].ever, ever)
    assert_contains(found[0].times, times)
    if method == "exact":
        assert found[0].ever.exact == ever


@briefly
@given(table=tables(most=5), solver=st.sampled_from(SOLVERS))
def test_visits_of_every_value_of_a_field(table, solver):
    found = visits(table.game, of="at", method="certified", solver=solver, **INTERPRETED).visits
    assert [v.where for v in found] == [f"at = {s}" for s in sorted(table.reached)]
    for s, visit in zip(sorted(table.reached), found, strict=True):
        assert_contains(visit.ever, table.ever({s}))
        assert_contains(visit.times, table.times({s}))


# Slow mixing: the gambler's ruin in closed form (Feller, vol. 1, XIV.2-3)


@pytest.mark.parametrize(
    "start", [70, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 100))]
)
@pytest.mark.parametrize("solver", SOLVERS)
def test_fair_ruin(start, solver):
    found = odds(walk(200, start).game, method="certified", solver=solver, **INTERPRETED)
    assert_contains(found.win[0], Fraction(start, 200))
    assert_contains(found.win[1], 1 - Fraction(start, 200))
    assert_contains(found.duration, start * (200 - start))
    assert found.win[0].upper - found.win[0].lower < 1e-6


def test_fair_ruin_is_not_swept():
    """A random walk of n squares needs some n² sweeps: `auto` must notice."""
    found = odds(walk(200, 100).game, method="certified", **INTERPRETED)
    assert any("sparse LU" in line for line in found.evidence.how)


def test_fair_ruin_by_idr_when_lu_would_be_too_large(monkeypatch):
    monkeypatch.setattr(limits, "LU_STATES", 50)
    found = odds(walk(200, 100).game, method="certified", **INTERPRETED)
    assert any("IDR(4)" in line for line in found.evidence.how)
    assert_contains(found.win[0], Fraction(1, 2))
    assert_contains(found.duration, 100 * 100)


@pytest.mark.parametrize("solver", ["auto", "lu"])
def test_values_of_fair_ruin(solver):
    table = walk(200, 100)
    found = values(table.game, solver=solver, **INTERPRETED).values
    for k in range(201):
        answers = found[table.game.State(k)]
        assert_contains(answers["win 1"], Fraction(k, 200))
        assert_contains(answers["length"], k * (200 - k))


@pytest.mark.parametrize(("up", "down"), [(1, 2), (2, 1), (49, 51)])
def test_unfair_ruin(up, down):
    """With ratio q = down / up the chance to reach n from k is (1 - q^k) / (1 - q^n)."""
    ratio, size, start = Fraction(down, up), 60, 20
    win = (1 - ratio**start) / (1 - ratio**size)
    found = odds(walk(size, start, up, down).game, method="certified", **INTERPRETED)
    drift = Fraction(up - down, up + down)
    assert_contains(found.win[0], win)
    assert_contains(found.duration, (size * win - start) / drift)


@pytest.mark.parametrize("solver", ["auto", "gauss-seidel", "lu", "idr"])
def test_visits_of_fair_ruin(solver):
    """From k, the chance of ever reaching j > k before ruin at 0 is k / j."""
    table = walk(100, 25)
    found = visits(
        table.game,
        where=lambda s: s.at == 75,
        method="certified",
        solver=solver,
        progress=Impatient(),
        **INTERPRETED,
    )
    assert_contains(found.visits[0].ever, Fraction(1, 3))
    assert found.visits[0].ever.upper < 0.34


# Attempts to break the certificate -----------------------------------------------------------


def assert_sound(table, **settings):
    """Every answer contains the truth, or the question is refused in one clear line."""
    truth = table.truth()[table.start]
    for ask in (certified_answers, value_answers, visit_answers):
        try:
            found = ask(table, truth, settings)
        except OddsmithError as error:
            refusal = str(error)
        else:
            for answer, true in found:
                assert_contains(answer, true, f"{ask.__name__} {settings}")
            continue
        assert "\n" not in refusal
        assert len(refusal.split()) > 5


def certified_answers(table, truth, settings):
    settings = {"progress": Impatient(), **settings}
    found = main_answers(odds(table.game, method="certified", **settings, **INTERPRETED))
    return list(zip(found, truth, strict=True))


def value_answers(table, truth, settings):
    settings = {"progress": Impatient(), **settings}
    found = values(table.game, **settings, **INTERPRETED).values[table.game.State(table.start)]
    return list(zip(found.values(), truth, strict=True))


def visit_answers(table, truth, settings):
    settings = {"progress": Impatient(), **settings}
    inside = {max(table.rows)}
    found = visits(
        table.game, where=lambda s: s.at in inside, method="certified", **settings, **INTERPRETED
    ).visits[0]
    return [(found.ever, table.ever(inside)), (found.times, table.times(inside))]


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("weight", [10**6, 10**9, 10**12])
def test_one_state_that_is_hardly_ever_left(weight, solver):
    assert_sound(Table({0: {0: weight, 1: 2, 2: 1}}, {1: 0, 2: 1}), solver=solver)


@pytest.mark.parametrize("solver", ["auto", "lu", "idr", "bicgstab", "gmres"])
@pytest.mark.parametrize("weight", [10**6, 10**9, 10**12])
def test_two_states_that_are_hardly_ever_left(weight, solver):
    """The way out is not a self-loop, so that no geometric series helps."""
    rows = {0: {1: weight, 2: 1}, 1: {0: weight, 3: 1}}
    assert_sound(Table(rows, {2: 0, 3: 1}), solver=solver)


@pytest.mark.parametrize(
    "solver", ["auto", "lu", "idr", "bicgstab", pytest.param("gmres", marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("weight", [10**4, 10**9])
def test_a_ring_that_is_hardly_ever_left(weight, solver):
    """Larger than the components that are swept, so that LU and Krylov methods do the work."""
    size = 50
    rows = {k: {(k + 1) % size: weight, (k + 7) % size: weight} for k in range(size)}
    rows[3][size], rows[31][size + 1] = 2, 1
    assert_sound(Table(rows, {size: 0, size + 1: 1}), solver=solver)


@pytest.mark.parametrize("tolerance", [1e-12, 1e-15])
def test_a_ring_of_two_nearly_closed_halves(tolerance):
    """Two clusters that rarely exchange and more rarely end: nearly uncoupled (NCD) chains."""
    rows = {s: dict.fromkeys(range(20), 10**5) for s in range(20)}
    rows |= {s: dict.fromkeys(range(20, 40), 10**5) for s in range(20, 40)}
    rows[0][20] = rows[20][0] = 3
    rows[1][40], rows[21][41] = 1, 2
    table = Table(rows, {40: 0, 41: 1})
    for solver in ("auto", "lu", "idr"):
        assert_sound(table, solver=solver, tolerance=tolerance)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_ladder_of_self_loops(solver):
    rows = {k: {k: 10**k, k + 1: 1, 9: 1} for k in range(8)}
    assert_sound(Table(rows, {8: 0, 9: 1}), solver=solver)


def test_a_ladder_that_falls_back():
    """A run of thirty heads: 2^31 - 2 tosses on average (Feller, XIII.7)."""
    rows = {k: {k + 1: 1, 0: 1} for k in range(30)}
    table = Table(rows, {30: 0})
    found = odds(table.game, method="certified", **INTERPRETED)
    assert_contains(found.win[0], 1)
    assert_contains(found.duration, 2**31 - 2)
    assert_sound(table)


def test_a_run_that_takes_longer_than_a_double_can_tell():
    """A run of sixty heads takes 2^61 - 2 tosses: refuse, or contain it."""
    assert_sound(Table({k: {k + 1: 1, 0: 1} for k in range(60)}, {60: 0}))


HUGE = [2**31, 2**32 + 1, 2**52, 2**53, 2**53 + 1, 2**60, 2**62 - 1]


@pytest.mark.parametrize("weight", HUGE)
def test_huge_weights(weight):
    assert_sound(Table({0: {1: weight, 2: 1}}, {1: 0, 2: 1}))
    assert_sound(Table({0: {1: weight, 2: 3, 3: 7}, 3: {0: weight, 1: 5}}, {1: 0, 2: 1}))


@pytest.mark.parametrize("weight", HUGE)
def test_a_huge_self_loop(weight):
    assert_sound(Table({0: {0: weight, 1: 2, 2: 1}}, {1: 0, 2: 1}))


@pytest.mark.parametrize("weight", HUGE)
def test_huge_weights_exactly(weight):
    """A fraction is exact whatever the weights: totals beyond 2^53 must not pass through floats."""
    for rows in ({0: {1: weight, 2: 1}}, {0: {0: weight, 1: 2, 2: 1}}):
        table = Table(rows, {1: 0, 2: 1})
        found = odds(table.game, method="exact", **INTERPRETED)
        assert [a.exact for a in main_answers(found)] == table.truth()[0]


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(
    table=tables(most=5, weights=st.sampled_from([1, 2, 10**3, 10**9, 2**40 + 1, 2**53 + 1])),
    solver=st.sampled_from(SOLVERS[2:]),
    tolerance=st.sampled_from([1e-3, 1e-12, 1e-15]),
)
@example(
    table=Table({0: {0: 10**9, 1: 1}, 1: {0: 10**9, 2: 1}}, {2: 0}), solver="lu", tolerance=1e-12
)
def test_uneven_weights(table, solver, tolerance):
    assert_sound(table, solver=solver, tolerance=tolerance)


def test_uncertain_answers_admit_it():
    """Where the bounds are worthless they are wide, and no answer is not-a-number."""
    table = Table({0: {1: 10**9, 2: 1}, 1: {0: 10**9, 3: 1}}, {2: 0, 3: 1})
    try:
        found = odds(table.game, method="certified", **INTERPRETED)
    except OddsmithError:
        return
    for answer in main_answers(found):
        assert answer.value == answer.value
        assert answer.lower <= answer.value <= answer.upper


# A second witness ----------------------------------------------------------------------------


def storm_exact(table, folder):
    """The chance of each outcome and the expected length, in fractions, by Storm."""
    stormpy = pytest.importorskip("stormpy", minversion="2")
    lines = ["dtmc", "module table", f"s : [0..{max(table.ends)}] init {table.start};"]
    for s, row in table.rows.items():
        updates = [f"{w}/{sum(row.values())} : (s'={t})" for t, w in row.items()]
        lines.append(f"[] s={s} -> {' + '.join(updates)};")
    lines += [f"[] s={s} -> true;" for s in table.ends]
    counted = [f"s={s} : {int(s not in table.resting)};" for s in table.rows]
    lines += ["endmodule", "rewards", *counted, "endrewards"]
    for label, won in {"first": 0, "second": 1, "drawn": DRAW}.items():
        states = [f"s={s}" for s in table.ends if table.ends[s] == won]
        lines.append(f'label "{label}" = {" | ".join(states) or "false"};')
    lines.append(f'label "over" = {" | ".join(f"s={s}" for s in table.ends)};')
    path = folder / "table.prism"
    path.write_text("\n".join(lines))
    program = stormpy.parse_prism_program(str(path))
    texts = [*(f'P=? [F "{label}"]' for label in ("first", "second", "drawn")), 'R=? [F "over"]']
    asked = [stormpy.parse_property(text, program) for text in texts]
    model = stormpy.build_model[stormpy.Rational](program, asked)
    (start,) = model.initial_states
    return [Fraction(str(stormpy.model_checking(model, one)[start].value)) for one in asked]


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(table=tables(resting=True))
def test_storm_agrees(table, tmp_path):
    exact = odds(table.game, method="exact", **INTERPRETED)
    assert [a.exact for a in main_answers(exact)] == storm_exact(table, tmp_path)


def test_the_test_agrees_with_itself():
    """The elimination above, on the coin race of the Goose paper: 16/27 and 16/3 tosses."""
    rows, ends = {}, {}
    for a, b, turn in [(a, b, t) for a in range(3) for b in range(3) for t in range(2)]:
        state = (a * 3 + b) * 2 + turn
        if a == 2 or b == 2:
            ends[state] = 0 if a == 2 else 1
        else:
            heads = ((a + 1) * 3 + b) * 2 + 1 if turn == 0 else (a * 3 + b + 1) * 2
            rows[state] = {heads: 1, (a * 3 + b) * 2 + 1 - turn: 1}
    table = Table(rows, ends)
    assert table.truth()[0] == [Fraction(16, 27), Fraction(11, 27), 0, Fraction(16, 3)]
    chances, left = table.lengths(200)
    assert chances[:5] == [0, 0, 0, Fraction(1, 4), Fraction(3, 16)]
    assert float(left) < 1e-20
    assert all(x >= y for x, y in pairwise(chances[4:]))
    assert explore(table.game, **INTERPRETED).states == len(table.reached)
