"""The command line as a person types it: in a process of its own, answers and errors.

Many arguments of one kind are tried in this process (`front_door.py`), and some of them in one of
their own: starting one costs ten times what it is asked.
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests import front_door

ODDSMITH = [sys.executable, "-c", "from oddsmith.cli import main; main()"]

RACE = """
from typing import NamedTuple
from oddsmith import Game, d6, move, put

class Race(Game):
    '''The first to the goal wins.'''
    goal: int = 12
    class State(NamedTuple):
        squares: tuple[int, int] = (0, 0)
        turn: int = 0
    def winner(self, s):
        for player in (0, 1):
            if s.squares[player] >= self.goal:
                return player
        return None
    @move(dice=d6)
    def throw(self, s, spots):
        return self.State(put(s.squares, s.turn, s.squares[s.turn] + spots), 1 - s.turn)
"""


def run(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*ODDSMITH, *arguments], capture_output=True, text=True, cwd=cwd)


def answer(*arguments: str, cwd: Path | None = None) -> dict:
    done = run(*arguments, "--json", cwd=cwd)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def answer_here(*arguments: str) -> dict:
    said = front_door.run(*arguments, "--json")
    assert said.code == 0, said.err
    return json.loads(said.out)


def test_solve_has_the_promised_json():
    found = answer("solve", "coin-race")
    promised = "game players options method win draw duration states transitions seconds"
    assert {*promised.split(), "peak_memory_mb"} <= set(found)
    assert found["method"] == "exact"
    assert [w["exact"] for w in found["win"]] == ["16/27", "11/27"]  # Goose paper, section 3
    assert found["duration"]["exact"] == "16/3"
    assert set(found["draw"]) == {"value", "lower", "upper", "exact"}


def test_solve_goose_is_certified_around_the_published_decimal():
    found = answer("solve", "goose", "--players", "2")
    assert found["method"] == "certified"
    assert found["numbers"] == 47**2  # the design's lattice, S = 47
    explored = answer("solve", "goose", "--players", "2", "--engine", "interpreted")
    assert explored["states"] == 4414  # reading notes
    first = found["win"][0]
    assert first["lower"] < 0.3936251373937573914 < first["upper"]
    assert first["upper"] - first["lower"] < 2e-12
    assert first["exact"] is None


@pytest.mark.parametrize("method", ["exact", "certified", "float", "estimate"])
def test_every_method_answers(method: str):
    found = answer_here("solve", "coin-race", "--method", method)
    assert found["method"] == method
    assert found["win"][0]["value"] == pytest.approx(16 / 27, abs=0.01)


@pytest.mark.parametrize("solver", ["gauss-seidel", "lu", "idr", "bicgstab", "gmres"])
def test_every_solver_answers(solver: str):
    found = answer_here("solve", "goose", "--solver", solver)
    assert found["win"][0]["lower"] < 0.3936251373937573914 < found["win"][0]["upper"]


def test_length_has_the_promised_json():
    found = answer("length", "chutes-and-ladders")
    assert found["mean"] == pytest.approx(39.2251, abs=1e-4)  # Althoen, King, Schilling 1993
    assert set(found["quantiles"]) == {"0.05", "0.5", "0.95"}
    assert found["distribution"][0][0] == 7  # the shortest game has seven throws (same source)
    assert sum(p for _, p in found["distribution"]) == pytest.approx(1)


def test_options_reach_the_game():
    usual = answer("solve", "goose")["win"][0]["value"]
    other = answer("solve", "goose", "--set", "maze.goto=37")
    assert other["options"] == {"maze.goto": 37}
    assert other["win"][0]["value"] != usual
    listing = answer("solve", "goose", "--set", "variant=listing")["win"][0]["value"]
    assert f"{listing:.5f}" == "0.39367"  # reading notes


def test_visits_by_square_by_field_and_by_condition():
    by_square = answer("visits", "coin-race")["visits"]
    assert by_square[0]["where"] == "0"
    assert by_square[0]["ever"]["exact"] == "1/1"
    assert by_square[2]["ever"]["exact"] == "16/27"  # to reach two steps is to win
    second = answer("visits", "coin-race", "--player", "2")["visits"]
    assert second[2]["ever"]["exact"] == "11/27"
    one = answer("visits", "coin-race", "--where", "steps[0]=2 & steps[1]<2")["visits"]
    assert one[0]["ever"]["exact"] == "16/27"


def test_values_and_explore_and_games():
    table = answer("values", "coin-race")["values"]
    assert len(table) == 12  # twelve states in Figure 3.2
    assert answer("explore", "goose")["states"] == 4414
    assert "goose" in [g["game"] for g in answer("games")]
    assert "well" in run("games", "goose").stdout


def test_simulate_is_reproducible():
    first, second = (
        answer("simulate", "coin-race", "--games", "3000", "--confidence", "0.999") for _ in "ab"
    )
    assert first["win"] == second["win"]
    assert first["games"] == 3000
    assert first["win"][0]["lower"] < 16 / 27 < first["win"][0]["upper"]


def test_a_users_own_file(tmp_path: Path):
    (tmp_path / "race.py").write_text(RACE)
    found = answer("solve", "race.py:Race", "--set", "goal=6", cwd=tmp_path)
    assert found["game"] == "race"
    assert found["options"] == {"goal": 6}
    assert answer("solve", "race.py", cwd=tmp_path)["options"] == {"goal": 12}


def test_a_new_board_solves_as_it_stands(tmp_path: Path):
    done = run("new", "mine.toml", cwd=tmp_path)
    assert done.returncode == 0
    tries = [line.split()[1:] for line in done.stdout.splitlines() if "  oddsmith" in line]
    assert [words[0] for words in tries] == ["solve", "compare"]
    for words in tries:
        assert run(*words, cwd=tmp_path).returncode == 0
    before = (tmp_path / "mine.toml").read_bytes()
    again = run("new", "mine.toml", cwd=tmp_path)
    assert again.returncode == 1
    assert "there already" in again.stderr
    assert (tmp_path / "mine.toml").read_bytes() == before


def test_compare_two_games_and_one_with_a_change():
    found = answer("compare", "coin-race", "--set", "goal=3")
    by_name = {figure["figure"]: figure for figure in found["figures"]}
    assert by_name["player 1 wins"]["a"]["exact"] == "16/27"  # Goose paper, section 3
    assert found["changes"] == ["goal: 2 → 3"]
    table = run("compare", "coin-race", "snakes", "--method", "certified").stdout
    assert "Coin race" in table
    assert "Snakes and Ladders" in table
    assert "change" in table


def test_the_list_of_games_is_no_wider_than_a_terminal_allows():
    assert max(map(len, run("games").stdout.splitlines())) <= 130
    assert "maze.goto" in run("games", "goose").stdout


def test_reproduce_says_what_differs_and_leaves_with_zero():
    done = run("reproduce", "simple-game")
    assert done.returncode == 0
    assert "16/27" in done.stdout


MISTAKES = {
    "a game that does not exist": (["solve", "gose"], "goose"),
    "an option that does not exist": (["solve", "goose", "--set", "mase.goto=3"], "maze.goto"),
    "an option of the wrong type": (["solve", "goose", "--set", "maze.goto=x"], "whole number"),
    "an option without a value": (["solve", "goose", "--set", "maze.goto"], "NAME=VALUE"),
    "too many players": (["solve", "goose", "--players", "99"], "players"),
    "a maze that leads off the board": (["solve", "goose", "--set", "maze.goto=99"], "0 to 63"),
    "a board that is not there": (["solve", "nowhere.toml"], "No such file"),
    "nothing to compare with": (["compare", "goose"], "second game"),
    "a comparison of estimates": (
        ["compare", "coin-race", "snakes", "--method", "estimate"],
        "simulate each",
    ),
    "an option that one of two has not": (
        ["compare", "coin-race", "snakes", "--set", "goal=3"],
        "no option 'goal'",
    ),
    "a new board without its ending": (["new", "board"], "board.toml"),
    "a new board nowhere": (["new", "/no/such/place/x.toml"], "cannot be written"),
    "a race without a step": (["solve", "coin-race", "--set", "goal=0"], "one step"),
    "a game without tokens": (["solve", "left-center-right", "--set", "stake=0"], "token"),
    "a player who is not there": (["visits", "goose", "--player", "9"], "no player 9"),
    "a method that does not exist": (["solve", "goose", "--method", "magic"], "certified"),
    "a solver that does not exist": (["solve", "goose", "--solver", "magic"], "lu"),
    "a tolerance of nothing": (["solve", "goose", "--tolerance", "0"], "tolerance"),
    "more states than allowed": (["explore", "goose", "--max-states", "1000"], "1,000 states"),
    "a file that is not there": (["solve", "nowhere.py"], "no file"),
    "a condition that is none": (["visits", "goose", "--where", "__import__('os')"], "NAME=NUMBER"),
    "a field that is not there": (["visits", "goose", "--of", "colour"], "positions[0]"),
    "a source that is not there": (["reproduce", "gooze"], "goose"),
    "a game without a board": (["visits", "left-center-right"], "tokens[0]"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_one_sentence_and_a_code(mistake: str):
    arguments, hint = MISTAKES[mistake]
    said = front_door.run(*arguments)
    assert_one_sentence(said.code, said.out, said.err, hint)


@pytest.mark.parametrize("mistake", ["a game that does not exist", "more states than allowed"])
def test_a_mistake_ends_a_process_with_a_sentence_and_a_code(mistake: str):
    arguments, hint = MISTAKES[mistake]
    done = run(*arguments)
    assert_one_sentence(done.returncode, done.stdout, done.stderr, hint)


def assert_one_sentence(code: int, out: str, error: str, hint: str) -> None:
    assert code == 1
    assert out == ""
    assert error.startswith("oddsmith: ")
    assert error.count("\n") == 1
    assert hint in error


def test_an_unknown_flag_is_a_usage_error():
    done = run("solve", "goose", "--colour")
    assert done.returncode == 2
    assert "--colour" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_broken_file_is_named_with_its_line(tmp_path: Path):
    (tmp_path / "broken.py").write_text("class Race(Game:\n    pass\n")
    done = run("solve", "broken.py", cwd=tmp_path)
    assert done.returncode == 1
    assert "broken.py, line 1" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_closed_pipe_is_no_traceback():
    script = " ".join([f"'{part}'" for part in ODDSMITH]) + " values goose --json | head -1"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True)
    assert "Traceback" not in done.stderr


def test_a_full_disk_is_one_sentence():
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    with open("/dev/full", "w") as full:  # noqa: PTH123
        done = subprocess.run([*ODDSMITH, "games"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1
    assert "No space left" in done.stderr
    assert "Traceback" not in done.stderr


def wait_for_work(process: int, seconds: float = 2.0) -> None:
    """Wait until a process and its children have computed for some seconds, or for ten."""
    until = time.monotonic() + 10
    while time.monotonic() < until and computed(process) < seconds:
        time.sleep(0.1)


def computed(process: int) -> float:
    """Seconds that a process and its children have computed; none where that cannot be seen."""
    found = 0.0
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            words = path.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        if int(path.parent.name) == process or int(words[2]) == process:  # its process group
            found += sum(map(int, words[11:13])) / os.sysconf("SC_CLK_TCK")
    return found


def test_ctrl_c_keeps_the_games_already_played():
    arguments = ["simulate", "coin-race", "--games", "1000000000", "--json"]
    arguments += ["--engine", "interpreted"]
    with subprocess.Popen(
        [*ODDSMITH, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        wait_for_work(process.pid)
        os.killpg(process.pid, signal.SIGINT)
        out, error = process.communicate(timeout=60)
    assert process.returncode == 130, error
    found = json.loads(out)
    assert found["interrupted"]
    assert found["games"] > 0
    assert "Traceback" not in error


def test_importing_is_light():
    """Heavy libraries are imported where they are used, not by `import oddsmith` or --help."""
    code = """if True:
        import sys, oddsmith, oddsmith.cli.commands
        print([m for m in ("numba", "scipy", "numpy", "flint") if m in sys.modules])"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "[]"
