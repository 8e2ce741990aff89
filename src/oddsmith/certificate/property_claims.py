"""The claim of a property: P and R of paths without bounds, of models and coalitions.

`left U right` stops where it is decided: worth 1 in `right`, 0 outside of `left`. A formula that
holds as long as nothing happens (`G b`, `a W b`, `a R b`) is the negation of one of these: it stops
where that does, its worth is the contrary, and play that never stops is worth 1. `R [ F b ]` stops
in b, and play that never comes there is worth infinitely much; `R [ C ]` never stops.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, cast

import numpy as np

from oddsmith.certificate.claim import Claim, ClaimedNumber
from oddsmith.errors import OptionError
from oddsmith.model.amounts import Bools
from oddsmith.model.model import Model
from oddsmith.properties.check import Given
from oddsmith.properties.parse import joined, only_property, parse_properties
from oddsmith.properties.paths import as_until
from oddsmith.properties.resolve import Resolver
from oddsmith.properties.settle import Precision
from oddsmith.properties.states import Evaluator
from oddsmith.properties.syntax import (
    Cumulative,
    Filter,
    Quantified,
    Quantile,
    Question,
    Temporal,
)
from oddsmith.rules.prism.expression import (
    Binary,
    Call,
    Conditional,
    Expression,
    Label,
    Unary,
)
from oddsmith.runtime.progress import Silent
from oddsmith.solve.process.equations import choice_gains

Truth = Callable[[Expression], Bools]

SUPPORTED = (
    "A certificate is one of P or R (=?, or with a bound) of F, G, U, W, R or C without steps, the "
    "formulas in it without P and R of their own"
)


def property_claim(
    process: Model,
    text: str,
    *,
    definitions: str = "",
    constants: Any = None,
    formulas: Any = None,
    given: Given | None = None,
    plain: Callable[[Expression], Bools] | None = None,
) -> tuple[Claim, Bools]:
    """The claim of a property, and the states in which who decides wants much.

    `definitions` is a property file that it may refer to. `plain` says where an expression of
    variables holds; without it, compiled code does.
    """
    file = parse_properties(text, "the property")
    one = only_property(file)
    if definitions:
        file = joined(parse_properties(definitions, "the property file"), file)
    resolver = Resolver(process, file, constants, formulas, given)
    evaluator = Evaluator(process, resolver.origin, Precision(1e-9, False), Silent())
    question = resolver.property(one).expression
    if not isinstance(question, Question) or question.kind == "S":
        raise OptionError(f"{SUPPORTED}: not {one.text}.")

    def truth(e: Expression) -> Bools:
        if _nested(e):
            raise OptionError(f"{SUPPORTED}: not {one.text}.")
        return _truth(process, e, plain or evaluator.truth)

    stop, worth, endless, gain = _form(process, question, truth, one.text)
    maximise = evaluator.maximise(question)
    coalition = evaluator._coalition(question)
    mine = np.ones(process.states, bool) if coalition is None else coalition
    senses: Bools = mine == maximise
    deciding = (np.diff(process.choice) > 1) & ~stop
    claim = Claim(
        one.text,
        tuple(ClaimedNumber(_called(one.text, process, s), s) for s in process.initial.tolist()),
        stop,
        [(x,) for x in worth],
        endless,
        gain=gain,
        lower_free=_side(~senses, deciding),
        upper_free=_side(senses, deciding),
    )
    return claim, senses


def _called(text: str, process: Model, s: int) -> str:
    return text if len(process.initial) == 1 else f"{text} in {process.describe(s)}"


def _side(free: Bools, deciding: Bools) -> Bools | bool:
    """The free states, in short where that is all who decide, or none."""
    if not free[deciding].any():
        return False
    return True if free[deciding].all() else free & deciding


def _form(process: Model, q: Question, truth: Truth, text: str) -> Any:
    """Where the question stops, the worth there, that of endless play, and what choices earn."""
    body, one = q.body, Fraction(1)
    if q.kind == "P":
        path = body
        while isinstance(path, Unary):
            path = path.operand
        if not isinstance(path, Temporal) or path.windows or path.operator == "X":
            raise OptionError(f"{SUPPORTED}: not {text}.")
        until = as_until(process, body, truth)
        stop = until.right | ~until.left
        holds = until.right != until.negated
        worth = [Fraction(int(x)) for x in holds[stop].tolist()]
        return stop, worth, one if until.negated else one - one, None
    gain = choice_gains(process, process.rewards[cast(str, q.reward)])
    if isinstance(body, Cumulative) and body.steps is None:
        return np.zeros(process.states, bool), [], one - one, gain
    if not isinstance(body, Temporal) or body.operator != "F" or body.windows:
        raise OptionError(f"{SUPPORTED}: not {text}.")
    target = truth(body.right)
    return target, [one - one] * int(target.sum()), None, gain


def _nested(e: Expression) -> bool:
    """Whether a formula has questions of its own."""
    if isinstance(e, Question | Quantified | Filter | Quantile):
        return True
    parts: tuple[Expression, ...] = ()
    if isinstance(e, Unary):
        parts = (e.operand,)
    elif isinstance(e, Binary):
        parts = (e.left, e.right)
    elif isinstance(e, Conditional):
        parts = (e.test, e.yes, e.no)
    elif isinstance(e, Call):
        parts = tuple(e.arguments)
    return any(map(_nested, parts))


def _truth(process: Model, e: Expression, plain: Callable[[Expression], Bools]) -> Bools:
    """Where a formula without questions holds."""
    from oddsmith.properties.states import is_plain

    if is_plain(e):
        return plain(e)
    if isinstance(e, Label):
        return process.labels[e.name]
    if isinstance(e, Unary):
        return ~_truth(process, e.operand, plain)
    if isinstance(e, Conditional):
        test, yes, no = (_truth(process, part, plain) for part in (e.test, e.yes, e.no))
        return np.where(test, yes, no)
    assert isinstance(e, Binary)
    left, right = _truth(process, e.left, plain), _truth(process, e.right, plain)
    if e.operator in ("&", "|"):
        return left & right if e.operator == "&" else left | right
    if e.operator == "=>":
        return ~left | right
    same: Bools = np.equal(left, right)
    return ~same if e.operator == "!=" else same
