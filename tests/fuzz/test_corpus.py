"""What the fuzzers found, once more: every input is accepted or refused in a sentence.

In a process of its own, which has 2 GB of memory and five minutes; see fuzz/README.md.
"""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from fuzz import targets

ROOT = Path(__file__).parents[2]


def test_no_input_fails_hangs_or_fills_the_memory() -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "fuzz.replay"], cwd=ROOT, capture_output=True, text=True, timeout=300
    )
    last = ended.stderr.replace("\r", "\n").strip()[-2000:].splitlines()[-20:]
    died = "" if "inputs," in ended.stdout else "\n".join(["it died, last:", *last])
    assert ended.returncode == 0, ended.stdout + died
    assert int(ended.stdout.splitlines()[-1].split()[0]) > 100


def test_time_is_counted_when_machine_code_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bytes] = []

    def waits_once(data: bytes) -> None:
        asked.append(data)
        if len(asked) == 1:
            monkeypatch.setattr(time, "process_time", lambda: 60.0)  # the first time

    monkeypatch.setattr(time, "process_time", lambda: 0.0)
    monkeypatch.setitem(targets.TARGETS, "question", waits_once)
    assert targets.run("question", b"x")
    assert len(asked) == 2


def test_what_is_slow_again_is_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(0, 600, 60))
    monkeypatch.setattr(time, "process_time", lambda: float(next(clock)))
    monkeypatch.setitem(targets.TARGETS, "question", lambda data: None)
    with pytest.raises(targets.SlowError, match=r"60\.0 s"):
        targets.run("question", b"x")
