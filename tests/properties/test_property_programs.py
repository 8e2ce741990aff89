"""From a PRISM model's text to the answers of its properties."""

from fractions import Fraction

import pytest

from oddsmith.errors import OddsmithError
from oddsmith.model.prism.explore import explore
from oddsmith.properties.check import check, check_file
from oddsmith.rules.prism import parse_program

QUEUE = """
mdp
const int N;
const double p = 1/4;
formula full = n = N;
formula free = N - n;
module door
  n : [0..N] init 1;
  open : bool init true;
  [enter] open & !full -> p : (n'=n+1) + 1-p : true;
  [leave] open & n>0 -> 1/2 : (n'=n-1) + 1/2 : true;
  [shut] open -> (open'=false);
  [] !open -> true;
endmodule
rewards "free" open : free; endrewards
label "full" = full;
"""


@pytest.fixture(scope="module")
def queue():
    program = parse_program(QUEUE, "queue.prism", {"N": 3})
    return program, explore(program)


def ask(queue, text, **options):
    program, process = queue
    return check(
        process, text, constants=program.constants, formulas=program.formulas, **options
    ).answer


def test_names_of_the_model(queue):
    assert ask(queue, "Pmax=? [ F full ]", exact=True).exact == 1
    assert ask(queue, 'Pmax=? [ F<=2 "full" ]', exact=True).exact == Fraction(1, 16)
    assert ask(queue, "Pmax=? [ F<=(N-1) full & open ]", exact=True).exact == Fraction(1, 16)
    assert ask(queue, "Pmin=? [ F !open ]", exact=True).exact == 0
    assert ask(queue, "filter(max, free, open)").exact == 3
    assert ask(queue, 'R{"free"}max=? [ C<=1 ]', exact=True).exact == 2
    assert ask(queue, "P>=p [ X n=1 ]") is True
    assert ask(queue, "free = 2 & open & !full") is True


def test_constants_of_both(queue):
    program, process = queue
    text = "const int k; const double q = p/4; Pmax>=q [ F<=k full ]; Pmax>q [ F<=k full ]"
    options = {"constants": program.constants, "formulas": program.formulas, "given": {"k": 2}}
    assert [one.answer for one in check_file(process, text, **options)] == [True, False]
    with pytest.raises(OddsmithError, match="N is defined already"):
        check_file(process, "const int N = 2; n=N", **options)
    with pytest.raises(OddsmithError, match="Did you mean full"):
        ask(queue, "Pmax=? [ F fulll ]")
