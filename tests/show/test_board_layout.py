"""Squares of a drawn board: they do not overlap, neighbours touch, all are on the paper."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsmith import OptionError, game
from oddsmith.rules.board.game import board_class
from oddsmith.show.board_json import drawing_of
from oddsmith.show.board_layout import BoardLayout, board_layout

STYLES = ("spiral", "serpentine")


def rectangles(layout: BoardLayout) -> np.ndarray:
    """Left, top, right and bottom of each square."""
    corners = np.array([place.corners for place in layout.places])
    return np.concatenate([corners.min(axis=1), corners.max(axis=1)], axis=1)


def check(layout: BoardLayout, start: int, finish: int) -> None:
    assert [place.number for place in layout.places] == list(range(start, finish + 1))
    boxes = rectangles(layout)
    assert (boxes[:, :2] >= 0).all()
    assert (boxes[:, 2:] <= (layout.width, layout.height)).all()
    middles = np.array([(place.x, place.y) for place in layout.places])
    assert (middles == (boxes[:, :2] + boxes[:, 2:]) / 2).all()
    cells = set()
    for left, top, right, bottom in boxes.astype(int):
        for cell in ((x, y) for x in range(left, right) for y in range(top, bottom)):
            assert cell not in cells
            cells.add(cell)
    common = np.minimum(boxes[1:, 2:], boxes[:-1, 2:]) - np.maximum(boxes[1:, :2], boxes[:-1, :2])
    assert (common.min(axis=1) == 0).all()  # an edge in common …
    assert (common.max(axis=1) >= 1).all()  # … of a whole square


@pytest.mark.parametrize("style", STYLES)
@given(start=st.integers(0, 9), squares=st.integers(1, 700))
def test_squares_lie_side_by_side(style: str, start: int, squares: int) -> None:
    check(board_layout(start, start + squares, style), start, start + squares)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("finish", [1, 2, 3, 5, 9_999, 10_000])
def test_the_smallest_and_the_largest_boards(style: str, finish: int) -> None:
    layout = board_layout(0, finish, style)
    check(layout, 0, finish)
    if finish > 100:
        assert 0.7 < layout.width / layout.height < 1.4


def test_a_spiral_ends_in_the_middle() -> None:
    layout = board_layout(0, 63, "spiral")
    start, finish = layout[0], layout[63]
    assert (start.x, start.y) == (0.5, layout.height - 0.5)
    assert abs(finish.x - layout.width / 2) <= 1
    assert abs(finish.y - layout.height / 2) <= 1
    assert finish.corners == ((2, 3), (5, 3), (5, 6), (2, 6))


def test_rows_go_to_and_fro_from_the_bottom() -> None:
    layout = board_layout(0, 100, "serpentine")
    assert (layout.width, layout.height) == (11, 10)
    assert [layout[n].y for n in (0, 1, 10, 11, 20, 91, 100)] == [9.5, 9.5, 9.5, 8.5, 8.5, 0.5, 0.5]
    assert [layout[n].x for n in (0, 1, 10, 11, 20, 100)] == [0.5, 1.5, 10.5, 10.5, 1.5, 1.5]
    assert board_layout(1, 20, "serpentine").width == 5  # a start on the board is in its row


# Board files --------------------------------------------------------------------------------


def test_the_drawing_of_the_goose() -> None:
    drawing = drawing_of(game("goose"))
    assert (drawing["style"], drawing["start"], drawing["finish"]) == ("spiral", 0, 63)
    kinds = {square["number"]: square["kind"] for square in drawing["squares"]}
    told = {6: "goto-forward", 42: "goto-back", 58: "restart", 19: "wait", 31: "hold", 5: "again"}
    assert {n: kinds[n] for n in told} == told
    assert (kinds[0], kinds[1], kinds[63]) == ("start", "plain", "finish")
    inn = drawing["squares"][19]
    assert (inn["name"], inn["effect"]) == ("inn", "wait 1")
    assert drawing["jumps"] == [
        {"from": 6, "to": 12},
        {"from": 42, "to": 30},
        {"from": 58, "to": 0},
    ]


def test_effects_have_kinds_of_their_own() -> None:
    text = """
[board]
finish = 12
[squares]
wind = { at = 3, extra = true }
gaol = { at = 4, until = 6 }
market = { at = 5, share = true }
"""
    drawing = drawing_of(board_class("some.toml", text)())
    found = [square["kind"] for square in drawing["squares"]][3:6]
    assert found == ["extra", "until", "plain"]
    assert drawing["style"] == "serpentine"


def test_a_layout_is_no_rule() -> None:
    rows = board_class("b.toml", '[board]\nfinish = 9\nlayout = "serpentine"\n')()
    spiral = board_class("b.toml", '[board]\nfinish = 9\nlayout = "spiral"\n')()
    assert rows.identity == spiral.identity
    assert (rows.layout, spiral.layout) == ("serpentine", "spiral")
    with pytest.raises(OptionError, match=r"^b.toml, line 3: layout must be one of serpentine, sp"):
        board_class("b.toml", '[board]\nfinish = 9\nlayout = "circle"\n')
