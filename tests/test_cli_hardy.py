"""The command line where things go wrong: files, numbers, encodings, caches, silence."""

import json
import os
import subprocess
import sys
from typing import NamedTuple, get_args

import pytest

from oddsmith import DRAW, Game, coin, explore, game, move, odds
from oddsmith.ask import tournament
from oddsmith.cli import commands as cli
from oddsmith.cli.arguments import writable
from oddsmith.errors import LimitError, OddsmithError, OptionError
from oddsmith.present.report import sections as report
from oddsmith.questions import door
from oddsmith.runtime import memory, remains
from oddsmith.runtime.written import try_to_write

ODDSMITH = [sys.executable, "-c", "from oddsmith.cli import main; main()"]

WRITES = {"save", "csv", "fractions", "certificate", "checkpoint", "strategy", "plot", "out"}


def asked(*arguments: str) -> None:
    cli.app(list(arguments), standalone_mode=False)


# Files are tried before the work -------------------------------------------------------------


def parameters():
    """Every parameter of every command that names a file to be written."""
    import inspect

    for command in cli.app.registered_commands:
        for name, given in inspect.signature(command.callback).parameters.items():
            kind = given.annotation.__origin__
            plain = (
                kind is bool or bool in get_args(kind) or command.callback.__name__ == "reproduce"
            )
            if name in WRITES and not plain:  # a switch, or a folder
                yield command.callback.__name__, name, given.annotation


def test_every_file_that_is_written_is_of_one_kind():
    found = list(parameters())
    assert len(found) > 20
    for command, name, annotation in found:
        (option,) = annotation.__metadata__
        assert option.callback is writable, (command, name)


@pytest.mark.parametrize(
    "arguments",
    [
        ["policy", "pig", "--save"],
        ["policy", "pig", "--csv"],
        ["learn", "pig", "--save"],
        ["solve", "pig", "--exact", "--fractions"],
        ["solve", "goose", "--checkpoint"],
        ["solve", "goose", "--certificate"],
        ["check", "pig", "P=? [ F over ]", "--strategy"],
        ["check", "pig", "P=? [ F over ]", "--plot"],
        ["export", "pig", "--out"],
        ["plot", "pig", "-o"],
        ["report", "pig", "-o"],
    ],
    ids=lambda a: f"{a[0]} {a[-1]}",
)
def test_what_cannot_be_written_is_refused_before_the_work(arguments, monkeypatch, tmp_path):
    def work(*_, **__):
        raise AssertionError("the work has begun")

    monkeypatch.setattr("oddsmith.rules.interpret.first_state", work)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(OptionError, match=r"^none/x\.png cannot be written: there is no directory"):
        asked(*arguments, "none/x.png")


def test_kinds_of_files_are_looked_at_before_the_work(monkeypatch, tmp_path):
    monkeypatch.setattr("oddsmith.rules.interpret.first_state", None)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(OddsmithError, match=r"x\.what cannot be written"):
        asked("export", "pig", "--out", "x.what")
    with pytest.raises(OddsmithError, match=r"x\.what cannot be written"):
        asked("check", "pig", "P=? [ F over ]", "--strategy", "x.what")
    assert list(tmp_path.iterdir()) == []


def test_trying_leaves_everything_as_it_was(tmp_path):
    there = tmp_path / "there"
    there.write_text("kept")
    try_to_write(there)
    try_to_write(tmp_path / "new")
    assert there.read_text() == "kept"
    assert list(tmp_path.iterdir()) == [there]
    for path, why in (
        (tmp_path, "it is a directory"),
        (there / "x", "there is no directory"),
        ("/dev/null", "it is no file"),
        (tmp_path / ("x" * 300), "too long"),
        ("a\0b", "no name of a file"),
    ):
        with pytest.raises(OptionError, match=why):
            try_to_write(path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OptionError, match="it is no file"):
        try_to_write(tmp_path / "pipe")


# Numbers -------------------------------------------------------------------------------------

NINES = "9" * 400
LONG = "9" * 5000


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["solve", "coin-race", "--players", NINES], "below 2\\^63"),
        (["solve", "coin-race", "--digits", "999999999999"], "from 0 to 1,000,000"),
        (["solve", "coin-race", "--max-states", NINES], "below 2\\^63"),
        (["simulate", "coin-race", "--games", NINES], "below 2\\^63"),
        (["simulate", "coin-race", "--seed", NINES], "below 2\\^63"),
        (["length", "coin-race", "--horizon", NINES], "below 2\\^63"),
        (["length", "coin-race", "--horizon", "9" * 18], "of memory"),
        (["policy", "piglet", "--at", f"scores=({LONG},0)"], "give a number"),
        (["visits", "coin-race", "--where", f"steps[0]={LONG}"], "NAME=NUMBER"),
        (["solve", "pig", "--set", f"goal={NINES}"], "62 bits"),
        (["solve", "pig", "--set", f"goal={LONG}"], "less than 4,300 digits"),
        (["learn", "piglet", "--seconds", "nan"], "more than no time"),
        (["learn", "piglet", "--seconds", "-1"], "more than no time"),
    ],
    ids=lambda a: " ".join(a)[:40] if isinstance(a, list) else "",
)
def test_absurd_numbers_are_refused(arguments, said):
    with pytest.raises(OddsmithError, match=said):
        asked(*arguments)


def test_a_long_number_is_not_echoed():
    done = subprocess.run(
        [*ODDSMITH, "solve", "coin-race", "--players", NINES], capture_output=True, text=True
    )
    assert done.returncode == 1
    assert done.stderr.endswith("not 9999999999…9999999999 (400 digits).\n")


def test_more_memory_than_a_float_can_say():
    with pytest.raises(LimitError, match=r"about 10\^390 GiB"):
        memory.require(10**400, "This", "ask for less")


def test_a_limit_of_addresses_is_a_limit_of_memory(monkeypatch):
    monkeypatch.setattr(memory, "address_limit", lambda: memory.held() + memory.MIB)
    assert memory.available() <= memory.MIB
    with pytest.raises(LimitError):
        memory.require(64 * memory.MIB, "This", "ask for less")


# Encodings -----------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_any_encoding_can_be_read(encoding):
    surroundings = os.environ | {"PYTHONIOENCODING": encoding}
    for arguments in (["games"], ["solve", "nö–such"], ["games", "--json"]):
        done = subprocess.run([*ODDSMITH, *arguments], capture_output=True, env=surroundings)
        out, error = done.stdout.decode(encoding), done.stderr.decode(encoding)
        assert "Traceback" not in error
        if "--json" in arguments:
            assert any(one["game"] == "pig" for one in json.loads(out))
        elif arguments == ["games"]:
            assert "goose" in out
            assert "---------" in out
        else:
            assert ("no-such" if encoding == "ascii" else "nö–such") in error


def test_json_is_escaped_and_loses_nothing():
    code = (
        "import sys; from oddsmith.cli import output; text = '\"é–猫𝄞\\udcff\"';"
        "output.put(text, True); sys.stdout.flush()"
    )
    surroundings = os.environ | {"PYTHONIOENCODING": "ascii"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, env=surroundings)
    assert json.loads(done.stdout) == "é–猫𝄞\udcff"


# Caches --------------------------------------------------------------------------------------

NO_PLACE = """
import sys
from pathlib import Path
from oddsmith.ahead import library
library.OBJECTS = Path("/proc/none")
if sys.argv[1:] == ["full"]:
    def full(*_, **__): raise OSError(28, "No space left on device")
    library.tempfile.NamedTemporaryFile = full
import numpy as np
from oddsmith.model.formats.spell import _length
print(_length(np.array([1, 2]), np.array([0, 1, 2, 3])))
"""


def test_machine_code_that_is_not_there_is_made_and_kept_where_it_can(tmp_path):
    nowhere = os.environ | {"HOME": "/proc/none", "TMPDIR": str(tmp_path)}
    nowhere = {name: text for name, text in nowhere.items() if not name.startswith("XDG")}
    for arguments in (["full"], []):
        assert not list(tmp_path.rglob("*.o"))
        done = subprocess.run(
            [sys.executable, "-c", NO_PLACE, *arguments],
            capture_output=True, text=True, env=nowhere,
        )  # fmt: skip
        assert done.stdout.strip().isdigit(), done.stderr
        assert not done.stderr
    assert list(tmp_path.rglob("oddsmith.model.formats.spell-*.o"))


# Silence and the clock -----------------------------------------------------------------------


def test_work_without_a_terminal_says_a_line_now_and_then(monkeypatch, capsys):
    import time

    from oddsmith.show import progress

    monkeypatch.setattr(progress, "FIRST_LINE", 0.02)
    with progress.progress_bar() as bar:
        bar.update("exploring", 1, 4, "12 states")
        time.sleep(0.3)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].endswith("s: exploring 25%, 12 states")
    assert 1 < len(lines) < 8  # each after twice the time of the one before
    time.sleep(0.1)
    assert capsys.readouterr().err == ""


class Slow(Game):
    """Tosses until ten heads have come; a busy machine takes long over each."""

    players = 1

    class State(NamedTuple):
        heads: int = 0

    def winner(self, s):
        return DRAW if s.heads == 300 else None

    @move(dice=coin)
    def toss(self, s, face):
        return self.State(s.heads + face)


def test_a_slow_machine_compiles_no_more_than_a_fast_one(monkeypatch):
    clock = iter(range(0, 10**9, 3600))
    monkeypatch.setattr("oddsmith.model.explore_interpreted.time.perf_counter", lambda: next(clock))
    assert explore(Slow()).how == "interpreted"


def test_a_game_without_end_names_an_option_that_there_is():
    done = subprocess.run(
        [*ODDSMITH, "simulate", "coin-race", "--steps", "2", "--games", "10"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert "within 2 moves" in done.stderr
    assert "raise --steps" in done.stderr


# What Ctrl-C has cut short -------------------------------------------------------------------


@door.question
def cut(subject, **settings):
    from dataclasses import replace

    found = odds(subject, method="certified")
    return replace(found, evidence=replace(found.evidence, interrupted=True))


def test_an_answer_that_was_cut_short_is_nobody_elses():
    assert cut(game("coin-race")).interrupted
    with pytest.raises(KeyboardInterrupt), door.whole():
        cut(game("coin-race"))

    @door.question
    def more(subject):
        return cut(subject)

    with pytest.raises(KeyboardInterrupt):
        more(game("coin-race"))


def test_a_report_does_not_go_on_after_ctrl_c(monkeypatch):
    def stops(*_):
        raise remains.stopped("interrupted before the first digit")

    monkeypatch.setattr(report._Sections, "convergence", stops)
    with pytest.raises(KeyboardInterrupt, match="first digit"):
        report.report_of(game("coin-race"))


def test_an_interrupted_tournament_has_the_duels_so_far(monkeypatch):
    played, calls = tournament._played, []

    def some(*arguments):
        calls.append(arguments)
        if len(calls) == 5:
            raise KeyboardInterrupt
        return played(*arguments)

    monkeypatch.setattr(tournament, "_played", some)
    found = tournament.tournament(game("piglet", goal=3), ["optimal", "random", "hold-at-2"])
    assert found.interrupted
    assert ("optimal", "random") in found.duels
    assert ("random", "optimal") in found.duels
    assert found.mean == {}
    assert "interrupted: the duels so far" in str(found)
    assert found.to_dict()["interrupted"] is True


def test_the_command_ends_with_130_whoever_caught_ctrl_c():
    code = """if True:
        import os, signal
        from oddsmith.cli import commands as cli
        def app(**_):
            try:
                os.kill(os.getpid(), signal.SIGINT)
            except KeyboardInterrupt:
                print("half an answer")
        cli.app = app
        cli.main()"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (130, "half an answer\n")
    assert done.stderr == "oddsmith: interrupted; nothing was kept\n"
