"""What holds for the whole page: accessibility, themes, weight, and when things go wrong."""

from __future__ import annotations

import pytest
from tests.web.accessibility import colours, contrast, flaws
from tests.web.browser import record, visitor

PARTS = {
    "": ".cards li",
    "#/games/goose": ".odds",
    "#/workshop": ".cards li",
    "#/workshop/goose": ".results .odds",
    "#/play": ".cards li",
    "#/play/pig": ".seats",
    "#/play/goose?seats=person%2Crandom&seed=5": ".move",
    "#/bench": ".editor",
}
TEXTS = ("--ink", "--soft", "--accent", "--bad", "--good")
GROUNDS = ("--paper", "--card", "--sunk")


@pytest.mark.parametrize("size", ["phone", pytest.param("desktop", marks=pytest.mark.slow)])
def test_nobody_stumbles(served, chromium, size):
    with visitor(chromium, served.url, size) as at:
        for address, sign in PARTS.items():
            at.go(address)
            at.page.locator(sign).first.wait_for()
            assert flaws(at.page) == [], address
            assert at.fits(), address
        at.page.evaluate("document.querySelector('main').innerHTML += '<input><h4>x</h4><img>'")
        assert len(flaws(at.page)) == 3  # it would have been seen


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_can_be_read_in_both_themes(served, chromium, theme):
    with visitor(chromium, served.url, "desktop", color_scheme=theme) as at:
        at.go("")
        at.page.locator(".cards li").first.wait_for()
        inks = [f"--ink-{number}" for number in range(1, 9)]
        tints = {"--accent": "--tint", "--bad": "--bad-tint", "--good": "--good-tint"}
        found = colours(at.page, *TEXTS, *GROUNDS, *inks, *tints.values(), "--on-accent", "--edge")
        pairs = [(text, ground) for text in TEXTS for ground in GROUNDS]
        for text, ground in [*pairs, *tints.items(), ("--on-accent", "--accent")]:
            assert contrast(found[text], found[ground]) >= 4.5, (text, ground)
        for ink in [*inks, "--edge"]:  # what is drawn, not written
            assert contrast(found[ink], found["--card"]) >= 3, ink


def test_heat_grows_evenly_brighter_or_darker(served, chromium):
    """A heat map can be read without telling colours apart."""
    for theme in ("light", "dark"):
        with visitor(chromium, served.url, "desktop", color_scheme=theme) as at:
            at.go("#/bench")
            ramp = colours(at.page, "--cold", "--warm", "--hot")
            sign = 1 if theme == "dark" else -1
            bright = [sign * sum(ramp[name]) for name in ("--cold", "--warm", "--hot")]
            assert bright == sorted(bright)
            assert contrast(ramp["--cold"], ramp["--hot"]) > 7


def test_the_theme_is_chosen_and_kept(served, chromium):
    with visitor(chromium, served.url, "desktop", color_scheme="light") as at:
        at.go("#/workshop/goose")
        at.page.locator(".results .odds").wait_for()
        light = colours(at.page, "--paper")["--paper"]
        at.page.get_by_role("button", name="Colours").click()
        dark = colours(at.page, "--paper")["--paper"]
        assert sum(dark) < 200 < 600 < sum(light)
        at.go("#/workshop/goose")
        at.page.locator(".results .odds").wait_for()
        assert colours(at.page, "--paper")["--paper"] == dark
        at.photograph("workshop-dark")
        at.go("")
        for key in ("chutes-and-ladders", "goose", "snakes-and-ladders"):
            at.page.locator(f'[data-key="{key}"] svg [data-number="1"]').wait_for()
        at.page.locator('[data-key="goose"] .shares').wait_for()
        at.photograph("gallery-dark")


def test_nothing_moves_for_those_who_do_not_want_it(served, chromium):
    with visitor(chromium, served.url, "desktop", reduced_motion="reduce") as at:
        at.go("#/workshop/goose")
        # One look at the document as it is: bars that were taken off it have no style any more.
        takes = """() => {
            const bar = document.querySelector(".results .fill");
            return bar && getComputedStyle(bar).transitionDuration;
        }"""
        assert at.page.wait_for_function(takes).json_value() == "0s"


def test_the_page_is_light_and_soon_there(served, chromium):
    """Figures are kept; only what does not depend on the machine is asserted."""
    with visitor(chromium, served.url, "desktop") as at:
        sizes: dict[str, int] = {}
        at.page.on("response", lambda got: sizes.setdefault(got.url, len(got.body())))
        paints = []
        for _ in range(3):
            at.go("")
            at.page.locator(".cards li").first.wait_for()
            paints.append(at.page.evaluate(
                "performance.getEntriesByName('first-contentful-paint')[0].startTime"
            ))  # fmt: skip
        files = {url: size for url, size in sizes.items() if "/api/" not in url}
        record("first-contentful-paint-seconds", round(min(paints) / 1000, 3))
        record("page-weight-bytes", sum(files.values()))
        record("page-requests", len(files))
        assert sum(files.values()) < 120_000


def test_a_part_that_is_not_there_says_so(served, chromium):
    with visitor(chromium, served.url, "phone", allow_errors=True) as at:
        for address, words in (
            ("#/nowhere", "There is no such part of the page."),
            ("#/games/chess", "There is no game 'chess'."),
            ("#/workshop/~rubbish", "The address holds no board"),
            ("#/workshop/pig", "is no board"),
        ):
            at.go(address)
            at.page.get_by_text(words).wait_for()


def test_a_lost_connection_is_told_and_found_again(served, chromium):
    with visitor(chromium, served.url, "phone", allow_errors=True) as at:
        at.go("#/workshop/goose")
        at.page.locator(".results .odds").wait_for()
        at.page.context.set_offline(True)
        at.page.get_by_label("Players").fill("3")
        at.page.get_by_text("The server cannot be reached.").wait_for()
        at.photograph("lost")
        at.page.context.set_offline(False)
        at.page.locator(".results tr", has_text="Player 3").wait_for()
        assert not at.page.locator("#banner").is_visible()
