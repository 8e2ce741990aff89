"""Every input that was kept, once more: python -m fuzz.replay. It needs no atheris.

Memory is limited, and whoever starts it limits the time. Standard output has what fails and why, a
line each, then a sum; standard error has the input of the moment, should Python itself die.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from fuzz import targets

KEPT = Path(__file__).parents[1] / "tests/fuzz"
MEMORY = 2 << 30


def inputs() -> list[tuple[str, Path]]:
    """The targets and their inputs."""
    return [
        (target, path)
        for target in targets.TARGETS
        for folder in ("corpus", "findings")
        for path in sorted((KEPT / folder / target).glob("*"))
    ]


def main() -> None:
    """Run all; say which fail."""
    if sys.platform == "linux":
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    targets.processes()
    failed, slowest = 0, (0.0, "")
    found = inputs()
    for target, path in found:
        began = time.process_time()
        print(f"{target}/{path.name}", end="\r", file=sys.stderr, flush=True)
        try:
            targets.run(target, path.read_bytes())
        except Exception as error:
            failed += 1
            print(f"{target}/{path.name}: {error!r}")
        slowest = max(slowest, (time.process_time() - began, path.name))
    print(f"{len(found)} inputs, {failed} failed; slowest {slowest[1]}, {slowest[0]:.2f} s")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
