"""The Krylov methods against a dense direct solve (LAPACK, through numpy.linalg.solve)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddsmith.solve.krylov import KRYLOV, bicgstab, gmres, idrs

TOLERANCE = 1e-11

methods = pytest.mark.parametrize("method", KRYLOV.values(), ids=KRYLOV.keys())
seeds = st.integers(0, 2**32 - 1)


def dominant(rng, n):
    """A nonsymmetric matrix whose diagonal outweighs the rest of its row."""
    a = rng.uniform(-1.0, 1.0, (n, n))
    np.fill_diagonal(a, 1.5 * np.abs(a).sum(axis=1))
    return a


def transient(rng, n, leave=0.02):
    """I - P, where P moves each state to three others and ends the game with chance `leave`."""
    p = np.zeros((n, n))
    for s in range(n):
        p[s, rng.integers(0, n, 3)] += (1.0 - leave) / 3.0
    p /= np.maximum(p.sum(axis=1, keepdims=True) / (1.0 - leave), 1e-300)
    return np.eye(n) - p


def product_with(a):
    return lambda v: a @ v


def relative_residual(a, x, b):
    return np.linalg.norm(b - a @ x) / np.linalg.norm(b)


@methods
@pytest.mark.parametrize("family", [dominant, transient])
@settings(deadline=None, max_examples=30)
@given(seed=seeds, n=st.integers(1, 80))
def test_solution_is_the_direct_one(method, family, seed, n):
    rng = np.random.default_rng(seed)
    a, b = family(rng, n), rng.standard_normal(n)
    outcome = method(product_with(a), b, tolerance=TOLERANCE, max_iterations=4000)
    assert outcome.converged
    error = np.linalg.norm(outcome.x - np.linalg.solve(a, b))
    # The residual bounds the error by the condition number.
    assert error <= np.linalg.cond(a) * 1.01 * TOLERANCE * np.linalg.norm(outcome.x) + 1e-12


@methods
def test_residual_reported_is_the_true_one(method):
    rng = np.random.default_rng(1)
    a, b = transient(rng, 200), rng.standard_normal(200)
    for budget in (5, 20, 2000):
        outcome = method(product_with(a), b, tolerance=TOLERANCE, max_iterations=budget)
        assert outcome.residual == pytest.approx(relative_residual(a, outcome.x, b), rel=1e-3)
        assert outcome.converged == (outcome.residual <= TOLERANCE)


@methods
def test_iterations_stay_within_the_budget(method):
    rng = np.random.default_rng(2)
    a, b = transient(rng, 300, leave=1e-4), rng.standard_normal(300)
    for budget in (2, 7, 31, 64):
        outcome = method(product_with(a), b, tolerance=1e-14, max_iterations=budget)
        assert not outcome.converged
        assert 0 < outcome.iterations <= budget


@methods
def test_iterations_count_the_products(method):
    """All products but those of the driver's own checks, one a correction."""
    rng = np.random.default_rng(3)
    a, b = dominant(rng, 50), rng.standard_normal(50)
    made = []

    def matvec(v):
        made.append(1)
        return a @ v

    outcome = method(matvec, b, tolerance=1e-8, max_iterations=200)
    assert outcome.converged
    assert 0 < len(made) - outcome.iterations <= 3


@methods
def test_the_driver_refuses_to_return_worse_than_it_was_given(method):
    rng = np.random.default_rng(4)
    a, b = transient(rng, 100, leave=1e-5), rng.standard_normal(100)
    exact = np.linalg.solve(a, b)
    near = exact + 1e-6 * np.linalg.norm(exact) * rng.standard_normal(100)
    given_residual = relative_residual(a, near, b)
    outcome = method(product_with(a), b, near, tolerance=1e-15, max_iterations=6)
    assert outcome.residual <= given_residual


@methods
def test_a_start_at_the_solution_needs_no_iteration(method):
    rng = np.random.default_rng(5)
    a, b = dominant(rng, 40), rng.standard_normal(40)
    x0 = np.linalg.solve(a, b)
    before = x0.copy()
    outcome = method(product_with(a), b, x0, tolerance=1e-12, max_iterations=100)
    assert (outcome.converged, outcome.iterations) == (True, 0)
    assert (x0 == before).all()


@methods
def test_a_right_hand_side_of_zero(method):
    outcome = method(lambda v: v, np.zeros(4), np.ones(4), tolerance=1e-12, max_iterations=9)
    assert outcome.converged
    assert outcome.x.tolist() == [0.0] * 4


@methods
@pytest.mark.parametrize("scale", [1e-200, 1e-30, 1e30, 1e200])
def test_scale_of_the_right_hand_side_does_not_matter(method, scale):
    """Absolute thresholds for breakdown would show here, and norms that under- or overflow."""
    rng = np.random.default_rng(6)
    a, b = dominant(rng, 30), rng.standard_normal(30)
    outcome = method(product_with(a), scale * b, tolerance=1e-10, max_iterations=300)
    assert outcome.converged
    np.testing.assert_allclose(outcome.x / scale, np.linalg.solve(a, b), rtol=1e-7)


@methods
def test_an_operator_that_returns_its_own_argument(method):
    b = np.arange(1.0, 6.0)
    outcome = method(lambda v: v, b, tolerance=1e-12, max_iterations=20)
    assert outcome.converged
    np.testing.assert_allclose(outcome.x, b, rtol=1e-12)


@methods
def test_a_good_preconditioner_saves_iterations(method):
    rng = np.random.default_rng(7)
    n = 150
    a = transient(rng, n, leave=1e-3) * rng.uniform(1.0, 1e4, (n, 1))
    b = rng.standard_normal(n)
    inverse = np.linalg.inv(a + 0.01 * rng.standard_normal((n, n)))
    plain = method(product_with(a), b, tolerance=1e-9, max_iterations=5000)
    helped = method(
        product_with(a),
        b,
        tolerance=1e-9,
        max_iterations=5000,
        precondition=product_with(inverse),
    )
    assert helped.converged
    assert helped.iterations < plain.iterations / 2
    assert relative_residual(a, helped.x, b) <= 1e-9


@methods
def test_callback_hears_of_the_way_down(method):
    rng = np.random.default_rng(8)
    a, b = transient(rng, 200), rng.standard_normal(200)
    heard = []
    outcome = method(
        product_with(a),
        b,
        tolerance=1e-10,
        max_iterations=2000,
        callback=lambda iterations, residual: heard.append((iterations, residual)),
    )
    iterations = [i for i, _ in heard]
    assert iterations == sorted(iterations)
    assert 0 < iterations[-1] <= outcome.iterations
    assert heard[-1][1] < 1e-7


@methods
def test_an_inconsistent_system_is_not_called_converged(method):
    a = np.diag([1.0, 2.0, 3.0, 0.0])
    outcome = method(product_with(a), np.ones(4), tolerance=1e-10, max_iterations=200)
    assert not outcome.converged
    assert outcome.residual >= 0.5 - 1e-12
    assert np.isfinite(outcome.x).all()


@methods
def test_an_operator_that_overflows_gives_no_garbage(method):
    outcome = method(lambda v: v * 1e300, np.full(3, 1e10), tolerance=1e-10, max_iterations=50)
    assert np.isfinite(outcome.x).all()
    assert np.isfinite(outcome.residual)


# IDR(s) alone -------------------------------------------------------------------------------


@pytest.mark.parametrize("s", [1, 2, 4, 8])
def test_idr_ends_within_n_plus_n_over_s_products(s):
    """The IDR theorem (Sonneveld & van Gijzen 2008), up to rounding, on a small system."""
    rng = np.random.default_rng(9)
    n = 24
    a = np.eye(n) + 0.5 * rng.standard_normal((n, n)) / np.sqrt(n)
    b = rng.standard_normal(n)
    outcome = idrs(product_with(a), b, s=s, tolerance=1e-9, max_iterations=10 * n)
    assert outcome.converged
    assert outcome.iterations <= n + n // s + s + 1


def test_idr_solves_a_rotation_where_the_minimising_omega_is_zero():
    """A skew matrix has vᵀ A v = 0, so that plain minimisation would never step."""
    n = 40
    a = np.kron(np.eye(n // 2), [[0.0, 1.0], [-1.0, 0.0]]) * np.repeat(np.arange(1, n // 2 + 1), 2)
    b = np.random.default_rng(10).standard_normal(n)
    outcome = idrs(product_with(a), b, tolerance=1e-9, max_iterations=2000)
    assert outcome.converged
    np.testing.assert_allclose(outcome.x, np.linalg.solve(a, b), rtol=1e-6, atol=1e-8)


def test_idr_gives_the_same_digits_every_time():
    rng = np.random.default_rng(11)
    a, b = transient(rng, 120), rng.standard_normal(120)
    first, second = (
        idrs(product_with(a), b, tolerance=1e-12, max_iterations=900) for _ in range(2)
    )
    assert (first.x == second.x).all()
    assert first.iterations == second.iterations


def test_a_shadow_space_larger_than_the_system_is_cut_to_size():
    a = np.array([[2.0, 1.0], [0.0, 3.0]])
    outcome = idrs(product_with(a), np.array([1.0, 1.0]), s=8, tolerance=1e-12, max_iterations=20)
    np.testing.assert_allclose(outcome.x, [1 / 3, 1 / 3], rtol=1e-11)


def test_larger_s_needs_fewer_products():
    """The selling point of IDR(s), on a slowly ending walk: see Sonneveld & van Gijzen 2008."""
    n = 400
    p = np.zeros((n, n))
    i = np.arange(n)
    p[i[:-1], i[:-1] + 1] = 0.5
    p[i[1:], i[1:] - 1] = 0.45
    a, b = np.eye(n) - p, np.ones(n)
    few, many = (
        idrs(product_with(a), b, s=s, tolerance=1e-9, max_iterations=20_000) for s in (1, 8)
    )
    assert few.converged
    assert many.converged
    assert many.iterations < few.iterations


def test_own_options_of_the_others():
    rng = np.random.default_rng(12)
    a, b = dominant(rng, 60), rng.standard_normal(60)
    for outcome in (
        gmres(product_with(a), b, restart=3, tolerance=1e-10, max_iterations=500),
        bicgstab(product_with(a), b, tolerance=1e-10, max_iterations=500),
    ):
        assert outcome.converged
