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


@pytest.mark.parametrize("natural", [False, True])
@pytest.mark.parametrize("size", [1, 7, 300])
def test_factors_solve_what_scipy_solves(size: int, natural: bool) -> None:
    """The equation and the transposed one; entries in one place add up."""
    row, col, value = matrix(size, size)
    dense = np.zeros((size, size))
    np.add.at(dense, (row, col), value)
    b = np.random.default_rng(1).uniform(size=size)
    made = factors.factors(row, col, value, size, natural=natural)
    scipys = splu(
        csc_array((value, (row, col)), (size, size)), permc_spec="NATURAL" if natural else "COLAMD"
    )
    for letter, other in (("N", dense), ("T", dense.T)):
        assert other @ made.solve(b, letter) == pytest.approx(b, rel=1e-12)
        assert made.solve(b, letter) == pytest.approx(scipys.solve(b, letter), rel=1e-12)


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
