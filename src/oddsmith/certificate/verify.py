"""Verifying a certificate's file: the rules run again, then the independent checker.

>>> from tempfile import TemporaryDirectory
>>> from oddsmith import certify, game
>>> with TemporaryDirectory() as folder:
...     certify(game("coin-race")).save(f"{folder}/race.cert")
...     verified = verify(f"{folder}/race.cert")
>>> [(one.about, str(one.lower), str(one.upper)) for one in verified.verdict.proved][0]
('player 1 wins', '16/27', '16/27')
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from oddsmith.certificate import checker
from oddsmith.certificate.claim import fraction
from oddsmith.certificate.source import Whose
from oddsmith.errors import OddsmithError
from oddsmith.questions.keywords import checked
from oddsmith.quoting import printable
from oddsmith.results.shown import Shown
from oddsmith.runtime.progress import Progress, Silent


class NotProvedError(OddsmithError):
    """A certificate that does not prove its claims, or is none."""


@dataclass(frozen=True, eq=False, repr=False)
class Verified(Shown):
    """What a certificate proves; it prints as a table and turns into JSON."""

    verdict: checker.Verdict
    rules: Whose | None
    """Whose rules the model was compared with; None: it was not."""
    seconds: tuple[float, float]
    """To run the rules, and to check."""
    definitions: str = ""
    """What the property rests on: labels and constants that the certificate defines itself."""
    interrupted: bool = False
    """What is proved is proved: there are no halves."""

    def __str__(self) -> str:
        from oddsmith.results.table import align

        verdict = self.verdict
        rows = [[one.about, checker.described(one)] for one in verdict.proved]
        conditions = dict.fromkeys(one.condition for one in verdict.proved)
        if len(conditions) > 1 or any(conditions):
            rows = [[*row, one.condition] for row, one in zip(rows, verdict.proved, strict=True)]
        head = ["claim", "proved", "under which play"][: len(rows[0])]
        model = f"{verdict.states:,} states, {verdict.transitions:,} transitions"
        lines = [f"{verdict.title}: {model}", "", align(head, rows), ""]
        if self.rules:
            lines.append(f"rules: {self.rules}")
            lines.append(
                f"       run again, interpreted, {self.seconds[0]:.1f} s; they give the same model"
            )
        else:
            lines.append("rules: not run (--no-rules): proved for the model in the certificate")
        if self.definitions:
            lines.append(f"       with its own words: {self.definitions}")
        lines.append(
            f"proof: {verdict.inequalities:,} inequalities hold, in whole numbers, "
            f"{self.seconds[1]:.1f} s"
        )
        return "\n".join(lines)

    def to_json(self) -> str:
        """The same for machines."""
        found = {
            "title": self.verdict.title,
            "proved": [_entry(one) for one in self.verdict.proved],
            "rules": "compared" if self.rules else "not compared",
            "rules_of": self.rules.where if self.rules else None,
            "catalogue": self.rules.key if self.rules else None,
            "same_as_catalogue": self.rules.same if self.rules and self.rules.key else None,
            "definitions": self.definitions,
            "states": self.verdict.states,
            "transitions": self.verdict.transitions,
            "inequalities": self.verdict.inequalities,
            "seconds": round(sum(self.seconds), 3),
        }
        return json.dumps(found, indent=2, ensure_ascii=False)


def _entry(one: checker.Proved) -> dict[str, Any]:
    found: dict[str, Any] = {"about": one.about}
    for side, number in (("lower", one.lower), ("upper", one.upper)):
        found[side] = checker.decimal(number, side == "upper", 20) if number is not None else None
    if isinstance(one.lower, Fraction) and one.lower == one.upper:
        found["exact"] = [str(part) for part in fraction(one.lower)]
    return found | {"condition": one.condition}


@checked
def verify(
    path: str | Path,
    *,
    no_rules: bool = False,
    rules: str | None = None,
    progress: Progress | None = None,
) -> Verified:
    """Verify a certificate: `NotProvedError` says, in one sentence, why one proves nothing.

    Parameters
    ----------
    no_rules: check the model in the certificate as it is, without running the rules.
    rules: the game or file whose rules they should be; needed where they are not in the
        certificate (a game in Python, a model file of another tool).
    """
    from oddsmith.certificate.rebuild import rebuild

    progress = progress or Silent()
    began = time.perf_counter()
    content: Any = None
    try:
        content = checker.read(str(path))
        verdict = checker.check(content)
    except checker.Refused as refused:
        if refused.state is None or no_rules:
            raise NotProvedError(str(refused)) from None
        named = rebuild(content, rules, progress).named  # which may say better what is wrong
        where = f"State {refused.state:,} is {named(refused.state)}."
        raise NotProvedError(f"{refused} {where}") from None
    middle = time.perf_counter()
    whose = None if no_rules else rebuild(content, rules, progress).whose
    seconds = (time.perf_counter() - middle, middle - began)
    return Verified(verdict, whose, seconds, definitions=_definitions(content))


def _definitions(content: Any) -> str:
    """The property file in a certificate, on one line, without what could disturb a terminal."""
    source = content.get("source")
    text = source.get("definitions") if isinstance(source, dict) else None
    return printable(" ".join(text.split())) if isinstance(text, str) else ""
