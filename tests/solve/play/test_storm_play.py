"""Storm as a second witness: optimal play alone, and the best response in Pig, as PRISM mdps."""

from fractions import Fraction

import pytest
from benchmarks.peers.pig_prism import pig_prism
from benchmarks.peers.storm import run
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from play_tables import tabled

from oddsmith import best_response, explore, game, optimal
from oddsmith.policies.policy import Rule
from oddsmith.solve.play.optimal import solve
from oddsmith.solve.play.problem import game_problem

stormpy = pytest.importorskip("stormpy", minversion="2")

INTERPRETED = {"engine": "interpreted"}

seldom = settings(
    max_examples=25,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)


def prism(tables, fixed=None, base=0):
    """The tables as a PRISM mdp; `fixed` are moves that somebody else makes.

    Its rewards are the first player's scores, and `base` more, so that none is negative.
    """
    last = max([*tables.moves, *tables.ends])
    lines = ["mdp", "module tables", f"s : [0..{last + 1}] init 0;"]
    for s, named in tables.moves.items():
        for name in named if fixed is None or s not in fixed else [fixed[s]]:
            row, total = named[name], sum(named[name].values())
            updates = [f"{w}/{total} : (s'={t})" for t, w in row.items()]
            lines.append(f"[{name}] s={s} -> {' + '.join(updates)};")
    lines += [f"[] s={s} -> (s'={last + 1});" for s in tables.ends]
    lines += [f"[] s={last + 1} -> true;", "endmodule"]
    won = [f"s={s}" for s in tables.ends if tables.worth(s)[0] == 1]
    lines.append(f'label "won" = {" | ".join(won) or "false"};')
    lines.append(f'label "over" = s={last + 1};')
    if tables.scores is not None:
        scores = [f"s={s} : {int(tables.worth(s)[0]) + base};" for s in tables.ends]
        lines += ["rewards", *scores, "endrewards"]
    return "\n".join(lines)


def storm_exact(source, text, folder):
    path = folder / "tables.prism"
    path.write_text(source)
    program = stormpy.parse_prism_program(str(path))
    (asked,) = stormpy.parse_properties(text, program)
    model = stormpy.build_model[stormpy.Rational](program, [asked])
    (start,) = model.initial_states
    return Fraction(str(stormpy.model_checking(model, asked)[start].value))


def interval(found):
    start = found.problem.model.start
    x = Fraction(float(found.x[start, 0]))
    return x - Fraction(float(found.lower[start, 0])), x + Fraction(float(found.upper[start, 0]))


@seldom
@given(tables=tabled(players=1, most=12, profiles=10**6))
def test_the_chance_to_win_alone(tables, tmp_path):
    truth = storm_exact(prism(tables), 'Pmax=? [F "won"]', tmp_path)
    low, high = interval(solve(game_problem(explore(tables.game, **INTERPRETED))))
    assert low <= truth <= high
    assert high - low < 1e-9
    assert optimal(tables.game, method="exact", **INTERPRETED).exact[0] == (truth,)


@seldom
@given(tables=tabled(players=1, most=12, profiles=10**6, scored=True, ending=True))
def test_the_expected_score_alone(tables, tmp_path):
    truth = storm_exact(prism(tables, base=3), 'Rmax=? [F "over"]', tmp_path) - 3
    low, high = interval(solve(game_problem(explore(tables.game, **INTERPRETED))))
    assert low <= truth <= high
    assert high - low < 1e-8
    assert optimal(tables.game, method="exact", **INTERPRETED).exact[0] == (truth,)


@seldom
@given(tables=tabled(players=2, most=10, profiles=10**6, ending=True), data=st.data())
def test_the_best_response(tables, data, tmp_path):
    """Where nothing is shared and everything ends, it is the most likely win."""
    ends = {s: 0 if tables.worth(s)[0] == 1 else 1 for s in tables.ends}
    tables = type(tables)(tables.moves, ends, tables.owner, players=2)
    fixed = {
        s: data.draw(st.sampled_from(sorted(named)), label=f"move in {s}")
        for s, named in tables.moves.items()
        if tables.owner[s] == 1
    }
    truth = storm_exact(prism(tables, fixed), 'Pmax=? [F "won"]', tmp_path)
    against = Rule(lambda game, s: fixed[s.at])
    found = best_response(tables.game, against, method="certified", **INTERPRETED)
    low, high = interval(found.solution)
    assert low <= truth <= high
    assert high - low < 1e-9
    best = best_response(tables.game, against, method="exact", **INTERPRETED)
    assert best.exact[0] == (truth,)


@pytest.mark.parametrize(("goal", "hold_at"), [(12, 5), (20, 8)])
def test_the_best_response_in_pig(goal, hold_at):
    found = run(pig_prism(goal, hold_at=hold_at), ['Pmax=? [F "win1"]'], 1e-10, sound=True)
    (low, high), (value,) = found["bounds"][0], found["values"]
    mine = interval(best_response(game("pig", goal=goal), f"hold-at-{hold_at}").solution)
    assert low - 1e-12 <= mine[1]
    assert mine[0] <= high + 1e-12
    assert float(mine[0]) == pytest.approx(value, abs=1e-9)


def test_somebody_who_throws_the_game_in_pig():
    """With one maximiser for both, Pig is lost by whoever wants to: Pmax is 1, by holding at 0."""
    found = run(pig_prism(8), ['Pmax=? [F "win1"]'], 1e-10, sound=True)
    assert found["values"][0] == pytest.approx(1, abs=1e-9)
    never = Rule(lambda game, s: "hold" if s.turn else "roll", "never-rolls")
    best = best_response(game("pig", goal=8), never, method="exact")
    assert best.exact[best.model.start] == (1,)
