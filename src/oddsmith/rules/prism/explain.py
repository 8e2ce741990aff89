"""What is probably wrong where the parser stopped: sentences for people, not lists of tokens.

The parser says at which offset it could not go on and what it could have taken there. The words
around that place say more: a rule for each common mistake looks at them, the first that fits
speaks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from oddsmith.rules.prism.lalr import Unexpected
from oddsmith.rules.prism.source import did_you_mean

_WORD = re.compile(
    r"[ \t\r\n\f]+|//[^\n]*"
    r"|(?P<word>[^\W\d]\w*|(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
    r"|\"[^\"\n]*\"|<=>|->|=>|<=|>=|!=|==|&&|\|\[|\]\||\|\|\||\|\||\*\*|:=|\.\.|.)"
)
_FUNCTIONS = ("min", "max", "floor", "ceil", "round", "pow", "mod", "log")
KEYWORDS = (
    "bool", "const", "double", "dtmc", "endinit", "endmodule", "endplayer", "endrewards",
    "endsystem", "false", "formula", "func", "global", "init", "int", "label", "mdp", "module",
    "player", "prob", "rate", "rewards", "smg", "system", "true", *_FUNCTIONS,
)  # fmt: skip
UNSUPPORTED = {
    "invariant": "Invariants (invariant … endinvariant)",
    "observables": "Observables (observables … endobservables)",
    "observable": "Observables",
    "urgent": "Urgent commands",
    "clock": "Clocks (x : clock)",
    "ma": "Markov automata (ma)",
    "lts": "Models of type lts",
    "tsg": "Models of type tsg",
    "idtmc": "Models of type idtmc",
}
_KINDS = ("ma", "lts", "tsg", "idtmc")
_INSTEAD = {
    "==": "Equality is written with one =, not ==.",
    "&&": "And is written with one &, not &&.",
    "||": "Or is written with one |, not ||.",
    "**": "Powers are written pow(a, b).",
    "^": "Powers are written pow(a, b).",
    "%": "Remainders are written mod(a, b).",
    ":=": "Assignments are written (x'=1), equality is written x=1.",
    "and": "And is written &.",
    "or": "Or is written |.",
    "not": "Not is written !.",
}
_BLOCKS = {
    "module": "endmodule",
    "rewards": "endrewards",
    "system": "endsystem",
    "player": "endplayer",
    "init": "endinit",
}
_EXPECTED = {
    "_ARROW": "->",
    "COLON": ":",
    "SEMICOLON": ";",
    "RPAR": ")",
    "_DOTS": "..",
    "RSQB": "]",
    "LSQB": "[",
    "COMMA": ",",
    "QUOTED": "a name in quotation marks",
    "ASSIGN": "an update such as (x'=1)",
    "NAME": "a name",
}
"""What a sentence says is missing, in the order in which it is likely to be."""


@dataclass(frozen=True)
class Word:
    """A word or sign of the text, and where it begins."""

    text: str
    at: int

    @property
    def end(self) -> int:
        """The offset after it."""
        return self.at + len(self.text)

    @property
    def is_name(self) -> bool:
        """Whether it could be a name, or is a word of the language."""
        return self.text[:1].isalpha() or self.text[:1] == "_"


@dataclass(frozen=True)
class Place:
    """Where the parser stopped: the words around, and what it could have taken."""

    text: str
    before: list[Word]
    here: Word
    after: list[Word]
    expected: frozenset[str]

    @property
    def last(self) -> Word:
        """The word before."""
        return self.before[-1] if self.before else Word("", 0)

    @property
    def next(self) -> Word:
        """The word after."""
        return self.after[0] if self.after else Word("", self.here.end)

    @property
    def command(self) -> list[Word]:
        """The words since the last `;`."""
        for index in range(len(self.before) - 1, -1, -1):
            if self.before[index].text == ";":
                return self.before[index + 1 :]
        return self.before


Answer = tuple[str, int] | None


def words(text: str, begin: int = 0) -> Iterator[Word]:
    """All words and signs, without spaces and comments."""
    for match in _WORD.finditer(text, begin):
        if match["word"]:
            yield Word(match["word"], match.start())


def explain(text: str, error: Unexpected) -> tuple[str, int]:
    """A sentence on why the parser stopped, and the offset to show."""
    at = error.at
    before: list[Word] = []
    here = Word("", len(text.rstrip()))
    stream = words(text, _window(text, at))
    for word in stream:
        if word.end > at:
            here = word
            break
        before.append(word)
    place = Place(text, before, here, list(islice(stream, 3)), error.accepts)
    for rule in _RULES:
        answer = rule(place)
        if answer:
            return answer
    return _otherwise(place)


def _window(text: str, at: int) -> int:
    """The beginning of a line some way before: no rule needs to see more."""
    return text.rfind("\n", 0, max(0, at - 20_000)) + 1


def _instead(place: Place) -> Answer:
    """Signs of other languages: ==, &&, ||, and, %."""
    last, here = place.last, place.here
    if here.text in _INSTEAD and (here.text != "||" or "OR" in place.expected):
        return _INSTEAD[here.text], here.at
    joined = last.text + here.text
    if joined in ("&&", "||", "=="):
        return _INSTEAD[joined], last.at
    if last.text == "not" and (here.is_name or here.text in ("(", "!")):
        return _INSTEAD["not"], last.at
    return None


def _unsupported(place: Place) -> Answer:
    """Parts of PRISM that are left out."""
    for word in (place.here, place.last):
        if word.text in UNSUPPORTED and (word.text not in _KINDS or "KIND" in place.expected):
            return f"{UNSUPPORTED[word.text]} are not supported.", word.at
    in_updates = any(word.text == "->" for word in place.command)
    if place.here.text == "[" and in_updates and place.last.text in ("->", "+"):
        return "Intervals of probabilities are not supported.", place.here.at
    return None


def _quotes(place: Place) -> Answer:
    """Names that need quotation marks, and marks that are not closed."""
    here, last = place.here, place.last
    if here.text == '"':
        return "A quotation mark is not closed on this line.", here.at
    if place.expected == {"QUOTED"} and here.is_name:
        return f'The name of a {last.text} is written in quotation marks: "{here.text}".', here.at
    if len(place.before) > 1 and place.before[-2].text == "rewards" and last.is_name:
        return f'The name of rewards is written in quotation marks: "{last.text}".', last.at
    if here.text.startswith('"') and "NUMBER" in place.expected:
        sentence = f"Labels such as {here.text} cannot be used inside a model's expressions."
        return sentence, here.at
    return None


def _assigns(place: Place) -> bool:
    """Whether `(x'` stands here."""
    return [word.text for word in place.after[1:2]] == ["'"]


def _guard(place: Place) -> Answer:
    """The beginning of a command: `[a]` and `->`."""
    here = place.here
    if here.text == "[" and "ACTION" in place.expected:
        return "An action is written [a], with a ] after its name.", here.at
    if "_ARROW" in place.expected and here.text in (":", ";", "("):
        return "A -> is missing between the guard and the updates.", here.at
    if place.last.text == "=>" and here.text == "(" and _assigns(place):
        return "Between the guard and the updates is ->, not =>.", place.last.at
    if place.last.text == "-" and here.text == ">":
        return "-> is written without a space.", place.last.at
    return None


def _update(place: Place) -> Answer:
    """The updates of a command."""
    here, following = place.here, place.after
    command = place.command
    arrow = next((i for i, word in enumerate(command) if word.text == "->"), None)
    if arrow is None:
        return None
    around = [*command[arrow + 1 :], here, *following]
    if {"ASSIGN", "COLON"} & place.expected:
        for first, second, third in zip(around, around[1:], around[2:], strict=False):
            if first.text == "(" and second.is_name and third.text in ("=", "==", ":="):
                sentence = f"An update is written ({second.text}'=…), with a ' after the name."
                return sentence, third.at
    if here.text == "'":
        return f"Every assignment needs its brackets: ({place.last.text}'=…).", place.last.at
    if place.next.text == "'" and here.is_name:
        return f"Every assignment needs its brackets: ({here.text}'=…).", here.at
    if here.text == "(" and "COLON" in place.expected:
        return "A : is missing between a chance and its update.", here.at
    if here.text in (",", "(") and "AND" in place.expected and "COLON" not in place.expected:
        return "The assignments of an update are joined with &.", here.at
    if here.text == "->":
        return "A command has one ->; perhaps a ; is missing before it.", here.at
    return None


def _range(place: Place) -> Answer:
    if "_DOTS" in place.expected and place.here.text in (",", ":", "-", "]"):
        return "A range is written [low..high].", place.here.at
    return None


def _brackets(place: Place) -> Answer:
    """Brackets that are not closed, or closed twice."""
    here = place.here
    opened: list[Word] = []
    for word in place.command:
        if word.text in ("(", "[", "{"):
            opened.append(word)
        elif word.text in (")", "]", "}") and opened:
            opened.pop()
    if here.text in (";", "", "->") and opened and {"RPAR", "RSQB", "NUMBER"} & place.expected:
        return f"This {opened[-1].text} is not closed.", opened[-1].at
    if here.text in (")", "]", "}") and not opened:
        return f"This {here.text} has nothing to close.", here.at
    return None


def _end(place: Place) -> Answer:
    """The text stops too early, or a block is not closed."""
    if place.here.text and place.here.text not in _BLOCKS:
        return None
    for begin, end in _BLOCKS.items():
        if end.upper() in place.expected:
            openers = list(re.finditer(rf"\b{begin}\b", place.text[: place.here.at]))
            if openers:
                return f"This {begin} has no {end}.", openers[-1].start()
    if not place.here.text:
        missing = " before a ;" if "SEMICOLON" in place.expected else " too early"
        return f"The text stops{missing}.", place.last.end
    return None


def _semicolon(place: Place) -> Answer:
    """A `;` is missing where the next declaration, command or line begins, or there are two."""
    if place.here.text == place.last.text == ";":
        return "There is one ; too many.", place.here.at
    if "SEMICOLON" not in place.expected:
        return None
    here = place.here
    new_line = "\n" in place.text[place.last.end : here.at]
    if new_line or here.text in KEYWORDS or here.text.startswith("end"):
        return "A ; is missing here.", place.last.end
    return None


def _function(place: Place) -> Answer:
    """A function that does not exist."""
    is_call = place.here.text == "(" and place.last.is_name and not _assigns(place)
    if is_call and "AND" in place.expected:
        hint = did_you_mean(place.last.text, _FUNCTIONS)
        return f"There is no function {place.last.text}.{hint}", place.last.at
    return None


def _word(place: Place) -> Answer:
    """A word that is not known, close to one that could stand here."""
    here, expected = place.here, place.expected
    if not here.is_name:
        return None
    if here.text in KEYWORDS and "NAME" in expected:
        return f"{here.text} is a word of the language and cannot be used as a name.", here.at
    possible = [word for word in KEYWORDS if word.upper() in expected]
    possible += ["dtmc", "mdp", "smg"] if "KIND" in expected else []
    hint = did_you_mean(here.text, possible)
    return (f"{here.text} cannot stand here.{hint}", here.at) if hint else None


def _otherwise(place: Place) -> tuple[str, int]:
    """No rule fits: say what could stand here, if that is a short list."""
    here = place.here
    what = here.text if here.text[:1].isalnum() else f"The sign {here.text}"
    if "NUMBER" in place.expected:
        likely = ["a value"]
    else:
        likely = [sign for name, sign in _EXPECTED.items() if name in place.expected][:3]
    if not likely:
        return f"{what} cannot stand here.", here.at
    return f"{what} cannot stand here, where {' or '.join(likely)} is expected.", here.at


_RULES = (
    _instead,
    _unsupported,
    _quotes,
    _function,
    _guard,
    _update,
    _range,
    _brackets,
    _end,
    _semicolon,
    _word,
)
