"""`put` in plain Python and in compiled code give the same answers and the same errors."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit
from numba.core.errors import TypingError

from oddsmith.model.put_compiled import register
from oddsmith.rules.put import put

register()


@njit
def compiled_put(values, index, value):
    return put(values, index, value)


both = pytest.mark.parametrize("replace", [put, compiled_put], ids=["plain", "compiled"])


@given(st.lists(st.integers(), min_size=1), st.data())
def test_put_does_what_item_assignment_does_to_a_list(values, data):
    index = data.draw(st.integers(-len(values), len(values) - 1))
    value = data.draw(st.integers())
    expected = list(values)
    expected[index] = value
    assert put(tuple(values), index, value) == tuple(expected)


@both
@pytest.mark.parametrize("index", range(-3, 3))
def test_every_index_of_a_triple(replace, index):
    expected = [10, 20, 30]
    expected[index] = 7
    assert replace((10, 20, 30), index, 7) == tuple(expected)


@both
@pytest.mark.parametrize("index", [-4, 3, 100, -100])
def test_an_index_out_of_range_is_an_index_error(replace, index):
    with pytest.raises(IndexError, match="put: index out of range"):
        replace((10, 20, 30), index, 7)


@both
def test_the_original_is_left_alone(replace):
    values = (1, 2)
    assert replace(values, 0, 9) == (9, 2)
    assert values == (1, 2)


@both
def test_a_tuple_of_one(replace):
    assert replace((1,), 0, 2) == replace((1,), -1, 2) == (2,)


@both
@pytest.mark.parametrize("index", range(-3, 3))
@pytest.mark.parametrize("value", [False, True])
def test_booleans(replace, index, value):
    expected = [True, False, True]
    expected[index] = value
    result = replace((True, False, True), index, value)
    assert result == tuple(expected)
    assert all(type(element) is bool for element in result)


@both
def test_floats_and_tuples_of_tuples(replace):
    assert replace((0.5, 1.5), 1, 2.5) == (0.5, 2.5)
    assert replace(((1, 2), (3, 4)), 1, (5, 6)) == ((1, 2), (5, 6))


@pytest.mark.parametrize("kind", [np.int8, np.int32, np.uint32, np.uint64])
def test_compiled_takes_an_index_of_any_integer_type(kind):
    assert compiled_put((10, 20, 30), kind(2), 7) == (10, 20, 7)


def test_compiled_does_not_read_a_large_unsigned_index_as_negative():
    assert compiled_put((0,) * 200, np.uint8(199), 7) == (0,) * 199 + (7,)


def test_compiled_in_a_loop_keeps_one_type():
    @njit
    def reverse(values):
        result = values
        for index in range(len(values)):
            result = put(result, len(values) - 1 - index, values[index])
        return result

    assert reverse((1, 2, 3, 4)) == (4, 3, 2, 1)


@pytest.mark.parametrize(
    ("values", "value"),
    [
        ((1, 2), 0.5),
        ((1, 2), True),
        ((True, True), 0),
        ((0.5, 1.5), 3),
        (("a", "b"), "c"),
        ((1, True), 1),
    ],
)
def test_compiled_refuses_what_it_would_get_wrong(values, value):
    with pytest.raises(TypingError):
        compiled_put(values, 0, value)


def test_registering_again_does_nothing():
    register()
    register()
    assert compiled_put((1, 2), 0, 9) == (9, 2)


def test_numba_is_imported_only_by_register():
    code = "import sys, oddsmith.model.put_compiled; sys.exit('numba' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
