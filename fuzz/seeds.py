"""Where the fuzzers start: the models and properties of the tests, files that we write, words."""

from __future__ import annotations

import ast
import random
import tarfile
import tempfile
from functools import cache
from pathlib import Path

from fuzz import targets
from oddsmith.model.formats import write

TESTS = Path(__file__).parents[1] / "tests"
WORDS = Path(__file__).with_name("words")


def words(target: str) -> list[str]:
    """What a target's texts are made of."""
    names = ["shared", target] if target in ("model", "question") else [target]
    listed = (WORDS / f"{name}.txt" for name in names)
    return [*(word for path in listed for word in path.read_text().split()), " ", "\n", "\t"]


def strings(folder: Path) -> list[str]:
    """All strings in the tests of a folder."""
    found: dict[str, None] = {}
    for path in sorted(folder.rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found[node.value] = None
    return list(found)


@cache
def of(target: str) -> dict[str, bytes]:
    """The seeds of a target, by name."""
    made = {"model": _models, "question": _questions, "files": _files, "constants": _constants}
    return {f"{i:03}": data for i, data in enumerate(made[target]()) if len(data) < 3000}


def _models() -> list[bytes]:
    from tests.oracle.prism_models import Model
    from tests.rules.prism.random_programs import Writer

    texts = [targets.WALK, targets.MAZE, targets.GAME, targets.SEVERAL]
    texts += [text for text in strings(TESTS) if "module" in text and len(text) > 30]
    texts += [Writer(seed).source() for seed in range(30)]
    texts += [Model(seed).source for seed in range(60)]
    return [text.encode() for text in dict.fromkeys(texts)]


def _questions() -> list[bytes]:
    dice = random.Random(1)
    texts = [text for text in strings(TESTS / "properties") if "[" in text and "module" not in text]
    texts += [
        'R{"steps"}=? [ F "high" ]',
        'P=? [ F{"steps"}<=4 x=4 ]',
        "S=? [ x=2 ]",
        'R{"gain"}=? [ C ]',
        'filter(max, P=? [ F "low" ], mid)',
        'Pmax=? [ F<=5 "goal" ]',
        'R{"cost"}min=? [ F "end" ]',
        'R{"time"}max=? [ C<=4 ]',
        "LRAmax=? [ s=1 ]",
        'Pmax=? [ F "goal" || F s=1 ]',
        'quantile(min n, P>=0.5 [ F<=n "goal" ])',
        "A [ G s<9 ]",
        'E [ F "trap" ]',
        '<<first>> Pmax=? [ F "win" ]',
        '<<second>> R{"moves"}min=? [ F "win" ]',
        'P=? [ G "zero" ]',
        "filter(print, P>=0.5 [ X x=1 ], true)",
        'multi(Pmax=? [ F "goal" ], P>=0.1 [ F "trap" ])',
        'const int k; "a": P>=0.9 [ F<=k "low" ]; label "q" = x>1; "a" & P=? [ F "q" ] > 0.2',
    ]
    return [bytes([65 + dice.randrange(16)]) + text.encode() for text in dict.fromkeys(texts)]


def _files() -> list[bytes]:
    found = []
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        for i, (process, _, _) in enumerate(targets.processes()):
            for fractions in (False, True):
                path = here / f"{i}{fractions}.drn"
                write(process, path, fractions=fractions)
                found.append(b"drn\n" + path.read_bytes())
                if process.kind != "smg":
                    path = here / f"{i}{fractions}.tra"
                    write(process, path, fractions=fractions)
                    beside = sorted(here.glob(f"{i}{fractions}.*"))
                    parts = {x.suffix[1:]: x.read_bytes() for x in beside if x.suffix != ".drn"}
                    for name in [name for name in parts if "rew" not in name and len(name) > 4]:
                        del parts[name]
                    found.append(targets.joined("tra", parts))
            path = here / f"{i}.umb"
            write(process, path)
            with tarfile.open(path) as tar:
                parts = {x.name: tar.extractfile(x).read() for x in tar if x.isfile()}
            found.append(targets.joined("umb", parts))
            found.append(b"raw\n" + path.read_bytes())
    return found


def _constants() -> list[bytes]:
    texts = ["", "N=3", "N=3,p=0.5", "N=1:10", "p=0:0.1:1", "b=true,N=2:2:8,p=1/6", "x=-1e-3/7"]
    return [text.encode() for text in texts]


def dictionary(target: str) -> str:
    """The words of a target as libFuzzer reads them."""
    return "".join(
        '"' + "".join(f"\\x{byte:02x}" for byte in word.encode()) + '"\n' for word in words(target)
    )
