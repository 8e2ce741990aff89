"""Spelling: long texts from arrays of tokens, at the speed of the disk.

A text is a row of tokens. A token that is not negative is the number of a piece of text in a
table (a chance, an action, a separator); a negative token t is the whole number -1 - t, spelled
in decimals. So a line of ten million is a few numbers in an array, and one compiled loop turns
them into bytes.
"""

from __future__ import annotations

from typing import IO, Any

import numpy as np
import numpy.typing as npt

from oddsmith.ahead import kernel

Tokens = npt.NDArray[np.int64]

AT_ONCE = 1 << 18
"""Transitions that are spelled at a time."""


class Pieces:
    """A table of pieces of text, each stored once."""

    def __init__(self) -> None:
        self._number: dict[bytes, int] = {}

    def __call__(self, text: str) -> int:
        """The token of a piece of text."""
        return self._number.setdefault(text.encode(), len(self._number))

    def all(self, texts: list[str]) -> Tokens:
        """The tokens of several pieces."""
        return np.array([self(text) for text in texts], np.int64)

    def write(self, file: IO[bytes], tokens: Tokens) -> None:
        """Write what tokens spell."""
        pieces = list(self._number)
        offset = np.cumsum([0, *map(len, pieces)], dtype=np.int64)
        data = np.frombuffer(b"".join(pieces) or b"\0", np.uint8)
        flat = np.ascontiguousarray(tokens).reshape(-1)
        buffer = np.empty(_length(flat, offset), np.uint8)
        _spell(flat, offset, data, buffer)
        file.write(buffer.data)


def number(values: Any) -> Any:
    """The tokens of whole numbers that are not negative."""
    return -1 - np.asarray(values, np.int64)


@kernel
def _length(tokens: Tokens, offset: Tokens) -> int:
    """Bytes that tokens spell."""
    length = 0
    for token in tokens:
        if token >= 0:
            length += offset[token + 1] - offset[token]
        else:
            rest = -1 - token
            length += 1
            while rest >= 10:
                rest //= 10
                length += 1
    return length


@kernel
def _spell(
    tokens: Tokens, offset: Tokens, data: npt.NDArray[np.uint8], out: npt.NDArray[np.uint8]
) -> None:
    """Write the bytes of tokens into `out`."""
    at = 0
    digits = np.empty(20, np.uint8)
    for token in tokens:
        if token >= 0:
            for i in range(offset[token], offset[token + 1]):
                out[at] = data[i]
                at += 1
        else:
            rest = -1 - token
            count = 0
            while True:
                digits[count] = 48 + rest % 10
                count += 1
                rest //= 10
                if rest == 0:
                    break
            while count:
                count -= 1
                out[at] = digits[count]
                at += 1
