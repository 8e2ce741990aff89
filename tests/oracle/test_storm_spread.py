"""The variance of what a chain earns, against Storm, which has no such question.

It has one on a product: a chain that carries the sum k of what was earned and pays 2 k g + g² for a
move that earns g pays k² in all. The sum ends at a cap that games pass with a chance below 1e-12.
"""

from fractions import Fraction

import numpy as np
import pytest
from tests.chance_tables import table_game

from oddsmith import length
from oddsmith.questions.settings import Settings
from oddsmith.rules.prism import parse_program
from oddsmith.solve.engines.graph import prepare
from oddsmith.solve.moments import moments
from oddsmith.solve.sweeps import forward

stormpy = pytest.importorskip("stormpy", minversion="2")

CAP = 1500
BEYOND = Fraction(1, 10**8)
"""More than games beyond the cap can add."""
WALK = """dtmc
module walk
  at : [0..5] init 3;
  [] at>0 & at<5 -> 1/4 : (at'=at-1) + 1/4 : (at'=at) + 1/2 : (at'=at+1);
  [] at=0 | at=5 -> true;
endmodule
"""
PRODUCT = """dtmc
module walk
  at : [0..5] init 3;
  sum : [0..{cap}] init 0;
  [] at>0 & at<5 & sum+at*{weight}+{more}<={cap} ->
    1/4 : (at'=at-1) & (sum'=sum+at*{weight}+{more}) +
    1/4 : (at'=at) & (sum'=sum+at*{weight}+{more}) +
    1/2 : (at'=at+1) & (sum'=sum+at*{weight}+{more});
  [] at=0 | at=5 | sum+at*{weight}+{more}>{cap} -> true;
endmodule
rewards "first" at>0 & at<5 : at*{weight}+{more}; endrewards
rewards "second" at>0 & at<5 : 2*sum*(at*{weight}+{more}) + pow(at*{weight}+{more}, 2); endrewards
"""


@pytest.mark.parametrize(("weight", "more"), [(0, 1), (2, 1)])
def test_moments_are_those_of_a_product_chain(tmp_path, weight, more):
    """Moves counted, and moves that earn an odd number by where they are made."""
    path = tmp_path / "product.prism"
    path.write_text(PRODUCT.format(cap=CAP, weight=weight, more=more))
    program = stormpy.parse_prism_program(str(path))
    over = f"at=0 | at=5 | sum+at*{weight}+{more}>{CAP}"
    questions = [f'R{{"{name}"}}=? [ F {over} ]' for name in ("first", "second")]
    asked = [stormpy.parse_property(one, program) for one in questions]
    options = stormpy.BuilderOptions(asked, program)
    options.set_build_all_reward_models()
    model = stormpy.build_model[stormpy.Rational](program, options=options)
    start = model.initial_states[0]
    first, second = (
        Fraction(str(stormpy.model_checking(model, one).get_value(start))) for one in asked
    )
    if not weight:  # each move earns one: the length, also of a program
        lengths = length(parse_program(WALK))
        assert abs(lengths.duration.exact - first) < BEYOND
        assert abs(lengths.variance.exact - (second - first**2)) < BEYOND
    rows = {at: {at - 1: 1, at: 1, at + 1: 2} for at in range(1, 5)}
    wanted = Settings(method="certified")
    chain = prepare(table_game(rows, {0: 0, 5: 0}, players=1, start=3), wanted).chain
    places = [chain.model.state(int(s)).at for s in chain.order]
    gain = np.array([float(at * weight + more) for at in places])
    found = moments(forward(chain, 1e-12, "auto", wanted.progress), gain, True, wanted)
    assert found.mean.lower - BEYOND <= first <= found.mean.upper + BEYOND
    assert found.variance.lower - BEYOND <= second - first**2 <= found.variance.upper + BEYOND
    assert found.variance.error < 1e-6
