"""The command line: all commands, and how it ends: every error is one sentence. No mathematics."""

import contextlib
import os
import re
import sys
from typing import Any

import typer

from oddsmith.cli import catalogue, certificates, models, pictures, policies, questions, report, web
from oddsmith.cli.arguments import app
from oddsmith.cli.output import has_printed
from oddsmith.errors import OddsmithError
from oddsmith.runtime import interrupt, memory, remains
from oddsmith.show.plain import forgiving

COMMANDS = (catalogue, questions, policies, models, certificates, pictures, report, web)
"""Where commands are declared, in the order in which `--help` lists them."""

PLACES = [module.__name__ for module in COMMANDS]
app.registered_commands.sort(key=lambda one: PLACES.index(one.callback.__module__))


def main() -> None:
    """Run the command line; every error is one sentence and a non-zero code."""
    try:
        interrupt.listen()
        forgiving()
        memory.spare()
        code = app(standalone_mode=False)
        sys.stdout.flush()
    except OddsmithError as error:
        fail(str(error), 1)
    except KeyboardInterrupt:
        stopped()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        leave(1)
    except Exception as error:
        if memory.ran_out(error):
            fail(memory.TOO_LITTLE, 1)
        if isinstance(error, OSError):
            fail(f"{error.filename or 'output'}: {error.strerror or error}", 1)
        if not hasattr(error, "exit_code"):
            raise
        if hasattr(error, "show"):  # a mistake in the arguments
            _refuse_number(error)
            error.show()
            fail(_hint(error), error.exit_code)
        stopped()  # the only other one: typer's Abort
    if interrupt.heard:
        stopped()
    leave(code if isinstance(code, int) else 0)


def _refuse_number(error: Any) -> None:
    """Say in our words what an option takes that was given something else than a number."""
    said, options = str(getattr(error, "message", "")), getattr(error, "param", None)
    kinds = {"int": "a whole number", "number": "a number", "float": "a number"}
    kind = next((words for word, words in kinds.items() if f"valid {word}" in said), None)
    if kind is None or options is None:
        return
    names = [name for name in options.opts if name.startswith("-")]
    words = [word.partition("=") for word in sys.argv]
    after = [*sys.argv[1:], ""]
    given = [end or after[i] for i, (one, _, end) in enumerate(words) if one in names]
    value = f", not {given[-1]!r}" if given else ""
    with contextlib.suppress(ValueError, OverflowError):
        if kind == "a whole number" and given and float(given[-1]).is_integer():
            value += f": write {int(float(given[-1]))}"
    fail(f"{names[0] if names else options.name} takes {kind}{value}.", error.exit_code)


def _hint(error: Any) -> str:
    """What is likely meant by an option that a command has not."""
    unknown = str(getattr(error, "option_name", "")).lstrip("-")
    if not unknown:
        return ""
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    have = [
        name
        for name, command in commands.items()
        if any(f"--{unknown}" in parameter.opts for parameter in command.params)
    ]
    if unknown == "play" and have:
        return "policies that are compared stand after the game, without --play."
    if have:
        return f"--{unknown} is an option of {', '.join(have)}."
    import difflib

    near = difflib.get_close_matches(f"--{unknown}", getattr(error, "possibilities", None) or [])
    if near:
        return f"did you mean {near[0]}?"
    return f"options of a game are given as --set {unknown}=VALUE."


def stopped() -> None:
    """Leave after Ctrl-C; who watches this process, and has heard it too, says the sentence."""
    said = remains.words(has_printed())
    if remains.watched():
        remains.last_word(said)
        leave(130)
    fail(said, 130)


def fail(message: str, code: int) -> None:
    """Print an error and leave."""
    if message:  # which may quote a file: nothing of it is to disturb the terminal
        message = re.sub(r"\d{80,}", _shortened, message)
        safe = "".join(c if c.isprintable() or c in "\n\t" else "?" for c in message)
        print(f"oddsmith: {safe}", file=sys.stderr)
    leave(code)


def _shortened(number: re.Match[str]) -> str:
    digits = number[0]
    return f"{digits[:10]}…{digits[-10:]} ({len(digits):,} digits)"


def leave(code: int) -> None:
    """Exit at once: a kernel that hangs in a thread must not keep the process alive."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
