"""The kept tables are those of the grammars, and our parser reads by them what Lark reads."""

import json
import random
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from lark import Lark, Tree
from lark.exceptions import UnexpectedInput, UnexpectedToken

from oddsmith.properties.build import Builder
from oddsmith.properties.lex import PropertyLexer
from oddsmith.rules.prism import tables
from oddsmith.rules.prism.lalr import Parser, Unexpected
from oddsmith.rules.prism.lex import ModelLexer
from oddsmith.rules.prism.parse import ModelBuilder
from oddsmith.rules.prism.tables import END, GRAMMARS, SHARED, SOURCES

MODEL = """mdp const int N = 3; const c; formula f = min(N, 2) + 1; label "end" = x>=N & !b | f<0;
global b : bool init false;
module m  x : [0..N] init 0;  [a] x<N -> 1/2 : (x'=x+1) & (b'=true) + 1/2 : true;  [] x=N -> true;
endmodule
module n = m [ x=y, b=b ] endmodule
rewards "steps" [a] true : 1; x=2 : 0.5; endrewards
player one m, [a] endplayer init x=0 endinit
system (m |[a,c]| n) ||| m / {a} || n {a<-c, c<-a} endsystem"""

PROPERTIES = """const double p = 1/2; label "soon" = x<3; formula g = y+1;
"first": P>=p [ F<=3 ("soon" & squares[0]=1) ]; Pmax=? [ a U[1,2] b || X (G b) ]
R{"steps"}min=? [ C<=3 ] R=? [ F x=1 ] S=? [ x=1 ? y>0 : F ]
<<one, 2>> Rmax=? [ I=4 ]; filter(avg, P=? [ X a ], b); quantile(min k, P>=0.9 [ F<=k a ])
E [ F a ] A [ G b ] LRA=? [ !a => b <=> c ] multi(P>=1 [ F a ])"""

EXPRESSION = "formula e = func(min, x, z) * -floor(y / 2) >= (a ? 1e3 : .5) & !true;"


@cache
def larks(name: str) -> Lark:
    """Lark's own parser for a grammar."""
    return Lark(
        (SOURCES / f"{name}.lark").read_text(),
        parser="lalr",
        start=GRAMMARS[name],
        lexer="contextual" if name == "properties/grammar" else "basic",
        import_paths=[str((SOURCES / SHARED).parent)],
    )


class Nodes:
    """A builder for which all rules are alike: their names and their children."""

    def __getattr__(self, name: str) -> Any:
        if not name:
            raise AttributeError(name)
        return lambda children: (name, children)


def ours(name: str) -> Parser:
    """A parser that makes trees."""
    made = tables.tables(name)
    lexer = PropertyLexer if name == "properties/grammar" else ModelLexer
    return Parser(made, Nodes(), lexer(made).lex)


def plain(tree: Any) -> Any:
    """A tree of Lark's like ours."""
    if isinstance(tree, Tree):
        return str(tree.data).rpartition("__")[2], [plain(child) for child in tree.children]
    return (str(tree), tree.type, tree.start_pos, tree.end_pos) if tree is not None else None


def own(tree: Any) -> Any:
    """A tree of ours, with tokens as `plain` has them."""
    if isinstance(tree, tuple):
        return tree[0], [own(child) for child in tree[1]]
    return (str(tree), tree.type, tree.start_pos, tree.end_pos) if tree is not None else None


CASES = [
    ("rules/prism/grammar", MODEL),
    ("rules/prism/grammar", EXPRESSION),
    ("properties/grammar", PROPERTIES),
]


@pytest.mark.parametrize("name", GRAMMARS)
def test_tables_are_those_of_the_grammars(name: str) -> None:
    """Lark makes the same of the grammar as it is; if not: `make grammars`."""
    kept = json.loads((SOURCES / f"{name}.json").read_text())
    assert kept["digest"] == tables.digest_of(tables._sources(name))
    assert kept["tables"] == tables.made(name)


@pytest.mark.parametrize(("name", "text"), CASES)
def test_texts_become_the_trees_that_lark_makes(name: str, text: str) -> None:
    """Rules, their children, and tokens with their places, for texts that use most rules."""
    text = text.replace("squares[0]", "squares_0")  # the lexer's own: see below
    assert own(ours(name).parse(text)) == plain(larks(name).parse(text))


@pytest.mark.parametrize(("name", "text"), CASES)
def test_texts_are_refused_where_lark_refuses_them(name: str, text: str) -> None:
    """Texts with a word too many or too few, torn from their context or cut off."""
    words, rng = text.replace("squares[0]", "squares_0").split(" "), random.Random(1)
    refused = 0
    for _ in range(150):
        some = words[: rng.randrange(1, len(words))]
        some[rng.randrange(len(some))] = rng.choice(["", ")", "P", "F", "x", *words])
        text = " ".join(some)
        error: UnexpectedInput | None = None
        try:
            expected = plain(larks(name).parse(text))
        except UnexpectedInput as caught_by_lark:
            error, at = caught_by_lark, caught_by_lark.pos_in_stream
            if isinstance(error, UnexpectedToken) and error.token.type == END:
                at = len(text)
        if error is None:
            assert own(ours(name).parse(text)) == expected, text
            continue
        with pytest.raises(Unexpected) as caught:
            ours(name).parse(text)
        assert caught.value.at == at, text
        if isinstance(error, UnexpectedToken):  # Lark forgets an end without a reduction
            assert caught.value.accepts - {END} == error.accepts - {END}, text
        refused += 1
    assert refused > 50


@pytest.mark.parametrize(
    ("name", "builder"), [("rules/prism/grammar", ModelBuilder), ("properties/grammar", Builder)]
)
def test_builders_have_a_method_for_each_rule(name: str, builder: type) -> None:
    """Without one, the value of a rule would be a list."""
    for rule in tables.tables(name).rules:
        single = rule.collapse and rule.children in (None if rule.size == 1 else 0, [0], [1])
        assert single or not rule.method or hasattr(builder, rule.method), rule


def test_entries_of_a_games_state_are_names() -> None:
    """`squares[0]` is the variable squares_0, wherever a name stands."""
    tree = ours("properties/grammar").parse("squares[0][12]=1")
    assert own(tree)[1][0][1][0][1][0][1][0] == ("squares_0_12", "NAME", 0, 14)


def test_an_edited_grammar_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its tables are made anew, in memory."""
    for name in ("rules/prism", "properties"):
        (tmp_path / name).mkdir(parents=True)
        for path in (SOURCES / name).glob("*.[lj][as]*"):
            shutil.copy(path, tmp_path / name)
    grammar = tmp_path / "rules/prism/grammar.lark"
    grammar.write_text(grammar.read_text().replace('"endmodule"', '"endmodul"'))
    monkeypatch.setattr(tables, "SOURCES", tmp_path)
    monkeypatch.setattr("oddsmith.ahead.text.SOURCES", tmp_path)
    made = tables.tables.__wrapped__("rules/prism/grammar")
    assert "ENDMODUL" in made.terminals
    assert "ENDMODULE" in tables.tables("rules/prism/grammar").terminals


def test_lark_is_not_needed() -> None:
    """Nothing that runs imports Lark."""
    code = (
        "import sys; from oddsmith.rules.prism import parse_program;"
        "from oddsmith.properties.parse import parse_properties;"
        "parse_program('dtmc module m x:[0..1]; endmodule');"
        "parse_properties('P=? [ F x=1 ]'); print('lark' in sys.modules)"
    )
    made = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert made.stdout == "False\n"
