"""The types of PRISM's expressions: int, double and bool, and what each operator asks for.

A whole number may stand where a double is asked for, never the other way round; truth values and
numbers do not mix. `/` always gives a double; `floor`, `ceil`, `round` and `mod` give an int.
"""

from __future__ import annotations

from collections.abc import Sequence

from oddsmith.rules.prism.expression import ARITHMETIC, Type
from oddsmith.rules.prism.source import Rejected

_WORDS: dict[Type, str] = {
    "int": "a whole number",
    "double": "a number of type double",
    "bool": "a truth value",
}
_ARITY = {"floor": 1, "ceil": 1, "round": 1, "pow": 2, "mod": 2, "log": 2}


def in_words(type_: Type) -> str:
    """A type in a sentence."""
    return _WORDS[type_]


def fits(type_: Type, wanted: Type) -> bool:
    """Whether a value of a type may stand where another is wanted."""
    return type_ == wanted or (type_ == "int" and wanted == "double")


def binary_type(
    operator: str, left: Type, right: Type, left_at: int = 0, right_at: int = 0
) -> Type:
    """The type of `left operator right`."""
    if operator in ("=", "!="):
        if (left == "bool") != (right == "bool"):
            raise Rejected(f"{operator} compares {in_words(left)} with {in_words(right)}.", left_at)
        return "bool"
    wants_bool = operator in ("&", "|", "=>", "<=>")
    for type_, at, side in ((left, left_at, "left"), (right, right_at, "right")):
        if (type_ == "bool") != wants_bool:
            wanted = "truth values" if wants_bool else "numbers"
            raise Rejected(
                f"{operator} joins {wanted}, and what is on its {side} is {in_words(type_)}.", at
            )
    if operator not in ARITHMETIC:
        return "bool"
    return "int" if operator != "/" and left == right == "int" else "double"


def unary_type(operator: str, operand: Type, at: int = 0) -> Type:
    """The type of `-x` or `!x`."""
    if (operator == "!") != (operand == "bool"):
        wanted = "a truth value" if operator == "!" else "a number"
        raise Rejected(f"{operator} needs {wanted}, and this is {in_words(operand)}.", at)
    return operand


def conditional_type(test: Type, yes: Type, no: Type, at: int = 0) -> Type:
    """The type of `test ? yes : no`."""
    if test != "bool":
        raise Rejected(f"What is before ? must be a truth value, and is {in_words(test)}.", at)
    if (yes == "bool") != (no == "bool"):
        raise Rejected(
            f"One side of : is {in_words(yes)}, the other {in_words(no)}: they must agree.", at
        )
    return yes if yes == no else "double"


def call_type(function: str, arguments: Sequence[Type], at: int = 0) -> Type:
    """The type of a function's value."""
    wanted = _ARITY.get(function)
    if wanted is not None and len(arguments) != wanted:
        raise Rejected(
            f"{function} takes {'one number' if wanted == 1 else 'two numbers'}, "
            f"not {len(arguments)}.",
            at,
        )
    if "bool" in arguments:
        raise Rejected(f"{function} takes numbers, not truth values.", at)
    if function == "mod" and "double" in arguments:
        raise Rejected("mod takes whole numbers; floor(x) makes a whole number.", at)
    if function in ("floor", "ceil", "round", "mod"):
        return "int"
    if function == "log":
        return "double"
    return "double" if "double" in arguments else "int"
