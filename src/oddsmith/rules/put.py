"""`put`: a tuple with one element replaced.

States are immutable, so a move that changes one player's score returns a new tuple. Plain Python
has no short word for that. `put` is that word, here and in compiled rules.
"""

from typing import TypeVar

T = TypeVar("T")


def put(values: tuple[T, ...], index: int, value: T) -> tuple[T, ...]:
    """Return `values` with the element at `index` replaced by `value`.

    A negative index counts from the end, as everywhere in Python.

    >>> put((3, 1, 4), 1, 7)
    (3, 7, 4)
    >>> put((3, 1, 4), -1, 0)
    (3, 1, 0)
    >>> put((3, 1, 4), 3, 0)
    Traceback (most recent call last):
    ...
    IndexError: put: index out of range
    """
    size = len(values)
    if index < -size or index >= size:
        raise IndexError("put: index out of range")
    if index < 0:
        index += size
    return (*values[:index], value, *values[index + 1 :])
