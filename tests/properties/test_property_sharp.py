"""Whether a chance is 0 or 1 is decided by the graph, however close to it the number is."""

import pytest

from oddsmith.model.prism.explore import explore
from oddsmith.properties.check import check
from oddsmith.rules.prism import parse_program

FADING = """dtmc
module fading  // ends with chance 1 - 10^-400, which no float can tell from 1
  x : [0..400] init 0;
  done : bool init false;
  [] !done & x<400 -> 1/10 : (x'=x+1) + 9/10 : (done'=true);
  [] done | x=400 -> true;
endmodule
"""


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("P>=1 [ F done ]", False),
        ("P<1 [ F done ]", True),
        ("P>0 [ F x=400 ]", True),
        ("P<=0 [ F x=400 ]", False),
        ("P>=1 [ F done | x=400 ]", True),
        ("P<=0 [ F done & x=400 ]", True),
        ("P>=1 [ G x<400 ]", False),
        ("P>0 [ G !done ]", True),
        ("P>=1 [ G x<=400 ]", True),
    ],
)
def test_certain_and_impossible(text, holds):
    process = explore(parse_program(FADING, "fading.prism", {}))
    assert check(process, text).answer is holds
