"""A panel shows as fresh only the answer to the question beside it, however replies arrive."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from tests.web.browser import Visitor, visitor

from oddsmith import odds
from oddsmith.rules.board.game import board_class

if TYPE_CHECKING:
    from playwright.sync_api import Route


def mean_throws(finish: int) -> str:
    """The throws of the blank board on average: two walks by one die, back what is too much.

    A walk is not over after k throws with chance s(k); nobody is after 2m throws with s(m)², after
    2m + 1 with s(m) s(m + 1); the mean is the sum of these.
    """
    walk, left = [1.0] + [0.0] * finish, [1.0]
    while left[-1] > 1e-15:
        then = [0.0] * (finish + 1)
        for at, chance in enumerate(walk[:finish]):
            for spots in range(1, 7):
                to = at + spots
                then[to if to <= finish else 2 * finish - to] += chance / 6
        walk = [*then[:finish], 0.0]
        left.append(sum(walk))
    return f"{sum(a * a + a * b for a, b in pairwise(left)):.2f}"


BLANK = {finish: mean_throws(finish) for finish in (12, 20, 30)}


@contextmanager
def held(at: Visitor, path: str) -> Iterator[list[Route]]:
    """What the page asks meanwhile waits in a list, to be let through in any order."""
    routes: list[Route] = []
    at.page.route(path, lambda route: routes.append(route))
    yield routes
    at.page.unroute(path)


def until(at: Visitor, routes: list[Route], count: int) -> None:
    """Wait until so many requests are held."""
    for _ in range(200):
        if len(routes) >= count:
            return
        at.page.wait_for_timeout(20)
    raise AssertionError(f"{len(routes)} of {count} requests came")


def settled(at: Visitor) -> None:
    at.page.locator(".results .odds").wait_for()
    at.gone(".stale, .progress")


def rule(at: Visitor, name: str, value: str) -> None:
    at.page.locator("#panel-rules").get_by_label(name, exact=True).fill(value)


def press(at: Visitor, name: str) -> None:
    at.page.get_by_role("button", name=name, exact=True).first.click()


def throws(at: Visitor) -> str:
    return at.page.locator(".longer dd").first.inner_text().split(" ")[0]


def players(at: Visitor) -> list[str]:
    return at.page.locator(".results .odds .worth").all_inner_texts()


def percents(text: str) -> list[str]:
    """A board's odds as the page words them."""
    return [f"{100 * each.value:.4f} %" for each in odds(board_class("board.toml", text)()).win]


# The workshop -------------------------------------------------------------------------------


def test_replies_that_overtake_each_other(served, chromium):
    with visitor(chromium, served.url, "desktop") as at:
        at.go("#/workshop/blank")
        settled(at)
        for finish in (20, 12):
            rule(at, "Finish", str(finish))
            at.page.locator(".changes li", has_text=f"→ {finish}").wait_for()
            settled(at)
            assert throws(at) == BLANK[finish]
        with held(at, "**/api/jobs") as asked:  # both are known to the server: done at once
            for requests in (1, 2):
                press(at, "Undo")
                until(at, asked, requests)
                assert at.page.locator(".longer .stale").count() == 1
            for route in (asked[1], asked[0]):
                route.continue_()
                at.page.wait_for_timeout(100)
        settled(at)
        assert at.page.get_by_label("Finish", exact=True).input_value() == "30"
        assert throws(at) == BLANK[30]


def test_what_was_stopped_is_never_shown(served, chromium):
    with visitor(chromium, served.url, "desktop") as at:
        at.go("#/workshop/blank")
        settled(at)
        before = players(at)
        rule(at, "Players", "3")
        at.page.locator(".results tr", has_text="Player 3").wait_for()
        settled(at)
        press(at, "Undo")
        settled(at)
        with held(at, "**/api/jobs") as asked:
            rule(at, "Players", "3")
            until(at, asked, 1)
            at.page.locator(".results").get_by_role("button", name="Cancel").click()
            asked[0].continue_()
            at.page.get_by_text("Stopped. What is dimmed answers another question.").wait_for()
        dimmed = at.page.locator(".results .stale")
        assert dimmed.locator("td.worth").all_inner_texts() == before
        note = at.page.locator(".results .whose")
        note.wait_for()
        assert "A board of my own, finish 30, 2 players" in note.inner_text()
        press(at, "Go on")
        settled(at)
        assert len(players(at)) == 3


def test_neither_of_two_quick_edits_is_lost(served, chromium):
    with visitor(chromium, served.url, "desktop") as at:
        at.go("#/workshop/blank")
        settled(at)
        with held(at, "**/api/boards") as read:
            rule(at, "Finish", "20")
            until(at, read, 1)
            rule(at, "Dice", "d4")
            at.page.wait_for_timeout(250)
            read[0].continue_()
            until(at, read, 2)
            read[1].continue_()
        at.page.locator(".changes li").nth(1).wait_for()
        settled(at)
        assert at.page.locator(".changes li").all_inner_texts() == [
            "finish: 30 → 20",
            "dice: d6 → d4",
        ]


def test_the_file_says_how_many_play(served, chromium):
    with visitor(chromium, served.url, "desktop") as at:
        at.go("#/workshop/blank")
        settled(at)
        at.page.get_by_role("tab", name="Text").click()
        file = at.page.get_by_label("The board file")
        file.fill(file.input_value() + "players = 4\n")
        at.page.locator(".results tr", has_text="Player 4").wait_for()
        settled(at)
        assert players(at) == percents(file.input_value())
        at.page.get_by_role("tab", name="Rules").click()
        assert at.page.get_by_label("Players").input_value() == "4"
        rule(at, "Players", "3")
        at.gone(".results tr:has-text('Player 4')")
        settled(at)
        with at.page.expect_download() as saved:
            press(at, "Download")
        text = Path(saved.value.path()).read_text(encoding="utf-8")
        assert board_class("board.toml", text)().players == 3
        press(at, "Reset")
        at.gone(".results tr:has-text('Player 3')")
        settled(at)
        assert at.page.get_by_label("Players").input_value() == "2"


def test_a_text_with_a_mistake_is_kept(served, chromium):
    with visitor(chromium, served.url, "desktop", allow_errors=True) as at:  # a 422 is logged
        at.go("#/workshop/blank")
        settled(at)
        at.page.get_by_role("tab", name="Text").click()
        file = at.page.get_by_label("The board file")
        mistaken = file.input_value() + "[squares]\ninn = { at = 7, wiat = 2 }\n"
        file.fill(mistaken)
        at.page.locator("#panel-text .mistake").wait_for()
        at.page.reload()
        at.page.locator("#panel-text .mistake", has_text="did you mean 'wait'").wait_for()
        assert file.input_value() == mistaken
        at.page.get_by_role("tab", name="Rules").click()
        rule(at, "Finish", "20")
        at.page.locator(".changes li").wait_for()
        assert file.input_value() != mistaken
        press(at, "Undo")
        at.page.locator("#panel-text .mistake").wait_for(state="attached")
        assert file.input_value() == mistaken


def test_heat_does_not_outlive_its_answer(served, chromium):
    def without_squares(route: Route) -> None:
        reply = route.fetch()
        job = reply.json()
        if job.get("result") and job["request"]["players"] == 3:
            job["result"]["squares"] = None  # as for a board that is too large
        route.fulfill(response=reply, json=job)

    with visitor(chromium, served.url, "desktop") as at:
        at.page.route("**/api/jobs**", without_squares)
        at.page.route("**/api/jobs/**", without_squares)
        at.go("#/workshop/blank")
        settled(at)
        at.page.locator(".segments").get_by_label("Winning chance").check(force=True)
        amount = at.page.locator('.board [data-number="0"] .amount')
        assert re.fullmatch(r"\d\d\.\d", amount.text_content())
        rule(at, "Players", "3")
        at.page.locator(".results tr", has_text="Player 3").wait_for()
        settled(at)
        assert amount.text_content() == ""
        assert at.page.locator(".board.plain").count() == 1


def test_a_draw_that_never_was_has_its_change(served, chromium):
    with visitor(chromium, served.url, "desktop") as at:
        at.go("#/workshop/blank")
        settled(at)
        at.page.get_by_role("tab", name="Text").click()
        file = at.page.get_by_label("The board file")
        file.fill(file.input_value() + "[squares]\nwell = { at = [7, 9], hold = true }\n")
        draw = at.page.locator(".results tr", has_text="Draw")
        draw.wait_for()
        settled(at)
        chance = float(draw.locator(".worth").inner_text().split(" ")[0])
        assert draw.locator(".change").inner_text() == f"▲ {chance:.2f} pp"


@pytest.mark.parametrize("size", ["phone", "desktop"])
def test_a_long_name_stays_on_the_page(served, chromium, size):
    with visitor(chromium, served.url, size) as at:
        at.go("#/workshop/blank")
        settled(at)
        rule(at, "Name", "x" * 80)
        at.page.locator("h1", has_text="xxxx").wait_for()
        assert at.fits()
        undo = at.page.get_by_role("button", name="Undo").locator("span").bounding_box()
        assert undo is not None
        assert undo["width"] > 20  # in words, on a phone too


# Play ---------------------------------------------------------------------------------------


def match(served, **asked: Any) -> dict[str, Any]:
    """A match as the API tells it."""
    with httpx.Client(base_url=served.url, timeout=60, trust_env=False) as client:
        job = client.post("/api/jobs", json={"kind": "play"} | asked).json()
        while job["status"] != "done":
            job = client.get(f"/api/jobs/{job['id']}?after={job['version']}&wait=20").json()
        found: dict[str, Any] = job["result"]
        return found


def test_play_again_tells_the_new_match(served, chromium):
    truth = match(served, game="coin-race", seats=["random", "random"], seed=6)
    with visitor(chromium, served.url, "desktop") as at:
        at.go("#/play/coin-race?seats=random,random&seed=5")
        at.page.locator(".turn.over").wait_for()
        press(at, "Play again")
        at.page.wait_for_function("() => location.hash.includes('seed=6')")
        said = at.page.locator(".log li").all_inner_texts()
        assert len(said) == len(truth["steps"])
        for line, step in zip(said, truth["steps"], strict=True):
            assert step["roll"] in line
            assert step["words"] in line


def test_odds_of_another_position_are_dimmed(served, chromium):
    with visitor(chromium, served.url, "desktop") as at:
        at.go("#/play/piglet?seats=person,person&seed=4&show=odds,advice")
        at.page.locator(".asked .odds").wait_for()
        at.gone(".stale, .progress")
        before = at.page.locator(".asked .worth").all_inner_texts()
        with held(at, "**/api/jobs") as asked:
            at.page.locator(".moves button").first.click()
            until(at, asked, 1)
            asked[0].continue_()  # the move
            until(at, asked, 2)  # its odds
            assert at.page.locator(".asked .stale .worth").all_inner_texts() == before
            at.page.locator(".asked").get_by_role("button", name="Cancel").click()
            asked[1].continue_()
            at.page.get_by_text("Stopped.").wait_for()
        assert at.page.locator(".asked .stale .worth").all_inner_texts() == before
        assert "after 0 moves" in at.page.locator(".asked .whose").inner_text()


def test_a_cancelled_move_leaves_the_match_as_it_was(served, chromium):
    with visitor(chromium, served.url, "desktop") as at:
        at.go("#/play/coin-race?seats=random,random&seed=5")
        at.page.locator(".turn.over").wait_for()
        before, address = at.page.locator(".log").inner_text(), at.page.evaluate("location.hash")
        with held(at, "**/api/jobs") as asked:
            press(at, "Play again")
            until(at, asked, 1)
            at.page.get_by_role("button", name="Cancel").click()
            asked[0].continue_()
            at.page.get_by_text("the match stays as it was").wait_for()
        assert at.page.locator(".stale").count() == 0
        assert at.page.locator(".log").inner_text() == before
        assert at.page.evaluate("location.hash") == address


def test_the_board_that_is_played_is_drawn(served, chromium):
    with visitor(chromium, served.url, "desktop") as at:
        at.go("#/play/snakes-and-ladders?seats=person,person&seed=3&set=finish%3D30&moves=throw*20")
        at.page.locator(".log li").nth(19).wait_for()
        assert at.page.locator(".now .board .square").count() == 30
        assert at.page.locator(".token[visibility=visible]").count() == 2


# The bench ----------------------------------------------------------------------------------


def model(at: Visitor) -> Any:
    return at.page.get_by_label("Model", exact=True)


def answered(at: Visitor) -> None:
    press(at, "Answer")
    at.page.locator(".answers tbody tr").nth(2).wait_for()
    at.gone(".stale, .progress")


def test_answers_of_another_model_are_dimmed(served, chromium):
    with visitor(chromium, served.url, "desktop") as at:
        at.go("#/bench")
        answered(at)
        text = model(at).input_value()
        model(at).fill(text.replace("1/2", "1/4", 1).replace("1/2", "3/4", 1))
        assert at.page.locator(".stale .answers tbody tr").count() == 3
        at.page.locator(".whose", has_text="the text as it was before").wait_for()
        with held(at, "**/api/jobs") as asked:
            press(at, "Answer")
            press(at, "Answer")
            until(at, asked, 1)
            at.page.get_by_label("Example").select_option(label="Walk or ride (somebody decides)")
            asked[0].continue_()
            at.page.wait_for_timeout(200)
        assert at.page.locator(".stale .answers tbody tr").count() == 3
        assert "P=? [ F d=6 ]" in at.page.locator(".answers").inner_text()
        model(at).focus()
        at.page.keyboard.press("Control+z")  # the example goes, what was written comes back
        assert "1/4 : (s'=1)" in model(at).input_value()
        model(at).fill(text)
        at.gone(".stale")  # the question that was answered stands again


def test_the_bench_loses_nothing(served, chromium):
    with visitor(chromium, served.url, "desktop") as at:
        at.go("#/bench")
        model(at).fill("dtmc // mine")
        press(at, "Copy link")
        at.page.get_by_text("it holds the whole model").wait_for()
        link = at.page.evaluate("location.hash")
        model(at).fill("dtmc // mine, and more")
        at.page.reload()
        assert model(at).input_value() == "dtmc // mine, and more"

        other = at.page.context.new_page()
        other.goto(f"{at.url}/{link}")  # a shared model takes nothing away, changed or not
        area = other.get_by_label("Model", exact=True)
        assert area.input_value() == "dtmc // mine"
        area.fill("dtmc // yours")
        other.reload()
        assert area.input_value() == "dtmc // yours"
        at.page.reload()
        assert model(at).input_value() == "dtmc // mine, and more"
        kept = at.page.locator("#example optgroup").nth(1).inner_text()
        assert "yours" in kept
        other.close()
        at.page.get_by_label("Example").select_option(label="A die made of coins (a chain)")
        press(at, "Undo")
        assert model(at).input_value() == "dtmc // mine, and more"


def test_a_question_without_a_row_says_so(served, chromium):
    with visitor(chromium, served.url, "desktop") as at:
        at.go("#/bench")
        at.page.get_by_label("Properties, one a line").fill("filter(print, P=? [ F s=3 ], s>7)")
        press(at, "Answer")
        row = at.page.locator(".answers tbody tr")
        row.wait_for()
        assert "no state to print" in row.inner_text()


# The gallery --------------------------------------------------------------------------------


def test_an_estimate_says_whose_it_is_and_the_search_is_there_again(served, chromium):
    def estimated(route: Route) -> None:
        question = route.request.post_data_json
        result = {"method": "estimate", "play": "hold-at-20", "win": [], "draw": None, "how": []}
        result |= {"win": [{"value": 0.5, "lower": 0.4, "upper": 0.6}], "score": [], "length": None}
        job = {"id": "a", "status": "done", "request": question, "result": result}
        route.fulfill(json=job)

    with visitor(chromium, served.url, "desktop") as at:
        at.page.route("**/api/jobs", estimated)
        at.page.route("**/api/jobs/a", lambda route: route.fulfill(status=204))  # left, given up
        at.go("")
        at.page.get_by_label("Find a game").fill("goose")
        at.page.locator(".cards > li").nth(1).wait_for(state="detached")
        at.page.get_by_text("if everybody plays hold-at-20").wait_for()
        at.page.locator(".cards h2 a").click()
        at.page.locator(".prose").wait_for()
        at.page.go_back()
        at.page.locator(".cards > li").wait_for()
        assert at.page.get_by_label("Find a game").input_value() == "goose"
        assert at.page.locator(".cards > li").count() == 1


def test_an_answer_to_another_question_is_refused(served, chromium):
    """Should a server ever give one: the page holds what it says against what was asked."""

    def other(route: Route) -> None:
        reply = route.fetch()
        job = reply.json()
        job["request"]["source"] += " "
        route.fulfill(response=reply, json=job)

    with visitor(chromium, served.url, "desktop") as at:
        at.page.route("**/api/jobs", other)
        at.go("#/bench")
        press(at, "Answer")
        at.page.get_by_text("The server answered another question").wait_for()
        assert at.page.locator(".answers").count() == 0
