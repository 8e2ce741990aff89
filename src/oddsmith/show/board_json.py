"""A board's drawing as plain data: what the page draws, and what `drawings/board.py` draws.

Squares lie as `board_layout.py` says; what happens on them is said in words and by a kind.
"""

from __future__ import annotations

from typing import Any

from oddsmith.rules.board.changes import effect
from oddsmith.rules.board.game import Board
from oddsmith.rules.board.plan import Plan, Square
from oddsmith.show.board_layout import BoardLayout, Place, board_layout


def layout_of(board: Board) -> BoardLayout:
    """Where the squares of a board lie, in the style that its file asks for."""
    return board_layout(board.plan.start, board.plan.finish, board.layout)


def drawing_of(board: Board) -> dict[str, Any]:
    """The drawing of a board as JSON has it.

    >>> from oddsmith import game
    >>> drawing = drawing_of(game("goose"))
    >>> bridge = drawing["squares"][6]
    >>> bridge["name"], bridge["effect"], bridge["kind"], drawing["jumps"][0]
    ('bridge', 'goto 12', 'goto-forward', {'from': 6, 'to': 12})
    """
    plan, layout = board.plan, layout_of(board)
    return {
        "style": layout.style,
        "width": layout.width,
        "height": layout.height,
        "start": plan.start,
        "finish": plan.finish,
        "squares": [_square(plan, place) for place in layout.places],
        "jumps": [{"from": here, "to": there} for here, there in jumps_of(plan)],
    }


def jumps_of(plan: Plan) -> list[tuple[int, int]]:
    """From where to where squares send a token."""
    squares = sorted(plan.squares.values(), key=lambda square: square.number)
    return [(square.number, square.goto) for square in squares if square.goto is not None]


def kind_of(square: Square, plan: Plan) -> str:
    """What sort of square it is, in a word."""
    if square.number in (plan.start, plan.finish):
        return "start" if square.number == plan.start else "finish"
    if square.goto is not None:
        if square.goto == plan.start:
            return "restart"
        return "goto-forward" if square.goto > square.number else "goto-back"
    if square.wait or square.until:
        return "wait" if square.wait else "until"
    return next((kind for kind in ("again", "hold", "extra") if getattr(square, kind)), "plain")


def _square(plan: Plan, place: Place) -> dict[str, Any]:
    square = plan.squares.get(place.number, Square(place.number))
    return {
        "number": place.number,
        "name": square.name,
        "effect": effect(square, plan),
        "kind": kind_of(square, plan),
        "x": place.x,
        "y": place.y,
        "angle": place.angle,
        "corners": [list(corner) for corner in place.corners],
    }
