"""Kernels made ahead: what is there is what the sources give, and does what they say."""

import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsmith import check, coin, game, learn, length, odds, optimal, simulate, values, visits
from oddsmith.ahead import build, fallback, library, machine, reads, text
from oddsmith.ahead.declared import declared
from oddsmith.ahead.kernel import Kernel
from oddsmith.ahead.signature import Kind, fits, kind_of, parse, parse_all
from oddsmith.model.formats.spell import _length
from oddsmith.solve.kernels import free_depth

# Kinds of arguments --------------------------------------------------------------------------

numbers = st.sampled_from(["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64", "b"])
plain = st.builds(Kind, numbers) | st.just(Kind())
arrays = st.builds(Kind, numbers, st.integers(1, 4), st.booleans(), st.booleans())
kinds = st.recursive(
    plain | arrays,
    lambda inner: st.builds(
        lambda parts, named: Kind(parts=tuple(parts), named=named),
        st.lists(inner, max_size=3), st.sampled_from(["", "package.module:Name"]),
    ),
)  # fmt: skip


@given(kinds)
def test_kinds_are_read_as_they_are_written(kind):
    assert parse(str(kind)) == kind
    assert fits(kind, kind)


def test_kinds_of_values():
    steps = np.zeros((4, 6), np.int32)[:, ::2]
    kept = np.zeros(3)
    kept.flags.writeable = False
    assert str(kind_of((1, 2.0, True, None))) == "(i64,f64,b,-)"
    assert [str(kind_of(a)) for a in (steps, kept)] == ["i32[2~]", "f64[1!]"]
    with pytest.raises(TypeError):
        kind_of(coin)
    with pytest.raises(TypeError, match="order of bytes"):
        _length(np.array([1, 2], ">i8"), np.array([0, 1, 2, 3]))


# What was made -------------------------------------------------------------------------------


def test_numbers_that_kernels_take_from_elsewhere_are_sources():
    code = """if True:  # in a process of its own: make.py tells Numba of another processor
        from oddsmith.ahead import make, text
        from oddsmith.ahead.declared import declared
        for module in declared():
            assert text.contents(module).sources == make.sources_of(module), module
        assert "solve/rounding.py" in make.sources_of("oddsmith.solve.kernels")"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_texts_are_of_the_sources_that_are_there():
    """Should it fail: `make kernels` (numba is needed, two minutes), and commit the texts."""
    assert text.modules() == sorted(declared())
    for module, kernels in declared().items():
        contents = text.contents(module)
        assert contents.fresh, module
        assert not re.search(r"site-packages|File \\22", contents.text())  # no machine's places
        made = Counter((m.name, m.arguments) for m in contents.kernels)
        assert made == Counter((name, a) for name, all_ in kernels.items() for a in all_), module


# Arrays that cannot be written to -------------------------------------------------------------


def reading(row, table, sizes):
    mine = row[1:].copy() + (row[1:] - row[:-1])
    mine[0] = 2
    total = table.copy().sum() + mine[0]
    for i in range(len(row)):
        total += row[i] * table[i, 0] + sizes.shape[0]
    return total


def writing(row, table, alias):
    row[0] += 1
    part = table[0]
    part[0] = 1
    other = alias
    other[0] = 1


def handing_on(row, mine):
    return free_depth(row, row, mine) + reading(row, row, row)


def test_what_a_kernel_only_reads_is_found_in_its_source():
    assert [reads.only_reads(reading, i, axes) for i, axes in enumerate((1, 2, 1))] == [True] * 3
    assert [reads.only_reads(writing, i, axes) for i, axes in enumerate((1, 2, 1))] == [False] * 3
    assert not reads.only_reads(handing_on, 0, 1)  # `reading` is no kernel
    assert reads.listed() == reads.from_sources()  # should it fail: `make kernels`


def test_models_are_not_copied_for_kernels(monkeypatch):
    """The arrays of models are read-only, and kernels that only read them take them as they are."""
    copied = Counter()
    convert = Kernel._converted

    def watched(kernel, plan, arguments):
        for kind, value in zip(plan.code.arguments, arguments, strict=True):
            if isinstance(value, np.ndarray) and not fits(kind_of(value), kind):
                copied[kernel.__name__] += not value.flags.writeable
        return convert(kernel, plan, arguments)

    monkeypatch.setattr(Kernel, "_converted", watched)
    for one in (game("pig", goal=8), game("coin-race")):
        for method in ("certified", "exact"):
            odds(one, method=method)
            values(one, method=method)
            length(one, method=method)
    optimal(game("pig", goal=8))
    check(game("coin-race"), *QUESTIONS)
    assert not +copied, copied


@pytest.mark.slow
def test_texts_are_what_the_sources_give():
    subprocess.run([sys.executable, "-m", "oddsmith.ahead.make", "--check"], check=True)


def test_running_needs_no_numba():
    code = """if True:
        import sys
        sys.modules["numba"] = None
        from oddsmith import check, game, learn, length, odds, optimal, simulate, values, visits
        for asked in (odds, length, values, optimal, simulate):
            print(asked(game("pig", goal=12)))
        print(odds(game("goose"), engine="compiled").win, odds(game("goose")).win)
        print(visits(game("coin-race")))
        print(odds(game("coin-race"), method="exact").win, learn(game("piglet"), games=1000))
        print(check(game("coin-race"), 'P=? [ F<=9 "over" ]', 'R{"length"}=? [ F "over" ]'))"""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "Numba" not in done.stderr
    assert "kernels of" not in done.stderr


# What kernels do is what their sources say ---------------------------------------------------

QUESTIONS = ('P=? [ F "win1" ]', 'P=? [ F<=9 "over" ]', 'R{"length"}=? [ F "over" ]')

SMALL = 3000
"""Entries in all arrays of a call up to which its source is run as it is."""


def _entries(arguments):
    return sum(
        _entries(a) if isinstance(a, tuple) else getattr(a, "size", 1) for a in arguments
    )  # fmt: skip


def _same(a, b):
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(_same, a, b))
    if a is None or b is None:
        return a is b
    a, b = np.asarray(a), np.asarray(b)
    if a.dtype.kind == "f" or b.dtype.kind == "f":
        return np.allclose(a, b, rtol=1e-9, atol=1e-12, equal_nan=True)
    return np.array_equal(a, b)


def test_kernels_do_what_their_sources_say(monkeypatch):
    """Every small call that some questions lead to is made twice: as machine code, as Python.

    Kernels that call rules by address, or look at memory by address, cannot be run as Python.
    """
    compared, differ, not_python = Counter(), [], set()
    call = Kernel.__call__
    inside = []

    def both(kernel, *arguments):
        name = f"{kernel.__module__}.{kernel.__name__}"
        if inside:
            return kernel.py_func(*arguments)
        if compared[name] >= 3 or name in not_python or _entries(arguments) > SMALL:
            return call(kernel, *arguments)
        copies = deepcopy(arguments)
        given = deepcopy(arguments)
        found = call(kernel, *arguments)
        inside.append(name)
        try:
            with np.errstate(all="ignore"):
                by_hand = kernel.py_func(*copies)
        except (TypeError, AttributeError, OverflowError):
            not_python.add(name)
            return found
        finally:
            inside.pop()
        compared[name] += 1
        if not (_same(found, by_hand) and _same(arguments, copies)):
            differ.append((name, given))
        return found

    monkeypatch.setattr(Kernel, "__call__", both)
    for one in (game("pig", goal=5), game("coin-race"), game("piglet", goal=2)):
        for asked in (odds, length, values):
            asked(one)
            asked(one, method="certified")
        odds(one, method="exact")
        simulate(one, games=300)
    visits(game("coin-race"), method="certified")
    optimal(game("pig", goal=5))
    odds(game("first-orchard"), method="certified")
    learn(game("piglet"), games=300)
    for question in QUESTIONS:
        check(game("coin-race"), question)
    check(game("pig", goal=4), '<<player1>> Pmax=? [ F "win1" ]')
    odds(game("goose"), engine="lattice")
    check(game("coin-race"), 'S=? [ "over" ]')
    odds(game("chutes-and-ladders", players=1), engine="compiled")
    assert not differ
    assert len(compared) > 30, sorted(compared)
    assert sum(compared.values()) > 60


# Calls that nothing was made for -------------------------------------------------------------


def test_narrow_numbers_are_copied_into_wider_ones(monkeypatch):
    monkeypatch.setattr(fallback, "missed_calls", set())
    wide = _length(np.array([1, 2]), np.array([0, 1, 2, 3]))
    assert (
        _length(np.array([1, 2], np.int32), np.array([0, 9, 1, 9, 2, 9, 3], np.int16)[::2]) == wide
    )
    assert len(fallback.missed_calls) == 1


def test_what_was_not_made_is_compiled_or_refused(monkeypatch):
    monkeypatch.setattr(fallback, "missed_calls", set())
    twice = Kernel(free_depth.py_func, {})
    monkeypatch.setattr(fallback, "codes_of", lambda kernel: [])
    monkeypatch.setattr(fallback, "keep", False)
    row, col = np.array([0, 1, 1]), np.array([1])
    found, made = np.zeros(2), np.zeros(2)
    twice(row, col, found)
    free_depth(row, col, made)
    assert (found == made).all()
    monkeypatch.delattr("oddsmith.ahead.numba_cache")
    monkeypatch.setitem(sys.modules, "oddsmith.ahead.numba_cache", None)
    with pytest.raises(fallback.OddsmithError, match=r"free_depth> was not made for .* Numba"):
        Kernel(free_depth.py_func, {})(row, col, found)


# Files of machine code -----------------------------------------------------------------------

ONE = "oddsmith.model.formats.spell"


@pytest.fixture
def places(monkeypatch, tmp_path):
    monkeypatch.setattr(library, "OBJECTS", tmp_path / "none")
    monkeypatch.setattr(library, "cache", lambda: tmp_path)
    return tmp_path


def test_without_a_linker_there_are_object_files(places, monkeypatch):
    monkeypatch.setattr(build, "linkers", lambda kind: iter(()))
    monkeypatch.setattr(text, "modules", lambda: [ONE])
    with ProcessPoolExecutor(1) as pool:
        assert build.build(None, pool).endswith("there is no linker")
    (kept,) = places.rglob("*.o")
    assert kept.name == f"{library.mark_of(text.contents(ONE))}.o"


@pytest.mark.skipif(not shutil.which("cc"), reason="there is no linker")
def test_a_library_of_other_text_is_not_used(places, monkeypatch):
    monkeypatch.setattr(text, "modules", lambda: [ONE])
    with ProcessPoolExecutor(1) as pool:
        assert build.build(None, pool) == "linked"
    contents = text.contents(ONE)
    found = library._linked.__wrapped__()
    assert library._address(found, library.mark_of(contents))
    with pytest.raises(ValueError):
        library._address(found, library.mark_of(replace(contents, digest="0" * 64)))


def test_what_was_made_for_more_than_a_processor_can_is_not_run(monkeypatch):
    monkeypatch.setattr(machine, "kind", lambda: "x86_64-linux")
    monkeypatch.setattr(machine, "features", lambda: machine.V3 | {"avx512f"})
    before = library.places()
    assert library.OBJECTS / "x86_64-linux" in before
    monkeypatch.setattr(machine, "features", lambda: frozenset({"sse2"}))
    machine.this_machine.cache_clear()
    assert len(library.places()) == len(before) - 1
    assert not {*library.places()} & {*before}
    machine.this_machine.cache_clear()


def test_damaged_machine_code_is_made_again(places):
    contents = text.contents(ONE)
    whole = library._object(contents)
    (kept,) = places.rglob("*.o")
    for damaged in (b"", kept.read_bytes()[:-1], kept.read_bytes().replace(b"ELF", b"elf")):
        kept.write_bytes(damaged)
        assert library._object(contents) == whole
        assert len(kept.read_bytes()) == library.DIGEST + len(whole)


def test_threads_load_machine_code_once():
    """Without a library, for that needs no care; LLVM aborts if it is given the same twice."""
    code = f"""if True:
        from concurrent.futures import ThreadPoolExecutor
        from oddsmith.ahead import library
        library._linked = lambda: None
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(library.module, [{ONE!r}] * 8))
        print(all(one is found[0] for one in found))"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "True", done.stderr


def test_machine_code_is_made_once_by_many(places):
    code = f"""if True:
        import sys
        from pathlib import Path
        from oddsmith.ahead import library
        library.OBJECTS = Path("/proc/none")
        print(len(library.module({ONE!r})))"""
    surroundings = os.environ | {"XDG_CACHE_HOME": str(places)}
    running = [
        subprocess.Popen([sys.executable, "-c", code], env=surroundings, stdout=subprocess.PIPE)
        for _ in range(3)
    ]
    assert [one.communicate()[0].strip() for one in running] == [b"2"] * 3
    assert len(list(places.rglob("*.o"))) == 1
    assert len(list(places.rglob("tmp*"))) == 0


@pytest.mark.slow
def test_machine_code_is_made_for_other_machines():
    kernels = declared()
    for kind in machine.MACHINES:
        for module in text.modules():
            made = build.compiled(module, kind)
            assert all(f"{module}.{name}".encode() in made for name in kernels[module])


def test_arguments_are_written_as_they_are_declared():
    for kernels in declared().values():
        for choices in kernels.values():
            for arguments in choices:
                assert f"({','.join(map(str, parse_all(arguments)))})" == arguments
