"""The writers: what stands in the files, and that a file is whole or not there."""

import errno
import io
import os
import re
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from exchange_cases import process_of_game, processes, quickly
from grind.round_trip import ODD
from hypothesis import given
from hypothesis import strategies as st

from oddsmith.errors import LimitError, MissingExtraError, OddsmithError
from oddsmith.model.amounts import Amounts, Rewards
from oddsmith.model.formats import FORMATS, write
from oddsmith.model.formats.identifiers import identifiers
from oddsmith.model.formats.ordered import in_order
from oddsmith.model.model import Model
from oddsmith.model.variables import Layout, Valuations, Variable
from oddsmith.runtime import whole_files as files

FILES = [f"model{form.suffixes[0]}" for form in FORMATS.values()]


def coin():
    """Toss until heads: two states, one choice each."""
    layout = Layout([Variable("heads", 0, 1, True)])
    return Model(
        kind="dtmc",
        choice=np.array([0, 1, 2]),
        row=np.array([0, 2, 3]),
        col=np.array([0, 1, 1], np.int32),
        chances=Amounts.of([Fraction(2, 3), Fraction(1, 3), 1]),
        initial=np.array([0]),
        names=Valuations(layout, layout.pack([np.array([0, 1])])),
        labels={
            "init": np.array([True, False]),
            "deadlock": np.array([False, False]),
            "done": np.array([False, True]),
        },
        rewards={"tosses": Rewards(choice=Amounts.of([1, 0]))},
        actions=("toss", ""),
        action=np.array([0, 1], np.int32),
        name="Coin",
    )


def text(path):
    return path.read_text()


def test_explicit(tmp_path):
    write(coin(), tmp_path / "coin.tra")
    assert text(tmp_path / "coin.tra") == (
        "2 3\n0 0 0.6666666666666666 toss\n0 1 0.3333333333333333 toss\n1 1 1\n"
    )
    assert text(tmp_path / "coin.lab") == '0="init" 1="deadlock" 2="done"\n0: 0\n1: 2\n'
    assert text(tmp_path / "coin.sta") == "(heads)\n0:(false)\n1:(true)\n"
    title = '# Reward structure "tosses"\n# Model "coin.tra"\n'
    assert text(tmp_path / "coin.srew") == f"{title}# State rewards\n2 0\n"
    assert text(tmp_path / "coin.trew") == (f"{title}# Transition rewards\n2 2\n0 0 1\n0 1 1\n")
    write(coin(), tmp_path / "coin.tra", fractions=True)
    assert "0 1 1/3 toss" in text(tmp_path / "coin.tra")


def test_drn(tmp_path):
    write(coin(), tmp_path / "coin.drn")
    assert text(tmp_path / "coin.drn").endswith(
        "@model\nstate 0 [0] init\n//[heads=false]\n\taction toss [1]\n\t\t0 : 2/3\n\t\t1 : 1/3\n"
        "state 1 [0] done\n//[heads=true]\n\taction __NOLABEL__ [0]\n\t\t1 : 1\n"
    )


def test_aut(tmp_path):
    write(coin(), tmp_path / "coin.aut")
    assert text(tmp_path / "coin.aut") == 'des (0,2,2)\n(0,"toss",0 2/3 1)\n(1,"tau",1)\n'


def test_dot(tmp_path):
    write(coin(), tmp_path / "coin.dot")
    drawn = text(tmp_path / "coin.dot")
    assert '0 -> 1 [label="toss 1/3"];' in drawn
    assert '1 [label="heads=true\\ndone"];' in drawn


def test_prism(tmp_path):
    write(coin(), tmp_path / "coin.prism")
    source = text(tmp_path / "coin.prism")
    assert "heads : bool init false;" in source
    assert "[toss] !heads -> 2/3:true + 1/3:(heads'=true);" in source
    assert 'label "done" = heads;' in source
    assert "  [toss] true : 1;" in source


def test_aut_is_what_mcrl2_reads(tmp_path_factory):
    """Each line as in liblts_aut.cpp: targets, between them chances; the last has what is left."""

    @quickly
    @given(processes(), st.sampled_from(ODD))
    def check(process, odd):
        path = tmp_path_factory.mktemp("aut") / "m.aut"
        process = replace(process, actions=(*process.actions[:-1], odd))
        write(process, path)
        process = in_order(process)
        header, *lines = text(path).splitlines()
        counts = re.fullmatch(r"des \((.*),(\d+),(\d+)\)", header)
        assert [int(x) for x in counts.groups()[1:]] == [process.choices, process.states]
        begin = counts[1].split()
        assert [int(x) for x in begin[::2]] == process.initial.tolist()
        shares = [Fraction(x) for x in begin[1::2]]
        assert [*shares, 1 - sum(shares)] == [Fraction(1, len(shares) + 1)] * (len(shares) + 1)
        names = {}
        for c, line in enumerate(lines):
            state, name, spread = re.fullmatch(r'\((\d+),"([^"]*)",(.*)\)', line).groups()
            assert int(state) == process.chooser[c]
            called = process.actions[process.action[c]]
            wanted = called or "tau"
            if called != odd:
                assert name == wanted
            assert re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name)
            assert names.setdefault(called, name) == name
            parts = spread.split()
            chances = [Fraction(x) for x in parts[1::2]]
            chances.append(1 - sum(chances))
            a, b = process.row[c], process.row[c + 1]
            assert [int(x) for x in parts[::2]] == process.col[a:b].tolist()
            assert chances == [process.chance.fraction(t) for t in range(a, b)]

    check()


def picture(drawn):
    """A small reader of dot: nodes with their labels, and arrows with theirs."""
    quoted = r'"((?:[^"\\]|\\.)*)"'
    lines = drawn.split("\n")
    assert re.fullmatch(rf"digraph {quoted} {{", lines[0])
    assert lines[1:2] + lines[-2:] == ["  node [shape=box, style=rounded];", "}", ""]
    nodes, arrows = {}, []
    for line in lines[2:-2]:
        arrow = re.fullmatch(rf"  (\w+) -> (\w+) \[(?:arrowhead=none, )?label={quoted}\];", line)
        node = re.fullmatch(rf"  (\w+) \[(?:shape=point, )?label={quoted}(.*)\];", line)
        if arrow:
            arrows.append((arrow[1], arrow[2], plain(arrow[3])))
        else:
            nodes[node[1]] = (plain(node[2]), node[3])
    return nodes, arrows


def plain(quoted):
    return re.sub(r"\\(.)", lambda x: "\n" if x[1] == "n" else x[1], quoted)


def test_dot_has_every_state_choice_and_chance(tmp_path_factory):
    @quickly
    @given(processes(), st.sampled_from(ODD))
    def check(process, odd):
        path = tmp_path_factory.mktemp("dot") / "m.dot"
        process = replace(process, actions=(*process.actions[:-1], odd), labels={
            **process.labels, odd: process.labels["init"]})  # fmt: skip
        write(process, path)
        nodes, arrows = picture(path.read_text(encoding="utf-8"))
        several = np.diff(process.choice) > 1
        for s in range(process.states):
            label, look = nodes[str(s)]
            shown = [n for n, there in process.labels.items() if there[s] and n != "init"]
            assert label == "\n".join([process.describe(s), *shown])
            assert ("peripheries=2" in look) == (s in process.initial)
        choices = [c for c in range(process.choices) if several[process.chooser[c]]]
        assert len(nodes) == process.states + len(choices)
        wanted = []
        for c in range(process.choices):
            name, s = process.actions[process.action[c]], str(process.chooser[c])
            source = f"c{c}" if c in choices else s
            if c in choices:
                wanted.append((s, source, name))
            for t in range(process.row[c], process.row[c + 1]):
                chance = str(process.chance.fraction(t))
                label = chance if c in choices else f"{name} {chance}".strip()
                wanted.append((source, str(process.col[t]), label))
        assert sorted(arrows) == sorted(wanted)

    check()


def test_umbi_reads_umb(tmp_path):
    """umbi's own decoder; not the variables, which umbi 0.2.5 cannot unpack with bitstring 5."""
    pytest.importorskip("umbi")
    import umbi.umb
    from umbi.umb.umb_to_tar import UmbDecoder

    process = in_order(process_of_game("pig", goal=8))
    write(process, tmp_path / "pig.umb")
    decoder = UmbDecoder(tmp_path / "pig.umb")
    found = umbi.umb.ExplicitUmb()
    decoder.read_index_file(found)
    decoder.read_state_files(found)
    decoder.read_transition_files(found)
    decoder.read_annotation_files(found)
    assert found.state_to_choices == process.choice.tolist()
    assert found.choice_to_branches == process.row.tolist()
    assert found.branch_to_target == process.col.tolist()
    assert found.branch_to_probability == [
        process.chance.fraction(t) for t in range(process.transitions)
    ]
    assert found.state_to_player == process.owner.tolist()
    assert found.choice_action_to_string == list(process.actions)
    assert found.annotations["aps"]["win1"]["states"] == process.labels["win1"].tolist()
    assert found.annotations["rewards"]["turns"]["choices"] == [
        process.rewards["turns"].choice.fraction(c) for c in range(process.choices)
    ]


def test_umb_without_umbi(tmp_path, monkeypatch):
    import sys

    for name in ("umbi", "umbi.umb", "umbi.umb.index"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtraError, match="oddsmith\\[exchange\\]"):
        write(coin(), tmp_path / "coin.umb")
    assert not list(tmp_path.iterdir())


def test_long_fractions(tmp_path):
    """Fractions beyond 64 bits keep every digit."""
    from oddsmith.model.formats import read

    third = Fraction(10**40 // 3, 10**40)
    process = replace(coin(), chances=Amounts.of([1 - third, third, 1]))
    for file in ("m.umb", "m.drn"):
        write(process, tmp_path / file)
        assert read(tmp_path / file).chance.fraction(1) == third


def test_floats_only(tmp_path):
    """A process whose fractions are not known is written in decimals, or its floats' fractions."""
    process = replace(coin(), chances=Amounts.of_floats(np.array([2 / 3, 1 / 3, 1.0])))
    for file in FILES:
        write(process, tmp_path / file)
    assert "1 : 0.3333333333333333" in text(tmp_path / "model.drn")
    assert "6004799503160661/9007199254740992" in text(tmp_path / "model.aut")


def test_targets_twice_are_added():
    twice = replace(
        coin(),
        row=np.array([0, 3, 4]),
        col=np.array([1, 0, 1, 1], np.int32),
        chances=Amounts.of([Fraction(1, 6), Fraction(1, 2), Fraction(1, 3), 1]),
    )
    found = in_order(twice)
    assert found.row.tolist() == [0, 2, 3]
    assert found.col.tolist() == [0, 1, 1]
    assert [found.chance.fraction(t) for t in range(3)] == [Fraction(1, 2), Fraction(1, 2), 1]


def test_names():
    names = ["turn", "max", "a b", "a_b", "positions[0]", "ä", "0", "__x", "endmodules"]
    legal = ["turn", "max_", "a_b_2", "a_b", "positions_0", "name", "_0", "x", "end_modules"]
    assert identifiers(names) == legal


def test_a_picture_of_thousands_is_refused(tmp_path):
    with pytest.raises(LimitError, match="4,414 states"):
        write(process_of_game("goose", players=2), tmp_path / "goose.dot")


# Whole files --------------------------------------------------------------------------------


@pytest.mark.parametrize("file", FILES)
def test_no_such_folder(tmp_path, file):
    with pytest.raises(OddsmithError, match=r"could not be written: no such file or directory\."):
        write(coin(), tmp_path / "nowhere" / file)


@pytest.mark.parametrize("file", FILES)
def test_a_full_disk_leaves_nothing(tmp_path, monkeypatch, file):
    class Full(io.FileIO):
        def write(self, data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    (tmp_path / file).write_text("what was there before")
    monkeypatch.setattr(files.os, "fdopen", lambda handle, mode: Full(handle, mode))
    with pytest.raises(OddsmithError, match="no space left on device"):
        write(coin(), tmp_path / file)
    assert [p.name for p in tmp_path.iterdir()] == [file]
    assert (tmp_path / file).read_text() == "what was there before"


def test_a_folder_in_the_way(tmp_path):
    (tmp_path / "model.drn").mkdir()
    with pytest.raises(OddsmithError, match="could not be written: is a directory"):
        write(coin(), tmp_path / "model.drn")
    assert [p.name for p in tmp_path.iterdir()] == ["model.drn"]
