"""Operations on rows of numbers, as vectors of 64 bytes: what they do is in `vector_code.py`."""

from oddsmith.ahead.kernel import instruction

BYTES = 64
"""Of a vector."""

_CODE = "oddsmith.solve.lattice.vector_code"

combine = instruction(_CODE, "combine")
add = instruction(_CODE, "add")
add_by_lane = instruction(_CODE, "add_by_lane")
load_row = instruction(_CODE, "load_row")
store_row = instruction(_CODE, "store_row")
