"""How long a newcomer waits: whole commands by the clock, the first time and again.

    make install && .venv/bin/python -m benchmarks.first_answers [--runs N]

On a fresh clone the first time is that of an installation that has just been made; nothing is kept
between runs but what the system keeps of files. Storm has no command line to be a peer here: its
Python package alone takes as long to import as the table says. Peak memory is that of the process
that works.
"""

import argparse
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from oddsmith import published
from oddsmith.results.table import align

ROOT = Path(__file__).parents[1]
ODDSMITH = str(Path(sys.executable).parent / "oddsmith")
SNAKES = str(Path(published.__file__).parent / "snakes-and-ladders.prism")

COMMANDS = {
    "the README's race": [ODDSMITH, "solve", "race.py"],
    "two geese": [ODDSMITH, "solve", "goose"],
    "a PRISM model, 564,879 states": [ODDSMITH, "check", SNAKES, "P=? [ F w=1 ]"],
    "Pig to 100": [ODDSMITH, "solve", "pig"],
    "Can't Stop, simulated": [ODDSMITH, "simulate", "cant-stop", "--games", "1000"],
    "--help": [ODDSMITH, "--help"],
    "games": [ODDSMITH, "games"],
    "import stormpy": [sys.executable, "-c", "import stormpy"],
}


def seconds(command: list[str], folder: Path) -> tuple[float, str]:
    """What a command takes by the clock, and what it says of its memory."""
    began = time.perf_counter()
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    took = time.perf_counter() - began
    if done.returncode:
        return took, "failed"
    said = re.search(r", ([\d,]+) MiB$", done.stdout.strip())
    return took, said[1] if said else ""


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    runs = parser.parse_args().runs
    race = re.search(r"<!-- file: race.py -->\n```python\n(.*?)```", README.read_text(), re.DOTALL)
    assert race is not None
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "race.py").write_text(race[1])
        for name, command in COMMANDS.items():
            first, memory = seconds(command, Path(folder))
            again = min(seconds(command, Path(folder))[0] for _ in range(runs))
            rows.append([name, f"{first:.2f}", f"{again:.2f}", memory])
    print(align(["", "first s", "again s", "MiB"], rows))


README = ROOT / "README.md"

if __name__ == "__main__":
    main()
