"""Text to properties.

The grammar is in grammar.lark, which takes PRISM's expressions from the grammar of models; here
are the way in and the errors: each says where, shows the line with a caret, and names the likely
remedy.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import cast

from oddsmith.errors import OddsmithError
from oddsmith.properties.build import Builder
from oddsmith.properties.lex import PropertyLexer
from oddsmith.properties.syntax import Property, PropertyFile
from oddsmith.rules.prism.lalr import Parser, Unexpected
from oddsmith.rules.prism.source import Source
from oddsmith.rules.prism.tables import END, tables

_INSTEAD = {
    "&&": "write & for and",
    "||": "write | for or",
    "==": "write = for equality",
    "'": "labels stand in double quotation marks",
    "and": "write & for and",
    "or": "write | for or",
    "not": "write ! for not",
    "AND": "write & for and",
    "OR": "write | for or",
    "NOT": "write ! for not",
}
_WORDS = re.compile(r"\w+|&&|\|\||==|<<|>>|\[\[|\]\]|[<>!]=|.", re.DOTALL)


def parse_properties(text: str, source: str = "the properties") -> PropertyFile:
    """A property file.

    >>> file = parse_properties('const int k; "soon": P>=0.9 [ F<=k "done" ]; R=? [ F "done" ]')
    >>> [p.name or p.text for p in file.properties]
    ['soon', 'R=? [ F "done" ]']
    """
    origin = Source(text, source)
    made = tables("properties/grammar")
    lex = PropertyLexer(made).lex
    try:
        Parser(made, None, lex).parse(text)  # all of it can be read; only then what it says
        file = Parser(made, Builder(origin), lex, spans=True).parse(text)
    except Unexpected as error:
        raise _explained(error, origin) from None
    except RecursionError:
        raise too_deep(origin) from None
    return cast(PropertyFile, file)


def with_definitions(text: str, definitions: str) -> PropertyFile:
    """A property that may use what the text of a property file defines.

    >>> with_definitions('P=? [ F "end" ]', 'label "end" = x=3;').properties[0].text
    'P=? [ F "end" ]'
    """
    own = parse_properties(text, "the property")
    return joined(parse_properties(definitions, "the property file"), own) if definitions else own


def only_property(file: PropertyFile) -> Property:
    """The property of a file that has one."""
    count = len(file.properties)
    if count != 1:
        at = file.properties[1].at if count else 0
        origin = Source(file.text, file.source)
        raise origin.error(f"One property was expected, not {count or 'none'}.", at)
    return file.properties[0]


def joined(file: PropertyFile, own: PropertyFile) -> PropertyFile:
    """A text that may use what a file defines."""
    return replace(
        own,
        properties=own.properties + tuple(p for p in file.properties if p.name),
        constants=file.constants + own.constants,
        labels=file.labels + own.labels,
        formulas=file.formulas + own.formulas,
    )


def too_deep(origin: Source) -> OddsmithError:
    """What to say where a property is nested too deeply for Python."""
    return origin.error(
        "Parentheses or operators are nested too deeply here; "
        "give parts names with `formula` or `label`.",
        0,
    )


def _explained(error: Unexpected, origin: Source) -> OddsmithError:
    text, at = origin.text, error.at
    if error.token is not None and error.token.type == END:
        return origin.error(f"The text ends too early{_missing(error)}.", len(text.rstrip()))
    if text[at - 1 : at + 1] in _INSTEAD:
        at -= 1
    found = _WORDS.match(text, at)
    word = found.group() if found else ""
    if word == '"' and error.token is None:
        return origin.error("The quotation mark that opens here is not closed.", at)
    before = re.search(r"\b([XFG])\s*$", text[:at])
    if before and re.match(r"\w|\(|\"|!", word):
        message = f"Put {before[1]} and what follows it in parentheses: it binds less than & and |."
        return origin.error(message, before.start())
    if word in _INSTEAD:
        return origin.error(f"{word} has no meaning here: {_INSTEAD[word]}.", at)
    return origin.error(f"{word} is not expected here{_missing(error)}.", at)


def _missing(error: Unexpected) -> str:
    """What would be right instead, where that is short to say."""
    for token, advice in (
        ("NAME", ""),
        ("QUERY", "; a question is =? and a bound is >=, >, <= or <"),
        ("LSQB", "; a path formula stands in brackets, as in P=? [ F x=3 ]"),
        ("RSQB", "; a closing bracket ] is missing"),
        ("RPAR", "; a closing parenthesis ) is missing"),
        ("RBRACE", "; a closing brace } is missing"),
        ("SEMICOLON", "; a semicolon is missing before it"),
    ):
        if token in error.accepts:
            return advice
    if {"EQUAL", "LESS_EQUAL"} <= error.accepts:
        return "; P, R and S are followed by =? or by a bound such as >=0.5"
    return ""
