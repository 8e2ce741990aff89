"""The plan: which engine answers a question, by which method, and why not another.

Every engine makes an offer: what it could answer, what that would cost, and why it cannot or why
another is better. This module alone chooses between offers; `--engine` and `--method` override it,
and `--explain` shows all offers beside what was then used.

- `lattice`: the numbers of a board of N tokens, without a stored graph. Certified or plain.
- `throws`: lengths of a board whose turns can be without a throw; its chain is written out.
- `graph`: the states, explored and stored. Fractions where it is small or they are asked for,
  otherwise certified.
- `simulation`: any size; estimates with intervals, so only where it is asked for.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from oddsmith.errors import OptionError
from oddsmith.model.model import Model
from oddsmith.questions.question import Question
from oddsmith.questions.settings import LATTICE_ENGINES, Settings, nothing_to_decide
from oddsmith.results.offers import Offer, Plan
from oddsmith.rules.board.game import Board
from oddsmith.rules.game import Game
from oddsmith.solve import limits

if TYPE_CHECKING:
    from oddsmith.results.evidence import Method
    from oddsmith.results.result import Result
    from oddsmith.solve.chain import Chain


@dataclass(frozen=True)
class Case:
    """A question with all that engines look at."""

    question: Question
    subject: Game | Model
    settings: Settings
    turns: bool = False
    """Of lengths: whether turns without a throw are counted too."""
    sets: bool = False
    """Of visits: whether conditions are asked about, not the squares of a piece."""

    @property
    def board(self) -> Board | None:
        """The board, if it is one on which a turn moves the mover's token alone."""
        subject = self.subject
        return subject if isinstance(subject, Board) and not subject.why_no_lattice else None

    @property
    def lattice(self) -> Board:
        """The board, where a lattice has been chosen."""
        assert self.board is not None
        return self.board

    @property
    def numbers(self) -> int:
        """Of a board: the numbers of its lattice."""
        return 0 if self.board is None else self.board.track.size**self.board.players

    @property
    def positions(self) -> int:
        """Of a board: how many states it has at most."""
        return 0 if self.board is None else self.board.players * self.numbers

    @property
    def by_name(self) -> bool:
        """Whether a lattice was asked for by name."""
        wanted = self.settings
        return wanted.engine in LATTICE_ENGINES or wanted.cluster is not None


def by_lattice(case: Case) -> bool:
    """Whether a board's lattice answers; what is said of one alone is refused if it does not."""
    settings, subject = case.settings, case.subject
    if settings.play is not None and isinstance(subject, Board):
        raise nothing_to_decide(subject)
    if _chooses_lattice(case):
        return True
    for name in ("checkpoint", "scratch"):
        if name == "checkpoint" and settings.method == "exact":  # of digits: see solve/exact
            continue
        if getattr(settings, name) is not None:
            raise OptionError(
                f"--{name} is for sweeps of a board's lattice, and this is answered without one: "
                f"leave it out, or ask for --engine lattice."
            )
    if settings.precision != "float64":
        raise OptionError(
            f"--precision {settings.precision} is for a board's lattice, and this is answered "
            f"without one: leave it out, or ask for --engine lattice."
        )
    return False


def _chooses_lattice(case: Case) -> bool:
    settings = case.settings
    if settings.method == "exact" and settings.engine == "cuda" and settings.cluster is None:
        return False  # digits are lifted there, without a lattice
    offer = _lattice(case)
    if case.by_name:
        if offer.why_not:
            raise OptionError(_refusal(case))
        if settings.method == "exact":
            raise OptionError(
                "A lattice gives certified answers: exact ones take --engine auto or cuda."
            )
        if settings.method == "estimate":
            raise OptionError("This question is answered by solving: simulate gives estimates.")
    elif offer.why_not or offer.rather:
        return False
    if case.sets:
        raise OptionError(
            f"A lattice counts the arrivals of a token: name the player, not a condition, or "
            f"explore {case.subject.name} with --engine compiled."
        )
    return True


def _refusal(case: Case) -> str:
    subject = case.subject
    if isinstance(subject, Board):
        why = subject.why_no_lattice
        return f"{subject.name} has no lattice, because {why}: leave --engine out."
    name = subject.name if isinstance(subject, Game) else "A model"
    return f"{name} is no board of squares, so it has no lattice: leave --engine out."


def by_throws(case: Case) -> bool:
    """Of a length that a lattice answers: whether its chain is written out to count throws."""
    return not _throws(case).why_not


# Offers -------------------------------------------------------------------------------------


def _lattice(case: Case) -> Offer:
    """What the lattice of a board offers."""
    settings, board = case.settings, case.board
    offer = Offer("lattice", "certified")
    if board is None:
        why = "it is no board of squares"
        if isinstance(case.subject, Board):
            why = case.subject.why_no_lattice
        return replace(offer, why_not=why)
    offer = replace(
        offer,
        size=f"{case.numbers:,} numbers",
        memory=case.numbers * (4 if settings.precision == "float32" else 8),
        seconds=limits.LATTICE_SECONDS * case.numbers,
    )
    if settings.method in ("exact", "estimate"):
        return replace(offer, rather=f"--method {settings.method} is not what it gives")
    for name, usual in (("engine", "auto"), ("solver", "auto"), ("symmetry", True)):
        if getattr(settings, name) != usual and not case.by_name:
            return replace(offer, rather=f"--{name} {getattr(settings, name)} is the graph's")
    if settings.max_states is not None:
        return replace(offer, rather="--max-states is the graph's")
    if case.positions <= case.question.lattice_from:
        return replace(offer, rather="the graph says more of so few states")
    if case.question.turn_by_turn and not case.by_name:
        return _counting(case, offer)
    return offer


def _counting(case: Case, offer: Offer) -> Offer:
    """A lattice counts turns; the graph throws, if it is not too large."""
    from oddsmith.solve.lattice.answers import counts_turns

    assert case.board is not None
    large = case.positions > limits.GRAPH_STATES
    if large or counts_turns(case.board, case.turns) or by_throws(case):
        return offer
    return replace(offer, rather="it counts turns, and some have no throw")


def _throws(case: Case) -> Offer:
    """What writing out the chain of a board offers."""
    from oddsmith.solve.lattice.answers import counts_turns
    from oddsmith.solve.lattice.throws import entries

    settings, board = case.settings, case.board
    offer = Offer("throws", "certified")
    if not case.question.turn_by_turn:
        return replace(offer, why_not="it counts lengths alone")
    if board is None:
        return replace(offer, why_not=_lattice(case).why_not)
    if case.turns or counts_turns(board, case.turns):
        return replace(offer, why_not="every turn that counts has one throw: a lattice does")
    many = entries(board.track, board.players)
    offer = replace(offer, size=f"{many:,} entries", memory=40 * many, seconds=6e-7 * many)
    plain = settings.engine == "auto" and settings.cluster is None
    if not plain or settings.precision != "float64" or settings.checkpoint is not None:
        return replace(offer, why_not="a lattice was asked for")
    if many > limits.WRITTEN_OUT:
        return replace(offer, why_not=f"more than {limits.WRITTEN_OUT:,} entries")
    return offer


def _graph(case: Case, method: Method, states: int, transitions: int) -> Offer:
    """What storing the states offers, in fractions or with bounds."""
    offer = Offer("graph", method)
    if case.settings.method not in ("auto", method):
        offer = replace(offer, rather=f"--method {case.settings.method} was asked for")
    if case.by_name and not (method == "exact" and case.settings.engine == "cuda"):
        offer = replace(offer, rather="a lattice was asked for")
    if not states:
        if case.board is None:
            return replace(offer, size="known once it is explored")
        states = case.positions
        transitions = states * len(case.board.track.source) // case.board.track.size
        offer = replace(offer, size=f"at most {states:,} states")
    else:
        offer = replace(offer, size=f"{states:,} states")
    seconds = limits.GRAPH_SECONDS * transitions
    if method == "exact":
        seconds += limits.EXACT_SECONDS * states**1.5
    bytes_ = limits.GRAPH_BYTES[0] * states + limits.GRAPH_BYTES[1] * transitions
    return replace(offer, memory=bytes_, seconds=seconds)


def _simulation(case: Case) -> Offer:
    offer = Offer("simulation", "estimate", size="nothing")
    if not {"win", "distribution"} & set(case.question.answers):
        return replace(offer, why_not="it plays from one state and counts ends")
    return replace(offer, rather="estimates are given where they are asked for")


# Methods ------------------------------------------------------------------------------------


def method_of(settings: Settings, model: Model, chain: Chain) -> Method:
    """The method asked for, or the one that `auto` picks for a chain."""
    if settings.method == "estimate":
        raise OptionError("This question is answered by solving: simulate gives estimates.")
    if settings.method != "auto":
        return settings.method
    return "exact" if _affords(model.full_states, chain.largest * chain.lanes) else "certified"


def plays_exactly(settings: Settings, states: int, largest: int) -> bool:
    """Whether best play is found in fractions; `largest` numbers depend on each other."""
    if settings.method != "auto":
        return settings.method == "exact"
    return _affords(states, largest)


def _affords(states: int, largest: int) -> bool:
    return states <= limits.EXACT_STATES and largest <= limits.EXACT_COMPONENT


# Saying it ----------------------------------------------------------------------------------


def explained(case: Case, found: Result) -> Result:
    """The answer with the plan behind it, if that is to be shown."""
    if not case.settings.explain:
        return found
    evidence = found.evidence
    used = _used(case, found)
    offers = [
        _lattice(case),
        _throws(case),
        _graph(case, "exact", evidence.states, evidence.transitions),
        _graph(case, "certified", evidence.states, evidence.transitions),
        _simulation(case),
    ]
    plan = Plan(
        case.question.says,
        tuple(
            replace(offer, taken=True, why_not="", rather="")
            if (offer.engine, offer.method) == used
            else _turned_down(offer, used)
            for offer in offers
        ),
    )
    return replace(found, evidence=replace(evidence, plan=plan))


def _used(case: Case, found: Result) -> tuple[str, str]:
    """The engine and the method that have answered."""
    evidence = found.evidence
    if evidence.games is not None:
        return "simulation", "estimate"
    if evidence.numbers:
        return ("throws" if by_throws(case) else "lattice"), "certified"
    return "graph", "exact" if evidence.method == "exact" else "certified"


def _turned_down(offer: Offer, used: tuple[str, str]) -> Offer:
    """An offer that was not taken has a reason."""
    if offer.why_not or offer.rather:
        return offer
    if offer.method == "exact":
        why = "too large for fractions unasked: --exact gives them"
    elif offer.engine == "lattice":
        why = "it counts turns, and some have no throw"
    elif used == ("graph", "exact"):
        why = "fractions are affordable, and say more"
    else:
        why = "a board's lattice answers without storing the graph"
    return replace(offer, rather=why)
