"""What README and docs show is what the program says; see `pages.py` for what a block can be.

Outputs are run here, or say when and where they were measured. Commands that are shown without
output are parsed: they exist, and so do their options, games and pictures.
"""

import ast
import json
import re
import tomllib
from pathlib import Path

import pytest
import typer
from tests.front_door import run
from tests.pages import LANGUAGES, MEASURED, OTHER_PROGRAMS, PAGES, ROOT, Block, blocks, difference

from oddsmith.cli import commands as cli
from oddsmith.games import game_class
from oddsmith.present.pictures.by_name import PICTURES

BLOCKS = {page: blocks(page) for page in PAGES}
COMMANDS = typer.main.get_command(cli.app)
every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


OTHERS = {"--help", "--storm", "--large"}
"""Options that are not declared here: of typer, of benchmarks."""

# Every block is something that can be tested --------------------------------------------------


@every_page
def test_every_block_says_what_it_is(page):
    for block in BLOCKS[page]:
        if block.language:
            assert block.language in LANGUAGES, f"{block.where}: which language is this?"
            if block.language == "text":
                assert not re.match(r"\$|oddsmith", block.lines[0]), (
                    f"{block.where}: indent it, then it is run"
                )
        else:
            assert block.commands or set(kinds(block)) & {"drawing", "formula", "measured"}, (
                f"{block.where}: neither commands nor a fenced block with its language, and no "
                "comment in front that says what it is"
            )


def kinds(block: Block) -> list[str]:
    return [re.split(r"[ :]", text)[0] for text in block.comments]


@every_page
def test_an_output_that_is_not_run_says_when_it_was_measured(page):
    for block in BLOCKS[page]:
        for text in block.comments:
            if text.startswith("measured"):
                assert MEASURED.match(text), f"{block.where}: measured when, and where?"


@every_page
def test_a_table_of_times_says_when_it_was_measured(page):
    before = ""
    lines = page.read_text(encoding="utf-8").split("\n")
    for number, line in enumerate(lines, 1):
        before += line + "\n"
        if line.startswith("|") and lines[number].startswith("|--"):
            times = re.search(r"\b(s|seconds|MiB|ms|made in)\b(?! a )", line)
            assert not times or MEASURED.search(before.replace("\n", " ")), (
                f"{page.name}:{number}: when and where was this table measured?"
            )


@every_page
def test_what_people_write_can_be_read(page):
    for block in BLOCKS[page]:
        text = "\n".join(block.lines)
        if block.language == "python":
            ast.parse(text)
        elif block.language == "toml":
            tomllib.loads(text)
        elif block.language == "json":
            json.loads(text)


# Commands without output ----------------------------------------------------------------------


@every_page
def test_every_command_can_be_parsed(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for block in BLOCKS[page]:
        for command in block.commands:
            program, *words = command.words
            if program == "oddsmith":
                parse(words, f"{block.where}: {command.line}")
            else:
                assert program in OTHER_PROGRAMS, f"{block.where}: {program}?"


def parse(words: list[str], where: str) -> None:
    """Refuse a command, an option, a game or a picture that there is not."""
    name, *arguments = words
    command = COMMANDS.commands.get(name)
    assert command is not None, f"{where}: there is no command {name}"
    try:
        given = command.make_context(name, list(arguments)).params
    except Exception as error:
        pytest.fail(f"{where}: {error!r}")
    named = [given[key] for key in ("game", "model", "a") if given.get(key)]
    for game in named:
        if "." not in game:
            game_class(game)
    if name == "plot" and given["picture"] is not None:
        assert given["picture"] in PICTURES, where


@every_page
def test_every_option_in_the_text_exists(page):
    known = {o for c in COMMANDS.commands.values() for p in c.params for o in p.opts}
    known |= {o for c in COMMANDS.commands.values() for p in c.params for o in p.secondary_opts}
    text = re.sub(r"```.*?\n```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for span in re.findall(r"(?<!`)`([^`\n]+)`(?!`)", text):
        words = span.replace("[", "").replace("]", "").split()
        options = {word.split("=")[0] for word in words if re.match(r"--[a-z]", word)}
        options -= OTHERS
        if not words or words[0] in OTHER_PROGRAMS:
            continue
        assert options <= known, f"{page.name}: {span}"
        if words[0] == "oddsmith" and len(words) > 1:
            command = COMMANDS.commands.get(words[1])
            assert command is not None, f"{page.name}: {span}"
            its = {o for p in command.params for o in (*p.opts, *p.secondary_opts)}
            assert options <= its, f"{page.name}: {span}"


def test_the_readme_says_which_commands_take_what():
    has = {name: {o for p in c.params for o in p.opts} for name, c in COMMANDS.commands.items()}
    about_a_game = {
        name
        for name, command in COMMANDS.commands.items()
        if {p.name for p in command.params} & {"game", "model", "a"}
    }
    for name in about_a_game:
        assert {"--set", "--players"} <= has[name], name
    silent = {name for name, options in has.items() if "--json" not in options}
    assert silent == {"play", "new", "serve", "plot", "report", "export"}
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    said = re.search(r"takes\s+`--json`: all but (.*?) which write a file", text, re.DOTALL)
    assert set(re.findall(r"`(\w+)`", said[1])) == silent


# Outputs --------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def second_opinion():
    """None here: what is compared is the text, and the answers are asked for elsewhere too."""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def rerun(page: Path, slow: bool) -> list[str]:
    """Run the commands of a page whose outputs it shows; what differs."""
    wrong = []
    for block in BLOCKS[page]:
        prepare(block)
        if block.comment("measured") is not None or (not block.shows_output):
            continue
        if (block.comment("slow") is not None) != slow:
            continue
        for command in block.commands:
            program, *words = command.words
            if program != "oddsmith":
                continue
            typed = block.comment("typed")
            said = run(*words, typed=typed.split(", ") if typed else ())
            if command.output:
                cut = block.comment("cut") is not None
                lines = said.err.splitlines(
                    keepends=True
                )  # less what a slow machine says off a terminal
                told = "".join(line for line in lines if not line.startswith("still at work"))
                found = difference(command.output, said.out + told, cut)
                if found:
                    wrong.append(f"{block.where}: $ {command.line}\n{found}")
    return wrong


def prepare(block: Block) -> None:
    """Have the files that a page speaks of, and compare those that it shows."""
    text = "\n".join(block.lines) + "\n"
    for comment in block.comments:
        word, _, rest = comment.partition(": ")
        if word == "file":
            Path(rest).write_text(text)
        elif word == "copy":
            old, new = rest.split(" to ")
            source = Path(old) if Path(old).exists() else ROOT / old
            Path(new).write_bytes(source.read_bytes())
        elif word.startswith("change "):
            path = Path(word.removeprefix("change "))
            old, new = rest.split(" => ")
            before = path.read_text()
            assert old in before, f"{block.where}: {path} has no {old!r}"
            path.write_text(before.replace(old, new))
        elif word == "shows" and Path(rest).exists():
            assert text in Path(rest).read_text(), (
                f"{block.where}: {rest} is now\n" + (Path(rest).read_text()[:2000])
            )


SHOWN = [page for page in PAGES if any(block.shows_output for block in BLOCKS[page])]
SLOW = [page for page in SHOWN if any(b.comment("slow") is not None for b in BLOCKS[page])]


@pytest.mark.parametrize("page", SHOWN, ids=lambda page: page.name)
def test_outputs(page, folder):
    wrong = rerun(page, slow=False)
    assert not wrong, "\n\n".join(wrong)


@pytest.mark.slow
@pytest.mark.parametrize("page", SLOW, ids=lambda page: page.name)
def test_slow_outputs(page, folder):
    wrong = rerun(page, slow=True)
    assert not wrong, "\n\n".join(wrong)


# The tests of pages themselves ----------------------------------------------------------------


def test_a_page_that_says_something_else_is_found():
    said = ["player 1 wins  0.266945967731  0.26694596773103", "4.42 s, 195 MiB"]
    assert not difference(said, "\n".join(said).replace("4.42 s", "17.0 s"))
    rounded = "\n".join(said).replace("773103", "773104")  # as another processor does
    assert not difference(said, rounded)
    assert difference(said, "\n".join(said).replace("773103", "783103"))
    assert difference(said, "\n".join(said).replace("player 1", "player 2"))
    assert difference(said, said[0])
    assert difference(said[:1], "\n".join(said))
    assert not difference([said[0], "…"], "\n".join(said), cut=True)


def test_a_block_is_read_with_its_comments(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "Text.\n\n<!-- slow -->\n\n    $ oddsmith games \\\n        --json\n    []\n\nMore.\n\n"
        "    oddsmith games   # all\n\n```text\n$ no\n```\n"
    )
    first, second, third = blocks(page)
    assert first.comments == ["slow"]
    assert [(c.words, c.output) for c in first.commands] == [
        (["oddsmith", "games", "--json"], ["[]"])
    ]
    assert (second.comments, second.commands[0].words) == ([], ["oddsmith", "games"])
    assert (third.language, third.commands) == ("text", [])


def test_every_page_is_listed_in_the_readme():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for page in PAGES[1:]:
        assert f"docs/{page.name}" in text, page.name


def headings(page: Path) -> set[str]:
    """The anchors of a page, as they are made of its headings."""
    lines = [line for line in page.read_text(encoding="utf-8").split("\n") if line.startswith("#")]
    plain = [re.sub(r"[^\w\- ]", "", line.lstrip("# ").lower()) for line in lines]
    return {line.replace(" ", "-") for line in plain}


def test_links_lead_somewhere():
    for page in PAGES:
        text = re.sub(r"`[^`]*`", "", page.read_text(encoding="utf-8"))
        for target, _, anchor in re.findall(r"\]\(([^)#]*)(#([^)]*))?\)", text):
            if not target.startswith("http"):
                there = page.parent / target if target else page
                assert there.exists(), f"{page.name}: {target}"
                assert not anchor or anchor in headings(there), f"{page.name}: {target}#{anchor}"


HARD = (
    "mover-relative", "p-adic", "lattice", "deflated", "residual", "deadlock", "digest",
    "supermartingale", "end component",
)  # fmt: skip


@every_page
def test_hard_words_are_explained(page):
    text = page.read_text(encoding="utf-8")
    hard = [word for word in HARD if word in text]
    assert not hard or page.name == "glossary.md" or "glossary.md" in text, f"{page.name}: {hard}"
