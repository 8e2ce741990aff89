"""What the fuzzers found, once more: every input is accepted or refused in a sentence.

In a process of its own, which has 2 GB of memory and five minutes; see fuzz/README.md.
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_no_input_fails_hangs_or_fills_the_memory() -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "fuzz.replay"], cwd=ROOT, capture_output=True, text=True, timeout=300
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert int(ended.stdout.splitlines()[-1].split()[0]) > 100
