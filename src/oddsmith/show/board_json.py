"""A board's drawing as plain data: what the page draws, and what `drawings/board.py` draws.

Squares lie as `board_layout.py` says; what happens on them is said in words and by a kind.
"""

from __future__ import annotations

from typing import Any

from oddsmith.rules.board.board_rules import BoardRules, Square
from oddsmith.rules.board.changes import effect
from oddsmith.rules.board.effects import FLAGS
from oddsmith.rules.board.game import Board
from oddsmith.show.board_layout import Place, board_layout


def drawing_of(board: Board) -> dict[str, Any]:
    """The drawing of a board as JSON has it.

    >>> from oddsmith import game
    >>> drawing = drawing_of(game("goose"))
    >>> bridge = drawing["squares"][6]
    >>> bridge["name"], bridge["effect"], bridge["kind"], drawing["jumps"][0]
    ('bridge', 'goto 12', 'goto-forward', {'from': 6, 'to': 12})
    """
    rules = board.rules
    layout = board_layout(rules.start, rules.finish, board.layout)
    squares = [rules.squares[number] for number in sorted(rules.squares)]
    return {
        "style": layout.style,
        "width": layout.width,
        "height": layout.height,
        "start": rules.start,
        "finish": rules.finish,
        "squares": [_square(rules, place) for place in layout.places],
        "jumps": [{"from": s.number, "to": s.goto} for s in squares if s.goto is not None],
    }


def kind_of(square: Square, rules: BoardRules) -> str:
    """What sort of square it is, in a word."""
    if square.number in (rules.start, rules.finish):
        return "start" if square.number == rules.start else "finish"
    if square.goto is not None:
        if square.goto == rules.start:
            return "restart"
        return "goto-forward" if square.goto > square.number else "goto-back"
    if square.wait or square.until:
        return "wait" if square.wait else "until"
    return next((kind for kind in FLAGS if getattr(square, kind)), "plain")


def _square(rules: BoardRules, place: Place) -> dict[str, Any]:
    square = rules.squares.get(place.number, Square(place.number))
    return {
        "number": place.number,
        "name": square.name,
        "effect": effect(square, rules),
        "kind": kind_of(square, rules),
        "x": place.x,
        "y": place.y,
        "angle": place.angle,
        "corners": [list(corner) for corner in place.corners],
    }
