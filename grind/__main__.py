"""`python -m grind`: grind for some seconds, or replay findings."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from grind import kinds
from grind.run import Finding, grind, replay


def main() -> int:
    """The command; its status is 1 where something disagrees."""
    parser = argparse.ArgumentParser(prog="python -m grind", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kinds", default="", help=f"some of {','.join(kinds.KINDS)}")
    parser.add_argument("--findings", type=Path, default=Path("build/grind"))
    parser.add_argument("--most", type=int, default=20, help="findings after which to stop")
    parser.add_argument("--replay", type=Path, nargs="+", help="findings to try again")
    given = parser.parse_args()
    if given.replay:
        return _replay(given.replay)
    chosen = [name for name in given.kinds.split(",") if name]
    unknown = [name for name in chosen if name not in kinds.KINDS]
    if unknown:
        parser.error(f"there is no kind {unknown[0]}: choose from {', '.join(kinds.KINDS)}")
    report = grind(given.seconds, given.seed, chosen, given.findings, given.most, watch=_show)
    print(report)
    return 1 if report.findings else 0


def _show(found: Finding) -> None:
    print(f"{found.name} (seed {found.seed}): {found.sentence}", flush=True)


def _replay(paths: list[Path]) -> int:
    status = 0
    for path in paths:
        found = replay(path)
        print(f"{path.name}: {'; '.join(map(str, found)) or 'agrees'}")
        status |= bool(found)
    return status


if __name__ == "__main__":
    sys.exit(main())
