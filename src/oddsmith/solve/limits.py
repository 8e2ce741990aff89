"""Limits that decide between engines and methods, each with what it was measured on.

Measured on two cores of an AMD EPYC (docs/benchmarks.md); no decision looks at a clock, so the same
command takes the same road on a busy machine.
"""

EXACT_STATES, EXACT_COMPONENT = 1000, 400
"""Up to so many states, and so many that depend on each other, `auto` answers with fractions:
below a second for every game of the catalogue."""

WRITTEN_OUT = 8_000_000
"""Entries up to which a board's chain is written out to count throws: five seconds, 0.5 GiB."""

GRAPH_STATES = 30_000_000
"""States up to which the graph of a board is stored to count throws: 24 GiB hold no more."""

CUDA_NUMBERS = 5 * 10**7
"""Numbers of a lattice from which on a CUDA device is used where there is one: below, copying and
starting it take longer than the processor's whole sweep."""

LATTICE_SECONDS = 0.9e-6
"""Seconds a number of a lattice: four geese have 4,879,681 and take 4.4 s."""

GRAPH_SECONDS = 0.4e-6
"""Seconds a transition of a graph, explored and solved with bounds: Pig has 6.7 million, 4.3 s
with its decisions."""

EXACT_SECONDS = 2.2 / 4_400**1.5
"""Seconds of fractions for n equations, over n^1.5: two geese 2.2 s, 10^5 equations 111 to 445."""

GRAPH_BYTES = 64, 14
"""Bytes a state and a transition of a graph, stored and solved with bounds."""
