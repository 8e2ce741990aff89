"""`put` in plain Python and in compiled code give the same answers and the same errors."""

import pytest
from grind.alone import Stopped, compiled
from hypothesis import given
from hypothesis import strategies as st

from oddsmith.model.step.values import Refused
from oddsmith.rules.put import put


def replace_in(values, index, value):
    return put(values, index, value)


def compiled_put(values, index, value):
    return compiled(replace_in, values, index, value)(values, index, value)


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
    with pytest.raises(IndexError if replace is put else Stopped):
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


def reversed_by_put(values):
    result = values
    for index in range(len(values)):
        result = put(result, len(values) - 1 - index, values[index])
    return result


def test_compiled_in_a_loop_keeps_one_type():
    assert compiled(reversed_by_put, (1, 2, 3, 4))((1, 2, 3, 4)) == (4, 3, 2, 1)
    long = tuple(range(200))
    assert compiled(reversed_by_put, long)(long) == long[::-1]


@pytest.mark.parametrize(
    ("values", "value"),
    [
        ((1, 2), 0.5),
        ((1, 2), True),
        ((True, True), 0),
        ((0.5, 1.5), 3),
        ((1, True), 1),
    ],
)
def test_compiled_refuses_what_it_would_get_wrong(values, value):
    with pytest.raises(Refused):
        compiled_put(values, 0, value)
