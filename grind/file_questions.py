"""Questions about a model after it was written to a file and read again, in every state."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from grind import decide, round_trip, storm
from grind.models import Program
from grind.plain import Plain
from grind.properties import CLOSE, Question
from grind.tally import Tally
from oddsmith import check
from oddsmith.errors import OddsmithError
from oddsmith.properties.ask import load


def ask_file(program: Program, model: Plain, data: dict[str, Any], tally: Tally) -> None:
    """The same questions of the model after it was written to a file and read again.

    In a file without players all choices are in one hand, so that is what is asked then.
    """
    process = load(program.text).process
    names = [tuple(process.valuations.values(s)) for s in range(process.states)]
    labels = dict(process.labels)
    for i, one in enumerate(data["questions"]):
        for key in ("a", "b"):
            there = [program.holds(one[key], name) for name in names]
            labels[f"{key}{i}"] = np.array(there, bool)
    with round_trip.trip(replace(process, labels=labels), data["file"], tally) as trip:
        asked = []
        for i, one in enumerate(data["questions"]):
            question = Question(program, model, one)
            question.type = trip.after.kind
            if question.kind[0] == "R" and not data["rewards"]:
                continue
            try:
                truth = question.truth()
            except decide.TooMany:
                continue
            reward = trip.reward(int(question.reward[1:])) if data["rewards"] else ""
            a, b = (f'"{trip.label(2 * i + k)}"' for k in range(2))
            if truth is not None and "\n" not in a + b + reward:  # a name that no question can say
                text = question.phrase(a, b, reward)
                asked.append((question.kind, text, dict(zip(model.names, truth, strict=True))))
        ask_states(trip, asked, tally)
        if trip.after.kind != "smg":
            storm.ask_storm_file(trip, [one for one in asked if one[0] in storm.KINDS], tally)


def ask_states(trip: round_trip.Trip, asked: list[tuple[str, str, Any]], tally: Tally) -> None:
    """Questions about every state of a file: in fractions, or near the truth after rounding."""
    texts = [f"filter(printall, {text}, true)" for _, text, _ in asked]
    names = trip.names
    try:
        together = list(check(trip.after, *texts, exact=True)) if texts else []
    except OddsmithError:  # each by itself, then
        together = [None] * len(texts)  # type: ignore[list-item]
    for (kind, _, truth), text, found in zip(asked, texts, together, strict=True):

        def one(kind: str = kind, truth: Any = truth, text: str = text, found: Any = found) -> None:
            if found is None:
                [found] = check(trip.after, text, exact=True)
            tally.same(f"{trip.name}: answers", len(found.answer), len(names))
            for name, (_, answer) in zip(names, found.answer, strict=True):
                value = truth[name]
                if trip.is_exact:
                    tally.number(f"{trip.name} {kind}", answer, value)
                elif kind[0] not in "SR":  # rounding moves long runs and what is earned for long
                    close = abs(float(answer.value) - float(value)) <= CLOSE
                    tally.same(f"{trip.name} {kind}", close or (answer.value, value), True)

        tally.attempt(one)
