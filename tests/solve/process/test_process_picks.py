"""Best choices: what they are worth, in fractions by hand, is what is claimed."""

import pytest

from oddsmith import check

LEAKING = """mdp
module m
  s : [0..3] init 0;
  [slow] s=0 -> 1e-12 : (s'=1) + 3e-12 : (s'=3) + 1-4e-12 : true;
  [quick] s=0 -> 1/2 : (s'=1) + 1/2 : (s'=3);
  [] s=1 | s=3 -> true;
endmodule
"""  # slow is 1/4 in the end, and looks like 1/2 - 1e-12 at each step
CHEAP = """mdp
module m
  s : [0..1] init 0;
  [slow] s=0 -> 1e-12 : (s'=1) + 1-1e-12 : true;
  [quick] s=0 -> (s'=1);
  [] s=1 -> true;
endmodule
rewards "r" [slow] true : 3e-12; [quick] true : 1; endrewards
"""  # slow costs 3 in the end, quick 1
SURE = """mdp
module m
  s : [0..3] init 0;
  [slow] s=0 -> 1e-12 : (s'=3) + 1-1e-12 : (s'=1);
  [quick] s=0 -> (s'=2);
  [] s=2 -> (s'=1);
  [] s=1 | s=3 -> true;
endmodule
"""  # slow is nearer, and not sure
NEAR = """mdp
module m
  s : [0..2] init 0;
  [slow] s=0 -> 1/3 : (s'=1) + 2/3 : (s'=2);
  [quick] s=0 -> 1/3+1e-14 : (s'=1) + 2/3-1e-14 : (s'=2);
  [] s>0 -> true;
endmodule
"""
TRAP = """mdp
module m
  s : [0..2] init 0;
  [slow] s=0 -> (s'=1);
  [quick] s=0 -> 1e-17 : (s'=2) + 1-1e-17 : (s'=1);
  [] s>0 -> true;
endmodule
rewards "r" true : 1; endrewards
"""  # only quick may never arrive
GAME = """smg
player one [slow], [quick] endplayer
player two [up], [down], [stay] endplayer
module m
  s : [0..4] init 0;
  [slow] s=0 -> 1e-12 : (s'=1) + 3e-12 : (s'=3) + 1-4e-12 : true;
  [quick] s=0 -> 1/2 : (s'=1) + 1/2 : (s'=4);
  [up] s=4 -> 1e-13 : (s'=1) + 1-1e-13 : (s'=3);
  [down] s=4 -> (s'=3);
  [stay] s=1 | s=3 -> true;
endmodule
"""


def picked(model, question, exact):
    found = check(model, question, exact=exact, picks=True)
    process = found.experiments[0].loaded.process
    return [process.actions[process.action[c]] for c in found[0].picks.tolist()]


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize(
    ("model", "question"),
    [
        (LEAKING, "Pmax=? [ F s=1 ]"),
        (CHEAP, 'R{"r"}min=? [ F s=1 ]'),
        (SURE, "Pmax=? [ F s=1 ]"),
        (TRAP, 'R{"r"}max=? [ F s=1 ]'),
        (GAME, "<<one>> Pmax=? [ F s=1 ]"),
    ],
)
def test_a_little_is_not_lost_again_and_again(model, question, exact):
    assert picked(model, question, exact)[0] == "quick"


def test_fractions_tell_choices_apart():
    assert picked(NEAR, "Pmax=? [ F s=1 ]", True)[0] == "quick"
    assert picked(NEAR, "Pmin=? [ F s=1 ]", True)[0] == "slow"
    assert picked(GAME, "<<one>> Pmax=? [ F s=1 ]", True).count("down") == 1
