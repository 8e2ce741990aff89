"""Board texts: what is written is read again."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsmith import games
from oddsmith.errors import OptionError
from oddsmith.rules.board import new
from oddsmith.rules.board.board_text import board_text

CATALOGUE = sorted(Path(games.__file__).parent.glob("*.toml"))
TEMPLATE = Path(new.__file__).parent / "template.toml"

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
leaves = st.integers(-(2**63), 2**63 - 1) | st.booleans() | texts | st.floats(allow_nan=False)
inner = st.recursive(
    leaves,
    lambda more: st.lists(more, max_size=3) | st.dictionaries(texts, more, max_size=3),
    max_leaves=6,
)
tables = st.dictionaries(
    st.sampled_from(["board", "squares", "jumps", "variants", "a b", ""]) | texts,
    leaves | st.dictionaries(texts | st.sampled_from(["rules", "name"]), inner, max_size=4),
    max_size=4,
)


@pytest.mark.parametrize("path", [*CATALOGUE, TEMPLATE], ids=lambda path: path.name)
def test_boards_of_the_catalogue(path: Path) -> None:
    found = tomllib.loads(path.read_text(encoding="utf-8"))
    assert tomllib.loads(board_text(found)) == found


@given(tables)
def test_any_tables(found: dict[str, Any]) -> None:
    assert tomllib.loads(board_text(found)) == found


def test_what_no_board_file_can_say() -> None:
    with pytest.raises(OptionError, match="not None"):
        board_text({"board": {"finish": None}})
    with pytest.raises(OptionError, match="too long"):
        board_text({"board": {"finish": 10**5000}})
    deep: Any = 1
    for _ in range(50):
        deep = [deep]
    with pytest.raises(OptionError, match="nested too deep"):
        board_text({"board": {"finish": deep}})
