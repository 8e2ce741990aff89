"""What every game of the catalogue says about itself, and that each is tested somewhere."""

import inspect

import pytest
from tests.games import test_catalogue_approach, test_catalogue_chance, test_catalogue_race

from oddsmith.games import catalogue, game_class


def test_every_game_keeps_the_contract():
    modules = (test_catalogue_chance, test_catalogue_race, test_catalogue_approach)
    assert {name for module in modules for name, _ in module.CASES} == set(catalogue())


@pytest.mark.parametrize("name", catalogue())
def test_the_docstring_tells_the_rules_and_their_source(name):
    text = inspect.getdoc(vars(game_class(name)).get("__doc__") and game_class(name))
    assert len(text) > 100
    assert "Source:" in text
    assert game_class(name).title


@pytest.mark.parametrize("name", catalogue())
def test_every_option_has_a_type_and_a_default_that_fits(name):
    cls = game_class(name)
    options = cls.declared_options()
    assert "players" in options
    defaults = {option: default for option, (_, default) in options.items()}
    assert cls(**defaults) == cls()
    assert cls.from_text({option: str(value) for option, value in defaults.items()}) == cls()
