"""`filter(operator, operand, states)`: one answer out of the answers of many states.

Bounds go through all of them: the minimum of numbers lies between the minimum of their lower and
that of their upper bounds, and so for sums and means. Which state has the least value may stay
open when values are close; then fractions decide, if there are, and else all that may be are named.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from oddsmith.errors import OddsmithError, OptionError
from oddsmith.model.amounts import Bools, Floats
from oddsmith.properties.answer import Each, One, Range, Reply, answer_in
from oddsmith.properties.settle import Precision, ladder
from oddsmith.properties.syntax import Filter
from oddsmith.rules.prism.expression import Expression
from oddsmith.solve.process.aim import Values

if TYPE_CHECKING:
    from oddsmith.properties.states import Evaluator


def states_of(evaluator: Evaluator, f: Filter) -> Bools:
    """The states that a filter looks at: all, if it names none."""
    if f.states is None:
        return evaluator.everywhere
    return evaluator.truth(f.states)


def filter_reply(evaluator: Evaluator, f: Filter) -> Reply:
    """The answer of a filter that is the whole property."""
    inside = states_of(evaluator, f)
    if f.operator in ("argmin", "argmax"):
        found = arg_states(evaluator, f, inside)
        return each(evaluator, f.operand, found)
    if f.operator == "print":
        return tuple(one for one in each(evaluator, f.operand, inside) if _is_something(one[1]))
    if f.operator == "printall":
        return each(evaluator, f.operand, inside)
    if f.operator == "range":
        values = evaluator.numbers(f.operand)
        low, high = (_combined(values, inside, op, f) for op in ("min", "max"))
        process = evaluator.process
        return Range(answer_in(low, 0, process), answer_in(high, 0, process))
    if f.type == "bool":
        return bool(_single_truth(evaluator, f, inside))
    values = _single_number(evaluator, f, inside, evaluator.precision)
    return answer_in(values, 0, evaluator.process)


def filter_truth(evaluator: Evaluator, f: Filter) -> Bools:
    """A filter inside a formula, as a set of states."""
    inside = states_of(evaluator, f)
    if f.operator in ("argmin", "argmax"):
        return arg_states(evaluator, f, inside)
    if f.operator in ("print", "printall"):
        return evaluator.truth(f.operand, inside)
    return np.full(evaluator.process.states, _single_truth(evaluator, f, inside))


def filter_numbers(evaluator: Evaluator, f: Filter, precision: Precision) -> Values:
    """A filter inside a formula, as a number in every state."""
    if f.operator in ("print", "printall"):
        return evaluator.numbers(f.operand, precision)
    if f.operator == "range":
        raise evaluator.origin.error("A range is no number: this filter stands alone.", f.at)
    one = _single_number(evaluator, f, states_of(evaluator, f), precision)
    count = evaluator.process.states
    exact = None if one.exact is None else [one.exact[0]] * count
    return Values(np.full(count, one.lower[0]), np.full(count, one.upper[0]), exact)


def each(evaluator: Evaluator, operand: Expression, inside: Bools) -> Each:
    """The answers in some states, one by one."""
    numbers = np.flatnonzero(inside).tolist()
    answers: list[One]
    if operand.type == "bool":
        found = evaluator.truth(operand, inside)
        answers = [bool(found[s]) for s in numbers]
    else:
        values = evaluator.numbers(operand)
        answers = [answer_in(values, s, evaluator.process) for s in numbers]
    names = [evaluator.process.describe(s) for s in numbers]
    return tuple(zip(names, answers, strict=True))


def arg_states(evaluator: Evaluator, f: Filter, inside: Bools) -> Bools:
    """The states with the least or the greatest value."""
    _need_some(f, inside)
    found = inside
    for precision in ladder(evaluator.precision, evaluator.process):
        try:
            values = evaluator.numbers(f.operand, precision)
        except OddsmithError:
            if found is inside:
                raise
            continue
        found, sure = _candidates(values, inside, f.operator)
        if sure:
            return found
    evaluator.notes[f"{f.operator}: these states may share the value, within the tolerance"] = None
    return found


def _candidates(values: Values, inside: Bools, operator: str) -> tuple[Bools, bool]:
    numbers = np.flatnonzero(inside).tolist()
    if values.exact is not None:
        exact = values.exact
        best = (min if operator == "argmin" else max)(exact[s] for s in numbers)
        found = np.zeros_like(inside)
        found[[s for s in numbers if exact[s] == best]] = True
        return found, True
    if operator == "argmin":
        found = inside & (values.lower <= values.upper[inside].min())
    else:
        found = inside & (values.upper >= values.lower[inside].max())
    low, high = values.lower[found], values.upper[found]
    return found, len(low) == 1 or bool((low == high).all())


def _single_truth(evaluator: Evaluator, f: Filter, inside: Bools) -> bool:
    match f.operator:
        case "forall":
            return bool(evaluator.truth(f.operand, inside)[inside].all())
        case "exists":
            return bool(evaluator.truth(f.operand, inside)[inside].any())
    state = _one_state(evaluator, f, inside)
    alone = np.zeros_like(inside)
    alone[state] = True
    return bool(evaluator.truth(f.operand, alone)[state])


def _single_number(evaluator: Evaluator, f: Filter, inside: Bools, precision: Precision) -> Values:
    if f.operator == "count":
        count = int(np.count_nonzero(evaluator.truth(f.operand, inside) & inside))
        return Values.known([count])
    values = evaluator.numbers(f.operand, precision)
    if f.operator in ("first", "state"):
        return _picked(values, _one_state(evaluator, f, inside))
    return _combined(values, inside, f.operator, f)


def _combined(values: Values, inside: Bools, operator: str, f: Filter) -> Values:
    """Minimum, maximum, sum or mean over some states."""
    if operator != "sum":
        _need_some(f, inside)
    numbers = np.flatnonzero(inside).tolist()
    exact = None if values.exact is None else [values.exact[s] for s in numbers]
    low, high = values.lower[inside], values.upper[inside]
    if operator in ("min", "max"):
        pick = np.min if operator == "min" else np.max
        best = None if exact is None else [(min if operator == "min" else max)(exact)]
        return Values(np.array([pick(low)]), np.array([pick(high)]), best)
    share = 1 if operator == "sum" else len(numbers)
    total = None if exact is None else [_total(exact) / share]
    below, above = math.fsum(low) / share, math.fsum(high) / share
    if math.isfinite(below) and math.isfinite(above):
        below, above = _outward(below, above, share, low, high)
    return Values(np.array([below]), np.array([above]), total)


def _outward(
    below: float, above: float, share: int, low: Floats, high: Floats
) -> tuple[float, float]:
    """Sums are rounded once and quotients once more: bounds keep off by two units."""
    whole = share == 1 and bool((low == np.floor(low)).all() and (high == np.floor(high)).all())
    if whole and max(abs(below), abs(above)) < 2**53:
        return below, above
    for _ in range(2):
        below, above = math.nextafter(below, -math.inf), math.nextafter(above, math.inf)
    return below, above


def _total(numbers: Sequence[Fraction | float]) -> Fraction | float:
    return sum(numbers, Fraction(0))


def _picked(values: Values, s: int) -> Values:
    exact = None if values.exact is None else [values.exact[s]]
    return Values(values.lower[s : s + 1], values.upper[s : s + 1], exact)


def _one_state(evaluator: Evaluator, f: Filter, inside: Bools) -> int:
    numbers = np.flatnonzero(inside)
    _need_some(f, inside)
    if f.operator == "state" and len(numbers) > 1:
        raise evaluator.origin.error(
            f"filter(state, …) is about one state, and these are {len(numbers):,}.", f.at
        )
    return int(numbers[0])


def _need_some(f: Filter, inside: Bools) -> None:
    if not inside.any():
        raise OptionError(f"filter({f.operator}, …): no state is among the filter's states.")


def _is_something(one: One) -> bool:
    return one if isinstance(one, bool) else one.upper != 0
