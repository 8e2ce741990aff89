"""From LLVM text to machine code: `python -m oddsmith.ahead.build`, when a checkout is installed.

All modules become one shared library, or an object file each where there is no linker. Without
this, machine code is made at first use. `--everywhere` makes libraries for all `MACHINES`, for a
wheel; it needs a linker that knows them all (`ziglang`, in the dependency group `wheel`).
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from oddsmith.ahead import library, machine, text

RUNTIME = "runtime"
"""What kernels need of Numba's runtime, among the names of modules."""

TARGETS = {"linux": "linux-gnu", "apple": "macos", "windows": "windows-gnu"}
"""Systems as the linker for all of them calls them."""


def modules() -> list[str]:
    """All there is to compile, what takes longest first."""
    sizes = {name: (text.TEXT / f"{name}.ll.xz").stat().st_size for name in text.modules()}
    return [*sorted(sizes, key=lambda name: -sizes[name]), RUNTIME]


def compiled(name: str, kind: str | None) -> bytes:
    """A module's machine code, for this processor or for all of a kind."""
    if name == RUNTIME:
        return library.emitted(library.MEMORY, library.target_machine(kind))
    contents = text.contents(name)
    assert contents is not None
    return library.emitted(library.text_of(contents), library.target_machine(kind))


def linkers(kind: str | None) -> Iterator[list[str]]:
    """Commands that link object files to a library; functions of C are there when it runs."""
    if kind is not None:
        name, _, system = kind.partition("-")
        target = f"{name}-{TARGETS[system]}"
        own = ["-Wl,--export-all-symbols"] if system == "windows" else ["-nostdlib"]
        yield [sys.executable, "-m", "ziglang", "cc", "-target", target, "-shared", "-s", *own]
    elif sys.platform == "linux":
        for program in filter(shutil.which, ("cc", "gcc", "clang")):
            yield [program, "-shared", "-nostdlib", "-s"]
        for program in filter(shutil.which, ("ld", "ld.lld")):
            yield [program, "-shared", "-s"]
    elif sys.platform == "darwin":
        for program in filter(shutil.which, ("cc", "clang")):
            yield [program, "-dynamiclib", "-undefined", "dynamic_lookup"]


def linked(files: list[Path], kind: str | None, out: Path) -> str:
    """Link object files; nothing if that was done, else why not."""
    why = "there is no linker"
    for linker in linkers(kind):
        done = subprocess.run([*linker, "-o", str(out), *map(str, files)], capture_output=True)
        if done.returncode == 0 and out.exists():
            return ""
        why = f"{linker[0]}: {done.stderr.decode(errors='replace').strip()[-300:]}"
    return why


@contextmanager
def _made(folder: Path) -> Iterator[Path]:
    """A new folder beside one, which takes its place once all is in it."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    new = Path(tempfile.mkdtemp(dir=folder.parent))
    try:
        yield new
        new.chmod(0o755)
        if folder.exists():
            folder.replace(new / "before")
        new.replace(folder)
        shutil.rmtree(folder / "before", ignore_errors=True)
    finally:
        shutil.rmtree(new, ignore_errors=True)


def build(kind: str | None, pool: ProcessPoolExecutor) -> str:
    """Make the machine code for this machine or for a kind; how it lies there."""
    names = modules()
    codes = list(pool.map(compiled, names, [kind] * len(names)))
    with _made(library.OBJECTS / (kind or machine.this_machine())) as folder:
        files = [folder / f"{name}.o" for name in names]
        for file, code in zip(files, codes, strict=True):
            file.write_bytes(code)
        why = linked(files, kind, folder / library.LIBRARY)
        for file in folder.iterdir():
            if why or file.name != library.LIBRARY:
                file.unlink()
        if not why:
            return "linked"
        if kind is not None:
            raise OSError(f"{kind} cannot be linked: {why}")
        for name, code in zip(names, codes, strict=True):
            contents = text.contents(name)
            if contents is not None:
                library.keep(folder, f"{library.mark_of(contents)}.o", code)
        return f"not linked, so each start takes a little longer: {why}"


def main() -> None:
    """Make machine code, for this machine or for all."""
    parser = argparse.ArgumentParser(prog="python -m oddsmith.ahead.build")
    parser.add_argument("--everywhere", action="store_true", help="for all kinds of machines")
    kinds = list(machine.MACHINES) if parser.parse_args().everywhere else [None]
    began = time.perf_counter()
    print(f"making machine code of {len(text.modules())} modules of kernels …", flush=True)
    try:
        with ProcessPoolExecutor(os.cpu_count()) as pool:
            for kind in kinds:
                how = build(kind, pool)
                print(f"{kind or 'this machine'}: {how}, {time.perf_counter() - began:.1f} s")
    except OSError as error:
        sys.exit(f"no machine code was made: {error}. It will be made at first use.")


if __name__ == "__main__":
    main()
