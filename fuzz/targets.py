"""What is fuzzed: each target takes bytes and does with them what a user's file would do.

An `OddsmithError` is a proper answer. Anything else is a finding, a warning of NumPy's too, and so
is more than SECONDS of computing time, when machine code is compiled. The fuzzer (run.py) and the
test that replays the corpus share these functions.
"""

from __future__ import annotations

import io
import tarfile
import tempfile
import time
import warnings
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache
from pathlib import Path

from oddsmith.errors import OddsmithError
from oddsmith.model.formats import read
from oddsmith.model.model import Model
from oddsmith.model.prism.explore import explore
from oddsmith.properties.check import check_file
from oddsmith.properties.parse import parse_properties
from oddsmith.rules.prism import parse_program, undefined_constants
from oddsmith.rules.prism.constants import parse_constants

SECONDS = 5.0
MOST_STATES = 2000

WALK = """dtmc
module walk
  x : [0..4] init 2; done : bool init false;
  [] x>0 & x<4 -> 1/3 : (x'=x-1) + 1/2 : (x'=x+1) + 1/6 : (x'=2);
  [] x=0 & !done -> 0.5 : (x'=1) + 0.5 : (done'=true);
  [] x=4 -> (done'=true);
endmodule
label "low" = x=0; label "high" = x=4; formula mid = x=2;
rewards "steps" x<4 : 1; endrewards
rewards "gain" [] x>1 : x/2; x=3 : 1/3; endrewards
"""

MAZE = """mdp
module maze
  s : [-1..4] init 0; k : [0..2] init 0;
  [slow] s=0 -> (s'=1);
  [risky] s=0 -> 0.5 : (s'=3) + 0.25 : (s'=4) + 0.25 : true;
  [slow] s=1 -> 2/3 : (s'=2) + 1/3 : (s'=0) & (k'=min(2,k+1));
  [wait] s=1 -> (k'=mod(k+1,3));
  [] s=2 -> 0.75 : (s'=3) + 0.25 : (s'=4);
  [back] s=2 & k=2 -> (s'=-1);
  [] s=-1 -> 0.1 : (s'=0) + 0.9 : (s'=-1);
endmodule
label "goal" = s=3; label "trap" = s=4; label "end" = s>=3;
rewards "cost" s<3 : 1; [risky] true : 3; endrewards
rewards "time" true : 1; endrewards
"""

GAME = """smg
player first [a], [b] endplayer
player second [c], [d] endplayer
module game
  s : [0..5] init 0; t : [0..1] init 0;
  [a] s=0 & t=0 -> 0.5 : (s'=1) & (t'=1) + 0.5 : (s'=2) & (t'=1);
  [b] s<3 & t=0 -> (s'=s+1) & (t'=1);
  [c] t=1 & s<5 -> 0.7 : (s'=s+1) & (t'=0) + 0.3 : (t'=0);
  [d] t=1 & s>0 -> (s'=s-1) & (t'=0);
  [a] s>=3 & t=0 -> (s'=5);
endmodule
label "win" = s=5; label "low" = s=0;
rewards "moves" true : 1; [d] true : 2; endrewards
"""

SEVERAL = """dtmc
module ring
  x : [0..3]; b : bool;
  [] !b -> 0.25 : (x'=mod(x+1,4)) + 0.75 : (b'=true);
  [] b -> (x'=mod(x+1,4));
endmodule
init x<2 & (b | x=0) endinit
label "zero" = x=0;
rewards true : x; endrewards
"""


class SlowError(Exception):
    """An input took too long."""


@cache
def processes() -> list[tuple[Model, Mapping, Mapping]]:
    """The processes that properties are asked about, with their constants and formulas."""
    programs = [parse_program(text) for text in (WALK, MAZE, GAME, SEVERAL)]
    return [(explore(one), one.constants, one.formulas) for one in programs]


def model(data: bytes) -> None:
    """A PRISM model: read, and explored as far as `MOST_STATES`."""
    text = data.decode("utf-8", "replace")
    given = dict.fromkeys(undefined_constants(text), Fraction(2))
    program = parse_program(text, constants=given)
    process = explore(program, max_states=MOST_STATES)
    process.describe(process.states - 1)


def question(data: bytes) -> None:
    """A property file, asked of one of four processes; the first byte says which, and how."""
    if not data:
        return
    process, constants, formulas = processes()[data[0] & 3]
    exact, picks = bool(data[0] & 4), bool(data[0] & 8)
    file = parse_properties(data[1:].decode("utf-8", "replace"))
    given = {one.name: Fraction(2) for one in file.constants if one.value is None}
    for one in check_file(
        process, file, exact=exact, picks=picks, constants=constants, formulas=formulas, given=given
    ):
        one.entries()
        str(one)


def files(data: bytes) -> None:
    """Model files: `drn`, `tra` or `umb` and a line end, then the files, each after %%name.

    With `raw` instead of `umb` the bytes that follow are the archive itself.
    """
    kind, _, rest = data.partition(b"\n")
    with tempfile.TemporaryDirectory(prefix="oddsmith-fuzz") as folder:
        here = Path(folder)
        if kind == b"drn":
            path = here / "m.drn"
            path.write_bytes(rest)
        elif kind == b"tra":
            path = here / "m.tra"
            for name, content in sections(rest).items():
                if name in ("tra", "lab", "sta", "srew", "trew"):
                    (here / f"m.{name}").write_bytes(content)
        elif kind == b"umb":
            path = here / "m.umb"
            path.write_bytes(archive(sections(rest)))
        elif kind == b"raw":
            path = here / "m.umb"
            path.write_bytes(rest)
        else:
            return
        process = read(path)
        process.describe(process.states - 1)


def sections(data: bytes) -> dict[str, bytes]:
    """Named files in one: each begins with a line `%%name`."""
    found = {}
    for part in data.split(b"\n%%")[1:]:
        name, _, content = part.partition(b"\n")
        found[name.decode("utf-8", "replace")] = content
    return found


def joined(kind: str, parts: Mapping[str, bytes]) -> bytes:
    """The input of `files` with these parts."""
    files_ = (b"\n%%" + name.encode() + b"\n" + content for name, content in parts.items())
    return kind.encode() + b"\n" + b"".join(files_)


def archive(parts: Mapping[str, bytes]) -> bytes:
    """A tar archive."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as tar:
        for name, content in parts.items():
            if not name or "\0" in name or len(name) > 90:
                continue
            member = tarfile.TarInfo(name.encode("ascii", "replace").decode())
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return made.getvalue()


def constants(data: bytes) -> None:
    """Values of constants as they are typed."""
    for given in parse_constants(data.decode("utf-8", "replace"))[:20]:
        str(given)


TARGETS: dict[str, Callable[[bytes], None]] = {
    "model": model,
    "question": question,
    "files": files,
    "constants": constants,
}


def run(target: str, data: bytes) -> bool:
    """Whether an input was accepted; raises whatever is a finding."""
    accepted, spent = _timed(target, data)
    if spent > SECONDS:  # a question may wait for machine code, once: that is not its fault
        accepted, spent = _timed(target, data)
    if spent > SECONDS:
        raise SlowError(f"{spent:.1f} s")
    return accepted


def _timed(target: str, data: bytes) -> tuple[bool, float]:
    """Whether an input was accepted, and the seconds of computing that it took."""
    began = time.process_time()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            TARGETS[target](data)
        accepted = True
    except OddsmithError as error:
        if not str(error):
            raise RuntimeError("an error without a word") from error
        accepted = False
    return accepted, time.process_time() - began
