"""Who wins, how often, and how long it takes: one forward solve answers all of it."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from oddsmith.model.explore import Subject
from oddsmith.model.model import Model
from oddsmith.model.opened import refuse_without_wins
from oddsmith.model.subject import subject_of
from oddsmith.questions import door
from oddsmith.questions.case import Case
from oddsmith.questions.question import Question
from oddsmith.questions.settings import Keywords, Settings
from oddsmith.results.answer import Answer
from oddsmith.results.result import Result
from oddsmith.rules.game import Game
from oddsmith.solve import plan
from oddsmith.solve.chain import Chain
from oddsmith.solve.engines.graph import Prepared
from oddsmith.solve.rounding import UNIT
from oddsmith.solve.sweeps import Visits, forward, turn_bound

if TYPE_CHECKING:
    from oddsmith.solve.exact.lifted import LiftingPlan


ODDS = Question(
    "odds",
    "who wins, and how long it takes",
    ("win", "draw", "duration", "score"),
    1_000,
    no_estimates="",
)


@door.question
def odds(subject: Subject, **settings: Unpack[Keywords]) -> Result:
    """The odds of a game: every player's chance to win, a draw's, and the expected length.

    Keywords are those of `Settings`: `method="exact"` gives fractions, `"certified"` intervals
    that contain the truth, `"float"` plain numbers, `"estimate"` simulates; `"auto"` picks.

    >>> from oddsmith import game, odds
    >>> race = odds(game("coin-race"))
    >>> [str(answer.exact) for answer in race.win], str(race.duration.exact)
    (['16/27', '11/27'], '16/3')
    """
    chosen = Settings(**settings)
    subject = subject_of(subject, chosen)
    if isinstance(subject, Model):
        refuse_without_wins(subject)
    return plan.answer(Case(ODDS, subject, chosen, _odds))


def _odds(prepared: Prepared) -> Result:
    """The odds from a chain."""
    settings = prepared.settings
    if prepared.method == "exact":
        win, draw, duration, lines = exact_odds(prepared)
        score = _exact_scores(prepared)
        return prepared.result(lines, win=win, draw=draw, duration=duration, score=score)
    visits = forward(prepared.chain, settings.tolerance, settings.solver, settings.progress)
    answers, how = answers_of(visits, prepared)
    players = len(prepared.model.players)
    if prepared.method == "certified":
        for player, bounds in prepared.win_bounds.items():
            answers[player] = answers[player].tightened(*bounds)
    return prepared.result(
        [how],
        interrupted=visits.interrupted,
        win=tuple(answers[:players]),
        draw=answers[players],
        duration=answers[players + 1],
        score=_scores(visits, prepared),
    )


def exact_odds(prepared: Prepared) -> tuple[tuple[Answer, ...], Answer, Answer, list[str]]:
    """Winning chances, draw and length as fractions."""
    from oddsmith.solve.exact.values import totals_of

    chain = prepared.chain
    players = len(chain.model.players)
    bits = chain.outcome[:, None] >> np.arange(players) & 1
    won = np.where(chain.outcome[:, None] > 0, bits, 0)
    others = np.column_stack([chain.outcome == 0, np.zeros(len(won), np.int64)]).astype(np.int64)
    totals = totals_of(chain)
    moves = np.column_stack([0 * totals, totals * chain.length.astype(np.int64)])
    win, (draw, length), reports = _exact_by_player(prepared, won, others, moves)
    return (
        tuple(Answer.of_fraction(value) for value in win),
        Answer.of_fraction(draw),
        Answer.infinite() if chain.length_is_infinite else Answer.of_fraction(length),
        [str(report) for report in reports],
    )


def lifting_plan(settings: Settings, game: Game, kept: bool = True) -> LiftingPlan:
    """How digits are lifted by these settings; `kept`: whether they are left in a file."""
    from oddsmith.solve.exact.lifted import LiftingPlan

    return LiftingPlan(
        settings.progress,
        cuda=settings.engine == "cuda",
        checkpoint=settings.checkpoint if kept else None,
        default_file=f"{game.key()}-{game.players}.digits" if kept else None,
    )


def _exact_by_player(
    prepared: Prepared, worth: Any, others: Any, moves: Any, kept: bool = True
) -> tuple[list[Fraction], list[Fraction], list[Any]]:
    """What the start is worth to every player, and for questions that name none."""
    from oddsmith.solve.exact.values import seat_values, start_values

    chain, lifting = prepared.chain, lifting_plan(prepared.settings, prepared.model.origin, kept)
    if chain.lanes > 1:
        most = int(np.abs(worth).max(initial=1))
        return seat_values(chain, worth, others, moves, lifting, most)
    players = worth.shape[1]
    earned = np.column_stack([np.zeros((chain.size, players), np.int64), moves])
    worths, reports = start_values(chain, np.column_stack([worth, others]), earned, lifting)
    return worths[:players], worths[players:], reports


def _exact_scores(prepared: Prepared) -> tuple[Answer, ...]:
    """Expected scores as fractions, where the game has scores."""
    scores = prepared.model.scores
    if scores is None:
        return ()
    nothing = np.zeros((len(scores), 0), np.int64), np.zeros((prepared.chain.size, 0), np.int64)
    means, _, _ = _exact_by_player(prepared, scores.astype(np.int64), *nothing, kept=False)
    return tuple(Answer.of_fraction(value) for value in means)


def _scores(visits: Visits, prepared: Prepared) -> tuple[Answer, ...]:
    """Expected scores, certified if that was asked for, where the game has scores."""
    from oddsmith.solve import kernels

    chain, model = visits.chain, visits.chain.model
    if model.scores is None:
        return ()
    if chain.size == 0 or chain.place[model.start] < 0:
        return tuple(Answer.of_fraction(Fraction(int(n))) for n in model.scores[model.start])
    shift = model.shift if model.shift is not None else np.empty(0, np.uint8)
    sums = kernels.score_sums(
        chain.order, model.state_row, model.col, model.weight, chain.total, shift, chain.outcome,
        model.scores, visits.y,
    )  # fmt: skip
    values = sums[:, 0] + sums[:, 1]
    if prepared.method != "certified":
        return tuple(Answer(float(value)) for value in values)
    # What a state is worth is at most the largest score; see `chain.py` for the residual.
    most = float(np.abs(model.scores).max(initial=0))
    errors = visits.bound * most + 16 * UNIT * sums[:, 2]
    return tuple(
        Answer.within(float(v), float(e) * (1 + 1e-9), low=-math.inf)
        for v, e in zip(values, errors, strict=True)
    )


def _sums(visits: Visits) -> tuple[Any, Any]:
    """Chances of each outcome and the expected length from visits, and their rounding."""
    from oddsmith.solve import kernels

    chain, model = visits.chain, visits.chain.model
    players = len(model.players)
    shift = model.shift if model.shift is not None else np.empty(0, np.uint8)
    sums = kernels.outcome_sums(
        chain.order, model.state_row, model.col, model.weight, chain.total, shift,
        chain.outcome, chain.length, visits.y, players,
    )  # fmt: skip
    if chain.size == 0 or chain.place[model.start] < 0:
        sums[:, 0] = _outcome_at_start(chain)
    # Each term has two roundings, two more where weights exceed 2^53; Neumaier's sum adds two.
    return sums[:, 0] + sums[:, 1], 8 * UNIT * sums[:, 2]


def _outcome_at_start(chain: Chain) -> list[float]:
    bits, players = int(chain.outcome[chain.model.start]), len(chain.model.players)
    return [float(bits >> p & 1) for p in range(players)] + [float(bits == 0), 0.0]


def answers_of(visits: Visits, prepared: Prepared) -> tuple[list[Answer], str]:
    """Winning chances, draw and length, certified if that was asked for, and how."""
    if prepared.method == "certified":
        return certified_odds(visits, prepared.settings)
    answers = [Answer(float(value)) for value in _sums(visits)[0]]
    if visits.chain.length_is_infinite:
        answers[-1] = Answer.infinite()
    return answers, visits.method


def certified_odds(visits: Visits, settings: Settings) -> tuple[list[Answer], str]:
    """Answers whose bounds hold, rounding included; see `chain.py` for the proof."""
    values, rounding = _sums(visits)
    chances = [
        Answer.within(float(v), visits.bound + float(e), high=1.0)
        for v, e in zip(values[:-1], rounding[:-1], strict=True)
    ]
    if not (visits.chain.outcome == 0).any():  # the graph says: no draw
        chances[-1] = Answer(0.0, 0.0, 0.0)
    if visits.chain.length_is_infinite:
        duration = Answer.infinite()
    else:
        error = length_error(visits, settings)
        duration = Answer.within(float(values[-1]), error + float(rounding[-1]))
    return [*chances, duration], solved_how(visits, settings)


def solved_how(visits: Visits, settings: Settings) -> str:
    """How visits were solved for, and how well."""
    how = f"{visits.method}; residual {visits.bound:.1e}"
    if visits.bound > settings.tolerance:
        how += f", more than the {settings.tolerance:.0e} asked for"
    return how


def length_error(visits: Visits, settings: Settings) -> float:
    """How far an expected number of counted moves can be off: the sum of |r| times turns left."""
    u, floor = turn_bound(visits.chain, settings.solver, settings.progress)
    most = u / floor.min(initial=1.0)  # (I - P) most ≥ 1 everywhere
    by_state = np.abs(visits.residual).sum(axis=1)
    error = float(by_state @ most) + visits.rounding * float(most.max(initial=0.0))
    return error * (1 + 1e-9)
