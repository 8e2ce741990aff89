"""Sparse systems solved in fractions, beside two independent solvers.

The one is Gaussian elimination with Python's fractions, written here; the other is FLINT's dense
solver. Every chain leaves for good from somewhere, unless the test is about one that does not.
"""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from oddsmith.errors import OddsmithError
from oddsmith.solve.exact import linear
from oddsmith.solve.exact.dense import invert
from oddsmith.solve.exact.linear import Report, solve_all, solve_at
from oddsmith.solve.exact.system import Matrix

flint = pytest.importorskip("flint")


@pytest.fixture(scope="module", autouse=True)
def nothing_is_small():
    """All of it by lifting: FLINT's dense solver, which small systems get, is the reference."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(linear, "DENSE_EQUATIONS", 0)
        patch.setattr(linear, "DENSE_ALONE", 0)
        yield


def matrix_of(rows, totals):
    """The sparse matrix T - W of rows {target: weight} and the sums of all weights."""
    numbers = [weight for row in rows for weight in row.values()] + list(totals)
    kind = np.int64 if max(numbers) < 2**31 else object
    return Matrix(
        np.cumsum([0, *(len(row) for row in rows)]),
        np.array([target for row in rows for target in row], np.int64),
        np.array([weight for row in rows for weight in row.values()], kind),
        np.array(totals, kind),
    )


def dense(rows, totals):
    """The same matrix as rows of Python integers."""
    size = len(rows)
    return [
        [(totals[i] if i == j else 0) - rows[i].get(j, 0) for j in range(size)]
        for i in range(size)
    ]  # fmt: skip


def eliminated(matrix, right):
    """The solution by Gaussian elimination in fractions; pivots are where they are not zero."""
    size = len(matrix)
    work = [[Fraction(x) for x in (*row, *given)] for row, given in zip(matrix, right, strict=True)]
    for k in range(size):
        pivot = next(i for i in range(k, size) if work[i][k] != 0)
        work[k], work[pivot] = work[pivot], work[k]
        work[k] = [x / work[k][k] for x in work[k]]
        for i in range(size):
            if i != k and work[i][k]:
                work[i] = [x - work[i][k] * y for x, y in zip(work[i], work[k], strict=True)]
    return [row[size:] for row in work]


def solved_by_flint(matrix, right):
    """The solution by FLINT's dense solver."""
    size, columns = len(matrix), len(right[0])
    left = flint.fmpq_mat(flint.fmpz_mat(size, size, [x for row in matrix for x in row]))
    given = [fraction_of_flint(x) for row in right for x in row]
    found = left.solve(flint.fmpq_mat(size, columns, given))
    return [[python_fraction(found[i, q]) for q in range(columns)] for i in range(size)]


def fraction_of_flint(value):
    value = Fraction(value)
    return flint.fmpq(value.numerator, value.denominator)


def python_fraction(value):
    return Fraction(int(value.p), int(value.q))


def at_all(rows, totals, right):
    """`solve_at` for every unknown."""
    given = np.array(right, np.int64)
    return solve_at(matrix_of(rows, totals), given, range(len(rows)))


def whole_solution(rows, totals, right):
    """`solve_all`, its answers as Python's fractions."""
    given = [[fraction_of_flint(x) for x in row] for row in right]
    found = solve_all(matrix_of(rows, totals), given)
    return [[python_fraction(x) for x in row] for row in found]


@st.composite
def chains(draw, most_states=8, most_weight=9):
    """Rows, totals and right-hand sides of a chain from which every state leaves sometimes."""
    size = draw(st.integers(1, most_states))
    weights = st.integers(1, most_weight)
    rows, totals = [], []
    for s in range(size):
        row = draw(st.dictionaries(st.integers(0, size - 1), weights, max_size=4))
        if s:  # towards state 0, which leaves
            row[s - 1] = row.get(s - 1, 0) + 1
        leaving = draw(st.integers(0 if s else 1, most_weight))
        rows.append(row)
        totals.append(sum(row.values()) + leaving)
    columns = draw(st.integers(1, 3))
    numbers = st.integers(-most_weight, most_weight)
    right = [[draw(numbers) for _ in range(columns)] for _ in range(size)]
    return rows, totals, right


ONE_STATE = ([{}], [3], [[2]])
ONE_THAT_STAYS = ([{0: 5}], [7], [[1, -1]])
NOTHING_ASKED = ([{1: 1}, {0: 1}], [2, 2], [[0], [0]])


@example(ONE_STATE)
@example(ONE_THAT_STAYS)
@example(NOTHING_ASKED)
@given(chains())
@settings(deadline=None, max_examples=60)
def test_small_systems_agree_with_gaussian_elimination(chain):
    rows, totals, right = chain
    expected = eliminated(dense(rows, totals), right)
    assert at_all(rows, totals, right) == expected
    assert whole_solution(rows, totals, right) == expected


@given(chains(most_states=40, most_weight=10**6))
@settings(deadline=None, max_examples=25)
def test_larger_systems_agree_with_flint(chain):
    rows, totals, right = chain
    expected = solved_by_flint(dense(rows, totals), right)
    assert at_all(rows, totals, right) == expected
    assert whole_solution(rows, totals, right) == expected


@given(chains(most_states=6, most_weight=10**30))
@settings(deadline=None, max_examples=25)
def test_weights_of_thirty_digits(chain):
    rows, totals, right = chain
    small = [[x % 1000 for x in row] for row in right]
    assert at_all(rows, totals, small) == eliminated(dense(rows, totals), small)
    assert whole_solution(rows, totals, right) == eliminated(dense(rows, totals), right)


@given(chains(), st.data())
@settings(deadline=None, max_examples=25)
def test_right_hand_sides_may_be_fractions_of_any_size(chain, data):
    rows, totals, right = chain
    long = st.fractions(max_denominator=10**25)
    right = [[data.draw(long) * 10**20 for _ in row] for row in right]
    assert whole_solution(rows, totals, right) == eliminated(dense(rows, totals), right)


@given(st.integers(2, 30), st.integers(1, 10**6))
@settings(deadline=None, max_examples=20)
def test_a_nearly_closed_class_is_left_once_in_a_great_while(size, weight):
    """A ring with one exit among `size * weight` steps a round: the mean is known in words."""
    rows = [{(s + 1) % size: weight} for s in range(size)]
    totals = [weight] * (size - 1) + [weight + 1]
    [[mean]] = solve_at(matrix_of(rows, totals), np.array([[t] for t in totals]), [0])
    # A round takes `size` steps and is the last with chance 1/(weight + 1).
    assert mean == size * (weight + 1)


def test_ruin_with_a_bias_has_its_closed_form():
    """Chance of a gambler with i of n coins who wins a bet with 18 in 37 (Huygens, 1657)."""
    size = 400
    rows = [{} for _ in range(size - 1)]
    for i in range(1, size):
        rows[i - 1] |= {j - 1: w for j, w in ((i + 1, 18), (i - 1, 19)) if 0 < j < size}
    right = [[18 if i == size - 1 else 0] for i in range(1, size)]
    report = Report()
    matrix = matrix_of(rows, [37] * (size - 1))
    ratio = Fraction(19, 18)
    for i in (1, 200, 399):
        [[found]] = solve_at(matrix, np.array(right), [i - 1], most=1, report=report)
        assert found == (1 - ratio**i) / (1 - ratio**size)
    assert report.unknowns == size - 1
    assert report.dense < 10, "a walk does not fill up"


def test_blocks_that_are_left_for_good():
    """Two random blocks, the first left for the second: solved whole and block by block."""
    random = np.random.default_rng(5)
    first, second = 60, 40
    rows = []
    for s in range(first + second):
        low, high = (0, first) if s < first else (first, first + second)
        row = {int(t): int(w) for t, w in random.integers([low, 1], [high, 9], (4, 2))}
        if s < first:
            row[first + s % second] = 3
        rows.append(row)
    totals = [sum(row.values()) + (s >= first) for s, row in enumerate(rows)]
    right = [[int(s % 3 == 0), totals[s]] for s in range(first + second)]
    expected = solved_by_flint(dense(rows, totals), right)
    assert at_all(rows, totals, right) == expected
    behind = solved_by_flint(
        [row[first:] for row in dense(rows, totals)[first:]], right[first:]
    )  # fmt: skip
    assert behind == expected[first:]


def test_a_random_graph_that_fills_up_and_its_report():
    random = np.random.default_rng(8)
    size = 150
    rows = [
        {int(t): int(w) for t, w in random.integers([0, 1], [size, 7], (5, 2))}
        | {(s + 1) % size: 1}
        for s in range(size)
    ]
    totals = [sum(row.values()) + (s % 20 == 0) for s, row in enumerate(rows)]
    right = [[int(s == 40), totals[s]] for s in range(size)]
    report = Report()
    found = solve_at(matrix_of(rows, totals), np.array(right), [0, 149], report=report)
    expected = solved_by_flint(dense(rows, totals), right)
    assert found == [expected[0], expected[149]]
    assert report.fill > report.entries
    assert report.digits >= len(str(expected[0][0].numerator))


@pytest.mark.parametrize("size", [1, 2, 31, 33, 100, 257, 600])
def test_a_dense_inverse_modulo_a_prime_is_the_one_of_flint(size):
    prime = 2**31 - 1
    matrix = np.random.default_rng(size).integers(0, prime, (size, size))
    given = flint.nmod_mat(size, size, matrix.ravel().tolist(), prime)
    assert invert(matrix, prime)
    assert flint.nmod_mat(size, size, matrix.ravel().tolist(), prime) == given.inv()


def test_a_dense_matrix_without_an_inverse_modulo_a_prime():
    for size in (1, 40, 300):
        matrix = np.zeros((size, size), np.int64)
        matrix[np.arange(size), np.arange(size)] = 1
        matrix[-1, -1] = 0
        assert not invert(matrix, 2**31 - 1)


@pytest.mark.parametrize(
    ("rows", "totals"),
    [
        ([{0: 4}], [4]),
        ([{1: 1}, {0: 1}], [1, 1]),
        ([{1: 1}, {2: 1, 0: 1}, {2: 7}], [2, 3, 7]),
    ],
    ids=["one state", "two states", "behind others"],
)
def test_a_class_that_is_never_left_is_refused(rows, totals):
    with pytest.raises(OddsmithError):
        at_all(rows, totals, [[1]] * len(rows))
    with pytest.raises(OddsmithError):
        whole_solution(rows, totals, [[1]] * len(rows))
