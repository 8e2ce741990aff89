"""Storm reads what we write: the same states, chances, labels, rewards and values."""

from fractions import Fraction

import pytest

pytest.importorskip("stormpy")

import stormpy
from exchange_cases import (
    GAMES,
    GOOSE_PLAYER_1,
    fractions_of,
    our_rows,
    process_of_game,
    processes,
    quickly,
    storm_rows,
    storm_states,
    storm_value,
)
from hypothesis import given

from oddsmith import odds
from oddsmith.games import game
from oddsmith.model.formats import write
from oddsmith.model.formats.ordered import in_order
from oddsmith.model.formats.prism_source import to_prism


def from_drn(path):
    options = stormpy.developer.DirectEncodingParserOptions()
    return stormpy.build_model_from_drn[stormpy.Rational](str(path), options=options)


def from_umb(path):
    return stormpy.build_model_from_umb(str(path))


def from_source(text, folder):
    path = folder / "model.prism"
    path.write_text(text)
    program = stormpy.parse_prism_program(str(path))
    options = stormpy.BuilderOptions(build_full=True)
    return stormpy.build_model[stormpy.Rational](program, options=options)


READERS = {"model.drn": from_drn, "model.umb": from_umb}


def check_labels(process, model, skip=()):
    for name, there in process.labels.items():
        if name in skip or not (there.any() or model.labeling.contains_label(name)):
            continue
        assert set(model.labeling.get_states(name)) == set(there.nonzero()[0]), name


def check_rewards(process, model):
    for name, earned in process.rewards.items():
        if name not in model.reward_models:
            assert not any(fractions_of(earned.state, process.states))
            assert not any(fractions_of(earned.choice, process.choices))
            continue
        found = model.reward_models[name]
        ours = fractions_of(earned.state, process.states)
        theirs = found.state_rewards if found.has_state_rewards else [0] * process.states
        assert ours == [Fraction(str(x)) for x in theirs]
        ours = fractions_of(earned.choice, process.choices)
        theirs = [0] * process.choices
        if found.has_state_action_rewards:
            theirs = found.state_action_rewards
        assert ours == [Fraction(str(x)) for x in theirs]


@pytest.mark.parametrize("file", READERS)
@pytest.mark.parametrize(("name", "rules"), GAMES)
def test_games(tmp_path, name, rules, file):
    process = process_of_game(name, **rules)
    write(process, tmp_path / file)
    model = READERS[file](tmp_path / file)
    assert (model.nr_states, model.nr_transitions) == (process.states, process.transitions)
    assert storm_rows(model) == our_rows(process)
    check_labels(process, model)
    check_rewards(process, model)


@pytest.mark.parametrize("file", READERS)
def test_processes_at_random(tmp_path_factory, file):
    @quickly
    @given(processes())
    def check(process):
        path = tmp_path_factory.mktemp("storm") / file
        write(process, path)
        model = READERS[file](path)
        assert storm_rows(model) == our_rows(process)
        check_labels(process, model)
        check_rewards(process, model)

    check()


@pytest.mark.parametrize("file", ["model.drn", "model.prism"])
def test_goose(tmp_path, file):
    """The chance of player 1 in the paper (UMB is read exactly: slow to solve, compared above)."""
    process = process_of_game("goose", players=2)
    write(process, tmp_path / file)
    if file == "model.prism":
        model = stormpy.build_model(stormpy.parse_prism_program(str(tmp_path / file)))
    else:
        model = stormpy.build_model_from_drn(str(tmp_path / file))
    assert model.nr_states == 4414
    assert storm_value(model, 'P=? [F "win1"]') == pytest.approx(GOOSE_PLAYER_1, abs=1e-11)


@pytest.mark.parametrize(
    ("name", "rules"), [("left-center-right", {}), ("chutes-and-ladders", {"players": 2})]
)
def test_odds_and_lengths(tmp_path, name, rules):
    """Storm, from our source, agrees with our own solvers."""
    process = process_of_game(name, **rules)
    write(process, tmp_path / "model.prism")
    model = stormpy.build_model(stormpy.parse_prism_program(str(tmp_path / "model.prism")))
    assert (model.nr_states, model.nr_transitions) == (process.states, process.transitions)
    ours = odds(game(name, **rules))
    found = storm_value(model, 'P=? [F "win1"]')
    assert found == pytest.approx(float(ours.win[0].value), abs=1e-10)


@pytest.mark.parametrize("file", ["model.drn", "model.prism"])
def test_best_play(tmp_path, file):
    """First Orchard, one player: Storm's best chance is the one that our own solver finds."""
    process = process_of_game("first-orchard")
    assert process.kind == "mdp"
    write(process, tmp_path / file)
    if file == "model.drn":
        model = stormpy.build_model_from_drn(str(tmp_path / file))
    else:
        model = stormpy.build_model(stormpy.parse_prism_program(str(tmp_path / file)))
    assert (model.nr_states, model.nr_choices) == (process.states, process.choices)
    ours = float(odds(game("first-orchard")).win[0].value)
    assert storm_value(model, 'Pmax=? [F "win1"]') == pytest.approx(ours, abs=1e-9)


def test_scores(tmp_path):
    """Fast Pig, where a turn's score is all that counts: what is earned on entering an end."""
    process = process_of_game("fast-pig")
    write(process, tmp_path / "model.umb")
    model = from_umb(tmp_path / "model.umb")
    found = storm_value(model, 'R{"score1"}max=? [F "over"]')
    assert found == pytest.approx(float(odds(game("fast-pig")).score[0].value), abs=1e-9)


def test_a_game_is_a_game_in_umb(tmp_path):
    """Storm takes pig as a game of two players (this Storm does not solve such games)."""
    process = process_of_game("pig", goal=8)
    write(process, tmp_path / "pig.umb")
    model = from_umb(tmp_path / "pig.umb")
    assert str(model.model_type).endswith("SMG")
    assert storm_rows(model) == our_rows(process)


def test_explicit_files_are_sound(tmp_path):
    """Storm's own explicit format has other headers; the lines are the same."""
    process = process_of_game("goose", players=2)
    write(process, tmp_path / "goose.tra")
    lines = (tmp_path / "goose.tra").read_text().splitlines()
    moved = [" ".join(line.split()[:3]) for line in lines[1:]]
    (tmp_path / "storm.tra").write_text("\n".join(["dtmc", *moved, ""]))
    names, *labelled = (tmp_path / "goose.lab").read_text().splitlines()
    names = [part.split('"')[1] for part in names.split()]
    rows = ["#DECLARATION", " ".join(names), "#END"]
    for line in labelled:
        state, numbers = line.split(":")
        rows.append(" ".join([state, *(names[int(i)] for i in numbers.split())]))
    (tmp_path / "storm.lab").write_text("\n".join([*rows, ""]))
    model = stormpy.build_model_from_explicit(
        str(tmp_path / "storm.tra"), str(tmp_path / "storm.lab")
    )
    assert (model.nr_states, model.nr_transitions) == (4414, process.transitions)
    assert storm_value(model, 'P=? [F "win1"]') == pytest.approx(GOOSE_PLAYER_1, abs=1e-11)


# PRISM source -------------------------------------------------------------------------------


def reached(process):
    found, rest = set(process.initial.tolist()), process.initial.tolist()
    while rest:
        state = rest.pop()
        first, last = process.state_row[state], process.state_row[state + 1]
        for target in process.col[first:last].tolist():
            if target not in found:
                found.add(target)
                rest.append(target)
    return found


def check_source(process, folder):
    """Every reached state has the same choices in Storm's model, by its variables."""
    process = in_order(process)
    model = from_source(to_prism(process), folder)
    ours = storm_states(model, process, reached(process))
    assert len(ours) == model.nr_states
    rows, found = our_rows(process), storm_rows(model)
    begins = None
    if process.kind != "dtmc":
        matrix = model.transition_matrix
        begins = [matrix.get_row_group_start(s) for s in range(model.nr_states)]
        begins.append(matrix.nr_rows)
    for state, other in ours.items():
        a, b = process.choice[state], process.choice[state + 1]
        wanted = sorted(sorted((ours[t], p) for t, p in rows[c]) for c in range(a, b))
        span = (
            range(other, other + 1) if begins is None else range(begins[other], begins[other + 1])
        )
        assert wanted == sorted(sorted(found[c]) for c in span)
    for name, there in process.labels.items():
        if name != "deadlock":
            shown = {ours[s] for s in there.nonzero()[0].tolist() if s in ours}
            assert set(model.labeling.get_states(name)) == shown, name
    for name, earned in process.rewards.items():
        check_source_rewards(process, earned, model.reward_models[name], ours, begins)


def check_source_rewards(process, earned, found, ours, begins):
    state = fractions_of(earned.state, process.states)
    choice = fractions_of(earned.choice, process.choices)
    by_state = list(found.state_rewards) if found.has_state_rewards else None
    by_choice = list(found.state_action_rewards) if found.has_state_action_rewards else None
    for s, other in ours.items():
        given = Fraction(str(by_state[other])) if by_state else 0
        a, b = process.choice[s], process.choice[s + 1]
        first, last = (other, other + 1) if begins is None else begins[other : other + 2]
        taken = [0] * (last - first)
        if by_choice:
            taken = [Fraction(str(x)) for x in by_choice[first:last]]
        if begins is None:  # Storm may add what the one choice earns to the state
            assert given + taken[0] == state[s] + choice[a]
        else:
            assert given == state[s]
            assert sorted(taken) == sorted(choice[a:b])


@pytest.mark.parametrize(("name", "rules"), GAMES)
def test_source_of_games(tmp_path, name, rules):
    check_source(process_of_game(name, **rules), tmp_path)


def test_source_at_random(tmp_path_factory):
    @quickly
    @given(processes(distinct=True))
    def check(process):
        check_source(process, tmp_path_factory.mktemp("source"))

    check()


def test_source_without_telling_variables(tmp_path_factory):
    """States with equal variables are told apart by one more."""

    @quickly
    @given(processes(kinds=("dtmc", "mdp")))
    def check(process):
        model = from_source(to_prism(process), tmp_path_factory.mktemp("copies"))
        assert model.nr_states == len(reached(process))

    check()


def test_goose_is_short():
    """A command a state would be 4,414 of them."""
    assert to_prism(process_of_game("goose", players=2)).count("->") < 1_000
