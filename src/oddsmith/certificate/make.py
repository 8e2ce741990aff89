"""From a question to its certificate: solved by the solvers, proved by vectors, then checked.

A certificate that the checker would refuse is never written.
"""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from oddsmith.certificate import checker
from oddsmith.certificate.arrange import arranged
from oddsmith.certificate.bounds import Task, approximate_bound, doubt, exact_bound, task_of
from oddsmith.certificate.claim import Claim, Graph, Int64s, fraction, graph_of_process
from oddsmith.certificate.nodes import Nodes, nodes_of
from oddsmith.certificate.source import Source, game_source, model_source, model_title, title_of
from oddsmith.certificate.values import NodeValues, falling_picks, solve
from oddsmith.errors import LimitError, OddsmithError, OptionError
from oddsmith.model.amounts import Bools
from oddsmith.model.model import Model
from oddsmith.questions import limits
from oddsmith.questions.keywords import checked
from oddsmith.questions.settings import Keywords, Settings
from oddsmith.results.shown import Shown
from oddsmith.rules.game import Game, check_game
from oddsmith.runtime.progress import Progress, Silent
from oddsmith.runtime.whole_files import write_whole
from oddsmith.solve.process.aim import Aim
from oddsmith.version import __version__

WIDER = (1.0, 8.0, 64.0, 4096.0)
"""How much wider than needed vectors are made, one after another, until the checker accepts."""

METHODS = ("auto", "exact", "certified")


@dataclass(frozen=True, eq=False, repr=False)
class Certificate(Shown):
    """A certificate that has been checked: `save` it, or look at what it proves."""

    content: dict[str, Any]
    verdict: checker.Verdict

    def save(self, path: str | Path) -> None:
        """Write it to a file."""
        text = json.dumps(self.content, separators=(",", ":"), ensure_ascii=False)
        write_whole(path, gzip.compress(text.encode(), mtime=0))

    def __str__(self) -> str:
        lines = [f"{one.about} {checker.described(one)}" for one in self.verdict.proved]
        return "\n".join([f"{self.verdict.title}: certificate", *lines])


@checked
def certify(
    subject: Any,
    property: str | None = None,
    *,
    ask: str = "odds",
    definitions: str = "",
    **settings: Unpack[Keywords],
) -> Certificate:
    """The certificate of an answer: what is claimed, and a proof that a simple checker verifies.

    Parameters
    ----------
    subject: a game; or, for a property, a model as `check` takes it.
    property: such as `P=? [ F x=3 ]`; without one, the odds of a game are certified.
    ask: of a game, `odds`, or `play` for what optimal play is worth and no more.
    definitions: of a model and its property: a property file's text.
    settings: method is exact (fractions), certified (bounds) or auto (fractions if the game is
        small); others are endless, engine, symmetry, max_states, constants and progress.

    >>> from oddsmith import certify, game
    >>> print(certify(game("coin-race")))
    Coin race, 2 players, goal 2: certificate
    player 1 wins = 16/27
    player 2 wins = 11/27
    a draw = 0
    length = 16/3
    """
    wanted = Settings(**settings)
    if wanted.explain:
        raise OptionError("A certificate is its own explanation: leave explain out.")
    if wanted.method not in METHODS:
        raise OptionError(f"A certificate is {' or '.join(METHODS[1:])}, not {wanted.method}.")
    if property is None:
        return _of_game(check_game(subject), ask, wanted)
    exact = wanted.method == "exact"
    return _of_property(subject, property, exact, wanted.constants, definitions, wanted)


# Games ---------------------------------------------------------------------------------------


def _of_game(game: Game, ask: str, settings: Settings) -> Certificate:
    from oddsmith.certificate.game_claims import game_claims
    from oddsmith.solve.chain import make_chain
    from oddsmith.solve.play.profile import optimal_table

    if settings.play not in (None, "optimal"):
        raise OptionError("There are certificates of optimal play, not of other policies yet.")
    if settings.engine not in ("auto", "interpreted", "compiled"):
        settings = replace(settings, engine="auto")
    model = _explored(game, settings)
    policy, found = None, None
    if model.is_chain:
        if ask == "play":
            raise OptionError(f"{game.name} leaves nothing to decide.")
        make_chain(model, settings.endless)  # refuses games that never end
        exact = settings.method == "exact" or (settings.method == "auto" and _is_small(model))
    else:
        table = optimal_table(model, settings)
        assert table.solution is not None
        found, exact = table, table.exact is not None
        policy = np.maximum(table.solution.picks - model.choice[:-1], 0)
    graph, claims = game_claims(model, ask, settings.endless)
    work = _Work(graph, exact, settings.progress)
    proofs = []
    for claim in claims:
        if claim.about == "optimal play" and found is not None:
            flat = None if found.exact is None else [x for row in found.exact for x in row]
            worth = NodeValues(found.solution.x.ravel(), flat)  # type: ignore[union-attr]
        else:
            nodes = nodes_of(graph, claim, policy, claim.free(1))
            worth = solve(nodes, claim, Aim(exact=exact, progress=settings.progress))
        proofs.append(work.proof(claim, worth, policy))
    source = game_source(game, ask, settings.endless)
    source["symmetry"] = model.shift is not None
    return _checked(title_of(game), source, graph, proofs)


def _explored(game: Game, settings: Settings) -> Model:
    from oddsmith.model.subject import model_of

    limit = settings.max_states or limits.CERTIFICATE_STATES
    try:
        return model_of(game, replace(settings, max_states=limit))
    except LimitError:
        if settings.max_states is not None:
            raise
        raise LimitError(
            f"{game.name} has more than {limits.CERTIFICATE_STATES:,} states, the most that a "
            f"certificate is made of unless --max-states allows more."
        ) from None


def _is_small(model: Model) -> bool:
    return model.full_states <= limits.EXACT_STATES


# Properties ----------------------------------------------------------------------------------


def _of_property(
    model: Any, text: str, exact: bool, constants: Any, definitions: str, settings: Settings
) -> Certificate:
    from oddsmith.certificate.property_claims import property_claim
    from oddsmith.properties.ask import experiments, load
    from oddsmith.properties.parse import with_definitions

    given = experiments(constants)
    if len(given) != 1:
        raise OptionError("A certificate is of one value for every constant, not of a range.")
    file = with_definitions(text, definitions)
    own = sorted(d.name for d in file.constants)
    loaded = load(
        model, given[0], others=own, max_states=settings.max_states, progress=settings.progress
    )
    process = arranged(loaded.process)
    claim, senses = property_claim(
        process,
        text,
        definitions=definitions,
        constants=loaded.constants,
        formulas=loaded.formulas,
        given={k: v for k, v in given[0].items() if k in own},
    )
    source = model_source(model, given[0], definitions, text)
    if source is None:
        source = _game_behind(model) | {"property": text, "definitions": definitions}
    title = source.pop("title", None) or model_title(source)
    return certify_process(process, claim, senses, exact, title, source, settings.progress)


def _game_behind(model: Any) -> Source:
    from oddsmith.games import game

    if isinstance(model, str | Path):
        model = game(str(model))
    if not isinstance(model, Game):
        return {"kind": "file", "name": "the model"}
    return game_source(model, "property", "error") | {"title": title_of(model)}


def certify_process(
    process: Model,
    claim: Claim,
    senses: Bools,
    exact: bool,
    title: str,
    source: Source,
    progress: Progress | None = None,
) -> Certificate:
    """The certificate of one claim about a process; `senses` says where a side wants much."""
    progress = progress or Silent()
    graph = graph_of_process(process)
    everything = nodes_of(graph, claim, None, np.ones(graph.states, bool))
    found = solve(everything, claim, _aim(everything, senses, exact, progress))
    policy = None
    if found.picks is not None:
        picks = found.picks
        if found.exact is not None:
            picks = falling_picks(everything, claim, found.exact, senses, picks)
        policy = np.where(claim.stop, 0, picks - everything.choice[:-1])
    proof = _Work(graph, exact, progress).proof(claim, found, policy)
    names = {"variables": [v.name for v in process.valuations.variables]}
    if source["kind"] == "prism":
        source = source | names | {"values": process.valuations.rows.T.tolist()}
    return _checked(title, source, graph, [proof])


def _aim(nodes: Nodes, senses: Bools, exact: bool, progress: Progress) -> Aim:
    deciding = (np.diff(nodes.choice) > 1) & ~nodes.stop
    if senses[deciding].any() and not senses[deciding].all():
        return Aim(True, senses, exact=exact, progress=progress)
    return Aim(bool(senses[deciding].any()), exact=exact, progress=progress)


# Proofs --------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Proof:
    """A claim, and for each attempt (the wider the later) what proves it."""

    claim: Claim
    found: NodeValues
    policy: Int64s | None
    tasks: tuple[Task, Task]

    def written(self, graph: Graph, slack: float) -> dict[str, Any]:
        """The claim with its proof."""
        found = self.claim.to_json()
        if self.policy is not None:
            found["policy"] = self.policy.tolist()
        for side, task in zip(("lower", "upper"), self.tasks, strict=True):
            if self.found.exact is not None:
                vector = exact_bound(task, self.found.exact)
                if side == "upper":
                    vector |= {"values": "lower"}
            else:
                vector = approximate_bound(task, self.found.x, slack)
            if side == "lower" and np.isinf(self.found.x).any():
                vector["doubt"] = doubt(task, self.found.x)
            found[side] |= vector
        for asked in found["results"]:
            node = asked["state"] * self.claim.seats + asked["seat"]
            for side in ("lower", "upper"):
                asked[side] = self._claimed(found, side, node)
        return found

    def _claimed(self, found: dict[str, Any], side: str, node: int) -> Any:
        if self.found.exact is not None:
            exact = self.found.exact[node]
            return fraction(exact) if isinstance(exact, Fraction) else "infinite"
        value = found[side]["values"][node]
        if value == "infinite":
            return value
        over = found[side]["over"]
        return fraction(Fraction(value, int(over, 16) if isinstance(over, str) else over))


@dataclass(frozen=True, eq=False)
class _Work:
    graph: Graph
    exact: bool
    progress: Progress

    def proof(self, claim: Claim, found: NodeValues, policy: Int64s | None) -> _Proof:
        """What is needed to prove a claim."""
        low, high = (
            task_of(
                claim, nodes_of(self.graph, claim, policy, claim.free(sign)), sign, self.progress
            )
            for sign in (1, -1)
        )
        return _Proof(claim, found, policy, (low, high))


def _checked(title: str, source: Source, graph: Graph, proofs: list[_Proof]) -> Certificate:
    content: dict[str, Any] = {
        "format": checker.FORMAT,
        "title": title,
        "version": __version__,
        "source": source,
        "model": graph.to_json(),
    }
    verdict = checker.Verdict(title, graph.states, len(graph.col))
    claims = []
    for proof in proofs:
        written, part = _accepted(content, graph, proof)
        claims.append(written)
        verdict.inequalities += part.inequalities
        verdict.proved += part.proved
    return Certificate(content | {"claims": claims}, verdict)


def _accepted(
    content: dict[str, Any], graph: Graph, proof: _Proof
) -> tuple[dict[str, Any], checker.Verdict]:
    """The first attempt at a proof that the checker accepts."""
    for slack in WIDER if proof.found.exact is None else (1.0,):
        written = proof.written(graph, slack)
        try:
            return written, checker.check(content | {"claims": [written]})
        except checker.Refused as reason:
            refused = reason
    raise OddsmithError(f"No certificate was found: {refused}")
