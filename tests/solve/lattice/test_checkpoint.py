"""Checkpoints: a sweep that is killed, interrupted or out of disk goes on, and to the same bits."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from oddsmith import game, length, odds, visits
from oddsmith.errors import OddsmithError
from oddsmith.results.distribution import Between
from oddsmith.runtime.interrupt import Interrupt
from oddsmith.runtime.progress import Silent
from oddsmith.runtime.seal import Seal
from oddsmith.solve.lattice import checkpoint as module
from oddsmith.solve.lattice.checkpoint import Checkpoint
from oddsmith.solve.lattice.cpu import CpuSweeper
from oddsmith.solve.lattice.sweep import Sums, forward, survival

DRIVER = """
import os, resource, signal, sys, time
from oddsmith.solve.lattice import checkpoint, cpu, engine
{changes}
from oddsmith.cli import main
main()
"""
OFTEN = """
checkpoint.EVERY = 0.0
write = checkpoint.Checkpoint.write
def slowly(self, sweeper, sums):
    write(self, sweeper, sums)
    self.cost = 0.0
    if sums.turns >= {turns}:
        {then}
checkpoint.Checkpoint.write = slowly
"""
SLOW = """
many = cpu.CpuSweeper.forward_many
def slowly(self, mover, turns):
    time.sleep(0.05)
    return many(self, mover, turns)
cpu.CpuSweeper.forward_many = slowly
"""
GOOSE = ["solve", "goose", "--players", "3", "--engine", "lattice", "--json"]


def command(arguments, changes="", **options):
    """The command line in a process of its own, with some changes made first."""
    program = [sys.executable, "-c", DRIVER.format(changes=changes), *arguments]
    return subprocess.run(program, capture_output=True, text=True, timeout=300, **options)


def answers(text):
    """What a result says, without how it was found."""
    found = json.loads(text)
    return {key: found[key] for key in ("win", "draw", "duration")}


@pytest.fixture(scope="module")
def undisturbed():
    done = command(GOOSE)
    assert done.returncode == 0, done.stderr
    return answers(done.stdout)


# Killed and interrupted ----------------------------------------------------------------------


@pytest.mark.parametrize("turns", [30, 150])
def test_killed_at_any_time_it_goes_on_to_the_same_bits(tmp_path, undisturbed, turns):
    """Early, and in the tail; the death is a real one."""
    path = tmp_path / "goose.checkpoint"
    kept = [*GOOSE, "--checkpoint", str(path)]
    killed = command(kept, OFTEN.format(turns=turns, then="os.kill(os.getpid(), signal.SIGKILL)"))
    assert killed.returncode == -signal.SIGKILL
    assert path.exists()
    done = command(kept)
    assert done.returncode == 0, done.stderr
    assert answers(done.stdout) == undisturbed
    assert any(
        line.startswith(f"went on from {path}, sealed by you, at turn")
        for line in json.loads(done.stdout)["how"]
    )
    assert list(tmp_path.iterdir()) == []


def test_killed_while_it_writes(tmp_path, undisturbed):
    """The checkpoint before is whole, and what was written in part goes in the end."""
    path = tmp_path / "goose.checkpoint"
    kept = [*GOOSE, "--checkpoint", str(path)]
    dies = """
checkpoint.EVERY = 0.0
write = checkpoint._write
def dying(file, sweeper, sums, *others):
    write(file, sweeper, sums, *others)
    if sums.turns >= 60:
        file.truncate(5000)
        os.kill(os.getpid(), signal.SIGKILL)
checkpoint._write = dying
class Eager(checkpoint.Checkpoint):
    cost = property(lambda self: 0.0, lambda self, cost: None)
engine.Checkpoint = Eager
"""
    assert command(kept, dies).returncode == -signal.SIGKILL
    assert {p.name for p in tmp_path.iterdir()} == {path.name, f"{path.name}.part"}
    done = command(kept)
    assert done.returncode == 0, done.stderr
    assert answers(done.stdout) == undisturbed
    assert "at turn 57" in done.stdout
    assert list(tmp_path.iterdir()) == []


def interrupted(arguments, cwd, changes=SLOW):
    """A run stopped by Ctrl-C once it sweeps."""
    heard = changes + "\nprint('begun', file=sys.stderr, flush=True)\n"
    heard += "place = cpu.CpuSweeper.place_start\n"
    heard += "def begin(self):\n    place(self)\n    print('sweeps', file=sys.stderr, flush=True)\n"
    heard += "cpu.CpuSweeper.place_start = begin\n"
    program = [sys.executable, "-c", DRIVER.format(changes=heard), *arguments]
    process = subprocess.Popen(
        program, cwd=cwd, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        for line in process.stderr:
            if line == "sweeps\n":
                break
        time.sleep(0.7)
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=120)
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
    return process.returncode, out, error


def test_interrupted_it_prints_bounds_and_goes_on(tmp_path, undisturbed):
    path = tmp_path / "goose.checkpoint"
    kept = [*GOOSE, "--checkpoint", str(path)]
    code, out, error = interrupted(kept, tmp_path)
    assert code == 130
    assert error.startswith("oddsmith: interrupted; what is printed is what was found until then")
    assert error.count("\n") == 1
    found = json.loads(out)
    assert found["interrupted"] is True
    assert any(f"--checkpoint {path} goes on" in line for line in found["how"])
    assert path.exists()
    printed = (0.34596, 0.33290, 0.32114)  # Table 5.1 of the Goose paper
    for answer, expected in zip(found["win"], printed, strict=True):
        assert answer["lower"] - 5e-6 <= expected <= answer["upper"] + 5e-6
    assert found["duration"]["lower"] - 5e-3 <= 39.42 <= found["duration"]["upper"] + 5e-3
    done = command(kept)
    assert done.returncode == 0, done.stderr
    assert answers(done.stdout) == undisturbed
    for name in ("draw", "duration"):
        assert found[name]["lower"] <= undisturbed[name]["value"] <= found[name]["upper"]
    for answer, final in zip(found["win"], undisturbed["win"], strict=True):
        assert answer["lower"] <= final["value"] <= answer["upper"]
    assert not path.exists()


def test_short_work_is_not_kept_unasked(tmp_path):
    code, out, _ = interrupted(GOOSE, tmp_path)
    assert code == 130
    assert json.loads(out)["interrupted"] is True
    assert list(tmp_path.iterdir()) == []


def test_long_work_is_kept_unasked_beside_what_was_kept_before(tmp_path, undisturbed):
    """A checkpoint of an earlier run may be hours ahead: it is not overwritten."""
    earlier = tmp_path / "goose-3.checkpoint"
    earlier.write_text("hours of work")
    code, out, _ = interrupted(GOOSE, tmp_path, SLOW + "\nengine.KEPT_AFTER = 0.0\n")
    assert code == 130
    assert "kept in goose-3-2.checkpoint" in out
    assert earlier.read_text() == "hours of work"
    done = command([*GOOSE, "--checkpoint", "goose-3-2.checkpoint"], cwd=tmp_path)
    assert answers(done.stdout) == undisturbed


def test_the_signal_is_given_back():
    before = signal.getsignal(signal.SIGINT)
    with Interrupt() as interrupt:
        assert signal.getsignal(signal.SIGINT) != before
        signal.raise_signal(signal.SIGINT)
        assert interrupt
        with pytest.raises(KeyboardInterrupt):
            interrupt.check()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) == before


def test_who_ignores_interrupts_is_not_interrupted():
    """As in the background of a script."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with Interrupt() as interrupt:
            signal.raise_signal(signal.SIGINT)
            assert not interrupt
        assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


# The same numbers ----------------------------------------------------------------------------


def half_way(precision="float64", rounds=12, question=False):
    """A sweep of the Goose for two, stopped."""
    goose = game("goose")
    sweeper = CpuSweeper(goose.track, 2, precision, threads=1)
    sums = Sums.begin(goose.track, 2, question)
    sums.turn_bound = survival(sweeper, Silent(), Interrupt())
    sweeper.place_start()
    interrupt = Interrupt()

    def stop(sums):
        interrupt.wished = sums.turns >= 2 * rounds

    forward(sweeper, sums, 1e-12, Silent(), interrupt, save=stop)
    return sweeper, sums


@pytest.mark.parametrize("rounds", [1, 60])
@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize("question", [False, True])
def test_what_is_written_is_read(tmp_path, precision, rounds, question, monkeypatch):
    monkeypatch.setattr(module, "STRETCH", 1000)  # three stretches
    sweeper, sums = half_way(precision, rounds, question)
    kept = Checkpoint(str(tmp_path / "x"), "rules")
    kept.write(sweeper, sums)
    other = CpuSweeper(sweeper.track, 2, precision, threads=1)
    again = Checkpoint(str(tmp_path / "x"), "rules").read(other)
    assert (other.array == sweeper.array).all()
    for name, value in vars(sums).items():
        mine = getattr(again, name)
        if name == "visits":
            assert np.array_equal(mine, value)
        elif name == "win":
            assert [vars(total) for total in mine] == [vars(total) for total in value]
        elif name in module.TOTALS:
            assert vars(mine) == vars(value)
        else:
            assert mine == value, name


@pytest.mark.parametrize("rounds", [5, 40])
def test_visits_go_on(tmp_path, rounds, monkeypatch):
    """And a sweep for another question does not go on from them."""
    path = str(tmp_path / "x")
    whole = visits(game("goose"), engine="lattice")
    stops = stop_after(rounds)
    first = visits(game("goose"), engine="lattice", checkpoint=path, progress=stops)
    assert first.interrupted
    with pytest.raises(OddsmithError, match="another game, question"):
        odds(game("goose"), engine="lattice", checkpoint=path)
    second = visits(game("goose"), engine="lattice", checkpoint=path)
    assert second.visits == whole.visits
    for before, after in zip(first.visits, whole.visits, strict=True):
        assert before.times.lower <= after.times.value <= before.times.upper


def test_an_interrupted_distribution_claims_no_quantile_that_it_has_not_reached():
    chutes = game("chutes-and-ladders", occupied="return")
    whole = length(chutes, engine="lattice")
    for rounds in (1, 5, 20):
        found = length(chutes, engine="lattice", progress=stop_after(rounds))
        assert found.interrupted
        assert str(found)
        assert found.distribution == whole.distribution[: len(found.distribution)]
        for level, at in found.quantiles.items():
            truth = whole.quantiles[level]
            assert at == truth or (isinstance(at, Between) and at.low <= truth <= at.high)
        assert isinstance(found.quantiles[0.95], Between)


def stop_after(rounds):
    """Presses Ctrl-C after some rounds."""

    class Stops(Silent):
        seen = 0

        def update(self, stage, done, of, facts=""):
            self.seen += stage.startswith("sweeping")
            if self.seen == rounds:
                os.kill(os.getpid(), signal.SIGINT)

    return Stops()


def test_another_tolerance_goes_on(tmp_path):
    """From a sweep that was coarser when it stopped."""
    path = str(tmp_path / "x")
    first = odds(
        game("goose"), engine="lattice", tolerance=1e-3, checkpoint=path, progress=stop_after(20)
    )
    assert first.interrupted
    found = odds(game("goose"), engine="lattice", checkpoint=path)
    assert found.win[0].lower < 0.3936251373937573914 < found.win[0].upper
    assert found.win[0].error <= 1e-12


# Files that are something else -----------------------------------------------------------------


@pytest.fixture
def kept(tmp_path):
    """A good checkpoint of the Goose for two."""
    path = tmp_path / "goose.checkpoint"
    odds(game("goose"), engine="lattice", checkpoint=str(path), progress=stop_after(15))
    assert path.exists()
    return path


def refused(path, match, players=2, **how):
    """One sentence, and the file as it was."""
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(OddsmithError, match=match) as caught:
        odds(game("goose", players=players), engine="lattice", checkpoint=str(path), **how)
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)
    assert path.exists()
    assert before is None or path.read_bytes() == before
    assert not path.with_name(path.name + ".part").exists()


def test_a_good_one_is_used(kept):
    assert any(
        "went on" in line
        for line in odds(game("goose"), engine="lattice", checkpoint=str(kept)).evidence.how
    )
    assert not kept.exists()


def test_no_flipped_bit_is_overlooked(kept):
    """In the head every byte, in the numbers some; a flip makes another digit, brace, letter."""
    good = kept.read_bytes()
    first = good.index(b"\n") + 1
    second = good.index(b"\n", first) + 1
    goose = game("goose")
    sweeper = CpuSweeper(goose.track, 2, threads=1)
    from oddsmith.rules.digest import rules_digest

    checkpoint = Checkpoint(str(kept), rules_digest(goose))
    checkpoint.read(sweeper)
    places = [*range(second), *range(second, len(good), 97), len(good) - 1]
    for place in places:
        for bit in (0, 1, 6) if place < second else (place % 8,):
            bad = bytearray(good)
            bad[place] ^= 1 << bit
            kept.write_bytes(bad)
            with pytest.raises(OddsmithError) as caught:
                checkpoint.read(sweeper)
            assert "\n" not in str(caught.value)
    kept.write_bytes(good)
    refused_numbers = bytearray(good)
    refused_numbers[-1] ^= 1
    kept.write_bytes(refused_numbers)
    refused(kept, "damaged")


class Forger(Seal):
    """Who knows the format, and has a key of his own."""

    def __init__(self):
        self.key = b"k" * 32


def forged(path, seal, change):
    """A checkpoint with other sums, sealed anew."""
    first, head, numbers = path.read_bytes().split(b"\n", 2)
    head = json.loads(head.split(b" ", 1)[1])
    change(head["sums"])
    text = json.dumps(head).encode()
    path.write_bytes(b"\n".join([first, f"{seal.of(text)} ".encode() + text, numbers]))


def change_places(sums):
    """The winners change places: all mass is there."""
    sums["win"].reverse()


def test_who_has_not_the_key_is_not_believed(kept):
    forged(kept, Forger(), change_places)
    refused(kept, "damaged, or not yours")


@pytest.mark.parametrize(
    ("name", "value"), [("left", 1e-13), ("win", [[0.9, 0.0], [0.3, 0.0]]), ("scale", 1e300)]
)
def test_even_with_the_key_mass_must_add_up(kept, name, value):
    forged(kept, Seal(), lambda sums: sums.__setitem__(name, value))
    refused(kept, "damaged")


def test_a_key_that_cannot_be_kept_is_one_sentence(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "file"))
    with pytest.raises(OddsmithError, match=r"sealed by a key of yours.*XDG_DATA_HOME"):
        odds(game("goose"), engine="lattice", checkpoint=str(tmp_path / "x"))


def test_the_key_is_the_users_alone_and_stays(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert Seal().key == Seal().key
    path = tmp_path / "oddsmith" / "seal.key"
    assert path.stat().st_mode & 0o077 == 0
    assert [file.name for file in path.parent.iterdir()] == ["seal.key"]
    path.write_bytes(b"short")
    with pytest.raises(OddsmithError, match="not the key"):
        Seal()


def test_a_pipe_is_refused(tmp_path):
    os.mkfifo(tmp_path / "x")
    with pytest.raises(OddsmithError, match="is a pipe"):
        odds(game("goose"), engine="lattice", checkpoint=str(tmp_path / "x"))


@pytest.mark.parametrize("share", [0.0, 0.001, 0.1, 0.5, 0.9, 0.9999])
def test_cut_off(kept, share):
    data = kept.read_bytes()
    kept.write_bytes(data[: int(len(data) * share)])
    refused(kept, "damaged" if share > 0.01 else "no checkpoint|damaged")


def test_of_something_else(kept):
    refused(kept, "another game, question or precision", players=3)
    refused(kept, "another game, question or precision", precision="float32")
    good = kept.read_bytes()
    kept.write_bytes(good.replace(b"oddsmith checkpoint 2", b"oddsmith checkpoint 1", 1))
    refused(kept, "'oddsmith checkpoint 1', and this version .* reads 'oddsmith checkpoint 2'")


@pytest.mark.parametrize(
    "data", [b"", b"\n", b"hello\n", b"\xff\xfe\x00" * 50, b"oddsmith checkpoint 2\n", b"\0" * 9999]
)
def test_no_checkpoint(tmp_path, data):
    path = tmp_path / "x"
    path.write_bytes(data)
    refused(path, "no checkpoint|damaged")


def test_a_directory(tmp_path):
    refused(tmp_path, "cannot be read: Is a directory")


@pytest.mark.parametrize("name", ["no/such/place", "file/x", "x" * 300])
def test_a_place_where_nothing_can_be_written_is_said_at_once(tmp_path, name):
    """Not after hours of work that nothing protects."""
    (tmp_path / "file").write_text("")
    with pytest.raises(OddsmithError, match="cannot be") as caught:
        odds(game("goose"), engine="lattice", checkpoint=str(tmp_path / name))
    assert "\n" not in str(caught.value)


def test_the_command_line_says_it_in_one_sentence(tmp_path):
    path = tmp_path / "x"
    path.write_text("hello\n")
    done = command([*GOOSE, "--checkpoint", str(path)])
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("oddsmith: ")
    assert done.stderr.count("\n") == 1
    assert path.read_text() == "hello\n"


# A full disk ---------------------------------------------------------------------------------

FULL = """
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
checkpoint.EVERY = 0.0
_, most = resource.getrlimit(resource.RLIMIT_FSIZE)
write_all = checkpoint._write
def full(*arguments):  # only here: compiled code may be put in a cache meanwhile
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, most))
    try:
        write_all(*arguments)
        arguments[0].flush()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
checkpoint._write = full
"""


def test_a_full_disk_does_not_lose_the_run(tmp_path, undisturbed):
    path = tmp_path / "goose.checkpoint"
    done = command([*GOOSE, "--checkpoint", str(path)], FULL)
    assert done.returncode == 0, done.stderr
    assert answers(done.stdout) == undisturbed
    assert "cannot be written: File too large. It needs 0.00 GiB" in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_leaves_the_checkpoint_before(tmp_path, undisturbed):
    path = tmp_path / "goose.checkpoint"
    kept = [*GOOSE, "--checkpoint", str(path)]
    dies = OFTEN.format(turns=60, then="os.kill(os.getpid(), signal.SIGKILL)")
    command(kept, dies)
    before = path.read_bytes()
    code, out, _ = interrupted_later(kept, tmp_path)
    assert code == 130
    assert "cannot be written" in out
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
    assert answers(command(kept).stdout) == undisturbed


def interrupted_later(arguments, cwd):
    """A run that goes on from a checkpoint, on a full disk, stopped by Ctrl-C."""
    stops = FULL + "many = cpu.CpuSweeper.forward_many\n"
    stops += "def heard(self, mover, turns):\n    os.kill(os.getpid(), signal.SIGINT)\n"
    stops += "    cpu.CpuSweeper.forward_many = many\n    return many(self, mover, turns)\n"
    stops += "cpu.CpuSweeper.forward_many = heard\n"
    done = command(arguments, stops, cwd=cwd)
    return done.returncode, done.stdout, done.stderr


def test_trouble_that_is_over_is_not_told(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "EVERY", 0.0)
    sweeper, sums = half_way(rounds=3)
    kept = Checkpoint(str(tmp_path / "there" / "x"), "rules")
    kept.now_and_then(sweeper, sums)
    assert "cannot be written" in kept.trouble
    Path(tmp_path / "there").mkdir()
    kept.now_and_then(sweeper, sums)
    assert kept.trouble == ""
    assert kept.exists()
