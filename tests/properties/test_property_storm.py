"""Storm agrees: the same PRISM models and properties, in fractions where Storm has them."""

import pytest
from tests.properties.storm import Storm

from oddsmith.properties.check import check

DIE = """dtmc
module die
  s : [0..7] init 0; d : [0..6] init 0;
  [] s=0 -> 0.5 : (s'=1) + 0.5 : (s'=2);
  [] s=1 -> 0.5 : (s'=3) + 0.5 : (s'=4);
  [] s=2 -> 0.5 : (s'=5) + 0.5 : (s'=6);
  [] s=3 -> 0.5 : (s'=1) + 0.5 : (s'=7) & (d'=1);
  [] s=4 -> 0.5 : (s'=7) & (d'=2) + 0.5 : (s'=7) & (d'=3);
  [] s=5 -> 0.5 : (s'=7) & (d'=4) + 0.5 : (s'=7) & (d'=5);
  [] s=6 -> 0.5 : (s'=2) + 0.5 : (s'=7) & (d'=6);
  [] s=7 -> (s'=7);
endmodule
rewards "flips" [] s<7 : 1; endrewards
rewards "place" true : s; endrewards
label "done" = s=7;
"""

WALK = """mdp
module walk
  x : [0..6] init 2; t : [0..3] init 0;
  [left] x>0 & x<6 & t<3 -> 0.6 : (x'=x-1) + 0.4 : (x'=x+1) & (t'=min(3,t+1));
  [right] x>0 & x<6 -> 0.3 : (x'=x-1) & (t'=0) + 0.7 : (x'=x+1);
  [stay] x>0 & x<6 & t>0 -> 0.9 : (t'=t-1) + 0.1 : true;
  [] x=0 | x=6 -> true;
endmodule
rewards "steps" x>0 & x<6 : 1; endrewards
rewards "moves" [right] true : 2; [left] true : 1; endrewards
label "low" = x=0; label "high" = x=6;
"""

RING = """mdp
module queue
  n : [0..3] init 0; busy : [0..1] init 0;
  [arrive] n<3 -> 0.4 : (n'=n+1) + 0.6 : true;
  [serve] n>0 & busy=0 -> 0.8 : (busy'=1) + 0.2 : true;
  [done] busy=1 -> 0.5 : (busy'=0) & (n'=max(0,n-1)) + 0.5 : true;
endmodule
rewards "waiting" true : n; endrewards
rewards "work" [serve] true : 1; endrewards
"""


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    return {
        name: Storm(text, tmp_path_factory.mktemp(name))
        for name, text in (("die", DIE), ("walk", WALK), ("ring", RING))
    }


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("die", "P=? [ F s=7 & d=2 ]"),
        ("die", 'P=? [ F<=3 "done" ]'),
        ("die", "P=? [ X s=1 ]"),
        ("die", "P=? [ G !(d=3) ]"),
        ("die", "P=? [ F[2,4] s=3 ]"),
        ("die", "P=? [ s<5 U[1,3] s=7 ]"),
        ("die", "P=? [ s<5 U s=7 & d<4 ]"),
        ("die", 'R{"flips"}=? [ F "done" ]'),
        ("die", 'R{"flips"}=? [ C<=3 ]'),
        ("die", 'R{"flips"}=? [ C ]'),
        ("die", 'R{"place"}=? [ I=2 ]'),
        ("die", 'R{"place"}=? [ S ]'),
        ("die", 'R{"place"}=? [ F d=2 ]'),
        ("die", "S=? [ d=2 ]"),
        ("die", "P>=0.5 [ F P>=1 [ F d=2 ] ]"),
        ("die", "P>=1/6 [ F P>=1 [ F d=2 ] ]"),
        ("die", "P=? [ F d=2 || F d>1 ]"),
        ("die", "P=? [ F d=2 || F s=4 ]"),
        ("walk", 'Pmax=? [ F "high" ]'),
        ("walk", 'Pmin=? [ F "high" ]'),
        ("walk", 'P>=0.1 [ F "high" ]'),
        ("walk", 'P<0.8 [ F "high" ]'),
        ("walk", 'Pmax=? [ F<=6 "high" ]'),
        ("walk", 'Pmin=? [ F<=6 "low" ]'),
        ("walk", "Pmax=? [ x>1 U x=5 ]"),
        ("walk", "Pmin=? [ G x<5 ]"),
        ("walk", "Pmax=? [ G x<5 ]"),
        ("walk", 'R{"steps"}min=? [ F "low" | "high" ]'),
        ("walk", 'R{"moves"}max=? [ F "low" | "high" ]'),
        ("walk", 'R{"moves"}max=? [ F "high" ]'),
        ("walk", 'R{"moves"}max=? [ C<=4 ]'),
        ("walk", 'R{"steps"}min=? [ C<=4 ]'),
        ("walk", 'R{"steps"}max=? [ I=3 ]'),
        ("walk", 'R{"moves"}min=? [ C ]'),
        ("walk", 'R{"moves"}max=? [ C ]'),
        ("walk", 'Pmax=? [ F P>=0.5 [ F "high" ] ]'),
        ("walk", 'Pmin=? [ P>0.2 [ F<=6 "high" ] U "low" ]'),
        ("ring", "Pmin=? [ F<=8 n=3 ]"),
        ("ring", 'R{"work"}min=? [ F n=3 ]'),
        ("ring", 'R{"waiting"}max=? [ C<=5 ]'),
    ],
)
def test_fractions(models, name, text):
    model = models[name]
    theirs = model.check(text)
    exact, bounds = (check(model.process, text, exact=e).answer for e in (True, False))
    if isinstance(theirs, bool):
        assert exact is theirs
        assert bounds is theirs
    else:
        assert (exact.exact if exact.exact is not None else exact.value) == theirs
        assert bounds.lower <= theirs <= bounds.upper


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("die", 'P=? [ F{"flips"}<=4 "done" ]'),
        ("walk", 'Pmax=? [ F "high" || F x=1 ]'),
        ("walk", 'Pmin=? [ F "high" || F x=1 ]'),
        ("walk", 'Pmax=? [ F x=5 || F "low" ]'),
        ("walk", 'Pmin=? [ F x=5 || F "low" ]'),
        ("walk", 'Pmax=? [ F{"moves"}<=9 "high" ]'),
        ("walk", 'Pmin=? [ F{"moves"}<=9 "high" ]'),
        ("walk", 'Pmax=? [ F{"steps"}<=7 "high" ]'),
        ("walk", 'Pmin=? [ F{"steps"}<=7 "low" ]'),
        ("walk", "LRAmax=? [ x=6 ]"),
        ("ring", 'R{"waiting"}max=? [ LRA ]'),
        ("ring", 'R{"waiting"}min=? [ LRA ]'),
        ("ring", 'R{"work"}max=? [ LRA ]'),
        ("ring", "LRAmin=? [ n=3 ]"),
    ],
)
def test_bounds(models, name, text):
    """Where Storm has floating point only, for which we grant it 1e-5."""
    model = models[name]
    theirs = float(model.check(text, exact=False))
    found = check(model.process, text).answer
    assert found.lower - 1e-5 <= theirs <= found.upper + 1e-5
    assert found.upper - found.lower < 1e-7
