"""The rooms that are wandered through: what can be done in each, and what is true there."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from playwright.sync_api import Page
from tests.web.wanderer import BUSY, Step, Wanderer, press

from oddsmith import odds
from oddsmith.rules.board.game import board_class


@cache
def chances(text: str) -> tuple[list[float], float]:
    """What a board's players win and how long it lasts, from the library."""
    found = odds(board_class("board.toml", text)())
    values = [answer.value for answer in found.win]
    if found.draw is not None and found.draw.value > 0:
        values.append(found.draw.value)
    assert found.duration is not None
    return values, found.duration.value


class Workshop(Wanderer):
    """A board is changed by hand."""

    room = "workshop"
    address = "#/workshop/blank"
    ready = ".editing"

    def own_steps(self) -> dict[str, Step]:
        pick = self.random.choice
        return {
            "players": lambda page: self.rule(page, "Players", pick("123")),
            "finish": lambda page: self.rule(page, "Finish", pick(("12", "15", "20"))),
            "dice": lambda page: self.rule(page, "Dice", pick(("d4", "d6", "d8", "2d"))),
            "name": lambda page: self.rule(page, "Name", pick(("One", "Two", "x" * 60))),
            "meet": lambda page: self.meet(page, pick(("share", "restart"))),
            "square": self.square,
            "text": self.text,
            "undo": lambda page: press(page, "Undo"),
            "redo": lambda page: press(page, "Redo"),
            "reset": lambda page: press(page, "Reset"),
            "keys": lambda page: page.keyboard.press("Control+z"),
            "heat": lambda page: (  # what people press is the label, once it stands still
                page.locator(".table .segments label")
                .filter(has_text=pick(("Effects", "Visits", "Winning chance")))
                .click(timeout=500)
            ),
        }

    def rule(self, page: Page, name: str, value: str) -> None:
        page.get_by_role("tab", name="Rules").click(timeout=500)
        page.locator("#panel-rules").get_by_label(name, exact=True).fill(value, timeout=500)

    def meet(self, page: Page, value: str) -> None:
        page.get_by_role("tab", name="Rules").click(timeout=500)
        page.get_by_label("Where another piece stands").select_option(value, timeout=500)

    def square(self, page: Page) -> None:
        number = self.random.randint(1, 11)
        page.locator(f'.board [data-number="{number}"]').click(timeout=500)
        page.get_by_label("Who lands here must").select_option(
            self.random.choice(("wait", "restart", "")), timeout=500
        )

    def text(self, page: Page) -> None:
        """An edit of the file, with a mistake one time in three."""
        page.get_by_role("tab", name="Text").click(timeout=500)
        file = page.get_by_label("The board file")
        finish = self.random.choice(("14", "18", "eleven"))
        file.fill(re.sub(r"(?m)^finish( *)=.*$", rf"finish\1= {finish}", file.input_value()))

    def wrong(self, seen: dict[str, Any]) -> str | None:
        fresh = [worth for dimmed, worth in seen["rows"] if not dimmed]
        if not fresh or seen["wrong"]:
            return None
        self.fresh += 1
        tables = board_class("board.toml", seen["text"])()
        for name, has in (("players", tables.players), ("finish", tables.rules.finish)):
            if seen[name] is not None and int(seen[name]) != has:
                return f"the form says {name} {seen[name]}, the board {has}"
        values, length = chances(seen["text"])
        shown = [float(worth.split(" ")[0]) / 100 for worth in fresh]
        if len(shown) < len(values) or any(
            abs(a - b) > 6e-7 for a, b in zip(shown, values, strict=False)
        ):
            return f"these are the odds of another board; the truth is {values}"
        if seen["mean"] and not seen["mean"][0]:
            mean = float(seen["mean"][1].split(" ")[0].replace(",", ""))
            if abs(mean - length) > 0.006:
                return f"this is the length of another board; the truth is {length}"
        heat = seen["start"] if tables.players > 1 else None
        if heat and not heat[0] and abs(float(heat[1]) - 100 * values[0]) > 0.06:
            return f"this is the heat of another board; the truth is {values[0]}"
        return None

    def settled(self, page: Page) -> None:
        """What is settled is in the address too, which a reload goes by."""
        super().settled(page)
        page.wait_for_timeout(60)
        seen = self.eyes(page)
        if seen["address"] is not None and not seen["wrong"]:
            assert seen["address"] == seen["text"], self.told

    def still(self) -> str:
        """Work that was stopped leaves what is dimmed, and says so."""
        return f"() => document.querySelector('.results .row button') || ({BUSY})()"


class Play(Wanderer):
    """A match between persons and policies."""

    room = "play"
    ready = ".match"

    @property
    def address(self) -> str:  # type: ignore[override]
        seats = self.random.choice(("person%2Cperson", "person%2Coptimal", "optimal%2Crandom"))
        game = self.random.choice(("piglet", "coin-race"))
        options = "&set=goal%3D3"
        if game == "coin-race":
            seats, options = seats.replace("optimal", "random"), ""
        seed = self.random.randint(1, 99)
        return f"#/play/{game}?seats={seats}&seed={seed}{options}&show=odds"

    def own_steps(self) -> dict[str, Step]:
        return {
            "move": self.move,
            "another move": self.move,
            "a third": self.move,
            "take back": lambda page: press_key(page, "u"),
            "odds": lambda page: press_key(page, "o"),
            "advice": lambda page: press_key(page, "a"),
            "regret": lambda page: press_key(page, "r"),
            "again": lambda page: press(page, "Play again"),
        }

    def move(self, page: Page) -> None:
        buttons = page.locator(".moves button:enabled")
        if count := buttons.count():
            buttons.nth(self.random.randrange(count)).click(timeout=500)

    def wrong(self, seen: dict[str, Any]) -> str | None:
        match = seen["match"]
        asked = {"kind": "play", "game": seen["game"], "players": len(match["seats"])}
        asked |= {name: match[name] for name in ("seats", "seed", "moves", "options")}
        job = self.api.answer(**asked, odds=True, advice=True, review=True)
        truth = job["result"]
        if not seen["log"][0]:
            self.fresh += 1
            if seen["log"][1] != [step["move"] for step in truth["steps"]]:
                return f"these are the moves of another match: {truth['moves']}"
            rolls = [re.sub(r"player \d+: ", "", value) for _, value in truth["position"]]
            shown = [re.sub(r"player \d+: ", "", value) for value in seen["values"]]
            if [plain(value) for value in shown] != [plain(value) for value in rolls]:
                return f"this is another position: {truth['position']}"
        fresh = [worth for dimmed, worth in seen["rows"] if not dimmed]
        if fresh and truth["odds"]:
            worth = [answer["value"] for answer in truth["odds"]["worth"] if answer]
            numbers = [float(each.split(" ")[0]) / 100 for each in fresh]
            if any(abs(a - b) > 6e-7 for a, b in zip(numbers, worth, strict=False)):
                return f"these are the odds of another position; the truth is {worth}"
        elif fresh:
            return "these are odds of a match that is over"
        for dimmed, move, worth in seen["advice"]:
            true = next((a for a in truth["advice"] or [] if a["move"] == move), None)
            if dimmed:
                continue
            if (
                true is None
                or abs(float(worth.split(" ")[0]) / 100 - true["worth"]["value"]) > 6e-6
            ):
                return f"this is advice for another position: {truth['advice']}"
        return None


def plain(text: str) -> str:
    """A text without what only tells players apart."""
    return re.sub(r"[\s,]+", "", text)


def press_key(page: Page, letter: str) -> None:
    """A key of the match, pressed where no field is."""
    page.locator(".match").first.wait_for(timeout=500)
    page.keyboard.press(letter)


DIE = "A die made of coins (a chain)"
RIDE = "Walk or ride (somebody decides)"


class Bench(Wanderer):
    """A model is changed and asked about."""

    room = "bench"
    address = "#/bench"
    ready = ".bench-grid"

    def own_steps(self) -> dict[str, Step]:
        return {
            "answer": lambda page: press(page, "Answer"),
            "answer again": lambda page: press(page, "Answer"),
            "by keys": lambda page: page.keyboard.press("Control+Enter"),
            "example": self.example,
            "model": self.model,
            "questions": self.questions,
            "way": lambda page: (
                page.locator(".segments label")
                .filter(has_text=self.random.choice(("Certified", "Exact", "Simulate")))
                .click(timeout=500)
            ),
            "undo": lambda page: press(page, "Undo"),
            "keys": lambda page: page.keyboard.press("Control+z"),
            "link": lambda page: press(page, "Copy link"),
        }

    def example(self, page: Page) -> None:
        label = self.random.choice((DIE, RIDE))
        page.get_by_label("Example").select_option(label=label, timeout=500)

    def model(self, page: Page) -> None:
        """Another coin: what it does first is more or less likely."""
        area = page.get_by_label("Model", exact=True)
        p, q = self.random.choice((("1/2", "1/2"), ("1/3", "2/3"), ("1/4", "3/4")))
        area.fill(
            re.sub(r"\d/\d : (.*?)\+(\s*)\d/\d :", rf"{p} : \1+\g<2>{q} :", area.input_value())
        )

    def questions(self, page: Page) -> None:
        area = page.get_by_label("Properties, one a line")
        lines = area.input_value().strip().split("\n")
        self.random.shuffle(lines)
        area.fill("\n".join(lines[: self.random.randint(1, 3)]))

    def reload(self, page: Page) -> None:
        """What was written is there again."""
        before = page.get_by_label("Model", exact=True).input_value()
        super().reload(page)
        assert page.get_by_label("Model", exact=True).input_value() == before, self.told

    def wrong(self, seen: dict[str, Any]) -> str | None:
        fresh = [(text, value) for dimmed, text, value in seen["answers"] if not dimmed]
        if not fresh:
            return None
        self.fresh += 1
        pairs = [part.split("=") for part in seen["constants"].split(",") if "=" in part]
        asked = {name: seen[name] for name in ("source", "properties")}
        asked |= {"constants": {name.strip(): value.strip() for name, value in pairs}}
        asked |= {"exact": seen["way"] == "exact", "simulate": seen["way"] == "simulate"}
        job = self.api.answer(kind="check", **asked)
        if job["status"] != "done":
            return f"there is no such answer: {job['error']}"
        truth = [
            (each["property"], each["error"]["message"] if each["error"] else each["value"])
            for each in job["result"]["answers"]
        ]
        if fresh == truth or (seen["running"] and fresh == truth[: len(fresh)]):
            return None
        return f"these are the answers to another question; the truth is {truth}"

    def still(self) -> str:
        """Answers to a text that has been changed stay dimmed until they are asked for again."""
        return "() => !document.querySelector('.progress, .waiting')"
