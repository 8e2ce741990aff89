"""What kernels are made for: `declared.txt`, a line for each kernel and kinds of arguments."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from oddsmith.ahead.signature import Kind, fits, parse_all

DECLARED = Path(__file__).parent / "declared.txt"


def declared() -> dict[str, dict[str, list[str]]]:
    """Modules, their kernels, and what each is compiled for."""
    found: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for line in DECLARED.read_text().splitlines():
        if line and not line.startswith("#"):
            module, name, arguments = line.split()
            found[module][name].append(arguments)
    return found


def add_missed(path: Path) -> None:
    """Declare what was called and had not been made; kinds that another fits are not repeated."""
    calls = {line.strip() for line in path.read_text().splitlines() if line.strip()}
    all_calls = calls | {
        f"{module} {name} {arguments}"
        for module, kernels in declared().items()
        for name, kinds in kernels.items()
        for arguments in kinds
    }
    merged: dict[tuple[str, str], list[tuple[Kind, ...]]] = defaultdict(list)
    for call in sorted(all_calls):
        module, name, arguments = call.split()
        kinds = parse_all(arguments)
        same = merged[module, name]
        for other in same:
            both = _common(kinds, other)
            if both is not None:
                same.remove(other)
                kinds = both
                break
        same.append(kinds)
    lines = ["# Kernels, and the kinds of arguments that they are made for; see make.py."]
    for (module, name), choices in sorted(merged.items()):
        lines += [f"{module} {name} ({','.join(map(str, kinds))})" for kinds in choices]
    DECLARED.write_text("\n".join(lines) + "\n")


def _common(a: tuple[Kind, ...], b: tuple[Kind, ...]) -> tuple[Kind, ...] | None:
    """Kinds that both fit, where they only differ by what is written to; None if there are none."""
    if len(a) != len(b):
        return None
    both = []
    for x, y in zip(a, b, strict=True):
        if fits(x, y):
            both.append(y)
        elif fits(y, x):
            both.append(x)
        elif x.parts is not None and y.parts is not None and x.named == y.named:
            inner = _common(x.parts, y.parts)
            if inner is None:
                return None
            both.append(Kind(parts=inner, named=x.named))
        else:
            return None
        if both[-1].gaps != (x.gaps and y.gaps) and x.gaps != y.gaps:
            return None
    return tuple(both)
