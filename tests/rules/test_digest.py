"""A digest is the same each time it is asked for, whatever becomes of memory meanwhile."""

import gc

import pytest

from oddsmith import game
from oddsmith.rules.digest import rules_digest


@pytest.fixture
def collecting():
    """Garbage is collected at every allocation."""
    before = gc.get_threshold()
    gc.set_threshold(1)
    yield
    gc.set_threshold(*before)


@pytest.mark.parametrize("name", ["coin-race", "pig"])
def test_a_digest_does_not_depend_on_when_garbage_is_collected(name, collecting):
    rules = game(name)
    gc.disable()
    quiet = rules_digest(rules)
    gc.enable()
    assert {rules_digest(rules) for _ in range(20)} == {quiet}
