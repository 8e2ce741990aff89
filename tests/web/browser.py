"""A real browser for tests of the page: Chromium without a window, desk-sized or phone-sized.

Whatever a page logs as an error, throws, or asks another host for fails the test that did it.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

NAMES = ("chromium", "chromium-browser", "google-chrome")
BUILD = Path(__file__).parents[2] / "build"
SIZES = {"desktop": (1280, 800), "phone": (390, 844)}


def executable() -> str:
    """Where the browser is; without one the test is skipped, on a CI machine it fails."""
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is None:
        reason = f"No browser is installed ({', '.join(NAMES)}): `make browser` installs one."
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return found


@contextmanager
def browser() -> Iterator[Browser]:
    """Chromium, started."""
    path = executable()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield started
        started.close()


@dataclass
class Visitor:
    """Somebody with a browser at a page."""

    page: Page
    url: str
    size: str

    def go(self, address: str) -> None:
        """Open an address of the page, from scratch."""
        self.page.goto("about:blank")
        self.page.goto(f"{self.url}/{address}")

    def gone(self, selector: str) -> None:
        """Wait until nothing like this is on the page."""
        from playwright.sync_api import expect

        expect(self.page.locator(selector)).to_have_count(0, timeout=90_000)

    def photograph(self, name: str, *, whole: bool = False) -> None:
        """Keep a picture of what is seen among the build output."""
        folder = BUILD / "screenshots"
        folder.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=folder / f"{name}-{self.size}.png", full_page=whole)

    def fits(self) -> bool:
        """Whether nothing sticks out of the page on the right."""
        width: int = self.page.evaluate("document.documentElement.scrollWidth")
        return width <= SIZES[self.size][0]


@contextmanager
def visitor(
    started: Browser, url: str, size: str, *, allow_errors: bool = False, **context: Any
) -> Iterator[Visitor]:
    """Somebody at the page; what goes wrong there is told at the end."""
    width, height = SIZES[size]
    phone = {"has_touch": True, "is_mobile": True} if size == "phone" else {}
    with started.new_context(
        viewport={"width": width, "height": height}, accept_downloads=True, **phone, **context
    ) as opened:
        opened.set_default_timeout(90_000)
        page = opened.new_page()
        wrong: list[str] = []
        strangers: list[str] = []
        page.on("pageerror", lambda error: wrong.append(f"thrown: {error}"))
        page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)

        def asked(request: Any) -> None:
            scheme, host = urlsplit(request.url)[:2]
            if scheme in ("http", "https", "ws", "wss") and host != urlsplit(url).netloc:
                strangers.append(request.url)

        page.on("request", asked)
        yield Visitor(page, url, size)
        for each in opened.pages:  # as a person leaves: what the page wanted done is wanted no more
            each.goto("about:blank")
        assert not strangers, f"The page asked other hosts: {strangers}"
        assert allow_errors or not wrong, f"The page complained: {wrong}"


def record(name: str, value: float) -> None:
    """Keep a figure that was measured among the build output; nothing is asserted of it."""
    BUILD.mkdir(exist_ok=True)
    path = BUILD / "page-figures.json"
    known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    path.write_text(json.dumps(known | {name: value}, indent=2) + "\n", encoding="utf-8")
    print(f"{name}: {value:g}")
