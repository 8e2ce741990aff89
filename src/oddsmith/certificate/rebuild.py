"""The rules again: whether the model and the claims in a certificate are those of its question.

The rules are run by the plain interpreters, not by compiled code, and everything that a claim means
(where play stops, what it is worth and earns, who is free) is worked out anew and compared. So of
all that made a certificate, only the meaning of the rules themselves is shared with it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from oddsmith.certificate import checker
from oddsmith.certificate.arrange import arranged
from oddsmith.certificate.claim import Claim, Graph, graph_of_process
from oddsmith.certificate.source import (
    Source,
    Whose,
    constants_of,
    game_of,
    model_title,
    title_of,
    whose_rules,
)
from oddsmith.errors import LimitError, OddsmithError, OptionError
from oddsmith.model.model import Model
from oddsmith.model.names import GameNames
from oddsmith.rules.game import Game
from oddsmith.runtime.progress import Progress

Named = Callable[[int], str]
"""What a state is called."""


@dataclass(frozen=True, eq=False)
class Rebuilt:
    """What the rules give."""

    graph: Graph
    claims: list[Claim]
    named: Named
    whose: Whose
    title: str | None = None
    """That the certificate should have, where the rules say it."""


def rebuild(certificate: dict[str, Any], rules: str | None, progress: Progress) -> Rebuilt:
    """Run the rules of a certificate and compare; an error says where they differ."""
    source = certificate.get("source")
    made = KINDS.get(str(source.get("kind"))) if isinstance(source, dict) else None
    if made is None:
        raise OptionError("The certificate does not say where its model comes from: --no-rules.")
    model = checker.Model(certificate.get("model"))
    try:
        found: Rebuilt = made(source, rules, model.states, progress)
    except LimitError:
        raise OddsmithError("The rules give more states than the certificate has.") from None
    if found.title is not None and certificate.get("title") != found.title:
        raise OddsmithError(f"The certificate is about {found.title}, but calls itself otherwise.")
    _compare_models(certificate.get("model"), found.graph.to_json(), found.named)
    _compare_claims(certificate.get("claims"), [claim.to_json() for claim in found.claims])
    return found


def _game(source: Source, rules: str | None, states: int, progress: Progress) -> Rebuilt:
    from oddsmith.certificate.game_claims import game_claims
    from oddsmith.model.explore import explore

    game = game_of(source, rules)
    whose = whose_rules(source, rules, game)
    how: dict[str, Any] = {"engine": "interpreted", "max_states": states, "progress": progress}
    if source.get("ask") == "property":
        process = explore(game, **how).closed()
        return _property(source, process, None, None, whose, title_of(game))
    if source.get("ask") not in ("odds", "play") or source.get("endless") not in ("error", "draw"):
        raise OptionError("The certificate does not say what was asked of its game.")
    model = explore(game, symmetry=bool(source.get("symmetry")), **how)
    if model.shift is not None:
        _check_seats(game, model, progress)
    graph, claims = game_claims(model, source["ask"], source["endless"])
    return Rebuilt(graph, claims, lambda s: repr(model.state(s)), whose, title_of(game))


def _check_seats(game: Game, model: Model, progress: Progress) -> None:
    """Hold a game to its promise that players are interchangeable, in every state."""
    from oddsmith.model.replay import check_symmetry

    assert isinstance(model.names, GameNames)
    for s in range(model.states):
        if s % 1000 == 999:
            progress.update("turning the seats", s, model.states)
        check_symmetry(game, model.names.layout, model.state(s))


def _prism(source: Source, rules: str | None, states: int, progress: Progress) -> Rebuilt:
    from oddsmith.certificate.reference import reference_process
    from oddsmith.properties.parse import with_definitions
    from oddsmith.rules.prism import parse_program
    from oddsmith.runtime.reading import read_text

    text = source.get("text") if rules is None else read_text(rules)
    columns = source.get("values")
    if not isinstance(text, str) or not isinstance(columns, list):
        raise OptionError("The certificate has no text of its model, or no values of its states.")
    if not isinstance(source.get("constants"), dict):
        raise OptionError("The certificate does not say which values its constants have.")
    given = constants_of(source)
    file = with_definitions(_text(source, "property"), _text(source, "definitions"))
    own = {d.name for d in file.constants}
    program = parse_program(text, "the model in the certificate", given, others=sorted(own))
    if source.get("variables") != [v.name for v in program.variables]:
        raise OddsmithError("The certificate has other variables than its model.")
    if not all(isinstance(c, list) and all(type(x) is int for x in c) for c in columns):
        raise OptionError("The values of the states in the certificate are not whole numbers.")
    count = len(program.variables)
    if len(columns) != count or any(len(column) != states for column in columns):
        raise OptionError("The certificate has not the values of all its states.")
    named: list[tuple[int, ...]] = list(zip(*columns, strict=True)) if columns else [()]
    _check_ranges(program, named)
    process = reference_process(program, named, progress)
    theirs = {k: v for k, v in given.items() if k in own}
    title = model_title({"name": _text(source, "name"), "constants": source["constants"]})
    whose = whose_rules(source, rules, None)
    return _property(source, process, program, theirs, whose, title)


def _check_ranges(program: Any, states: list[tuple[int, ...]]) -> None:
    for state in states:
        for variable, value in zip(program.variables, state, strict=True):
            if not variable.low <= value <= variable.high:
                raise OddsmithError(
                    f"A state of the certificate has {variable.name} outside its range."
                )


def _file(source: Source, rules: str | None, states: int, progress: Progress) -> Rebuilt:
    from oddsmith.model.formats import read
    from oddsmith.model.reading import is_model_file

    if rules is None or not is_model_file(rules):
        raise OptionError(
            "The model of this certificate is a file of its own: name it by --rules, or leave it "
            "out with --no-rules."
        )
    title = model_title({"name": _text(source, "name"), "constants": constants_of(source)})
    return _property(source, read(rules), None, None, whose_rules(source, rules, None), title)


def _property(
    source: Source,
    process: Model,
    program: Any,
    given: Any,
    whose: Whose,
    title: str | None = None,
) -> Rebuilt:
    from oddsmith.certificate.property_claims import property_claim
    from oddsmith.certificate.reference import plainly

    process = arranged(process)
    claim, _ = property_claim(
        process,
        _text(source, "property"),
        definitions=_text(source, "definitions"),
        constants=None if program is None else program.constants,
        formulas=None if program is None else program.formulas,
        given=constants_of(source) if given is None else given,
        plain=plainly(process),
    )
    return Rebuilt(graph_of_process(process), [claim], process.describe, whose, title)


def _text(source: Source, key: str) -> str:
    found = source.get(key)
    if not isinstance(found, str):
        raise OptionError(f"The certificate does not say its {key}.")
    return found


KINDS: dict[str, Callable[..., Rebuilt]] = {
    "game": _game,
    "board": _game,
    "python": _game,
    "prism": _prism,
    "file": _file,
}


def _compare_models(said: Any, true: dict[str, Any], named: Named) -> None:
    """Refuse a model that is not that of the rules, with the first state in which it is not."""
    if said == true:
        return
    if not isinstance(said, dict) or said.get("choices") is None:
        raise OddsmithError("The certificate has no model.")
    differs = "The model in the certificate is not that of the rules: "
    states = len(true["choices"])
    if len(said["choices"]) != states:
        raise OddsmithError(
            f"{differs}it has {len(said['choices']):,} states, and they give {states:,}."
        )
    edge = choice = 0
    for s, count in enumerate(true["choices"]):
        widths = true["outcomes"][choice : choice + count]
        there = slice(edge, edge + sum(widths))
        same = said["choices"][s] == count
        same = same and said.get("outcomes", [])[choice : choice + count] == widths
        keys = [key for key in ("to", "weight", "shift") if key in true]
        if not same or any(said.get(key, [])[there] != true[key][there] for key in keys):
            raise OddsmithError(f"{differs}they differ in {named(s)}.")
        choice, edge = choice + count, there.stop
    raise OddsmithError(f"{differs}they differ.")


def _compare_claims(said: Any, true: list[dict[str, Any]]) -> None:
    """Refuse claims that are not about what the question means."""
    if not isinstance(said, list) or len(said) != len(true):
        raise OddsmithError("The certificate has not the claims of its question.")
    for mine, theirs in zip(said, true, strict=True):
        for key, value in theirs.items():
            found = mine.get(key) if isinstance(mine, dict) else None
            if key in ("lower", "upper") and isinstance(found, dict):
                found = {"free": found.get("free")}
            if key == "results" and isinstance(found, list):
                found = [_without_numbers(one) for one in found]
            if found != value:
                raise OddsmithError(
                    f"The claim about {theirs['about']} is not that of the rules: {key} differs."
                )
        if "gain" not in theirs and isinstance(mine, dict) and mine.get("gain") is not None:
            raise OddsmithError(f"The claim about {theirs['about']} earns what the rules do not.")


def _without_numbers(one: Any) -> Any:
    if not isinstance(one, dict):
        return one
    return {key: value for key, value in one.items() if key not in ("lower", "upper")}
