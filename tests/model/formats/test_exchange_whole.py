"""An export of several files is all there or not at all."""

import errno
import os
import re
import threading
from dataclasses import replace

import numpy as np
import pytest

from oddsmith.errors import OddsmithError
from oddsmith.model.formats import write
from oddsmith.properties.ask import load
from oddsmith.runtime import whole_files as files

STEPS = """
dtmc
module m
  s : [0..2] init 0;
  [] s<2 -> 1/2 : (s'=s+1) + 1/2 : true;
  [] s=2 -> true;
endmodule
"""
ONE = STEPS + 'rewards "r" s<2 : 7; endrewards\n'
TWO = STEPS + 'rewards "p" s<2 : 1; endrewards rewards "q" s<2 : 2; endrewards\n'


def process(text):
    return load(text).process


def everything(folder):
    return {p.name: p.read_bytes() for p in folder.iterdir() if p.is_file()}


@pytest.mark.parametrize("which", range(7))
def test_a_disk_that_is_full_at_any_file(tmp_path, monkeypatch, which):
    """The export before is there as it was, whichever of the files does not fit."""
    write(process(TWO), tmp_path / "m.tra")
    before = everything(tmp_path)
    opened = files.os.fdopen
    count = iter(range(99))

    def full(handle, mode):
        if next(count) == which:
            os.close(handle)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return opened(handle, mode)

    monkeypatch.setattr(files.os, "fdopen", full)
    other = replace(process(TWO), labels=process(ONE).labels | {"new": np.ones(3, bool)})
    with pytest.raises(OddsmithError, match=re.escape(f"{tmp_path / 'm.tra'} could not be")):
        write(other, tmp_path / "m.tra")
    assert everything(tmp_path) == before


@pytest.mark.parametrize("name", ["m.tra", "m.lab", "m.sta", "m1.srew", "m2.trew"])
def test_a_folder_in_the_way_of_any_file(tmp_path, name):
    (tmp_path / name).mkdir()
    with pytest.raises(OddsmithError) as caught:
        write(process(TWO), tmp_path / "m.tra")
    assert str(caught.value).startswith(str(tmp_path / "m.tra"))
    assert name in str(caught.value)
    assert [p.name for p in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("error", [OSError(errno.EIO, "no"), KeyboardInterrupt()])
@pytest.mark.parametrize("which", range(7))
def test_a_rename_that_fails_is_undone(tmp_path, monkeypatch, which, error):
    write(process(ONE), tmp_path / "m.tra")
    before = everything(tmp_path)
    replaced = type(tmp_path).replace
    count = iter(range(99))

    def fails(path, target):
        if next(count) == which:
            raise error
        return replaced(path, target)

    monkeypatch.setattr(type(tmp_path), "replace", fails)
    with pytest.raises((OddsmithError, KeyboardInterrupt)):
        write(process(TWO), tmp_path / "m.tra")
    assert everything(tmp_path) == before


def test_the_message_names_the_file_that_was_named(tmp_path):
    path = tmp_path / "nowhere" / "m.tra"
    with pytest.raises(OddsmithError) as caught:
        write(process(ONE), path)
    assert str(caught.value) == f"{path} could not be written: no such file or directory."


def test_a_link_stays_and_what_it_leads_to_is_written(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "m.drn").symlink_to(tmp_path / "there" / "real.drn")
    write(process(ONE), tmp_path / "m.drn")
    write(process(TWO), tmp_path / "m.drn")
    assert (tmp_path / "m.drn").is_symlink()
    assert "p q" in (tmp_path / "there" / "real.drn").read_text()
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["m.drn", "real.drn", "there"]


def test_a_pipe_stays_a_pipe(tmp_path):
    """As a device does: `--out /dev/stdout` must not replace it."""
    os.mkfifo(tmp_path / "m.drn")
    found = []
    reader = threading.Thread(target=lambda: found.append((tmp_path / "m.drn").read_text()))
    reader.start()
    write(process(ONE), tmp_path / "m.drn")
    reader.join()
    assert (tmp_path / "m.drn").is_fifo()
    assert "@nr_states" in found[0]
