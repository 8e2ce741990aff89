# mypy: disable-error-code="untyped-decorator"
"""Compiled loops for `two_sides.py`."""

from __future__ import annotations

from typing import Any

import numpy as np

from oddsmith.ahead import kernel
from oddsmith.solve.bellman.collapse import entered


@kernel
def surely_stopping(choice: Any, row: Any, col: Any, stop: Any, helps: Any) -> Any:
    """Where those who decide in `helps` can force play to stop with probability one; and picks.

    Backward from where play stops, a state is *near* if one of its choices may lead to a near
    state (in `helps`), or all of them may (elsewhere). From the other states the opponents keep
    play away for ever, so they are lost, with every choice that may lead there; and so on until
    all that are left are near. The picks are those by which a state became near, and of an
    opponent those by which it was lost.
    """
    size = len(choice) - 1
    owner, count, entering = entered(choice, row, col)
    pick = choice[:-1].copy()
    lost = np.zeros(size, np.bool_)
    barred = np.zeros(len(row) - 1, np.bool_)
    usable = np.empty(size, np.int64)
    for s in range(size):
        usable[s] = choice[s + 1] - choice[s]
    stack = np.empty(size, np.int32)
    while True:
        near = stop.copy()
        met = np.zeros(len(row) - 1, np.bool_)
        missing = usable.copy()
        top = 0
        for s in range(size):
            if stop[s]:
                stack[top] = s
                top += 1
        while top > 0:
            top -= 1
            t = stack[top]
            for k in range(count[t], count[t + 1]):
                c = entering[k]
                s = owner[c]
                if near[s] or lost[s] or barred[c] or met[c]:
                    continue
                met[c] = True
                missing[s] -= 1
                if helps[s] or missing[s] == 0:
                    near[s] = True
                    if helps[s]:
                        pick[s] = c
                    stack[top] = s
                    top += 1
        for s in range(size):
            if not near[s] and not lost[s]:
                lost[s] = True
                stack[top] = s
                top += 1
                if not helps[s]:
                    for c in range(choice[s], choice[s + 1]):
                        if not met[c]:
                            pick[s] = c
        if top == 0:
            return ~lost, pick
        while top > 0:
            top -= 1
            t = stack[top]
            for k in range(count[t], count[t + 1]):
                c = entering[k]
                s = owner[c]
                if stop[s] or lost[s] or barred[c]:
                    continue
                barred[c] = True
                usable[s] -= 1
                if not helps[s] or usable[s] == 0:
                    lost[s] = True
                    pick[s] = c
                    stack[top] = s
                    top += 1


@kernel
def earning_for_ever(choice: Any, row: Any, col: Any, stop: Any, earns: Any, helps: Any) -> Any:
    """Where those who decide in `helps` can earn again and again with some chance; and picks.

    That is where the total is infinite, whatever is earned: finitely many choices, so each time at
    least some fixed amount. First the states from which it can be forced with probability *one*:
    from every state left some choice that earns must be near, and those from which the opponents
    can keep it away are lost, with all from which play may be led to them (almost-sure Büchi games:
    Chatterjee, Jurdziński and Henzinger, Simple stochastic parity games, CSL 2003). These are won,
    and so is all from which play can be forced there with some chance. In what remains the
    opponents may still choose to go there, but need not; the same is asked of it again. If nothing
    is won any more, the opponents keep earning finite with probability one from all that is left:
    where a player wins nowhere surely, he wins nowhere with positive chance (Horn and Gimbert,
    Optimal strategies in perfect-information stochastic games with tail objectives, 2008).
    """
    size, options = len(choice) - 1, len(row) - 1
    owner, count, entering = entered(choice, row, col)
    pick = choice[:-1].copy()
    won = np.zeros(size, np.bool_)
    gone = np.zeros(options, np.bool_)
    left = choice[1:] - choice[:-1]
    stack = np.empty(size, np.int32)
    while True:
        lost = won.copy()
        barred = gone.copy()
        usable = left.copy()
        top = 0
        for s in range(size):
            if stop[s] and not lost[s]:
                lost[s] = True
                stack[top] = s
                top += 1
        while True:
            while top > 0:  # what may be led to lost states is lost
                top -= 1
                t = stack[top]
                for k in range(count[t], count[t + 1]):
                    c = entering[k]
                    s = owner[c]
                    if lost[s] or barred[c]:
                        continue
                    barred[c] = True
                    usable[s] -= 1
                    if not helps[s] or usable[s] == 0:
                        lost[s] = True
                        stack[top] = s
                        top += 1
            near = np.zeros(size, np.bool_)
            met = np.zeros(options, np.bool_)
            missing = usable.copy()
            for c in range(options):
                s = owner[c]
                if not earns[c] or barred[c] or lost[s]:
                    continue
                met[c] = True
                missing[s] -= 1
                if not near[s] and (helps[s] or missing[s] == 0):
                    near[s] = True
                    pick[s] = c
                    stack[top] = s
                    top += 1
            while top > 0:
                top -= 1
                t = stack[top]
                for k in range(count[t], count[t + 1]):
                    c = entering[k]
                    s = owner[c]
                    if near[s] or lost[s] or barred[c] or met[c]:
                        continue
                    met[c] = True
                    missing[s] -= 1
                    if helps[s] or missing[s] == 0:
                        near[s] = True
                        pick[s] = c
                        stack[top] = s
                        top += 1
            for s in range(size):
                if not near[s] and not lost[s]:
                    lost[s] = True
                    stack[top] = s
                    top += 1
            if top == 0:
                break
        for s in range(size):
            if not lost[s]:
                won[s] = True
                stack[top] = s
                top += 1
        if top == 0:
            return won, pick
        while top > 0:
            top -= 1
            t = stack[top]
            for k in range(count[t], count[t + 1]):
                c = entering[k]
                s = owner[c]
                if won[s] or stop[s] or gone[c]:
                    continue
                gone[c] = True
                left[s] -= 1
                if helps[s] or left[s] == 0:
                    won[s] = True
                    pick[s] = c
                    stack[top] = s
                    top += 1
