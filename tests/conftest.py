"""What all tests share.

Hypothesis does not time its examples (the first one may compile), and linear algebra keeps to one
thread: tests run side by side, and the threads of one would wait for those of another.
"""

import os
import signal

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is imported

import pytest
from hypothesis import settings

pytest.register_assert_rewrite("tests.games.contract", "tests.games.decisions")

settings.register_profile("oddsmith", deadline=None)
settings.load_profile("oddsmith")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # started in the background by a shell
    signal.signal(signal.SIGINT, signal.default_int_handler)  # commands under test hear Ctrl-C
