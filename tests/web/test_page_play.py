"""Play in a real browser: matches that live in the address, with odds, advice and regret."""

from __future__ import annotations

import re

import pytest
from tests.web.browser import SIZES, Visitor, visitor

from oddsmith import game, optimal

PIG = "#/play/pig?seats=person%2Coptimal&seed=3&set=goal%3D20"


def move(at: Visitor, name: str) -> None:
    """Make a move and wait until it is told."""
    told = at.page.locator(".log li").count()
    at.page.locator(".moves").get_by_role("button", name=name).click()
    at.page.locator(".log li").nth(told).wait_for()


@pytest.mark.parametrize("size", SIZES)
def test_a_decision_with_odds_advice_and_regret(served, chromium, size):
    with visitor(chromium, served.url, size) as at:
        at.go("#/play/pig")
        at.page.get_by_label("Seed of the dice").fill("3")
        at.page.get_by_text("Options of the game").click()
        at.page.get_by_label("goal").fill("20")
        at.page.get_by_role("button", name="Begin").click()
        at.page.get_by_text("Your move").wait_for()
        assert at.page.evaluate("location.hash") == PIG
        for name in ("Odds", "Advice", "Regret"):
            at.page.get_by_role("button", name=name).click()
        best = at.page.locator("tr.best")
        best.wait_for()
        solved = optimal(game("pig", goal=20))
        worth = solved.advice(game("pig", goal=20).start())
        assert f"{100 * worth[0].worth.value:.3f} %" in best.inner_text()
        assert worth[0].move in best.inner_text()

        move(at, worth[1].move)  # not the best
        review = at.page.locator('[data-part="review"]')
        review.get_by_text("1 decision, 1 mistake").wait_for()
        cost = 100 * (worth[0].worth.value - worth[1].worth.value)
        assert f"{float(f'{cost:.3g}'):g} pp" in review.inner_text()
        at.photograph("play-pig", whole=size == "phone")
        assert at.fits()

        address = at.page.evaluate("location.hash")
        assert "moves=" in address
        steps = at.page.locator(".log").inner_text()
        at.go(address)
        at.page.locator(".log li").first.wait_for()
        assert at.page.locator(".log").inner_text() == steps

        at.page.get_by_role("button", name="Take back").click()
        at.page.locator(".log li").first.wait_for(state="detached")


@pytest.mark.parametrize("size", SIZES)
def test_two_persons_on_a_board(served, chromium, size):
    with visitor(chromium, served.url, size) as at:
        at.go("#/play/goose?seats=person%2Cperson&seed=5")
        at.page.get_by_text("Player 1 to move").wait_for()
        move(at, "throw")
        at.page.get_by_text("Player 2 to move").wait_for()
        move(at, "throw")
        at.page.get_by_text("Player 1 to move").wait_for()
        assert at.page.locator(".token").count() == 2
        label = at.page.locator(".now svg.board").get_attribute("aria-label") or ""
        assert re.search(r"player 1 on \d+, player 2 on \d+", label)
        at.page.get_by_role("button", name="Odds").click()
        at.page.locator(".asked .odds").wait_for()
        at.photograph("play-goose", whole=size == "phone")
        assert at.fits()


def test_a_whole_game_by_keys(served, chromium):
    with visitor(chromium, served.url, "desktop") as at:
        at.go("#/play/coin-race?seats=person%2Crandom&seed=1")
        at.page.get_by_text("Your move").wait_for()
        for _ in range(60):
            if at.page.locator(".turn.over").count():
                break
            told = at.page.locator(".log li").count()
            at.page.keyboard.press("1")
            at.page.locator(".log li").nth(told).wait_for()
            at.gone(".moves button:disabled")
        assert re.search(r"(You win|Player 2 wins)\.", at.page.locator(".turn").inner_text())
        at.page.get_by_role("button", name="Play again").click()
        at.page.get_by_text("Your move").wait_for()


def test_a_wrong_address_says_what_is_wrong(served, chromium):
    with visitor(chromium, served.url, "desktop", allow_errors=True) as at:
        at.go("#/play/pig?seats=person%2Cnobody&seed=1")
        at.page.locator(".note-bad").wait_for()
        assert "nobody" in at.page.locator(".note-bad").inner_text()
        at.go("#/play/chess")
        at.page.get_by_text("There is no game 'chess'.").wait_for()
