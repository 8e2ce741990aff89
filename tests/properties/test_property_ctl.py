"""Paths of the graph, by their fixed points."""

import pytest
from tests.properties.test_property_paths import random_process

from oddsmith.properties.check import check


def successors(process):
    row, col = process.state_row, process.col
    return [set(col[row[s] : row[s + 1]].tolist()) for s in range(process.states)]


def until(after, left, right, every):
    """The least set: right, or left and some (or every) successor in the set."""
    found, test = set(right), all if every else any
    while True:
        more = {s for s in left if test(t in found for t in after[s])} | found
        if more == found:
            return found
        found = more


def weak(after, left, right, every):
    """The greatest set."""
    found, test = set(range(len(after))), all if every else any
    while True:
        fewer = {s for s in found if s in left and test(t in found for t in after[s])}
        fewer |= set(right)
        if fewer == found:
            return found
        found = fewer


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("quantifier", ["E", "A"])
def test_fixed_points(seed, quantifier):
    process, every = random_process(seed), quantifier == "A"
    after, all_states = successors(process), set(range(process.states))
    a, b = (set(process.labels[x].nonzero()[0].tolist()) for x in "ab")
    test = all if every else any
    expected = {
        'X "b"': {s for s in all_states if test(t in b for t in after[s])},
        'F "b"': until(after, all_states, b, every),
        'G "b"': weak(after, b, set(), every),
        '"a" U "b"': until(after, a, b, every),
        '"a" W "b"': weak(after, a, b, every),
        '"a" R "b"': weak(after, b, a & b, every),
    }
    for path, states in expected.items():
        found = check(process, f"{quantifier} [ {path} ]").answer
        assert {s for s, (_, one) in enumerate(found) if one} == states, path
