"""Ctrl-C during a solve: the bounds reached so far are returned, and they hold."""

import pytest

from oddsmith import game, odds


class Interrupting:
    """Presses Ctrl-C when a stage has been shown some times."""

    def __init__(self, stage: str, after: int) -> None:
        self.stage, self.after = stage, after

    def update(self, stage: str, done: float, of: float | None, facts: str = "") -> None:
        self.after -= stage == self.stage
        if self.after < 0:
            self.after = 10**9
            raise KeyboardInterrupt


@pytest.mark.parametrize("after", [0, 2])
def test_an_interrupted_solve_keeps_valid_bounds(after: int):
    """The figures are those of Table 5.1 of the Goose paper, to the digits printed there."""
    goose = game("goose", players=3)
    found = odds(goose, engine="compiled", progress=Interrupting("solving", after))
    assert found.interrupted
    for answer, printed in zip(found.win, (0.34596, 0.33290, 0.32114), strict=True):
        assert answer.lower <= printed + 5e-6
        assert answer.upper >= printed - 5e-6
    assert found.duration.lower <= 39.425
    assert found.duration.upper >= 39.415
    assert found.to_dict()["interrupted"]


def test_a_tolerance_below_rounding_is_said_not_to_be_reached():
    found = odds(game("goose"), tolerance=1e-15)
    assert any("more than the 1e-15 asked for" in line for line in found.evidence.how)
    assert found.win[0].lower < 0.3936251373937573914 < found.win[0].upper
