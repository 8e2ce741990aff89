"""Programs, run plainly: the reference that the compiled ones are tested against.

One state at a time, in fractions, straight from the definitions. Errors name the state and show the
command.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

from oddsmith.errors import LimitError, RuleError
from oddsmith.rules.prism import arithmetic
from oddsmith.rules.prism.expression import (
    Binary,
    Call,
    Conditional,
    Constant,
    Expression,
    Read,
    Unary,
    walk,
)
from oddsmith.rules.prism.program import Command, Program, RewardStructure, Update, Variable
from oddsmith.rules.prism.source import Rejected, Source

TOLERANCE = Fraction(1, 100_000)
"""Chances may miss a sum of one by this much, as in PRISM; they are then scaled to it."""
MAX_INITIAL = 1_000_000
"""How many combinations of values `initial_states` may look at."""

Chance = Fraction | float


class StateError(RuleError):
    """A program fails in a state that play can reach."""


@dataclass(frozen=True)
class Option:
    """One choice in a state: the commands that act, and where they lead with which chance."""

    commands: tuple[int, ...]
    action: str
    player: int
    outcomes: tuple[tuple[Chance, tuple[int, ...]], ...]


def evaluate(expression: Expression, values: Sequence[int]) -> Fraction | bool | float:
    """The value of an elaborated expression in a state; a float only where it is irrational.

    Raises `Rejected`, with the place, where there is no value (a division by zero).
    """
    try:
        value = _evaluate(expression, values)
    except RecursionError:
        raise Rejected("This expression is nested too deeply.", expression.at) from None
    return value if isinstance(value, bool | float) else Fraction(value)


def _evaluate(expression: Expression, values: Sequence[int]) -> Any:
    kind = type(expression)
    if kind is Read:
        value = values[expression.variable]  # type: ignore[attr-defined]
        return bool(value) if expression.type == "bool" else value
    if isinstance(expression, Constant):
        return bool(expression.value) if expression.type == "bool" else expression.value
    if isinstance(expression, Binary):
        return _evaluate_binary(expression, values)
    if isinstance(expression, Unary):
        operand = _evaluate(expression.operand, values)
        return not operand if expression.operator == "!" else -operand
    if isinstance(expression, Conditional):
        test = _evaluate(expression.test, values)
        return _evaluate(expression.yes if test else expression.no, values)
    if isinstance(expression, Call):
        arguments = [_evaluate(argument, values) for argument in expression.arguments]
        try:
            if expression.function == "pow" and expression.type == "int" and arguments[1] < 0:
                raise arithmetic.ArithmeticFailure(
                    "pow of whole numbers needs an exponent of zero or more; "
                    "write 1.0 * the base for a fraction."
                )
            return arithmetic.call(expression.function, arguments)
        except arithmetic.ArithmeticFailure as failure:
            raise Rejected(str(failure), expression.at) from None
    raise TypeError(f"not an elaborated expression: {expression!r}")


def _evaluate_binary(expression: Binary, values: Sequence[int]) -> Any:
    operator = expression.operator
    left = _evaluate(expression.left, values)
    if operator == "&":
        return left and _evaluate(expression.right, values)
    if operator == "|":
        return left or _evaluate(expression.right, values)
    if operator == "=>":
        return not left or _evaluate(expression.right, values)
    right = _evaluate(expression.right, values)
    try:
        return arithmetic.binary(operator, left, right)
    except arithmetic.ArithmeticFailure as failure:
        raise Rejected(str(failure), expression.at) from None


def describe_state(program: Program, values: Sequence[int]) -> str:
    """A state in words: `x=3, done=true`."""
    return ", ".join(
        f"{variable.name}={_written(variable, value)}"
        for variable, value in zip(program.variables, values, strict=True)
    )


def _written(variable: Variable, value: int) -> str:
    return ("true" if value else "false") if variable.is_bool else str(value)


def _state_error(program: Program, values: Sequence[int], message: str, at: int) -> StateError:
    excerpt = Source(program.text, program.source).excerpt(at)
    message = message.replace("This ", "this ", 1) if message.startswith("This ") else message
    return StateError(f"In state {describe_state(program, values)}: {message}\n{excerpt}")


def choices(program: Program, values: Sequence[int]) -> list[Option]:
    """All choices in a state, in the order of the program's synchronisations; none in a deadlock.

    Outcomes that lead to the same state are kept apart, outcomes without a chance are left out.
    """
    known: dict[int, list[tuple[Chance, Update]]] = {}
    options = []
    for sync in program.synchronisations:
        enabled = []
        for part in sync.parts:
            enabled.append([c for c in part if _is_enabled(program, program.commands[c], values)])
            if not enabled[-1]:
                break
        else:
            for commands in product(*enabled):
                branches = []
                for command in commands:
                    if command not in known:
                        known[command] = _branches(program, program.commands[command], values)
                    branches.append(known[command])
                outcomes = tuple(
                    (
                        prod((chance for chance, _ in joined), start=Fraction(1)),
                        _successor(program, values, [update for _, update in joined]),
                    )
                    for joined in product(*branches)
                )
                options.append(Option(commands, sync.action, sync.player, outcomes))
    return options


def _is_enabled(program: Program, command: Command, values: Sequence[int]) -> bool:
    try:
        return bool(evaluate(command.guard, values))
    except Rejected as rejected:
        raise _state_error(program, values, rejected.message, rejected.at) from None


def _branches(
    program: Program, command: Command, values: Sequence[int]
) -> list[tuple[Chance, Update]]:
    """The updates of a command that can happen, with chances that sum to one."""
    branches: list[tuple[Chance, Update]] = []
    try:
        for update in command.updates:
            chance = evaluate(update.chance, values)
            if chance < 0:
                message = f"the chance {arithmetic.short(chance)} is negative."
                raise Rejected(message, update.chance.at)
            branches.append((chance, update))
    except Rejected as rejected:
        raise _state_error(program, values, rejected.message, rejected.at) from None
    total: Any = sum(chance for chance, _ in branches)
    if abs(total - 1) > TOLERANCE:
        message = f"the chances of this command sum to {arithmetic.short(total)}, not to 1."
        raise _state_error(program, values, message, command.at)
    return [(chance / total, update) for chance, update in branches if chance]


def _successor(program: Program, values: Sequence[int], updates: list[Update]) -> tuple[int, ...]:
    """The state after the updates, all evaluated in the state before."""
    after = list(values)
    for update in updates:
        for number, expression in update.assign:
            variable = program.variables[number]
            try:
                value = evaluate(expression, values)
            except Rejected as rejected:
                raise _state_error(program, values, rejected.message, rejected.at) from None
            if not variable.low <= value <= variable.high:
                message = (
                    f"{variable.name} would become {arithmetic.short(value)}, "
                    f"outside its range [{variable.low}..{variable.high}]."
                )
                raise _state_error(program, values, message, expression.at)
            after[number] = int(value)
    return tuple(after)


def initial_states(program: Program) -> list[tuple[int, ...]]:
    """The states that play can begin in, in order of their values."""
    if program.initial is None:
        return [tuple(variable.initial for variable in program.variables)]
    return list(_satisfying(program, program.initial))


def _satisfying(program: Program, condition: Expression) -> Iterator[tuple[int, ...]]:
    """All states with a condition; every part of an `&` is tested as soon as it can be."""
    tests: list[list[Expression]] = [[] for _ in range(len(program.variables) + 1)]
    for part in _conjuncts(condition):
        tests[max((number + 1 for number in variables_read(part)), default=0)].append(part)
    looked = 0
    values = [variable.low for variable in program.variables]
    stack = [iter([0])]  # the values still to try of each variable, after a start without one
    while stack:
        value = next(stack[-1], None)
        if value is None:
            stack.pop()
            continue
        depth = len(stack) - 1
        if depth:
            values[depth - 1] = value
        looked += 1
        if looked > MAX_INITIAL:
            raise LimitError(
                f"init … endinit in {program.source}: more than {MAX_INITIAL:,} combinations of "
                "values would have to be tried. Say more of the variables' values with =, joined "
                "by &."
            )
        try:
            if not all(evaluate(test, values) for test in tests[depth]):
                continue
        except Rejected as rejected:
            error = Source(program.text, program.source).error(rejected.message, rejected.at)
            raise error from None
        if depth == len(values):
            yield tuple(values)
        else:
            variable = program.variables[depth]
            stack.append(iter(range(variable.low, variable.high + 1)))


def _conjuncts(condition: Expression) -> Iterator[Expression]:
    stack = [condition]
    while stack:
        part = stack.pop()
        if isinstance(part, Binary) and part.operator == "&":
            stack += [part.right, part.left]
        else:
            yield part


def variables_read(expression: Expression) -> set[int]:
    """The numbers of the variables in an elaborated expression."""
    return {node.variable for node in walk(expression) if isinstance(node, Read)}


def state_reward(
    program: Program, structure: RewardStructure, values: Sequence[int]
) -> Fraction | float:
    """What a state earns: all its items whose guard holds, together."""
    return _reward(program, structure, values, None)


def choice_reward(
    program: Program, structure: RewardStructure, values: Sequence[int], action: str
) -> Fraction | float:
    """What a choice with an action (empty: none) earns, the state's own reward not included."""
    return _reward(program, structure, values, action)


def _reward(
    program: Program, structure: RewardStructure, values: Sequence[int], action: str | None
) -> Fraction | float:
    total: Any = Fraction(0)
    for item in structure.items:
        if item.action != action:
            continue
        try:
            if evaluate(item.guard, values):
                total += evaluate(item.value, values)
        except Rejected as rejected:
            raise _state_error(program, values, rejected.message, rejected.at) from None
    result: Fraction | float = total
    return result
