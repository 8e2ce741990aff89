"""Mistakes of every day get a sentence that says what to change, the place and a caret."""

import pytest

from oddsmith.rules.prism import parse_program
from oddsmith.rules.prism.source import Source, SourceError

FRAME = "mdp\n{before}\nmodule M\n{variables}\n{command}\nendmodule\n"
PLAIN = "[] x=0 -> (x'=1);"


def told(
    command: str = PLAIN, *, before: str = "", variables: str = "x : [0..3]; b : bool;"
) -> tuple[str, str]:
    """What the error says, and the rest of the line from the caret on."""
    text = FRAME.format(before=before, variables=variables, command=command)
    return message_and_rest(text)


def message_and_rest(text: str) -> tuple[str, str]:
    with pytest.raises(SourceError) as caught:
        parse_program(text, "m.prism")
    error = caught.value
    message, place, line, caret = str(error).split("\n")
    assert message == error.message
    assert place == f"  m.prism:{error.line}:{error.column}"
    assert text.split("\n")[error.line - 1].rstrip() == line[2:].rstrip()
    assert caret == " " * (1 + error.column) + "^"
    return message, text.split("\n")[error.line - 1][error.column - 1 :]


PRIME = "An update is written (x'=…), with a ' after the name."
COMMANDS = {
    "[] x==0 -> (x'=1);": ("Equality is written with one =, not ==.", "==0 -> (x'=1);"),
    "[] b && b -> (x'=1);": ("And is written with one &, not &&.", "&& b -> (x'=1);"),
    "[] b || b -> (x'=1);": ("Or is written with one |, not ||.", "|| b -> (x'=1);"),
    "[] b and b -> (x'=1);": ("And is written &.", "and b -> (x'=1);"),
    "[] not b -> (x'=1);": ("Not is written !.", "not b -> (x'=1);"),
    "[] x%2=0 -> true;": ("Remainders are written mod(a, b).", "%2=0 -> true;"),
    "[] x^2=0 -> true;": ("Powers are written pow(a, b).", "^2=0 -> true;"),
    "[] b -> (x=1);": (PRIME, "=1);"),
    "[] b -> 0.5:(x=1) + 0.5:(x'=2);": (PRIME, "=1) + 0.5:(x'=2);"),
    "[] b -> 0.5:(x'=1) + 0.5:(x=2);": (PRIME, "=2);"),
    "[] b -> x'=1;": ("Every assignment needs its brackets: (x'=…).", "x'=1;"),
    "[] b -> (x'=1), (b'=true);": (
        "The assignments of an update are joined with &.",
        ", (b'=true);",
    ),
    "[] b -> 1/2 (x'=1);": ("A : is missing between a chance and its update.", "(x'=1);"),
    "[] b -> (x'=1)\n[] b -> true;": ("A ; is missing here.", ""),
    "[] b : (x'=1);": ("A -> is missing between the guard and the updates.", ": (x'=1);"),
    "[] b (x'=1);": ("A -> is missing between the guard and the updates.", "(x'=1);"),
    "[] b => (x'=1);": ("Between the guard and the updates is ->, not =>.", "=> (x'=1);"),
    "[] b - > (x'=1);": ("-> is written without a space.", "- > (x'=1);"),
    "[] (b -> (x'=1);": ("This ( is not closed.", "(b -> (x'=1);"),
    "[] b -> (x'=1;": ("This ( is not closed.", "(x'=1;"),
    "[] b) -> (x'=1);": ("This ) has nothing to close.", ") -> (x'=1);"),
    "[a b -> (x'=1);": ("An action is written [a], with a ] after its name.", "[a b -> (x'=1);"),
    "[] b -> true;;": ("There is one ; too many.", ";"),
    "[] mix(x,1)=0 -> true;": (
        "There is no function mix. Did you mean min?",
        "mix(x,1)=0 -> true;",
    ),
    '[] "done" -> true;': (
        'Labels such as "done" cannot be used inside a model\'s expressions.',
        '"done" -> true;',
    ),
    "[] -> true;": ("The sign -> cannot stand here, where a value is expected.", "-> true;"),
    "[] b -> [0.1,0.2]:(x'=1);": (
        "Intervals of probabilities are not supported.",
        "[0.1,0.2]:(x'=1);",
    ),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_command(command: str) -> None:
    assert told(command) == COMMANDS[command]


BEFORE = {
    "const int N = 3": ("A ; is missing here.", ""),
    "cnst int N = 3;": ("cnst cannot stand here. Did you mean const?", "cnst int N = 3;"),
    "const int N := 3;": ("Assignments are written (x'=1), equality is written x=1.", ":= 3;"),
    "formula min = 3;": (
        "min is a word of the language and cannot be used as a name.",
        "min = 3;",
    ),
    "label x = true;": (
        'The name of a label is written in quotation marks: "x".',
        "x = true;",
    ),
    'label "x = true;': ("A quotation mark is not closed on this line.", '"x = true;'),
    "rewards r true : 1; endrewards": (
        'The name of rewards is written in quotation marks: "r".',
        "r true : 1; endrewards",
    ),
    "observables x endobservables": (
        "Observables (observables … endobservables) are not supported.",
        "observables x endobservables",
    ),
    "ctmc": ("Models of type ctmc are not supported; dtmc, mdp and smg are.", "ctmc"),
    "pomdp": ("Models of type pomdp are not supported; dtmc, mdp and smg are.", "pomdp"),
}


@pytest.mark.parametrize("before", BEFORE)
def test_declaration(before: str) -> None:
    assert told(before=before) == BEFORE[before]


VARIABLES = {
    "x : int;": (
        "Variables without bounds are not supported: give x a range, such as x : [0..100].",
        "x : int;",
    ),
    "x : clock;": ("Clocks (x : clock) are not supported.", "x : clock;"),
    "x : [0,3];": ("A range is written [low..high].", ",3];"),
    "x [0..3];": ("The sign [ cannot stand here, where : is expected.", "[0..3];"),
    "x : [0..3]; invariant x<=3 endinvariant": (
        "Invariants (invariant … endinvariant) are not supported.",
        "invariant x<=3 endinvariant",
    ),
}


@pytest.mark.parametrize("variables", VARIABLES)
def test_variable(variables: str) -> None:
    assert told(variables=variables) == VARIABLES[variables]


def test_a_module_without_its_end_is_shown_where_it_begins() -> None:
    text = "mdp\nmodule M\n x : [0..1];\nmodule N\n y : [0..1];\nendmodule\n"
    assert message_and_rest(text) == ("This module has no endmodule.", "module M")


def test_a_text_that_stops() -> None:
    text = "mdp module M x : [0..1]; [] x=0 ->"
    assert message_and_rest(text)[0] == "The text stops too early."


@pytest.mark.parametrize("text", ["", "mdp", "// nothing"])
def test_nothing_is_no_model(text: str) -> None:
    assert message_and_rest(text)[0] == "The model has no module."


@pytest.mark.parametrize(
    "guard",
    ["(" * 10_000, "!" * 10_000 + "b", "b => " * 20_000 + "b", "x=1 ? b : " * 5_000 + "b"],
)
def test_deep_nesting_is_an_error_with_a_place(guard: str) -> None:
    text = FRAME.format(
        before="", variables="x : [0..1]; b : bool;", command=f"[] {guard} -> true;"
    )
    with pytest.raises(SourceError, match=r"nested|not closed"):
        parse_program(text)


def test_a_long_line_is_shown_in_part() -> None:
    shown = str(Source("x" * 5000 + "!" + "y" * 5000, "m").error("Here.", 5000)).split("\n")
    assert len(shown[2]) < 110
    assert shown[2][shown[3].index("^")] == "!"


def test_tabs_do_not_move_the_caret() -> None:
    shown = str(Source("\t\tab", "m").error("Here.", 3)).split("\n")
    assert shown[2][shown[3].index("^")] == "b"
