"""The model bench in a real browser: answers, and mistakes with their place."""

from __future__ import annotations

import pytest
from tests.web.browser import SIZES, visitor


@pytest.mark.parametrize("size", SIZES)
def test_answers_and_examples(served, chromium, size):
    with visitor(chromium, served.url, size) as at:
        at.go("#/bench")
        at.page.get_by_label("Exact").check(force=True)
        at.page.get_by_role("button", name="Answer").click()
        rows = at.page.locator(".answers tbody tr")
        rows.nth(2).wait_for()  # they come one after the other
        assert [row.split("\t")[1].strip() for row in rows.all_inner_texts()] == [
            "1/6",
            "11/3",
            "3/4",
        ]
        at.photograph("bench", whole=size == "phone")
        assert at.fits()

        at.page.get_by_label("Example").select_option(label="Walk or ride (somebody decides)")
        at.page.get_by_role("button", name="Answer").click()
        rows.filter(has_text="Pmax=?").wait_for()
        assert "3/4" in rows.first.inner_text()
        at.go("#/bench")  # the text is kept
        assert "traveller" in at.page.get_by_label("Model", exact=True).input_value()


def test_a_mistake_is_marked_where_it_is(served, chromium):
    with visitor(chromium, served.url, "desktop") as at:
        at.go("#/bench")
        model = at.page.get_by_label("Model", exact=True)
        model.fill(model.input_value().replace("[toss] s=4 -> 1/2", "[toss] s=4 => 1/2"))
        at.page.keyboard.press("Control+Enter")
        wrong = at.page.locator(".lines .wrong")
        wrong.wait_for()
        line = model.input_value().split("\n")[int(wrong.inner_text()) - 1]
        assert "s=4 =>" in line
        shown, caret = at.page.locator("pre.caret").inner_text().split("\n")
        assert shown == line
        assert caret.strip() == "^"
        assert model.evaluate("(area) => area === document.activeElement")
        at.photograph("bench-mistake")

        at.page.get_by_label("Example").select_option(label="A die made of coins (a chain)")
        at.page.get_by_label("Properties, one a line").fill("P=? [ F d=6 ]\nP=? [ F d==6 ]")
        at.page.get_by_role("button", name="Answer").click()
        at.page.locator(".mistake").first.wait_for()
        at.photograph("bench-property")


def test_the_address_holds_the_model(served, chromium):
    with visitor(chromium, served.url, "desktop") as at:
        at.go("#/bench")
        at.page.get_by_label("Properties, one a line").fill("P=? [ F d=5 ]")
        at.page.get_by_role("button", name="Copy link").click()
        at.page.get_by_text("it holds the whole model").wait_for()
        address = at.page.evaluate("location.hash")
        at.page.evaluate("localStorage.clear()")
        at.go(address)
        at.page.get_by_role("button", name="Answer").click()
        at.page.locator(".answers tbody tr").wait_for()
        assert "P=? [ F d=5 ]" in at.page.locator(".answers").inner_text()
        assert "0.1666666" in at.page.locator(".answers").inner_text()
