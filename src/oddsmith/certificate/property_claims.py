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
from oddsmith.properties.goals import Cumulative
from oddsmith.properties.parse import only_property, parse_properties, with_definitions
from oddsmith.properties.paths import as_until
from oddsmith.properties.resolve import Resolver
from oddsmith.properties.settle import Precision
from oddsmith.properties.states import Evaluator
from oddsmith.properties.syntax import Filter, Quantified, Quantile, Question, Temporal
from oddsmith.rules.prism.expression import Expression, Unary, walk
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
    plain: Truth | None = None,
) -> tuple[Claim, Bools]:
    """The claim of a property, and the states in which who decides wants much.

    `definitions` is a property file that it may refer to. `plain` says where an expression of
    variables holds; without it, compiled code does.
    """
    one = only_property(parse_properties(text, "the property"))
    file = with_definitions(text, definitions)
    resolver = Resolver(process, file, constants, formulas, given)
    evaluator = Evaluator(process, resolver.origin, Precision(1e-9, False), Silent(), plain=plain)
    question = resolver.property(one).expression
    if not isinstance(question, Question) or question.kind == "S":
        raise OptionError(f"{SUPPORTED}: not {one.text}.")

    def truth(e: Expression) -> Bools:
        if _nested(e):
            raise OptionError(f"{SUPPORTED}: not {one.text}.")
        return evaluator.truth(e)

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
    return any(isinstance(one, Question | Quantified | Filter | Quantile) for one in walk(e))
