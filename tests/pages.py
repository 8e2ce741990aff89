"""The documentation as data: its blocks, what each of them is, and whether an output is the same.

A block of a page is one of

- commands, indented: `$ oddsmith …` with the output below it, or a list of commands without any;
- a fenced one, whose language says what it is: `pycon` is a doctest, `python`, `toml`, `prism`,
  `sh` and `json` are what people write, `text` is a drawing or a formula.

A comment in front of a block says more, for the tests:

- `<!-- measured 2026-11-18, two cores -->`: it is not run again; when and where it was measured;
- `<!-- slow -->`: it is run by `make test-slow`;
- `<!-- typed: roll, ?, hold -->`: what is typed at the prompts of its command;
- `<!-- file: race.prism -->`: what the commands after it find as this file;
- `<!-- change board.toml: wait = 1 => wiat = 1 -->`: what was changed in a file before;
- `<!-- shows: best.csv -->`: lines of a file that a command has written;
- `<!-- drawing -->`, `<!-- formula -->`: no command, and nothing that a command says;
- `<!-- cut -->`: lines with `…` alone stand for any number of lines.
"""

import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
LANGUAGES = ("pycon", "python", "toml", "prism", "sh", "json", "text")
OTHER_PROGRAMS = ("make", "python", "pip", ".venv/bin/pip")
MEASURED = re.compile(r"measured .*\b20\d\d-\d\d-\d\d\b", re.IGNORECASE)


@dataclass
class Command:
    """A command as it is printed, and the lines below it."""

    line: str
    output: list[str] = field(default_factory=list)

    @property
    def words(self) -> list[str]:
        """The words of the command; what stands behind # is a remark."""
        return shlex.split(self.line, comments=True)


@dataclass
class Block:
    """A block of a page: where it is, its language ("" if it is indented), comments and lines."""

    page: Path
    line: int
    language: str
    comments: list[str]
    lines: list[str]

    @property
    def where(self) -> str:
        """For messages."""
        return f"{self.page.name}:{self.line}"

    def comment(self, word: str) -> str | None:
        """What a comment says that begins with a word; None without one."""
        for text in self.comments:
            if re.match(rf"{word}\b", text):
                return text[len(word) :].lstrip(": ")
        return None

    @property
    def commands(self) -> list[Command]:
        """The commands of an indented block; none if it is not one of commands."""
        if self.language:
            return []
        lines = "\n".join(self.lines).replace("\\\n", " ").split("\n")
        if not lines[0].startswith("$ "):
            listed = [line for line in lines if line and not line.startswith("#")]
            programs = [line.split()[0] for line in listed]
            ours = all(program in ("oddsmith", *OTHER_PROGRAMS) for program in programs)
            return [Command(line) for line in listed] if ours else []
        found: list[Command] = []
        for line in lines:
            if line.startswith("$ "):
                found.append(Command(line[2:]))
            else:
                found[-1].output.append(line)
        return found

    @property
    def shows_output(self) -> bool:
        """Whether something is said to be the output of a command."""
        return any("".join(command.output).strip() for command in self.commands)


def blocks(page: Path) -> list[Block]:
    """The blocks of a page in order."""
    found: list[Block] = []
    comments: list[str] = []
    lines = page.read_text(encoding="utf-8").split("\n")
    at = 0
    while at < len(lines):
        line, begin = lines[at], at + 1
        remark = re.fullmatch(r"<!-- (.*) -->", line)
        fence = re.fullmatch(r"```(\w*)", line)
        if remark:
            comments.append(remark[1])
        elif fence:
            end = lines.index("```", at + 1)
            found.append(Block(page, begin, fence[1] or "?", comments, lines[at + 1 : end]))
            at = end
        elif line.startswith("    ") and not lines[at - 1].strip():
            end = at
            while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
                end += 1
            inside = [text[4:] for text in lines[at:end]]
            while not inside[-1].strip():
                inside.pop()
            found.append(Block(page, begin, "", comments, inside))
            at = end - 1
        if line.strip() and not remark:
            comments = []
        at += 1
    return found


# Outputs ------------------------------------------------------------------------------------

MASKS = (
    (r"compiled in \S+ s, then \S+ states a second", "…"),
    (r"\b[\d.,]+ (s|MiB|ms)(?!\w)", r"… \1"),
    (r"[\d,]+ digits, proved by the (bound|residual)", "…"),
    (r"\b(explored: )(interpreted|compiled[^,]*|…)", r"\1…"),
)
"""Times, memory and speeds are the machine's, and so is what is decided by the clock."""

NUMBER = re.compile(r"\d+\.\d{9,}(?:e[-+]\d+)?|\d+(?:\.\d+)?e-\d+")
"""Numbers of which the last digits are the processor's, and bounds on errors."""


def masked(text: str) -> list[str]:
    """The lines of an output without what differs from run to run."""
    for pattern, instead in MASKS:
        text = re.sub(pattern, instead, text)
    return [line.rstrip() for line in text.strip().split("\n")]


def same_line(said: str, printed: str) -> bool:
    """Whether two lines agree: every word, and numbers but for the rounding of a processor."""
    if said == printed:
        return True
    if NUMBER.split(said) != NUMBER.split(printed):
        return False
    pairs = zip(NUMBER.findall(said), NUMBER.findall(printed), strict=True)
    return all(_agree(a, b) for a, b in pairs)


def _agree(a: str, b: str) -> bool:
    x, y = float(a), float(b)
    if max(x, y) < 1e-9:  # a bound on an error: its size
        return x < 10 * y and y < 10 * x
    return abs(x - y) <= 2e-12 * max(1.0, x)


def difference(said: list[str], printed: str, cut: bool = False) -> str:
    """Where a page and a run differ; nothing if they do not."""
    left, right = masked("\n".join(said)), masked(printed)
    at = 0
    for number, line in enumerate(left):
        if cut and line.strip() == "…":
            after = left[number + 1] if number + 1 < len(left) else None
            while at < len(right) and (after is None or not same_line(after, right[at])):
                at += 1
            continue
        if at >= len(right) or not same_line(line, right[at]):
            break
        at += 1
    else:
        if at == len(right):
            return ""
    now = "\n".join(f"    {line}".rstrip() for line in printed.rstrip().split("\n"))
    return f"the page and the program differ at line {at + 1} of the output, which is now\n{now}"
