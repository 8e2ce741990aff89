"""The shape of a run of operands and operators: PRISM's precedence, and no recursion.

From weakest to strongest: `=>`, `<=>`, `|`, `&`, `!`, `= !=`, `< <= > >=`, `+ -`, `* /`, unary
minus. They group to the left, `=>` to the right (`a => b => c` is `a => (b => c)`), and `!` takes
the comparison after it: `!a=b` is `!(a=b)`.

A long run of `&`, `|`, `*` or of `+` and `-` becomes a balanced tree, so that whatever walks over
expressions needs a depth of a few dozen and not of a hundred thousand. The order of the operands,
and with it what short-circuiting skips, is unchanged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from oddsmith.rules.prism.expression import Binary, Expression, Unary

PREFIX: Mapping[str, int] = {"!": 5, "-": 10}
INFIX: Mapping[str, int] = {
    "=>": 1,
    "<=>": 2,
    "|": 3,
    "&": 4,
    "=": 6,
    "!=": 6,
    "<": 7,
    "<=": 7,
    ">": 7,
    ">=": 7,
    "+": 8,
    "-": 8,
    "*": 9,
    "/": 9,
}
LONG = 32
"""Runs of up to this many operators are grouped to the left as written."""


def fold(run: Sequence[Any]) -> Expression:
    """One expression from operands (expressions) and operators (tokens) in turn.

    Operators wait on a stack until a weaker one comes, then all of the same strength are combined
    at once: that is where a long run can be balanced.
    """
    if len(run) == 3 and isinstance(run[0], Expression):
        return Binary(str(run[1]), run[0], run[2], at=run[0].at)
    operands: list[Expression] = []
    waiting: list[tuple[int, str, int]] = []  # strength, operator, offset (-1: infix)
    expect_operand = True
    for item in run:
        if isinstance(item, Expression):
            operands.append(item)
            expect_operand = False
        elif expect_operand:
            waiting.append((PREFIX[item], str(item), item.start_pos))
        else:
            strength = INFIX[item]
            while waiting and waiting[-1][0] > strength:
                _combine(operands, waiting)
            waiting.append((strength, str(item), -1))
            expect_operand = True
    while waiting:
        _combine(operands, waiting)
    return operands[0]


def _combine(operands: list[Expression], waiting: list[tuple[int, str, int]]) -> None:
    """Combine all the operators of one strength on the top of the stack."""
    strength, operator, at = waiting[-1]
    if at >= 0:
        waiting.pop()
        operands[-1] = Unary(operator, operands[-1], at=at)
        return
    first = len(waiting)
    while first and waiting[first - 1][0] == strength:
        first -= 1
    operators = [operator for _, operator, _ in waiting[first:]]
    del waiting[first:]
    chain = operands[-len(operators) - 1 :]
    del operands[-len(operators) - 1 :]
    operands.append(combine_chain(chain, operators))


def combine_chain(chain: Sequence[Expression], operators: Sequence[str]) -> Expression:
    """`a + b - c …` grouped to its side, or balanced where it is long and may be."""
    kinds = set(operators)
    if len(operators) > LONG and (kinds <= {"+", "-"} or kinds in ({"&"}, {"|"}, {"*"})):
        return _balanced(chain, ["", *operators], 0, len(chain), flip=False)
    if kinds == {"=>"}:
        result = chain[-1]
        for operand in reversed(chain[:-1]):
            result = Binary("=>", operand, result, at=operand.at)
        return result
    result = chain[0]
    for operator, operand in zip(operators, chain[1:], strict=True):
        result = Binary(operator, result, operand, at=result.at)
    return result


_FLIPPED = {"+": "-", "-": "+"}


def _balanced(
    chain: Sequence[Expression], operators: Sequence[str], begin: int, end: int, *, flip: bool
) -> Expression:
    """The operands begin..end; after a minus, signs inside the bracket change: a-b+c = a-(b-c)."""
    if end - begin == 1:
        return chain[begin]
    middle = (begin + end) // 2
    written = operators[middle]
    operator = _FLIPPED[written] if flip else written
    left = _balanced(chain, operators, begin, middle, flip=flip)
    right = _balanced(chain, operators, middle, end, flip=written == "-")
    return Binary(operator, left, right, at=left.at)
