"""Storm reads the same text and builds the same states, choices and chances."""

import json
from collections import Counter
from fractions import Fraction
from typing import Any

import pytest

from oddsmith.rules.prism import parse_program
from oddsmith.rules.prism.interpret import choices, initial_states
from oddsmith.rules.prism.program import Program

stormpy = pytest.importorskip("stormpy")

KNUTH_YAO = """dtmc
module die
  s : [0..7] init 0;
  d : [0..6] init 0;
  [] s=0 -> 0.5 : (s'=1) + 0.5 : (s'=2);
  [] s=1 -> 0.5 : (s'=3) + 0.5 : (s'=4);
  [] s=2 -> 0.5 : (s'=5) + 0.5 : (s'=6);
  [] s=3 -> 0.5 : (s'=1) + 0.5 : (s'=7) & (d'=1);
  [] s=4 -> 0.5 : (s'=7) & (d'=2) + 0.5 : (s'=7) & (d'=3);
  [] s=5 -> 0.5 : (s'=7) & (d'=4) + 0.5 : (s'=7) & (d'=5);
  [] s=6 -> 0.5 : (s'=2) + 0.5 : (s'=7) & (d'=6);
  [] s=7 -> (s'=7);
endmodule
"""

EXPRESSIONS = """dtmc
const int N = 6;
formula half = floor(x/2);
module M
  x : [0..N] init 1;
  y : [-3..3];
  b : bool init true;
  [] !b=false & x<N -> 1/3:(x'=min(N,x+half+1))&(b'=!b) + x/(3*N):(y'=-y) + 2/3-x/(3*N):true;
  [] b=(y<0 | mod(x,2)=1) -> (b'=(x>2) = b)&(y'=x>3?max(-3,y-1):min(3,y+1));
  [] !(x=0) => y=0 -> 0.25:(x'=pow(2,mod(x,3))) + 0.75:(x'=0)&(y'=ceil(y/2));
endmodule
"""

SYNCHRONISED = """mdp
const int K = 2;
const double p = 0.3;
global turn : [0..1] init 0;
formula busy = s1>0;
module P1
  s1 : [0..K] init 0;
  [go] !busy -> p:(s1'=1) + 1-p:(s1'=2);
  [go] s1=1 -> (s1'=0);
  [] s1=2 & turn=0 -> (s1'=0) & (turn'=1);
  [own1] s1=1 -> 0.5:(s1'=2) + 0.5:true;
endmodule
module P2 = P1 [ s1=s2, own1=own2, p=q ] endmodule
const double q = 0.6;
module Watch
  n : [0..3];
  [go] n<3 -> (n'=n+1);
  [] n=3 & turn=1 -> 0.1:(n'=0)&(turn'=0) + 0.9:(n'=1);
endmodule
"""

Choice = tuple[str, frozenset[tuple[tuple[int, ...], float]]]


def gather(outcomes: Any) -> frozenset[tuple[tuple[int, ...], float]]:
    total: Counter[tuple[int, ...]] = Counter()
    for chance, state in outcomes:
        total[state] += chance
    return frozenset((state, round(float(chance), 9)) for state, chance in total.items())


def ours(program: Program) -> dict[tuple[int, ...], Counter[Choice]]:
    """All reachable states with their choices; a chain takes its commands with equal chance."""
    found: dict[tuple[int, ...], Counter[Choice]] = {}
    waiting = initial_states(program)
    while waiting:
        state = waiting.pop()
        if state in found:
            continue
        options = choices(program, state)
        waiting += [after for option in options for _, after in option.outcomes]
        if program.kind == "dtmc" and options:
            share = Fraction(1, len(options))
            merged = [(share * p, after) for option in options for p, after in option.outcomes]
            found[state] = Counter([("", gather(merged))])
        else:
            chosen = [(option.action, gather(option.outcomes)) for option in options]
            found[state] = Counter(chosen or [("", gather([(1, state)]))])
    return found


def storms(text: str, program: Program, tmp_path: Any) -> dict[tuple[int, ...], Counter[Choice]]:
    path = tmp_path / "model.prism"
    path.write_text(text)
    options = stormpy.BuilderOptions(build_full=True)
    model = stormpy.build_model(stormpy.parse_prism_program(str(path)), options=options)
    names = [variable.name for variable in program.variables]
    valuations = [json.loads(str(model.state_valuations.to_json(s.id))) for s in model.states]
    states = [tuple(int(valuation[name]) for name in names) for valuation in valuations]
    found = {}
    for state in model.states:
        chosen: Counter[Choice] = Counter()
        for action in state.actions:
            row = model.transition_matrix.get_row_group_start(state.id) + action.id
            labels = model.choice_labeling.get_labels_of_choice(row) - {"__no_label__"}
            label = "" if program.kind == "dtmc" else "".join(labels)
            outcomes = [(entry.value, states[entry.column]) for entry in action.transitions]
            chosen[label, gather(outcomes)] += 1
        found[states[state.id]] = chosen
    return found


@pytest.mark.parametrize("text", [KNUTH_YAO, EXPRESSIONS, SYNCHRONISED])
def test_storm_agrees(text: str, tmp_path: Any) -> None:
    program = parse_program(text)
    found = ours(program)
    assert len(found) > 10
    assert found == storms(text, program, tmp_path)
