# mypy: disable-error-code="untyped-decorator"
"""Where play leads on: to what is known, or out of a component, by choices that are good.

Choices that go round look as good as one that leads on, so values alone do not tell them apart; the
transitions do. All searches are linear in the transitions.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from oddsmith.ahead import kernel


@kernel
def lead(
    known: Any, choice: Any, row: Any, col: Any, good: Any, out: Any, toward: Any, pick: Any
) -> None:
    """Find the nodes from which play leads on, backward, and change picks such that it does.

    They are added to `known`. Play leads on by a choice that may lead to a known node, or that has
    a chance `out` of leaving them all (empty: none has). Where `toward` is set, such a choice is
    taken among the good ones; elsewhere others decide: play leads on if it does by all their good
    choices.
    """
    size = len(choice) - 1
    count = np.zeros(size + 1, np.int64)
    owner = np.empty(len(row) - 1, np.int32)
    missing = np.zeros(size, np.int32)
    for s in range(size):
        for c in range(choice[s], choice[s + 1]):
            owner[c] = s
            if good[c]:
                missing[s] += 1
                for e in range(row[c], row[c + 1]):
                    count[col[e] + 1] += 1
    for s in range(size):
        count[s + 1] += count[s]
    entering = np.empty(count[size], np.int32)
    cursor = count[:size].copy()
    met = np.zeros(len(row) - 1, np.bool_)
    queue = np.empty(size, np.int32)
    head, tail = 0, 0
    for s in range(size):
        if known[s]:
            queue[tail] = s
            tail += 1
    for c in range(len(row) - 1):
        if not good[c]:
            continue
        for e in range(row[c], row[c + 1]):
            entering[cursor[col[e]]] = c
            cursor[col[e]] += 1
        s = owner[c]
        if len(out) > 0 and out[c] > 0.0 and not known[s]:
            met[c] = True
            missing[s] -= 1
            if toward[s] or missing[s] == 0:
                known[s] = True
                if toward[s]:
                    pick[s] = c
                queue[tail] = s
                tail += 1
    while head < tail:
        t = queue[head]
        head += 1
        for k in range(count[t], count[t + 1]):
            c = entering[k]
            s = owner[c]
            if known[s] or met[c]:
                continue
            met[c] = True
            missing[s] -= 1
            if toward[s] or missing[s] == 0:
                known[s] = True
                if toward[s]:
                    pick[s] = c
                queue[tail] = s
                tail += 1


@kernel
def never_leaving(choice: Any, row: Any, col: Any, out: Any, pick: Any) -> Any:
    """The nodes of a component from which play by the picks never leaves it."""
    size = len(choice) - 1
    good = np.zeros(len(row) - 1, np.bool_)
    for s in range(size):
        good[pick[s]] = True
    leaves = np.zeros(size, np.bool_)
    lead(leaves, choice, row, col, good, out, np.ones(size, np.bool_), pick)
    return ~leaves
