"""What has been compared: answers by kind and question, refusals, and the disagreement."""

from __future__ import annotations

import math
import re
import traceback
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

from oddsmith.errors import OddsmithError

ALLOWED = (
    "too close to a game that never ends",
    "Random play of",
    "cannot be played forward",
    "Gauss–Seidel takes more than",
    "almost without end",
    "Long-run averages with decisions are not computed as fractions",
    "Long-run averages of games are not supported",
    "Total rewards (C) of a game are not supported",
    "The chances of the model are not fractions",
    "which floating point cannot compute with",
    "which PRISM programs lose",
)
"""Refusals that are no mistakes: floating point has an end, and so has what policies can mix."""


class Difference(AssertionError):  # noqa: N818
    """A program's answer and the truth that are not the same."""

    def __init__(self, question: str, sentence: str) -> None:
        super().__init__(f"{question}: {sentence}")
        self.question = question
        """What was asked, without numbers of the case: what shrinking has to keep."""


def plain_text(error: object) -> str:
    """A sentence without what differs from case to case."""
    return re.sub(r"\w*\([^)]*\)|\d+|\W+", " ", str(error))


class Tally:
    """Counts; every comparison of the grinder goes through it."""

    def __init__(self) -> None:
        self.answers: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self.cases: Counter[str] = Counter()
        self.kind = ""
        self.differences: list[Difference] = []
        """Of the case at hand."""

    def differs(self, question: str, sentence: str) -> None:
        """A disagreement; the case goes on."""
        self.differences.append(Difference(question, sentence))

    def attempt(self, ask: Callable[..., None], *given: Any) -> None:
        """Ask; a refusal in a sentence that is known counts as one, all else disagrees."""
        name = ask.__name__.removeprefix("ask_")
        try:
            ask(*given)
        except OddsmithError as error:
            if any(words in str(error) for words in ALLOWED):
                self.refusal(error)
            else:
                self.differs(f"{name}, refused: {plain_text(error)[:40]}", str(error))
        except Exception as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            what = f"{type(error).__name__} in {Path(where.filename).name}"
            self.differs(f"{name}: {what}", f"{error}, line {where.lineno}")

    def same(self, question: str, said: Any, truth: Any) -> None:
        """Two things that must be equal."""
        self.answers[f"{self.kind}: {question}"] += 1
        if said != truth:
            self.differs(question, f"says {said}, the truth is {truth}")

    def spread(self, question: str, result: Any, truth: Fraction | None) -> None:
        """The variance of a length and its root; there are none of lengths that may be infinite."""
        if truth is None or result.variance is None:
            self.same(f"{question}: has a variance", result.variance is not None, truth is not None)
            return
        self.number(f"{question}: variance", result.variance, truth)
        low, high = Fraction(result.deviation.lower), Fraction(result.deviation.upper)
        if not low * low <= truth <= high * high:
            self.differs(question, f"deviates from {low} to {high}, the variance is {truth}")

    def number(self, question: str, answer: Any, truth: Fraction | float | None) -> None:
        """An `Answer`: an exact one equals the truth, a certified one contains it."""
        self.answers[f"{self.kind}: {question}"] += 1
        truth = math.inf if truth is None else truth
        if answer.exact is not None:
            if answer.exact != truth:
                self.differs(question, f"says exactly {answer.exact}, the truth is {truth}")
            return
        if answer.lower is None or answer.upper is None:
            if math.isinf(truth) or math.isinf(answer.value):
                if float(truth) != answer.value:
                    self.differs(question, f"says {answer.value}, the truth is {truth}")
                return
            self.differs(question, f"says {answer.value} without bounds or a fraction")
            return
        low, high = answer.lower, answer.upper
        if not low <= answer.value <= high:
            self.differs(question, f"says {answer.value}, from {low} to {high}: no interval")
            return
        if math.isinf(truth):
            if high != math.inf:
                self.differs(question, f"is certified from {low} to {high}, and is infinite")
            return
        if not (low <= truth <= high):
            self.differs(
                question, f"is certified from {low!r} to {high!r}, the truth is {truth}"
                f" = {float(truth)!r}"
            )  # fmt: skip

    def refusal(self, error: object) -> None:
        """A question that was refused in a sentence, as it should be."""
        self.refused[f"{self.kind}: {plain_text(error)[:60]}"] += 1

    @property
    def total(self) -> int:
        """Answers compared."""
        return sum(self.answers.values())
