"""Limits that decide between engines and methods, with what they were measured on.

That was two cores of an AMD EPYC (docs/benchmarks.md). Limits of kernels stand with them. No
decision looks at a clock, so the same command takes the same road on a busy machine.
"""

# Which engine answers -----------------------------------------------------------------------------

WRITTEN_OUT = 8_000_000
"""Entries up to which a board's chain is written out to count throws: five seconds, 0.5 GiB."""

GRAPH_STATES = 30_000_000
"""States up to which the graph of a board is stored to count throws: 24 GiB hold no more."""

CUDA_NUMBERS = 5 * 10**7
"""Numbers of a lattice from which on a CUDA device is used where there is one: below, copying and
starting it take longer than the processor's whole sweep."""


# What answers cost --------------------------------------------------------------------------------

LATTICE_SECONDS = 0.9e-6
"""Seconds a number of a lattice: four geese have 4,879,681 and take 4.4 s."""

LATTICE_COPIES = 2
"""How often numbers of a lattice are in memory: with the copy by which their tail is deflated."""

GRAPH_SECONDS = 0.4e-6
"""Seconds a transition of a graph, explored and solved with bounds: Pig has 6.7 million, 4.3 s
with its decisions."""

GRAPH_BYTES = 64, 14
"""Bytes a state and a transition of a graph, stored and solved with bounds."""

EXACT_SECONDS = 2.2 / 4_400**1.5
"""Seconds of fractions for n equations, over n^1.5: two geese 2.2 s, 10^5 equations 111 to 445."""

ENTRY_SECONDS, UNKNOWN_SECONDS = 2e-9, 2e-7
"""Seconds of a step of lifting for each entry of the matrix and its factors, and for each unknown:
two geese (503,259 entries, 2,161 unknowns) take 1.6 ms a right-hand side, Pig to 20 at random
(72,958 and 6,574) 1.5 ms."""

PROOF_SECONDS = 1e-6
"""Seconds of a digit of an unknown in a proof by the residual: lifting goes on to the bound where
that is cheaper."""


# What is said in fractions ------------------------------------------------------------------------

EXACT_STATES, EXACT_COMPONENT = 1000, 400
"""Up to so many states, and so many that depend on each other, `auto` answers with fractions:
below a second for every game of the catalogue."""


def affords_fractions(states: int, largest: int) -> bool:
    """Whether fractions are affordable unasked; `largest` numbers depend on each other."""
    return states <= EXACT_STATES and largest <= EXACT_COMPONENT


FRACTION_VARIANCE = 20_000
"""Live states up to which an exact answer has the variance as a fraction too, which has
twice the digits of the mean."""

FRACTIONS_OF_ENDS = 2_000
"""Live states up to which the chance to end is a fraction where that decides a quantile."""

FRACTION_LENGTHS = 100_000
"""Live states up to which a quantile is decided in fractions unasked."""

DECIDED_AT_ONCE, DECIDED_IN_FRACTIONS = 2_000, 20_000
"""States up to which a comparison in a property that floats leave open is decided in fractions:
without trying a tighter tolerance first, and at all."""

FRACTION_TRANSITIONS = 5_000_000
"""Transitions of a model up to which a property is answered in fractions."""

FRACTION_STEPS = 2_000_000_000
"""Transitions times the square of the steps, with which digits grow, for fractions at most."""

SMALL_STATES, SMALL_TRANSITIONS = 2_000, 20_000
"""Components with decisions, about which floats prove too little, are solved in fractions up to
these."""


# Who explores, and plays at random ----------------------------------------------------------------

INTERPRETED_FIRST = 6_000
"""How many moves and outcomes `auto` interprets before it compiles, about as long as that takes:
25,000 a second interpreted, 0.1 to 0.6 s to import the compiler and compile the rules of a game."""

LARGE_CODES = 100_000
"""A game whose fields allow so many states is large, and compiled after half as much."""

FEW_GAMES = 2_048
"""Rules are not compiled to play no more games than this."""

MODEL_STATES = 20_000_000
"""A game of decisions is explored up to so many states to play it at random on its model."""


# Who solves equations -----------------------------------------------------------------------------

SWEPT_FIRST = 32
"""Components up to this size are swept first, whatever the solver."""

SLOW_SWEEPS = 2_000
"""A component that seems to need more sweeps than this is solved otherwise; where somebody decides
and LU is cheap, an eighth of it (`allowed` in `solve/bellman/sweeps.py`)."""

MOST_SWEEPS = 10**7
"""Sweeps that are asked for end after so many."""

LU_STATES = 30_000
"""Above this size of a component IDR(s) is preferred to LU, whose factors fill up."""

DECISION_LU = 60_000
"""Equations of picks, where players decide, up to which LU solves them; of narrow bands any."""

LONG_RUN_LU = 200_000
"""States that stay among each other up to which LU solves for their average in the long run."""


# What is done unasked -----------------------------------------------------------------------------

COMPARED_STATES = 20_000
"""Up to so many states a comparison of games has the quantiles of their lengths too."""

REPORTED_STATES = 200_000
"""States of a board up to which a report explores it: more can be said of a graph."""

CERTIFICATE_STATES = 3_000_000
"""States of which a certificate is made unless more are asked for."""

CONVERGENCE_STATES = 400_000
"""Live states of a chain whose convergence is looked at."""

CONVERGENCE_WORK = 2e10
"""Transitions that one method may touch there."""

CONVERGENCE_KRYLOV = 30_000
"""Krylov methods are left out of larger chains there: they are run again and again."""

STUDIED_STATES = 5_000_000
"""A larger game is not solved for somebody who plays it, unless he insists."""

STUDIED_POSITIONS = 1_000_000
"""The same for the lattice of a board, which is swept again and again."""

STUDIED_INTERPRETED = 300_000
"""The same for rules that cannot be compiled: 5,000 states a second, a minute."""

STUDIED_TRANSITIONS = 100_000_000
"""The same for what is solved once it is explored: a minute, at 0.4 to 0.6 µs a transition."""
