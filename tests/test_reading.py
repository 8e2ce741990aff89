"""What is read and what is quoted: pipes, devices, lines of megabytes, letters for terminals."""

import os
import resource
import subprocess
import sys

import pytest

from oddsmith import OddsmithError, certify, check, game, odds
from oddsmith.certificate.verify import verify
from oddsmith.errors import OptionError
from oddsmith.model.formats import read
from oddsmith.quoting import LINE, presentable, quoted
from oddsmith.show.fractions import read_fractions

READERS = {
    "model.prism": lambda path: check(path, "P=? [ F s=1 ]"),
    "board.toml": lambda path: odds(game(path)),
    "game.cert": verify,
    "pig.policy": lambda path: odds(game("pig", goal=5), play=path),
    "rules.py": lambda path: odds(game(path)),
    "model.drn": read,
    "model.tra": read,
    "model.umb": read,
    "answers.txt": read_fractions,
}


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_what_is_no_file_is_one_sentence_at_once(name, kind, tmp_path):
    path = tmp_path / name
    if kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero")
    with pytest.raises(OddsmithError) as caught:
        READERS[name](str(path))
    assert name in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "dtmc\nmodule m\n s:[0..1] init 0;\n [] {wide}=1 -> true;\nendmodule\n",
        "dtmc\nmodule m\n s:[0..1] init 0;\n [] s={wide}1 -> \x1b[31mtrue;\nendmodule\n",
        "dtmc\nmodule m\n s:[0..1] init 0;\n [] s=1 -> (s'={wide}+1);\nendmodule\n",
        "dtmc\nconst int {wide};\nmodule m\n s:[0..1] init 0;\nendmodule\n",
        "{wide}",
    ],
)
def test_a_model_with_a_line_of_megabytes(text, tmp_path):
    path = tmp_path / "wide.prism"
    path.write_text(text.replace("{wide}", "x" * 300_000))
    assert_fit_for_a_terminal(lambda: check(str(path), "P=? [ F s=1 ]"))


@pytest.mark.parametrize(
    "text",
    [
        "[board]\nfinish = 6\n{wide} = 3\n",
        "[board]\nfinish = 6\n[squares]\n{wide} = {{ at = 2, jump = 4 }}\n",
        "[board]\nfinish = 6\n[squares]\na = {{ at = 2, {wide} = 4 }}\n",
        '[board]\nfinish = 6\nname = "{wide}"\n',
        '[board]\nfinish = 6\nname = "red\\u001b[31m"\n',
        '[board]\nfinish = 6\nrules = "bell \\u0007"\n',
        '[board]\nfinish = "{wide}"\n',
        "[{wide}]\na = 1\n",
        "{wide}",
    ],
)
def test_a_board_with_a_line_of_megabytes_or_odd_letters(text, tmp_path):
    path = tmp_path / "wide.toml"
    path.write_text(text.replace("{wide}", "x" * 300_000).replace("{{", "{").replace("}}", "}"))
    assert_fit_for_a_terminal(lambda: odds(game(str(path))))


def assert_fit_for_a_terminal(ask):
    with pytest.raises(OddsmithError) as caught:
        ask()
    said = str(caught.value)
    assert all(line.isprintable() and len(line) <= LINE for line in said.split("\n"))


def test_quotes_are_short_and_plain():
    assert quoted("a\x1b]0;title\x07b") == "a?]0;title?b"
    assert len(quoted("y" * 10**7)) == 80
    assert presentable("a" * 10**7 + "\nb").count("\n") <= 1
    assert presentable("one\ntwo\x1b") == "one\ntwo?"
    assert str(OptionError("x" * 10**7 + "\x1b")).isprintable()


FULL = """
import resource, signal, sys
from oddsmith import certify, game, optimal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
made = certify(game("coin-race")) if sys.argv[1] == "cert" else optimal(game("piglet", goal=3))
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
try:
    made.save(sys.argv[2])
except Exception as error:
    print(type(error).__name__, error)
"""


@pytest.mark.parametrize("kind", ["cert", "policy"])
def test_a_full_disk_leaves_no_half_file_and_what_was_there(kind, tmp_path):
    assert resource.RLIMIT_FSIZE
    path = tmp_path / f"game.{kind}"
    path.write_text("before")
    done = subprocess.run(
        [sys.executable, "-c", FULL, kind, str(path)], capture_output=True, text=True, timeout=120
    )
    assert "cannot be written" in done.stdout or "could not be written" in done.stdout
    assert "Traceback" not in done.stderr
    assert path.read_text() == "before"
    assert [one.name for one in tmp_path.iterdir()] == [path.name]


def test_a_certificate_that_is_written_is_whole(tmp_path):
    certify(game("coin-race")).save(tmp_path / "race.cert")
    assert verify(tmp_path / "race.cert").verdict.proved
    assert [one.name for one in tmp_path.iterdir()] == ["race.cert"]
