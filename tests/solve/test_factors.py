"""Sparse factors and products, against dense ones and against SciPy's own door to SuperLU."""

import subprocess
import sys

import numpy as np
import pytest
from scipy.sparse import csc_array, csr_array
from scipy.sparse.linalg import SuperLU, splu

from oddsmith.solve import factors
from oddsmith.solve.factors import Rows


def matrix(seed: int, size: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Triples of a diagonally dominant matrix, some of them in one place."""
    rng = np.random.default_rng(seed)
    row, col = rng.integers(0, size, (2, 4 * size))
    value = rng.uniform(-1, 0, 4 * size)
    states = np.arange(size)
    return (
        np.concatenate((row, states)),
        np.concatenate((col, states)),
        np.concatenate((value, np.full(size, 30.0))),
    )


@pytest.mark.parametrize("size", [1, 7, 300])
def test_factors_solve_what_scipy_solves(size: int) -> None:
    """The equation and the transposed one; entries in one place add up."""
    row, col, value = matrix(size, size)
    dense = np.zeros((size, size))
    np.add.at(dense, (row, col), value)
    b = np.random.default_rng(1).uniform(size=size)
    made = factors.factors(row, col, value, size)
    scipys = splu(csc_array((value, (row, col)), (size, size)))
    for letter, other in (("N", dense), ("T", dense.T)):
        assert other @ made.solve(b, letter) == pytest.approx(b, rel=1e-12)
        assert made.solve(b, letter) == pytest.approx(scipys.solve(b, letter), rel=1e-12)


def chances(seed: int, size: int, reach: int, left: float) -> Rows:
    """A chain whose states lead to some that are near, twice to some, and leave sometimes."""
    rng = np.random.default_rng(seed)
    outcomes = rng.integers(0, 5, size)
    source = np.repeat(np.arange(size), outcomes)
    col = (source + rng.integers(-reach, reach + 1, len(source))) % size
    col = np.where(rng.random(len(source)) < 0.1, np.roll(col, 1) * (outcomes[source] > 1), col)
    share = rng.uniform(0.5, 1, len(source))
    total = np.bincount(source, share, size)
    value = share / total[source] * (1 - left)
    return Rows(np.concatenate(([0], np.cumsum(outcomes))), col, value, size)


@pytest.mark.parametrize("little", [-1, factors.LITTLE])
@pytest.mark.parametrize("left", [0.3, 1e-9])
@pytest.mark.parametrize(("size", "reach"), [(1, 0), (2, 1), (60, 2), (500, 3), (500, 250)])
def test_what_is_left_of_chains_is_factored_in_order_or_in_another(
    size: int, reach: int, left: float, little: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both solve the equation that NumPy solves."""
    monkeypatch.setattr(factors, "LITTLE", little)
    inner = chances(size + reach, size, reach, left)
    dense = np.eye(size)
    np.subtract.at(dense, (inner.source, inner.col), inner.value)
    b = np.random.default_rng(2).uniform(size=size)
    made = factors.factors_of_rest(inner)
    assert isinstance(made, factors.InOrder) == (little > 0 and reach < 250)
    x = np.linalg.solve(dense, b)
    assert made.solve(b) == pytest.approx(x, rel=1e-14 / left + 1e-12)


def test_a_chain_that_is_never_left_is_singular() -> None:
    """Two states that lead to each other."""
    ring = Rows(np.array([0, 1, 2]), np.array([1, 0]), np.ones(2), 2)
    with pytest.raises(RuntimeError, match="singular"):
        factors.factors_of_rest(ring)


def test_a_scipy_that_keeps_superlu_elsewhere_is_asked_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its public function gives the same factors."""
    row, col, value = matrix(3, 50)
    monkeypatch.setattr(factors, "_superlu", lambda: None)
    made = factors.factors(row, col, value, 50)
    monkeypatch.undo()
    assert isinstance(made, SuperLU)
    b = np.ones(50)
    assert made.solve(b) == pytest.approx(factors.factors(row, col, value, 50).solve(b))


def test_a_singular_matrix_is_said_to_be() -> None:
    """Two equal rows."""
    with pytest.raises(RuntimeError, match="singular"):
        factors.factors(np.array([0, 1]), np.array([0, 0]), np.ones(2), 2)


def test_rows_are_those_of_a_sparse_matrix() -> None:
    """Products, rows taken (twice, and out of order), empty rows, the band: as SciPy has them."""
    dense = np.zeros((6, 5))
    dense[0, 4], dense[2, 1], dense[2, 2], dense[5, 0] = 1.0, 2.0, 3.0, 4.0
    sparse = csr_array(dense)
    rows = Rows(sparse.indptr, sparse.indices, sparse.data, 5)
    x = np.arange(5.0) + 1
    assert list(rows @ x) == list(dense @ x)
    some = np.array([5, 2, 1, 2, 0])
    assert list(rows.take(some) @ x) == list(dense[some] @ x)
    assert rows.band() == 5


def test_scipy_works_after_its_library_was_loaded_alone() -> None:
    """In one process, and its factors are of the same type."""
    code = (
        "import numpy as np, sys; from oddsmith.solve.factors import factors;"
        "one = np.arange(2); made = factors(one, one, np.ones(2), 2);"
        "print('scipy.sparse' in sys.modules);"
        "from scipy.sparse import eye_array; from scipy.sparse.linalg import splu;"
        "print(type(splu(eye_array(2).tocsc())) is type(made))"
    )
    made = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert made.stdout.split() == ["False", "True"]
