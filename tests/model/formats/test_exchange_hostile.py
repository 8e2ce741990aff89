"""Files that are wrong, by accident or on purpose: one sentence, with the line."""

import io
import json
import tarfile

import pytest
from exchange_cases import process_of_game, quickly
from hypothesis import given
from hypothesis import strategies as st

from oddsmith.errors import OddsmithError
from oddsmith.model.formats import read, write
from oddsmith.model.model import Model

TRA = "2 3\n0 0 0.5\n0 1 0.5\n1 1 1\n"
DRN = "@type: DTMC\n@nr_states\n{}\n@model\n{}"
ONE = "state 0 init\n\taction 0\n\t\t0 : 1\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", ":1: the first line must be two counts"),
        ("2\n", ":1: the first line must be two counts"),
        ("2 x\n", ":1: 'x' is not a count"),
        ("0 0\n", ":1: a model has at least one state"),
        ("999999999999 1\n0 0 1\n", ":1: 999,999,999,999 states are announced"),
        ("2000000000 1\n0 0 1\n", ":1: 2,000,000,000 states are announced"),
        ("1 99999999\n0 0 1\n", ":1: 99,999,999 transitions are announced"),
        ("1 2\n0 0 1\n", ":1: 2 transitions announced, 1 found"),
        ("1 1\n-1 0 1\n", ":2: '-1' is not a state"),
        ("1 1\n0 1 1\n", ":2: state 1 is too large: the largest is 0"),
        ("1 1\n0 0\n", ":2: 3 or 4 entries are expected, not 2"),
        ("1 1\n0 0 nan\n", ":2: 'nan' is not a number"),
        ("1 1\n0 0 1e999999999\n", ":2: '1e999999999' is not a number"),
        ("1 1\n0 0 1/0\n", ":2: '1/0' is not a number"),
        ("1 1\n0 0 -1\n", ":2: -1 in state 0 is not a chance"),
        ("1 1\n0 0 0\n", ":2: 0 in state 0 is not a chance"),
        ("1 1\n0 0 0.9\n", ":2: the chances of a choice in state 0 sum to 0.9, not to 1"),
        ("2 2\n0 0 1\n0 0 1\n", "2 transitions are announced|twice"),
        ("1 1 1\n0 1 0 1\n", ":2: choice 1 of state 0 has no choice before it"),
        ("1 5 1\n0 0 0 1\n", ":1: 5 choices announced, 1 found"),
        ("2 2\n0 0 0.5 a\n0 1 0.5 b\n", ":3: another line of this choice has another action"),
        ("1 1\n0 0 1\n\xff\xfe".encode("latin-1"), ":3: this is not text"),
        (b"\0\1\2\3" * 100, ":1: this is not text"),
        (b"7" * 3_000_000, "too long"),
        ("1 1\n0 ² 1\n", ":2: '²' is not a state"),
    ],
)
def test_transitions(tmp_path, content, message):
    path = tmp_path / "m.tra"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(OddsmithError, match=message) as caught:
        read(path)
    assert str(caught.value).startswith(str(path))


@pytest.mark.parametrize(
    ("suffix", "content", "message"),
    [
        (".lab", "", "m.lab:1: the first line must be like"),
        (".lab", '0="init"\n5: 0\n', "m.lab:2: state 5 is too large"),
        (".lab", '0="init"\n0: 1\n', "m.lab:2: label 1 is too large"),
        (".lab", '0="init"\n0 0\n', "m.lab:2: a state, a colon"),
        (".lab", '0="init" 0="x"\n', "m.lab:1: label 0='x' is out of order"),
        (".lab", '0="x"\n0: 0\n', 'no state has the label "init"'),
        (".sta", "x\n", "m.sta:1: the first line must be like"),
        (".sta", "(x)\n0:(1)\n", "m.sta:2: 2 states are expected, 1 found"),
        (".sta", "(x)\n1:(1)\n", "m.sta:2: state 0 of 2 is expected"),
        (".sta", "(x)\n0:(1,2)\n", "m.sta:2: 1 values are expected, not 2"),
        (".sta", "(x)\n0:(true)\n1:(3)\n", "m.sta:3: '3' is not a value of x"),
        (".sta", "(x,x)\n", "m.sta:1: a variable is there twice"),
        (".srew", "3 0\n", "m.srew:1: 3 states announced, the model has 2"),
        (".srew", "2 1\n0 a\n", "m.srew:2: 'a' is not a number"),
        (".srew", "2 2\n0 1\n", "m.srew: 2 rewards announced, 1 found"),
        (".trew", "2 1\n1 0 1\n", "m.trew:2: the model has no such transition from 1 to 0"),
        (".trew", "2 2 1\n", "m.trew:1: the counts are not those of the model"),
    ],
)
def test_files_beside_it(tmp_path, suffix, content, message):
    (tmp_path / "m.tra").write_text(TRA)
    (tmp_path / f"m{suffix}").write_text(content)
    with pytest.raises(OddsmithError, match=message):
        read(tmp_path / "m.tra")


def test_only_transitions(tmp_path):
    """State 0 begins, `s` is the variable, a state without transitions gets a loop."""
    (tmp_path / "m.tra").write_text("# a comment\n3 2\n0 1 1/3\n0 2 0.66667\n")
    process = read(tmp_path / "m.tra")
    assert process.initial.tolist() == [0]
    assert process.describe(2) == "s=2"
    assert process.labels["deadlock"].tolist() == [False, True, True]
    assert process.col.tolist() == [1, 2, 1, 2]
    assert len(process.notes) == 2


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", ":1: the file ends before @model"),
        ("hello\n", ":1: 'hello' belongs to nothing"),
        ("@type: CTMC\n", ":1: a model of type 'CTMC' is neither"),
        ("@type: DTMC\n@parameters\np q\n", ":3: models with parameters are not read"),
        ("@type: DTMC\n@model\n", ":2: @nr_states is missing"),
        ("@nr_states\n1\n@model\n", ":3: @type is missing"),
        ("@foo\n", ":1: '@foo' is not known"),
        (DRN.format(10**15, ONE), ":3: 1,000,000,000,000,000 states are announced"),
        (DRN.format(-3, ONE), ":3: '-3' is not a count"),
        (DRN.format(2, ONE), "2 states announced, 1 found"),
        (DRN.format(1, "state 1\n"), ":5: state 0 of 1 is expected"),
        (DRN.format(1, "\t\t0 : 1\n"), ":5: a transition before the first state"),
        (DRN.format(1, "\taction a\n"), ":5: an action before the first state"),
        (DRN.format(1, "state 0 init\n\taction a\n"), ":6: this action leads nowhere"),
        (DRN.format(1, "state 0 init\n\taction a\n\t\t1 : 1\n"), ":7: state 1 is too large"),
        (DRN.format(1, "state 0 init\n\taction a\n\t\t0 : x\n"), ":7: 'x' is not a number"),
        (DRN.format(1, "state 0 init\n\taction a\n\t\t0 : 0.5\n"), ":6: the chances of a choice"),
        (DRN.format(1, "state 0 [1 init\n"), ":5: ] is missing"),
        (DRN.format(1, ONE + "what\n"), ":8: 'what' is no state"),
        (DRN.format(1, ONE + "\taction b\n\t\t0 : 1\n"), ":8: a state of a DTMC has one action"),
        (DRN.format(1, ONE.replace(" init", "")), 'no state has the label "init"'),
    ],
)
def test_drn(tmp_path, content, message):
    (tmp_path / "m.drn").write_text(content)
    with pytest.raises(OddsmithError, match=message):
        read(tmp_path / "m.drn")


def test_drn_of_storm(tmp_path):
    """What Storm itself writes: ten digits, rewards, comments on variables, numbered actions."""
    (tmp_path / "m.drn").write_text(
        "// Exported by storm\n@type: MDP\n@value_type: double\n@parameters\n\n@reward_models\n"
        "zz len \n@nr_states\n2\n@nr_choices\n3\n@model\nstate 0 [0, 2.5] init\n//[!b\t& x=0]\n"
        "\taction 0 [0, 1]\n\t\t0 : 0.3333333333\n\t\t1 : 0.6666666667\n\taction 1 [0, 0]\n"
        "\t\t1 : 1\nstate 1 [0, 0] deadlock win\n//[\t& x=3]\n\taction 0 [0, 0]\n\t\t1 : 1\n"
    )
    process = read(tmp_path / "m.drn")
    assert process.kind == "mdp"
    assert process.rewards["len"].state.floats.tolist() == [2.5, 0]
    assert process.rewards["zz"].state is None
    assert process.labels["win"].tolist() == [False, True]
    assert process.describe(1) == "s=1"
    (note,) = process.notes  # ten threes and ten sixes are one exactly, and are no thirds
    assert "decimals such as 0.3333333333" in note


def pack(path, files):
    with tarfile.open(path, "w:gz") as tar:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))


def unpack(path):
    with tarfile.open(path) as tar:
        return {m.name: tar.extractfile(m).read() for m in tar}


@pytest.fixture
def archive(tmp_path):
    path = tmp_path / "m.umb"
    write(process_of_game("pig", goal=3), path)
    return path


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("index.json", None, "no index.json"),
        ("index.json", b"{", "index.json is not right"),
        ("index.json", b"[]", "index.json is not right"),
        ("index.json", b"\xff", "index.json is not right"),
        ("index.json", b"[" * 100_000, "index.json is (not right|nested too deeply)"),
        ("branch-to-target.bin", None, "branch-to-target.bin is missing"),
        ("branch-to-target.bin", b"\xff" * 8, "bytes, not"),
        ("state-to-choices.bin", b"", "bytes, not"),
        ("annotations/aps/over/states/values.bin", b"", "is missing or has the wrong length"),
    ],
)
def test_umb(archive, name, data, message):
    files = unpack(archive)
    if data is None:
        del files[name]
    else:
        files[name] = data
    pack(archive, files)
    with pytest.raises(OddsmithError, match=message):
        read(archive)


def test_umb_counts_are_checked(archive):
    files = unpack(archive)
    index = json.loads(files["index.json"])
    index["transition-system"]["#states"] = 2**40
    files["index.json"] = json.dumps(index).encode()
    pack(archive, files)
    with pytest.raises(OddsmithError, match="too large"):
        read(archive)


def test_umb_that_is_none(tmp_path):
    path = tmp_path / "m.umb"
    for data in (b"", b"hello", b"\x1f\x8b" + b"\0" * 100):
        path.write_bytes(data)
        with pytest.raises(OddsmithError, match="not a UMB file"):
            read(path)


@pytest.mark.parametrize("file", ["m.tra", "m.drn", "m.umb"])
def test_no_file(tmp_path, file):
    with pytest.raises(OddsmithError, match="could not be read: no such file"):
        read(tmp_path / file)
    (tmp_path / file).mkdir()
    with pytest.raises(OddsmithError, match="is a folder"):
        read(tmp_path / file)


def mutations(size):
    """Places and bytes: some bytes replaced, perhaps the end cut off."""
    places = st.lists(st.tuples(st.integers(0, size - 1), st.binary(max_size=6)), max_size=4)
    return st.tuples(places, st.integers(0, size))


def mutated(data, how):
    places, cut = how
    for at, new in places:
        data = data[:at] + new + data[at + 1 :]
    return data if cut % 3 else data[:cut]


@pytest.mark.parametrize(
    "file", ["m.tra", "m.lab", "m.sta", "m1.srew", "m1.trew", "m.drn", "index.json", "others"]
)
def test_damage(tmp_path, file):
    """Whatever bytes change, a process is read or a sentence is said."""
    process = process_of_game("pig", goal=3)
    write(process, tmp_path / "m.tra")
    write(process, tmp_path / "m.drn")
    write(process, tmp_path / "m.umb")
    packed = unpack(tmp_path / "m.umb")
    inside = file in ("index.json", "others")
    names = [n for n in packed if n != "index.json"] if file == "others" else [file]
    sound = packed if inside else {file: (tmp_path / file).read_bytes()}
    names = [n for n in names if sound[n]]

    @quickly
    @given(st.data())
    def check(data):
        name = data.draw(st.sampled_from(names))
        damaged = mutated(sound[name], data.draw(mutations(len(sound[name]))))
        if inside:
            pack(tmp_path / "m.umb", {**packed, name: damaged})
        else:
            (tmp_path / file).write_bytes(damaged)
        asked = "m.umb" if inside else "m.drn" if file == "m.drn" else "m.tra"
        said = ""
        try:
            assert isinstance(read(tmp_path / asked), Model)
        except OddsmithError as error:
            said = str(error)
        assert "\n" not in said

    check()
