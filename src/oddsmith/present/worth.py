"""What moves and states are worth, in people's words: chances to win in percent, or points."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from oddsmith.ask.study import Outlook, Study
from oddsmith.policies.table import Advice, Table
from oddsmith.present.position import Words, unbroken, wrapped
from oddsmith.results.answer import Answer
from oddsmith.results.table import align
from oddsmith.rules.game import Game

NO_LOSS = 1e-9
"""A move that floats say is worth less than the best by no more than this is as good."""


@dataclass(frozen=True)
class Decision:
    """A choice that was made."""

    state: Any
    move: str


def amount(game: Game, answer: Answer, games: int = 0) -> str:
    """A chance to win in percent, or a score; of an estimate, how far it can be off."""
    unit, scale = ("", 1.0) if game.has_score else (" %", 100.0)
    if not games:
        return f"{scale * answer.value:.3f}{unit}"
    if answer.error is None:  # all the same so far: nothing is known of the rest
        return f"{scale * answer.value:.1f}{unit} so far"
    return f"{scale * answer.value:.1f} ± {scale * (answer.error or 0.0):.1f}{unit}"


def cost(game: Game, loss: float) -> str:
    """What a move costs, with two digits at least."""
    unit, scale = (" points", 1.0) if game.has_score else (" %", 100.0)
    text = f"{scale * loss:.3f}"
    return (text if loss * scale >= 0.01 else f"{scale * loss:.1g}") + unit


def as_good(advice: Advice) -> bool:
    """Whether a move is as good as the best: as far as floats can tell, or by its fraction."""
    return advice.loss <= (NO_LOSS if advice.worth.exact is None else 0.0)


def mistake(table: Table, state: Any, move: str) -> tuple[Advice, Advice] | None:
    """A move that was made in a state and the best there was, if it was not as good."""
    advice = table.advice(state)
    made = next(each for each in advice if each.move == move)
    return None if as_good(made) else (made, advice[0])


def advice_text(study: Study, advice: Sequence[Advice], games: int) -> str:
    """Every move with what it is worth, the best first."""
    game, rows = study.game, []
    for each in advice:
        loss = each.loss
        if each is advice[0]:
            verdict = "best" if len(advice) > 1 else ""
        elif games and loss <= (each.worth.error or 0.0) + (advice[0].worth.error or 0.0):
            verdict = "too close to call"
        else:
            verdict = "as good" if as_good(each) else f"costs {cost(game, loss)}"
        rows.append([f"  {each.move}", amount(game, each.worth, games), verdict])
    what = "expected score" if game.has_score else "chance to win"
    return _titled(f"Your {what}{_if(study, games)}", rows)


def outlook_text(study: Study, words: Words, found: Outlook) -> str:
    """What each player can expect."""
    game, rows = study.game, []
    for player, answer in enumerate(found.worth):
        if answer is not None:
            rows.append([f"  {words.player(player)}", amount(game, answer, found.games)])
    mine = found.worth[study.seat]
    if None in found.worth and mine is not None and not game.has_score:
        rest = [p for p in range(game.players) if p != study.seat]
        called = words.player(rest[0]) if len(rest) == 1 else "the others together"
        rows.append([f"  {called}", amount(game, Answer(1 - mine.value))])
    if found.draw is not None and found.draw.value:
        called = "a draw" if game.players > 1 else "lost"
        rows.append([f"  {called}", amount(game, found.draw)])
    what = "Expected scores" if game.has_score else "Chances to win"
    text = _titled(f"{what}{_if(study, found.games)}", rows)
    if found.left is not None:
        text += f"\nThe game lasts another {found.left.value:.1f} moves on average."
    return text


def _titled(title: str, rows: list[list[str]]) -> str:
    lines = align([""] * len(rows[0]), rows).splitlines()[2:]
    return "\n".join([wrapped(f"{title}:"), *lines])


def _if(study: Study, games: int) -> str:
    """The assumption behind a number."""
    if study.chance and not study.others:
        return f" ({games:,} games played from here)" if games else ""
    draw = _counted(study, games)
    if games:
        mine = study.stand_in.name
        return f" if you play on by {mine} ({games:,} games played from here{draw})"
    table = study.solved
    if table is not None and table.player is not None:
        names = " and ".join(dict.fromkeys(policy.name for policy in study.others))
        return f" against {names} if you play your best from here{draw}"
    if table is not None and table.name != "optimal":
        return f" if all play by {table.name} from here{draw}"
    alone = study.game.players == 1
    return f" if {'you play your' if alone else 'all play their'} best from here{draw}"


def _counted(study: Study, games: int) -> str:
    """What counts as a part of a win, where anything does: worth is not always a chance."""
    if study.game.has_score or study.game.players == 1:
        return ""
    drawn, together = study.shared(games)
    text = f"; a draw counts 1/{study.game.players}" if drawn else ""
    return text + ("; a win together counts its share" if together else "")


def mistakes_text(words: Words, table: Table, decisions: Sequence[Decision]) -> str:
    """What a person's choices have cost: all of them together, and the worst."""
    wrong = []
    for decision in decisions:
        if pair := mistake(table, decision.state, decision.move):
            made, better = pair
            wrong.append((made.loss, decision, better.move))
    many = len(decisions) > 1
    if not wrong:
        best = f"each of your {len(decisions)} decisions" if many else "your one decision"
        return f"{best[0].upper()}{best[1:]} was the best there was."
    worst, decision, other = max(wrong, key=lambda loss: loss[0])
    last = f"{decision.move} instead of {other} cost {unbroken(cost(table.game, worst))}, here:"
    if len(wrong) > 1:
        total = unbroken(cost(table.game, sum(loss for loss, _, _ in wrong)))
        share = total if table.game.has_score else f"{total} of a win"
        text = f"{len(wrong)} of your {len(decisions)} decisions were not the best there was"
        text += f" and cost {share}, added up. The worst: {last}"
    else:
        one = f"One of your {len(decisions)} decisions" if many else "Your one decision"
        text = f"{one} was not the best there was: {last}"
    return wrapped(text) + "\n" + textwrap.indent(words.state(decision.state), "  ")
