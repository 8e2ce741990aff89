"""The command `oddsmith` as a process that is watched: it ends when told to, in a sentence."""

import os
import resource
import signal
import subprocess
import sys
import time

import pytest
from benchmarks.interrupts import CASES, ODDSMITH, interrupted, still_there

DRIVER = """
import ctypes, os, signal, subprocess, sys, time
from pathlib import Path
from oddsmith.cli import commands as cli, watched as command
from oddsmith.runtime import remains
def hold():  # in a library that holds the interpreter's lock: no Python runs beside it
    print("working", flush=True)
    lock = ctypes.create_string_buffer(128)
    for _ in range(2):  # the second time for ever, whatever signals come
        ctypes.PyDLL(None).pthread_mutex_lock(lock)
def work():
    cli.interrupt.listen()
    {work}
def main():
    try:
        work()
    except KeyboardInterrupt:
        cli.stopped()
cli.main = main
command.main()
"""


class Command:
    """A command that does some work in the place of the command line's."""

    def __init__(self, work: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", DRIVER.format(work=work.strip().replace("\n", "\n    "))],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        )  # fmt: skip

    def begun(self) -> str:
        return self.process.stdout.readline().strip()

    def press(self, *, alone: bool = False) -> None:
        (os.kill if alone else os.killpg)(self.process.pid, signal.SIGINT)

    def end(self) -> tuple[int, str, str]:
        try:
            out, error = self.process.communicate(timeout=50)
        finally:
            if self.process.returncode is None:
                os.killpg(self.process.pid, signal.SIGKILL)
        return self.process.returncode, out, error


@pytest.mark.parametrize("alone", [True, False])
def test_a_library_that_cannot_be_stopped_is_ended(alone):
    command = Command("hold()")
    assert command.begun() == "working"
    command.press(alone=alone)
    assert command.end() == (130, "", "oddsmith: interrupted; nothing was kept\n")


def test_its_workers_and_what_lies_about_go_with_it():
    command = Command("""
subprocess.Popen(["sleep", "60"])
with remains.folder() as folder:
    (folder / "x").write_text("x")
    remains.kept("the rest is in goose.checkpoint")
    print(folder, flush=True)
    hold()""")
    folder = command.begun()
    assert command.begun() == "working"
    command.press()
    said = "oddsmith: interrupted; the rest is in goose.checkpoint\n"
    assert command.end() == (130, "", said)
    assert not os.path.exists(folder)  # noqa: PTH110
    assert still_there(command.process.pid) == []


def test_ctrl_c_is_heard_once_however_it_arrives():
    for alone in (True, False):
        command = Command("""
with cli.interrupt.Interrupt() as wish:
    print("working", flush=True)
    while not wish: time.sleep(0.01)
    time.sleep(0.4)  # a second one would be another wish
print("rested", flush=True); os._exit(130)""")
        assert command.begun() == "working"
        command.press(alone=alone)
        assert command.end() == (130, "rested\n", "")


def test_what_is_being_kept_is_waited_for_unless_it_is_told_twice():
    keeps = """
with remains.keeping("x is being written"), cli.interrupt.Interrupt():
    print("working", flush=True)
    time.sleep({})
time.sleep(0.6)  # to say so
print("written", flush=True); os._exit(130)"""
    command = Command(keeps.format(2.5))
    assert command.begun() == "working"
    command.press()
    code, out, error = command.end()
    assert (code, out) == (130, "written\n")
    assert error == "oddsmith: interrupted; x is being written (Ctrl-C again ends it without)\n"
    command = Command(keeps.format(60))
    assert command.begun() == "working"
    command.press()
    time.sleep(0.3)
    command.press()
    assert command.end() == (130, "", "oddsmith: interrupted; nothing was kept\n")


def test_a_worker_that_dies_is_a_sentence():
    for number, said in ((signal.SIGABRT, "memory runs out"), (signal.SIGKILL, "memory ran out")):
        command = Command(f"os.kill(os.getpid(), {int(number)})")
        code, _, error = command.end()
        assert code == 1
        assert said in error
        assert error.count("\n") == 1


def test_what_ends_it_ends_its_worker():
    for number in (signal.SIGTERM, signal.SIGKILL):
        if number == signal.SIGKILL and sys.platform != "linux":
            continue
        command = Command("hold()")
        assert command.begun() == "working"
        command.process.send_signal(number)
        assert command.end()[0] == -number
        for _ in range(100):
            if not still_there(command.process.pid):
                break
            time.sleep(0.05)
        assert still_there(command.process.pid) == []


def test_ctrl_c_that_a_callback_swallows_is_heard_again():
    command = Command("""
class Loud:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
        for _ in range(1000): pass
try:
    Loud()
    time.sleep(30)
except KeyboardInterrupt:
    print("heard", flush=True)
os._exit(0)""")
    assert command.end() == (0, "heard\n", "")


def test_ctrl_c_is_deaf_where_it_was_told_to_be():
    code = f"trap '' INT; {sys.executable} -c 'from oddsmith.__main__ import main; main()' games"
    done = subprocess.Popen(
        ["bash", "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    time.sleep(0.2)
    os.killpg(done.pid, signal.SIGINT)
    out, error = done.communicate(timeout=60)
    assert (done.returncode, error) == (0, b"")
    assert b"coin-race" in out


# The commands themselves ---------------------------------------------------------------------


@pytest.mark.parametrize("case", [CASES[2], CASES[21], CASES[27]], ids=lambda c: c[0])
@pytest.mark.parametrize("after", [0.15, 0.6])
def test_commands_end_in_a_sentence(case, after, tmp_path):
    found = interrupted(case, after, tmp_path)
    assert (found.code, found.left) == (130, ())
    assert found.error.startswith("oddsmith: interrupted")
    assert found.error.count("\n") == 1


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=" ".join)
def test_every_command_ends_in_a_sentence(case, tmp_path):
    for number, after in enumerate((0.1, 0.4, 1.5, 5.0, 12.0)):
        place = tmp_path / str(number)
        place.mkdir()
        if "made.cert" in case:
            made = ["solve", "pig", "--set", "goal=40", "--certificate", "made.cert"]
            subprocess.run([*ODDSMITH, *made], cwd=place, capture_output=True, check=True)
        found = interrupted(case, after, place)
        if found.seconds is None:
            continue
        assert "Traceback" not in found.error
        assert not [f for f in place.rglob("*") if f.name.endswith(".part")]
        assert found.left == ()
        if found.code != 130:
            assert case[0] in ("serve", "play")
            continue
        said = found.said + found.out
        assert "interrupted" in said or (case[0] == "play" and "Bye" in said)


def test_little_memory_is_a_sentence(tmp_path):
    """More than loading NumPy takes on this machine, and less than four geese: refused before."""

    def little() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (125 << 20, 125 << 20))

    done = subprocess.run(
        [*ODDSMITH, "solve", "goose", "-n", "4"], capture_output=True, text=True, preexec_fn=little
    )
    assert done.returncode == 1
    said = ("too little memory", "MiB of memory and")  # by whom it is noticed first
    assert any(words in done.stderr for words in said), done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.slow
def test_four_geese_fit_into_600_mb():
    def little() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (600 << 20, 600 << 20))

    done = subprocess.run(
        [*ODDSMITH, "solve", "goose", "-n", "4"], capture_output=True, text=True, preexec_fn=little
    )
    assert done.returncode == 0, done.stderr
    assert "certified" in done.stdout
