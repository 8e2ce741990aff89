"""What tests of the page share: one server a test process, one browser a file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from tests.web import browser as browsers
from tests.web.live_server import LiveServer, live_server

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """A server that all tests of this process talk to."""
    with live_server(tmp_path_factory.mktemp("served"), "--workers", "2") as server:
        yield server


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """A browser; it has an event loop of its own, so it must not outlive the file."""
    with browsers.browser() as started:
        yield started
