"""Checking properties of a process.

>>> from fractions import Fraction
>>> from oddsmith.model.amounts import Amounts
>>> from oddsmith.model.model import Model
>>> from oddsmith.model.variables import Layout, Valuations, Variable
>>> import numpy as np
>>> layout = Layout([Variable("x", 0, 2)])
>>> coin = Model(
...     "dtmc", np.array([0, 1, 2, 3]), np.array([0, 2, 3, 4]), np.array([1, 2, 1, 2], np.int32),
...     Amounts.of([Fraction(1, 2), Fraction(1, 2), 1, 1]), np.array([0]),
...     Valuations(layout, layout.pack([np.arange(3)])),
...     {"init": np.array([True, False, False]), "deadlock": np.zeros(3, bool)},
... )
>>> print(check(coin, "P=? [ X x=1 ]", exact=True))
P=? [ X x=1 ]: 1/2
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from oddsmith.errors import OptionError
from oddsmith.model.amounts import Bools
from oddsmith.model.model import Model
from oddsmith.properties.answer import Checked, Reply, answer_in, named_numbers
from oddsmith.properties.filters import each, filter_reply
from oddsmith.properties.parse import joined, only_property, parse_properties, too_deep
from oddsmith.properties.resolve import Resolver
from oddsmith.properties.settle import Precision
from oddsmith.properties.states import Evaluator
from oddsmith.properties.syntax import Filter, Property, PropertyFile, Quantile, Question
from oddsmith.questions import door
from oddsmith.results.answer import Answer
from oddsmith.results.evidence import Evidence
from oddsmith.rules.prism.expression import Expression
from oddsmith.rules.prism.source import did_you_mean
from oddsmith.runtime import memory
from oddsmith.runtime.progress import Progress, Silent
from oddsmith.runtime.reading import read_text
from oddsmith.version import __version__

Given = Mapping[str, Fraction | bool | int | float | str]


@door.question
def check(
    process: Model,
    question: str | Property,
    *,
    exact: bool = False,
    tolerance: float = 1e-9,
    constants: Mapping[str, Fraction | bool] | None = None,
    formulas: Mapping[str, Expression] | None = None,
    given: Given | None = None,
    file: PropertyFile | None = None,
    picks: bool = False,
    progress: Progress | None = None,
) -> Checked:
    """The answer to one property.

    Parameters
    ----------
    question: the property's text, or one of those of `file`.
    exact: whether answers are to be fractions.
    tolerance: how far apart bounds may be, relative to values above one.
    constants, formulas: of the model (`Program.constants`, `Program.formulas`).
    given: values of constants that the property file declares without one.
    file: where labels, constants and named properties come from.
    picks: whether the best choice in every state is wanted.
    """
    if isinstance(question, str):
        own = parse_properties(question, "the property")
        one = only_property(own)
        file = own if file is None else joined(file, own)
    else:
        one = question
        file = file or PropertyFile(question.text, "the property", (question,))
    resolver = Resolver(process, file, constants, formulas, given)
    began, origin = time.perf_counter(), resolver.origin
    evaluator = Evaluator(process, origin, Precision(tolerance, exact), progress or Silent(), picks)
    try:
        found = resolver.property(one)
        answer = _reply(evaluator, resolver, found.expression)
    except RecursionError:
        raise too_deep(origin) from None
    door.about((evaluator, one))
    return _told(evaluator, found, answer, time.perf_counter() - began)


def check_file(
    process: Model, file: str | PropertyFile, *, names: Sequence[str] | None = None, **how: Any
) -> list[Checked]:
    """The answers to all properties of a file, or to those with some names or numbers."""
    if isinstance(file, str):
        file = parse_properties(file)
    wanted = file.properties if names is None else select(file, names)
    return [check(process, one, file=file, **how) for one in wanted]


def asked_of(
    texts: Sequence[str], file: str | Path | None, names: Sequence[str] | None
) -> list[tuple[PropertyFile, Property]]:
    """Properties by their texts, all of a file or those named, each with what defines its names."""
    own = [parse_properties(text, "the property") for text in texts]
    if file is None:
        return [(each, one) for each in own for one in each.properties]
    whole = parse_properties(read_text(file), str(file))
    asked = [(whole, one) for one in (whole.properties if names is None else select(whole, names))]
    return asked + [(joined(whole, each), one) for each in own for one in each.properties]


def select(file: PropertyFile, names: Sequence[str]) -> list[Property]:
    """Properties by their names, or by their numbers from 1 on."""
    known = {p.name: p for p in file.properties if p.name}
    numbered = {str(i): p for i, p in enumerate(file.properties, 1)}
    found = []
    for name in names:
        if name not in known and name not in numbered:
            hint = did_you_mean(name, known)
            raise OptionError(f"There is no property {name} in {file.source}.{hint}")
        found.append(known[name] if name in known else numbered[name])
    return found


def _reply(evaluator: Evaluator, resolver: Resolver, e: Expression) -> Reply:
    """The answer, in all initial states if there are several."""
    process = evaluator.process
    if isinstance(e, Filter):
        return filter_reply(evaluator, e)
    if isinstance(e, Quantile):
        from oddsmith.properties.quantile import quantile

        found: Reply = tuple(
            (process.describe(s), quantile(evaluator, resolver, e, s))
            for s in process.initial.tolist()
        )
    else:
        found = each(evaluator, e, _initial(process))
    assert isinstance(found, tuple)
    return found[0][1] if len(found) == 1 else found


def _initial(process: Model) -> Bools:
    inside = np.zeros(process.states, np.bool_)
    inside[process.initial] = True
    return inside


def _told(evaluator: Evaluator, one: Property, answer: Reply, seconds: float) -> Checked:
    process, e = evaluator.process, one.expression
    value, picks = None, None
    if isinstance(e, Question):
        best = evaluator.last_asked(e)
        picks = best.picks
        if e.relation is not None and len(process.initial) == 1:
            value = answer_in(best, int(process.initial[0]), process)
    _note_width(evaluator, answer if value is None else value)
    numbers = [number for _, number in named_numbers(answer, value)]
    sure = all(a.exact is not None or (math.isinf(a.value) and not a.error) for a in numbers)
    evidence = Evidence(
        method="exact" if sure and (numbers or evaluator.precision.exact) else "certified",
        how=tuple(evaluator.how),
        states=process.full_states,
        transitions=process.full_transitions,
        decisions=int(np.count_nonzero(np.diff(process.choice) > 1)),
        seconds=seconds,
        compile_seconds=process.compile_seconds,
        peak_memory_mb=memory.peak_mb(),
        version=__version__,
        digest=process.digest,
    )
    is_chance = isinstance(e, Question) and e.kind in ("P", "S")
    notes = tuple(evaluator.notes)
    return Checked(one.name, one.text, answer, evidence, value, notes, picks, is_chance)


def _note_width(evaluator: Evaluator, answer: Reply) -> None:
    """Say it where bounds are wider than was asked for: they hold all the same."""
    numbers = [one for _, one in answer] if isinstance(answer, tuple) else [answer]
    allowed = 4 * evaluator.precision.tolerance
    for one in numbers:
        if isinstance(one, Answer) and one.exact is None and one.lower is not None:
            assert one.upper is not None
            if one.lower + allowed * max(1.0, abs(one.value)) < one.upper:
                evaluator.notes["The bounds hold, but are wider than the tolerance"] = None
