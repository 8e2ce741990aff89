"""The command `oddsmith`, also as `python -m oddsmith`: Ctrl-C is heard before anything else."""

import _signal as signal  # type: ignore[import-not-found] # `signal` without its names, at once
import os


def main() -> None:
    """Run the command line; until somebody watches it, Ctrl-C ends it here."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _at_once)
    from oddsmith.cli.watched import main as watched

    watched()


def _at_once(*_: object) -> None:
    os.write(2, b"oddsmith: interrupted; nothing was kept\n")
    os._exit(130)


if __name__ == "__main__":
    main()
