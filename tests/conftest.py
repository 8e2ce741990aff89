"""What all tests share.

Hypothesis does not time its examples (the first one may compile), and linear algebra keeps to one
thread: tests run side by side, and the threads of one would wait for those of another. What a user
keeps at home is kept in a folder of the tests' own. Every answer that the library gives to a test
has a second opinion (`second_opinion.py`).
"""

import atexit
import gc
import os
import shutil
import signal
import tempfile

os.environ["XDG_DATA_HOME"] = tempfile.mkdtemp(prefix="oddsmith-tests-")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is imported

import pytest
from hypothesis import settings
from tests.second_opinion import PER_TEST, Opinions

from oddsmith.questions import door

atexit.register(shutil.rmtree, os.environ["XDG_DATA_HOME"], True)
pytest.register_assert_rewrite("tests.games.contract", "tests.games.decisions")

settings.register_profile("oddsmith", deadline=None)
settings.load_profile("oddsmith")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # started in the background by a shell
    signal.signal(signal.SIGINT, signal.default_int_handler)  # commands under test hear Ctrl-C

OPINIONS = Opinions()
leaves_by_the_gate = door.leaves


@pytest.fixture(autouse=True)
def second_opinion(monkeypatch):
    """Ask the independent checker about every answer of the library; see `second_opinion.py`."""
    OPINIONS.left = PER_TEST

    def leaves(asking, found):
        leaves_by_the_gate(asking, found)
        OPINIONS(asking, found)

    monkeypatch.setattr(door, "leaves", leaves)


def pytest_collection_finish():
    """Whatever has been imported stays: the collector of garbage need not look at it again."""
    gc.collect()
    gc.freeze()


def pytest_sessionfinish(session):
    """Hand what was counted to whoever sums it up."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["opinions"] = (dict(OPINIONS.count), OPINIONS.seconds)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    """Sum up what the workers counted."""
    count, seconds = getattr(node, "workeroutput", {}).get("opinions", ({}, 0.0))
    OPINIONS.count.update(count)
    OPINIONS.seconds += seconds


def pytest_terminal_summary(terminalreporter):
    """Say how many answers had a second opinion."""
    told = ", ".join(f"{name} {n:,}" for name, n in sorted(OPINIONS.count.items()))
    if told:
        terminalreporter.write_line(f"second opinions, {OPINIONS.seconds:.0f} s: {told}")
