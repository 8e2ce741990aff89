"""Somebody who wanders through a room of the page, and looks at what stands beside what.

A walk is drawn from a seed: edits, two of them quickly, undo, redo, cancel, reload, a second tab.
After every step `look` reads the room in one piece of script (`eyes.js`), so that nothing moves
meanwhile: what is not dimmed must be the answer to the question that stands beside it.
`settled` waits until nothing is under way and then looks again. The truth is asked of the library
or of the API, where nothing is late.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
from playwright.sync_api import Error, Page

EYES = (Path(__file__).parent / "eyes.js").read_text(encoding="utf-8").strip().rstrip(";")
Step = Callable[[Page], None]
BUSY = """() => ![...document.querySelectorAll("main .stale, main .progress, main .waiting")]
  .some((each) => each.checkVisibility())"""


class Api:
    """The server itself, where nothing is late."""

    def __init__(self, url: str) -> None:
        self.client = httpx.Client(base_url=url, timeout=60, trust_env=False)
        self.known: dict[str, Any] = {}

    def answer(self, **question: Any) -> dict[str, Any]:
        """The job that answers a question."""
        key = repr(sorted(question.items()))
        if key not in self.known:
            job = self.client.post("/api/jobs", json=question).json()
            while job["status"] in ("queued", "running"):
                path = f"/api/jobs/{job['id']}?after={job['version']}&wait=20"
                job = self.client.get(path).json()
            self.known[key] = job
        found: dict[str, Any] = self.known[key]
        return found


class Wanderer(ABC):
    """One walk through a room, in one tab or two."""

    room: str
    address: str
    ready: str
    """What is seen once the room is open."""

    def __init__(self, page: Page, url: str, seed: int, api: Api) -> None:
        self.tabs, self.url, self.api = [page], url, api
        self.random = random.Random(seed)
        self.told: list[str] = []
        """What has been done, for whoever has to do it again."""
        self.looks = self.fresh = 0
        """How often answers were looked at, and how often they stood there as fresh."""

    def walk(self, steps: int) -> None:
        """Wander so many steps; whatever is beside the wrong question is an error."""
        self.open(self.tabs[0])
        for _ in range(steps):
            page = self.random.choice(self.tabs)
            name = self.random.choice(list(self.steps()))
            self.do(page, name)
            if self.random.random() < 0.35:  # at once, before anything has come back
                self.do(page, self.random.choice(list(self.steps())))
            for _ in range(2):
                self.look(page)
                page.wait_for_timeout(self.random.choice((0, 30, 120, 300)))
            if self.random.random() < 0.2:
                self.settled(page)
        for page in self.tabs:
            self.settled(page)

    def open(self, page: Page) -> None:
        page.goto(f"{self.url}/{self.address}")
        page.locator(self.ready).first.wait_for()

    def do(self, page: Page, name: str) -> None:
        """A step, as far as it can be done now: a button may be gone before it is pressed."""
        self.told.append(f"{self.tabs.index(page)}: {name}")
        try:
            self.steps()[name](page)
        except Error as error:
            if "Timeout" not in str(error):
                raise
            self.told[-1] += " (not to be done)"

    def steps(self) -> dict[str, Step]:
        """What can be done in every room, and in this one."""
        return {"reload": self.reload, "cancel": self.cancel, "tab": self.tab} | self.own_steps()

    def reload(self, page: Page) -> None:
        page.reload()
        page.locator(self.ready).first.wait_for()

    def cancel(self, page: Page) -> None:
        press(page, "Cancel")

    def tab(self, page: Page) -> None:
        """The same address in another tab; there are two at most."""
        if len(self.tabs) > 1:
            return
        other = page.context.new_page()
        self.tabs.append(other)
        other.goto(page.url)
        other.locator(self.ready).first.wait_for()

    def settled(self, page: Page) -> None:
        """Wait until nothing is under way, and look."""
        try:
            page.wait_for_function(self.still(), timeout=30_000)
        except Error:
            words = page.locator("main").inner_text()
            raise AssertionError("\n".join([*self.told, "it never settled:", words])) from None
        self.look(page)

    def still(self) -> str:
        """A condition: nothing is under way."""
        return BUSY

    def look(self, page: Page) -> None:
        """Compare what is shown as fresh with the truth."""
        seen = self.eyes(page)
        self.looks += 1
        wrong = self.wrong(seen) if seen else None
        assert not wrong, f"{wrong}\nseen: {seen}\nafter:\n" + "\n".join(self.told)

    @abstractmethod
    def own_steps(self) -> dict[str, Step]:
        """What else can be done here."""

    def eyes(self, page: Page) -> Any:
        """What is read of the room at one moment, or nothing if it is not open."""
        return page.evaluate(f"({EYES}).{self.room}()")

    @abstractmethod
    def wrong(self, seen: dict[str, Any]) -> str | None:
        """What is shown as fresh beside another question, in words."""


def press(page: Page, name: str) -> None:
    """Press a button if it is there and can be pressed."""
    button = page.get_by_role("button", name=name, exact=True).first
    if button.count() and button.is_enabled():
        button.click(timeout=500)
