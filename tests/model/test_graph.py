"""The graph algorithms against SciPy, against Storm, and against their definitions by brute force.

The definitions are tried on models so small that everything can be enumerated: all memoryless
policies (they suffice for reachability: Baier & Katoen, section 10.6.1), all sets of choices.
"""

from itertools import combinations, pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order, connected_components

from oddsmith.model import graph

LONG = 1_000_000

thoroughly = settings(deadline=None, max_examples=150)  # the first example waits for the compiler


# Models at random ---------------------------------------------------------------------------


def offsets(lists):
    return np.cumsum([0, *map(len, lists)])


def pack(lists):
    """Lists of numbers as compressed sparse rows."""
    return offsets(lists), np.array([x for xs in lists for x in xs], np.int32)


def pack_menus(menus):
    """Each state's choices, themselves lists of outcomes, as (choice, row, col)."""
    return offsets(menus), *pack([outcomes for menu in menus for outcomes in menu])


def subsets(states, least, most):
    return st.lists(states, min_size=least, max_size=most, unique=True)


@st.composite
def chains(draw, most=12):
    """(row, col, target); some states are terminal."""
    n = draw(st.integers(1, most))
    states = st.integers(0, n - 1)
    row, col = pack([draw(subsets(states, 0, 3)) for _ in range(n)])
    return row, col, marked(n, draw(subsets(states, 0, n)))


@st.composite
def processes(draw, states=5, choices=3):
    """(choice, row, col, target); some states have no choice."""
    n = draw(st.integers(1, states))
    numbers = st.integers(0, n - 1)
    menus = st.lists(subsets(numbers, 1, 3), max_size=choices)
    process = pack_menus([draw(menus) for _ in range(n)])
    return *process, marked(n, draw(subsets(numbers, 0, 2)))


def marked(n, states):
    mask = np.zeros(n, np.bool_)
    mask[states] = True
    return mask


def matrix(row, col):
    n = row.size - 1
    return csr_array((np.ones(col.size), col, row), shape=(n, n))


def random_process(rng, n, choices=3, outcomes=2):
    """A process of n states, each with up to `choices` choices and none terminal."""

    def draw_choice():
        return np.sort(rng.choice(n, rng.integers(1, outcomes + 1), replace=False))

    return pack_menus(
        [[draw_choice() for _ in range(rng.integers(1, choices + 1))] for _ in range(n)]
    )


def listed(components):
    return [(states.tolist(), choices.tolist()) for states, choices in components]


# Any graph ----------------------------------------------------------------------------------


@thoroughly
@given(chains())
def test_transpose_is_scipys(chain):
    row, col, _ = chain
    row_t, col_t = graph.transpose(row, col)
    expected = matrix(row, col).T.tocsr()
    expected.sort_indices()
    assert row_t.tolist() == expected.indptr.tolist()
    assert col_t.tolist() == expected.indices.tolist()


@thoroughly
@given(chains(), st.data())
def test_reachable_is_scipys_breadth_first_search(chain, data):
    row, col, _ = chain
    n = row.size - 1
    sources = data.draw(st.lists(st.integers(0, n - 1), max_size=3))
    expected = marked(n, [])
    for source in sources:
        expected[breadth_first_order(matrix(row, col), source)[0]] = True
    assert graph.reachable(row, col, np.array(sources, np.int64)).tolist() == expected.tolist()


@thoroughly
@given(chains(), st.data())
def test_can_reach_is_a_path_through_allowed_states(chain, data):
    """The least fixed point of ∃(through U target), iterated on a dense matrix."""
    row, col, target = chain
    n = row.size - 1
    through = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    edges = matrix(row, col).toarray() > 0
    for allowed in (None, through):
        expected = target
        for _ in range(n):
            entering = (edges & expected).any(axis=1)
            expected = target | (entering if allowed is None else entering & allowed)
        assert graph.can_reach(row, col, target, allowed).tolist() == expected.tolist()


@thoroughly
@given(chains())
def test_strong_components_are_scipys(chain):
    row, col, _ = chain
    component, count = graph.strong_components(row, col)
    expected_count, expected = connected_components(matrix(row, col), connection="strong")
    assert count == expected_count == len(set(component.tolist()))
    assert len(set(zip(component.tolist(), expected.tolist(), strict=True))) == count


@thoroughly
@given(chains(most=30))
def test_strong_components_come_in_topological_order(chain):
    row, col, _ = chain
    component, count = graph.strong_components(row, col)
    source = np.repeat(np.arange(row.size - 1), np.diff(row))
    assert (component[source] <= component[col]).all()
    assert sorted(set(component.tolist())) == list(range(count))


@pytest.mark.parametrize("degree", [1.0, 1.5, 3.0])
def test_strong_components_of_larger_graphs_are_scipys(degree):
    rng = np.random.default_rng(7)
    n = 20_000
    edges = csr_array(
        (np.ones(int(degree * n)), rng.integers(0, n, (2, int(degree * n)))), shape=(n, n)
    )
    component, count = graph.strong_components(edges.indptr, edges.indices)
    expected_count, expected = connected_components(edges, connection="strong")
    assert count == expected_count == len(np.unique(component * n + expected))


@thoroughly
@given(chains())
def test_closed_components_and_recurrent_classes(chain):
    """By definition: a component is closed if its states reach no other component."""
    row, col, _ = chain
    component, count = graph.strong_components(row, col)
    closed = graph.closed_components(row, col, component, count)
    classes = []
    for number in range(count):
        states = np.flatnonzero(component == number)
        order = breadth_first_order(matrix(row, col), states[0], return_predecessors=False)
        assert closed[number] == (set(order) == set(states))
        if closed[number] and row[states[0]] < row[states[0] + 1]:
            classes.append(states.tolist())
    assert [c.tolist() for c in graph.recurrent_classes(row, col)] == sorted(classes)


# Markov chains ------------------------------------------------------------------------------


def hitting_probabilities(row, col, target):
    """Reach `target` when all successors are equally likely, by squaring the matrix 50 times."""
    n = row.size - 1
    step = matrix(row, col).toarray()
    absorbing = target | (np.diff(row) == 0)
    step[absorbing] = np.eye(n)[absorbing]
    for _ in range(50):
        step /= step.sum(axis=1, keepdims=True)
        step = step @ step
    return step[:, target].sum(axis=1)


@thoroughly
@given(chains(most=8))
def test_prob0_and_prob1_are_where_the_probability_is_0_and_1(chain):
    probability = hitting_probabilities(*chain)
    assert graph.prob0(*chain).tolist() == (probability < 1e-9).tolist()
    assert graph.prob1(*chain).tolist() == (probability > 1 - 1e-9).tolist()


# Decision processes -------------------------------------------------------------------------


def policies(choice):
    """Every memoryless policy, as one choice a state (None where there is none to make)."""
    menus = [range(first, last) if first < last else [None] for first, last in pairwise(choice)]
    return product(*menus)


@thoroughly
@given(processes())
def test_prob0_of_the_worst_policy(process):
    choice, row, col, target = process
    outcomes = [
        hitting_probabilities(
            *pack([[] if c is None else col[row[c] : row[c + 1]] for c in policy]), target
        )
        for policy in policies(choice.tolist())
    ]
    least = np.min(outcomes, axis=0)
    assert graph.prob0_min(*process).tolist() == (least < 1e-9).tolist()


def end_components_by_definition(choice, row, col):
    """The maximal sets of choices that stay among their owners and join them strongly."""
    owner = np.repeat(np.arange(choice.size - 1), np.diff(choice))
    found = []
    for size in range(owner.size, 0, -1):
        for choices in combinations(range(owner.size), size):
            states = sorted({int(owner[c]) for c in choices})
            edges = [(owner[c], t) for c in choices for t in col[row[c] : row[c + 1]]]
            if any(set(choices) <= set(larger) for _, larger in found):
                continue
            if all(t in states for _, t in edges) and is_strong(states, edges):
                found.append((states, list(choices)))
    return sorted(found)


def is_strong(states, edges):
    place = {s: i for i, s in enumerate(states)}
    dense = np.zeros((len(states), len(states)))
    for s, t in edges:
        dense[place[s], place[t]] = 1
    return connected_components(csr_array(dense), connection="strong")[0] == 1


@thoroughly
@given(processes(states=4, choices=2))
def test_end_components_by_definition(process):
    choice, row, col, _ = process
    found = listed(graph.end_components(choice, row, col))
    assert found == end_components_by_definition(choice, row, col)


def test_end_components_are_found_inside_a_strong_component_that_breaks():
    """0 and 1 can swap for ever, as 2 and 3 can; a third choice of 1 and 3 joins or leaves."""
    menus = [[[1]], [[0], [2]], [[3]], [[2], [0, 4]], []]
    found = listed(graph.end_components(*pack_menus(menus)))
    assert found == [([0, 1], [0, 1]), ([2, 3], [3, 4])]


# Storm --------------------------------------------------------------------------------------


def storm_process(choice, row, col):
    pytest.importorskip("stormpy", minversion="2")
    from stormpy import datastructures, models

    n = choice.size - 1
    dense = np.zeros((row.size - 1, n))
    for c, (first, last) in enumerate(pairwise(row)):
        dense[c, col[first:last]] = 1 / (last - first)
    labels = models.StateLabeling(n)
    labels.add_label("init")
    transitions = datastructures.build_sparse_matrix(dense, choice[:-1].tolist())
    components = models.SparseModelComponents(transition_matrix=transitions, state_labeling=labels)
    return models.SparseMdp(components)


@pytest.mark.parametrize("seed", range(20))
def test_prob0_is_storms(seed):
    rng = np.random.default_rng(seed)
    n = 200
    process = random_process(rng, n)
    model = storm_process(*process)
    from stormpy import developer
    from stormpy.datastructures import BitVector

    goal = rng.choice(n, 1 + seed % 5, replace=False).tolist()
    everything, target = BitVector(n, True), BitVector(n, sorted(goal))
    theirs, _ = developer.perform_prob01_min(model, everything, target)
    assert np.flatnonzero(graph.prob0_min(*process, marked(n, goal))).tolist() == list(theirs)


@pytest.mark.parametrize("seed", range(20))
def test_end_components_are_storms(seed):
    process = random_process(np.random.default_rng(seed), 100, choices=4)
    model = storm_process(*process)
    from stormpy import analysis

    theirs = []
    for component in analysis.get_maximal_end_components(model):
        members = dict(component)
        theirs.append((sorted(members), sorted(c for cs in members.values() for c in cs)))
    assert listed(graph.end_components(*process)) == sorted(theirs)


# Size and types -----------------------------------------------------------------------------


def test_a_long_path_overflows_no_stack():
    row = np.minimum(np.arange(LONG + 1), LONG - 1)
    col = np.arange(1, LONG, dtype=np.int32)
    component, count = graph.strong_components(row, col)
    assert count == LONG
    assert (component == np.arange(LONG)).all()
    end = marked(LONG, [LONG - 1])
    assert graph.reachable(row, col, np.array([0])).all()
    assert graph.prob1(row, col, end).all()
    assert graph.recurrent_classes(row, col) == []


def test_a_long_cycle_is_one_component_and_one_end_component():
    row = np.arange(LONG + 1)
    col = np.roll(np.arange(LONG, dtype=np.int32), -1)
    assert graph.strong_components(row, col)[1] == 1
    assert [c.size for c in graph.recurrent_classes(row, col)] == [LONG]
    assert [(s.size, c.size) for s, c in graph.end_components(row, row, col)] == [(LONG, LONG)]


def test_a_long_decision_process_with_a_way_out_everywhere():
    """Each state goes on to the next or gives up (to the last state, which has no choice)."""
    n = LONG // 2
    choice = np.minimum(np.arange(0, 2 * n + 1, 2), 2 * n - 2)
    row = np.arange(2 * n - 1)
    col = np.empty(2 * n - 2, np.int32)
    col[0::2] = np.minimum(np.arange(1, n), n - 2)
    col[1::2] = n - 1
    target = marked(n, [n - 2])
    assert (graph.prob0_min(choice, row, col, target) == ~target).all()
    assert [s.tolist() for s, _ in graph.end_components(choice, row, col)] == [[n - 2]]


@pytest.mark.parametrize("dtype", [np.int32, np.uint64])
def test_any_integer_type_will_do(dtype):
    row, col = np.array([0, 1, 3, 3], dtype), np.array([1, 0, 2], dtype)
    component, count = graph.strong_components(row, col)
    assert (component.tolist(), count) == ([0, 0, 1], 2)
    assert graph.prob1(row, col, marked(3, [2])).all()
    swap = graph.end_components(row, np.array([0, 1, 2, 3], dtype), col)
    assert listed(swap) == [([0, 1], [0, 1])]


def test_a_graph_without_states():
    row, col = np.zeros(1, np.int64), np.zeros(0, np.int32)
    component, count = graph.strong_components(row, col)
    assert (component.size, count) == (0, 0)
    assert graph.recurrent_classes(row, col) == []
    assert graph.end_components(row, row, col) == []
