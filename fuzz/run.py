"""The fuzzer: python -m fuzz.run TARGET [seconds or merge] [libFuzzer's options].

Coverage-guided, with atheris. Inputs start from the corpus in tests/fuzz and from `seeds.py`;
new ones are kept under build/fuzz/TARGET. Every finding is written to tests/fuzz/findings, once
for each place in the source it comes from, and fuzzing goes on; what hangs or takes too much
memory ends the run (libFuzzer's -timeout and -rss_limit_mb) and is kept too.
"""

from __future__ import annotations

import random
import re
import sys
import traceback
from importlib import import_module
from pathlib import Path

import atheris

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src"
KEPT = ROOT / "tests/fuzz"
TOKENS = re.compile(rb"\w+|[<>!=]=|<=>|=>|->|\.\.|\s+|.", re.DOTALL)


def translated() -> list[str]:
    """Modules that must not be instrumented: they are read as source, or hold what is."""
    return [
        ".".join(path.relative_to(SOURCE).with_suffix("").parts)
        for path in (SOURCE / "oddsmith").rglob("*.py")
        if "@kernel" in path.read_text() or path.stem in ("put", "combinatorics")
    ]


with atheris.instrument_imports(include=["oddsmith"], exclude=translated()):
    from fuzz import targets

    for _folder in ("model/formats", "properties", "rules/prism", "solve/process"):
        for _path in sorted((SOURCE / "oddsmith" / _folder).glob("[a-z]*.py")):
            import_module(f"oddsmith.{_folder.replace('/', '.')}.{_path.stem}")
    targets.processes()

from fuzz import seeds  # noqa: E402


class Run:
    """One target, its words and its findings."""

    def __init__(self, target: str) -> None:
        self.target = target
        self.found: set[str] = set()
        self.words = [word.encode() for word in seeds.words(target)]
        self.seeds = list(seeds.of(target).values())
        self.findings = KEPT / "findings" / target
        self.findings.mkdir(parents=True, exist_ok=True)

    def one(self, data: bytes) -> int:
        """Run one input; -1 keeps it out of the corpus."""
        try:
            targets.run(self.target, data)
        except Exception as error:
            self.note(data, error)
            return -1
        return 0

    def note(self, data: bytes, error: Exception) -> None:
        """Keep an input that is a finding, if it is the first from its place."""
        last = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{type(error).__name__}-{Path(last.filename).stem}-{last.lineno}"
        if place in self.found:
            return
        self.found.add(place)
        print(f"FINDING {self.target} {place}: {error}"[:300], flush=True)
        traceback.print_exception(error)
        (self.findings / place).write_bytes(data)

    def mutate(self, data: bytes, most: int, seed: int) -> bytes:
        """libFuzzer's own mutation, one of whole words, or one that mostly keeps to the grammar."""
        dice = random.Random(seed)
        kind = dice.random()
        if kind < 0.3:
            return atheris.Mutate(data, most)
        words = TOKENS.findall(data) or [b" "]
        if kind < 0.65:
            return b"".join(self.gently(words, dice))[:most]
        for _ in range(dice.choice((1, 1, 2, 4))):
            at = dice.randrange(len(words))
            end = min(len(words), at + dice.choice((0, 1, 1, 2, 5, 20)))
            kind = dice.randrange(5)
            if kind == 0:
                words[at:end] = []
            elif kind == 1:
                words[at:end] = [dice.choice(self.words)]
            elif kind == 2:
                to = dice.randrange(len(words))
                words[to:to] = words[at:end]
            elif kind == 3:
                other = TOKENS.findall(dice.choice(self.seeds))
                start = dice.randrange(len(other) + 1)
                words[at:end] = other[start : start + dice.choice((1, 3, 10, 40))]
            else:
                words[at] = dice.choice(words)
            words = words or [b" "]
        return b"".join(words)[:most]

    def gently(self, words: list[bytes], dice: random.Random) -> list[bytes]:
        """Swap names for names, numbers for numbers and operators for operators."""
        for kind in (rb"[a-z]\w{0,2}|[A-Z]|true|false", rb"\d+", rb"[-+*/]", rb"[<>!]?=|[<>&|]"):
            places = [i for i, word in enumerate(words) if re.fullmatch(kind, word)]
            if places and dice.random() < 0.5:
                other = words[dice.choice(places)]
                if dice.random() < 0.4:
                    others = [word for word in self.words if re.fullmatch(kind, word)]
                    other = dice.choice(others) if others else other
                words[dice.choice(places)] = other
        lines = b"".join(words).split(b"\n")
        if len(lines) > 3 and dice.random() < 0.2:
            lines.insert(dice.randrange(len(lines)), dice.choice(lines))
            return [b"\n".join(lines)]
        return words


def main() -> None:
    """Fuzz one target, or minimise its corpus."""
    target, seconds, *more = [*sys.argv[1:], "60"][: max(2, len(sys.argv) - 1)]
    run = Run(target)
    build = ROOT / "build/fuzz"
    kept, first, corpus = build / target, build / f"{target}-seeds", KEPT / "corpus" / target
    for folder in (kept, first, corpus):
        folder.mkdir(parents=True, exist_ok=True)
    for name, data in seeds.of(target).items():
        (first / name).write_bytes(data)
        run.one(data)  # compiles what is compiled at the first use
    dictionary = build / f"{target}.dict"
    dictionary.write_text(seeds.dictionary(target))
    name, folders = sys.argv[0], [str(x) for x in (kept, first, corpus)]
    if seconds == "merge":
        name = str(itself(target, build))
        more = ["-set_cover_merge=1", "-use_counters=0"]
        folders = [str(corpus), str(kept), str(first)]
    elif seconds == "merging":
        folders = []
    arguments = [
        name,
        f"-dict={dictionary}",
        f"-max_total_time={seconds if seconds.isdigit() else 0}",
        "-timeout=30",
        "-rss_limit_mb=2048",
        "-max_len=3000",
        "-len_control=20",
        "-print_final_stats=1",
        f"-artifact_prefix={run.findings}/",
        *more,
        *folders,
    ]
    atheris.Setup(arguments, run.one, custom_mutator=run.mutate)
    atheris.Fuzz()


def itself(target: str, folder: Path) -> Path:
    """A command that libFuzzer can start, as it does to merge: this one, with its options."""
    command = folder / f"{target}.sh"
    command.write_text(
        f'#!/bin/sh\ncd {ROOT}\nexec {sys.executable} -m fuzz.run {target} merging "$@"\n'
    )
    command.chmod(0o755)
    return command


if __name__ == "__main__":
    main()
