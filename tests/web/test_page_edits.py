"""Changes of a board's tables as the page makes them (`edits.js`), run in a real browser."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.web.browser import Visitor, visitor

CALL = """async ([name, values]) => {
  const module = await import("/js/edits.js");
  return module[name](...values);
}"""

GOOSE = {"at": [5, 9, 14], "again": True}
BOARD = {"board": {"finish": 30}, "squares": {"goose": GOOSE, "inn": {"at": 19, "wait": 1}}}
NOTHING = {"effect": "", "name": "", "share": False}


@pytest.fixture(scope="module")
def at(served, chromium):
    with visitor(chromium, served.url, "desktop") as somebody:
        somebody.go("#/bench")
        yield somebody


def edited(at: Visitor, name: str, *values: Any) -> Any:
    """What a function of the module makes of these values."""
    return at.page.evaluate(CALL, [name, list(values)])


def square(**given: Any) -> dict[str, Any]:
    return NOTHING | given


def goose(*at: int) -> dict[str, Any]:
    return {"at": list(at), "again": True}


@pytest.mark.parametrize(
    ("number", "wanted", "everywhere", "squares"),
    [
        # one of several squares of a name leaves the others alone
        (9, NOTHING, False, {"goose": goose(5, 14)}),
        (9, square(effect="wait", value=2, name="goose"), False,
         {"goose": goose(5, 14), "goose 9": {"at": 9, "wait": 2}}),
        # or all of them change
        (9, square(effect="hold", name="goose"), True, {"goose": {"at": [5, 9, 14], "hold": True}}),
        (9, square(effect="again", name="swan"), True, {"swan": GOOSE}),
        # a plain square joins those that do the same
        (27, square(effect="again", name="goose"), False, {"goose": goose(5, 9, 14, 27)}),
        # an effect without a name gets one
        (12, square(effect="hold"), False, {"goose": GOOSE, "well": {"at": 12, "hold": True}}),
        (12, square(name="fair", share=True), False,
         {"goose": GOOSE, "fair": {"at": 12, "share": True}}),
    ],
)  # fmt: skip
def test_a_square(at, number, wanted, everywhere, squares):
    made = edited(at, "withSquare", BOARD, number, wanted, everywhere)
    assert made["squares"] == squares | {"inn": {"at": 19, "wait": 1}}
    assert edited(at, "squareAt", made, number)["effect"] == wanted["effect"]


def test_a_way_without_a_name_is_a_jump(at):
    made = edited(at, "withSquare", BOARD, 12, square(effect="goto", value=3), False)
    assert made == BOARD | {"jumps": {"12 ": 3}}
    assert edited(at, "withSquare", made, 12, NOTHING, False) == BOARD


def test_a_name_is_changed_in_its_place(at):
    made = edited(at, "withSquare", BOARD, 19, square(effect="wait", value=1, name="tavern"), False)
    assert list(made["squares"]) == ["goose", "tavern"]
    made = edited(at, "withSquare", BOARD, 5, square(effect="wait", value=1, name="inn"), True)
    assert made["squares"] == {"inn": {"at": [5, 9, 14, 19], "wait": 1}}


def test_throws_as_people_write_them(at):
    assert edited(at, "throwsOf", "double or 7 or 3,6") == ["double", 7, "3,6"]
    assert edited(at, "throwsOf", " 6 ") == 6
    assert edited(at, "throwsText", ["double", 7]) == "double or 7"
    assert edited(at, "diceText", {"number": 2, "faces": [0, 1, 1]}) == "2d[0,1,1]"


def test_first_throws_keep_their_order(at):
    """The first that fits holds, but JavaScript would put whole numbers before all other keys."""
    text = '[board]\nfinish = 30\ndice = "2d6"\n[first-throw]\n"3,6" = 20\n9 = 10\n'
    order = """async (text) => {
      const { ask } = await import("/js/api.js");
      const { firstThrows, withBoard } = await import("/js/edits.js");
      const first = await ask("/api/boards", { method: "POST", body: { text } });
      const tables = withBoard(first.tables, "finish", 31);
      const next = await ask("/api/boards", { method: "POST", body: { tables } });
      return JSON.stringify([firstThrows(next.tables), next.text]);
    }"""
    throws, written = json.loads(at.page.evaluate(order, text))
    assert throws == [{"throw": "3,6", "goto": 20}, {"throw": "9", "goto": 10}]
    assert written.index("3,6") < written.rindex("9")
