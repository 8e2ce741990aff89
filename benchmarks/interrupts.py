"""Every command interrupted at several moments: seconds until it ended, and what it said.

    python -m benchmarks.interrupts            # a table for docs/benchmarks.md
    python -m benchmarks.interrupts solve play # of some commands

Ctrl-C goes to all processes of the group, as from a terminal, or with `--alone` to the one that
was started, as from `kill`. What is still running afterwards is listed: there should be nothing.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ODDSMITH = [sys.executable, "-c", "from oddsmith.__main__ import main; main()"]

MOMENTS = (0.1, 0.5, 2.0, 6.0, 15.0)

WALK = """dtmc
module walk
  x : [0..3000000] init 0;
  [] x<3000000 -> 0.5:(x'=x+1) + 0.5:(x'=max(0,x-1));
endmodule
"""

CASES = [
    ["games"],
    ["new", "board.toml"],
    ["solve", "goose", "-n", "3", "--exact"],
    ["solve", "goose", "-n", "5", "--precision", "float32"],
    ["solve", "goose", "-n", "4", "--checkpoint", "goose.checkpoint"],
    ["solve", "pig", "--certificate", "pig.cert"],
    ["length", "goose", "-n", "3", "--exact", "--horizon", "3000"],
    ["length", "pig", "--play", "hold-at-20", "--generating-function"],
    ["visits", "pig", "--set", "goal=150"],
    ["values", "pig", "--exact"],
    ["compare", "goose", "goose", "-n", "3", "--exact"],
    ["tournament", "pig", "optimal", "hold-at-20", "hold-at-25", "random", "--exact"],
    ["duel", "pig", "optimal", "hold-at-20", "--games", "100000000"],
    ["policy", "pig", "--exact"],
    ["learn", "pig", "--games", "1000000000", "--save", "pig.npz"],
    ["explore", "cant-stop", "--engine", "interpreted"],
    ["explore", "cant-stop"],
    ["play", "pig"],
    ["simulate", "pig", "--games", "100000000"],
    ["simulate", "goose", "--games", "1000000000000"],
    ["simulate", "coin-race", "--games", "100000000", "--engine", "interpreted"],
    ["simulate", "walk.prism", "P=? [ F<=2000000 x=3000000 ]", "--games", "1000000"],
    ["check", "walk.prism", "P=? [ F<=100000 x=100 ]"],
    ["check", "walk.prism", "P=? [ F x=3000000 ]", "--exact"],
    ["export", "walk.prism", "--out", "walk.tra"],
    ["verify", "made.cert"],
    ["plot", "pig", "surface", "-o", "pig.png"],
    ["report", "pig", "-o", "pig.html"],
    ["reproduce", "goose", "--full"],
    ["reproduce", "--figures", "--out", "figures"],
    ["serve", "--no-open", "--port", "0", "--data", "data"],
]


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    seconds: float | None
    """From Ctrl-C on; None where it had ended before."""
    code: int
    out: str
    error: str
    left: tuple[str, ...] = ()
    """Processes that are still there."""

    @property
    def said(self) -> str:
        """The last line of the error stream."""
        return (self.error.strip().splitlines() or [""])[-1]


def interrupted(arguments: list[str], after: float, place: Path, alone: bool = False) -> Ended:
    """Start a command, press Ctrl-C after so many seconds, and wait for its end."""
    (place / "walk.prism").write_text(WALK)
    with subprocess.Popen(
        [*ODDSMITH, *arguments],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, cwd=place, start_new_session=True,
    ) as process:  # fmt: skip
        try:
            process.wait(after)
            began = None
        except subprocess.TimeoutExpired:
            began = time.monotonic()
            (os.kill if alone else os.killpg)(process.pid, signal.SIGINT)
        try:
            process.wait(60)
            seconds = None if began is None else time.monotonic() - began
        except subprocess.TimeoutExpired:
            seconds = float("inf")
        left = still_there(process.pid)
        if left:
            os.killpg(process.pid, signal.SIGKILL)
        out, error = process.communicate()
    return Ended(seconds, process.returncode, out, error, tuple(left))


def still_there(session: int) -> list[str]:
    """The processes of a session that are there, and not on their way out."""
    listed = subprocess.run(["ps", "-eo", "pid,sid,stat,args"], capture_output=True, text=True)
    fields = (line.split(None, 3) for line in listed.stdout.splitlines()[1:])
    return [f[3] for f in fields if f[1] == str(session) and f[2][0] not in "ZX" and f[3][0] != "["]


def main(names: list[str]) -> None:
    """Print the table."""
    alone = "--alone" in names
    names = [name for name in names if name != "--alone"]
    heads = " | ".join(f"at {moment:g} s" for moment in MOMENTS)
    print(f"| command | {heads} | what it said last |\n|---|{'---:|' * len(MOMENTS)}---|")
    for case in CASES:
        if names and case[0] not in names:
            continue
        cells, said = [], ""
        for moment in MOMENTS:
            with tempfile.TemporaryDirectory() as folder:
                place = Path(folder)
                if "made.cert" in case:
                    made = [*ODDSMITH, "solve", "pig", "--set", "goal=60"]
                    subprocess.run(
                        [*made, "--certificate", "made.cert"], cwd=place, capture_output=True
                    )
                found = interrupted(case, moment, place, alone)
                lying = [f.name for f in place.rglob("*") if ".part" in f.name]
            cell = "done" if found.seconds is None else f"{found.seconds:.2f}"
            if found.seconds is not None:
                said = found.said or "(its answer)"
                fine = found.code == 130 or (case[0] == "serve" and found.code == 0)
                cell += "" if fine else f" (code {found.code})"
            cell += " TRACEBACK" * ("Traceback" in found.error)
            cell += f" LEFT {found.left} {lying}" if found.left or lying else ""
            cells.append(cell)
        print(f"| `{' '.join(case)}` | {' | '.join(cells)} | {said} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
