"""The gallery and a game's page in a real browser."""

from __future__ import annotations

import pytest
from tests.web.browser import SIZES, visitor

from oddsmith import game, odds
from oddsmith.games import catalogue


@pytest.mark.parametrize("size", SIZES)
def test_every_game_is_in_the_gallery_with_its_odds(served, chromium, size):
    with visitor(chromium, served.url, size) as at:
        at.go("")
        cards = at.page.locator(".cards > li")
        cards.first.wait_for()
        assert cards.count() == len(catalogue())
        goose = at.page.locator('[data-key="goose"]')
        goose.scroll_into_view_if_needed()
        goose.locator(".shares").wait_for()
        said = goose.inner_text()
        for answer in (*odds(game("goose")).win, odds(game("goose")).draw):
            assert f"{100 * answer.value:.2f} %" in said
        assert "certified" in said
        assert "pure chance" in said
        goose.locator(".board").wait_for()
        assert goose.locator(".board .square").count() == 64
        at.page.locator('[data-key="snakes-and-ladders"] .shares').wait_for()
        at.page.evaluate("scrollTo(0, 0)")
        at.photograph("gallery")
        assert at.fits()

        at.page.get_by_label("Find a game").fill("goose")
        at.page.locator(".cards > li").nth(1).wait_for(state="detached")
        assert cards.count() == 1
        at.page.get_by_label("Find a game").fill("no such thing")
        at.page.get_by_text("No game of the catalogue is like that.").wait_for()
        at.page.get_by_label("Find a game").fill("")
        at.page.get_by_label("Which games").select_option("board")
        cards.nth(2).wait_for()
        assert cards.count() == 3


@pytest.mark.parametrize("size", SIZES)
def test_a_game_shows_its_rules_odds_and_options(served, chromium, size):
    with visitor(chromium, served.url, size) as at:
        at.go("")
        at.page.get_by_role("link", name="Game of the Goose").click()
        at.page.get_by_role("heading", level=1, name="Game of the Goose").wait_for()
        at.page.locator(".odds .worth").first.wait_for()
        assert at.page.locator(".odds .worth").first.inner_text() == "39.3625 %"
        assert "In the well (31) and in the prison (52)" in at.page.locator(".prose").inner_text()
        assert at.page.get_by_role("row", name="inn.wait a whole number 1").is_visible()
        at.photograph("game", whole=True)
        assert at.fits()
        at.page.get_by_role("link", name="Open in the workshop").click()
        at.page.get_by_role("tab", name="Square").wait_for()


@pytest.mark.slow
def test_pictures_and_the_report(served, chromium):
    with visitor(chromium, served.url, "desktop") as at:
        at.go("#/games/goose")
        at.page.get_by_role("button", name="Draw").click()
        picture = at.page.get_by_role("img", name="what its squares do")
        picture.wait_for(timeout=60_000)
        assert picture.evaluate("(image) => image.decode().then(() => image.naturalWidth)") > 300
        at.photograph("picture", whole=True)
        at.page.get_by_role("button", name="Report").click()
        opened = at.page.get_by_role("link", name="Open", exact=True)
        opened.wait_for(timeout=120_000)
        with at.page.context.expect_page() as report:
            opened.click()
        report.value.get_by_role("heading", level=1).first.wait_for()
        assert "39.36" in report.value.inner_text("body")
        with at.page.expect_download() as saved:
            at.page.get_by_role("button", name="Download").click()
        assert saved.value.suggested_filename == "goose.html"
