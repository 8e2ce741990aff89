"""Random boards as TOML text, for Hypothesis: small, valid, with every effect there is."""

from hypothesis import assume
from hypothesis import strategies as st

from oddsmith import OptionError
from oddsmith.rules.board.game import board_class

DICE = (
    '"d6"',
    '"2d3"',
    '"d2"',
    "{ faces = [0, 1, 2] }",
    "{ faces = [1, 1, 3] }",
    "{ number = 2, faces = [1, 2] }",
    "{ number = 2, faces = [0, 2, 3] }",
    '"3d2"',
)
FACES = {
    '"d6"': (1, [1, 2, 3, 4, 5, 6]),
    '"2d3"': (2, [1, 2, 3]),
    '"d2"': (1, [1, 2]),
    "{ faces = [0, 1, 2] }": (1, [0, 1, 2]),
    "{ faces = [1, 1, 3] }": (1, [1, 3]),
    "{ number = 2, faces = [1, 2] }": (2, [1, 2]),
    "{ number = 2, faces = [0, 2, 3] }": (2, [0, 2, 3]),
    '"3d2"': (3, [1, 2]),
}


@st.composite
def throws(draw, dice):
    """A throw that a rule may name, as TOML."""
    number, faces = FACES[dice]
    thrown = draw(st.lists(st.sampled_from(faces), min_size=number, max_size=number))
    names = [str(sum(thrown)), '"{}"'.format(",".join(map(str, thrown)))]
    if number > 1:
        names.append('"double"')
    return draw(st.sampled_from(names))


@st.composite
def effects(draw, start, finish, dice, lattice):
    """What happens on a square, as TOML."""
    squares = st.integers(start, finish)
    kinds = ["share", "wait", "hold", "until", "again", "goto", "restart", "wait", "until"]
    kind = draw(st.sampled_from(kinds if lattice else ["extra", *kinds]))
    if kind == "goto":
        return f"goto = {draw(squares)}"
    if kind == "until":
        named = draw(st.lists(throws(dice), min_size=1, max_size=2))
        found = "until = " + (named[0] if len(named) == 1 else f"[{', '.join(named)}]")
    elif kind == "wait":
        found = f"wait = {draw(st.integers(1, 3))}"
    else:
        found = f"{kind} = true"
    shares = kind in ("wait", "hold", "until", "extra") and draw(st.booleans())
    return f"{found}, share = true" if shares else found


@st.composite
def first_throws(draw, start, finish, dice):
    """A line of [first-throw]."""
    key = draw(throws(dice)).strip('"')
    goto = draw(st.integers(start, finish))
    if draw(st.booleans()):
        return key, f'"{key}" = {goto}'
    free = draw(st.integers(start, finish - 1))
    return key, f'"{key}" = {{ goto = {goto}, free = {free} }}'


@st.composite
def boards(draw, lattice=False, max_finish=9, players=(1, 2, 3)):
    """The text of a board that is known to be valid.

    `lattice` keeps to boards where a turn moves no token but the mover's and always passes on:
    occupied squares are returned from or shared, and there is no extra turn.
    """
    start = draw(st.integers(0, 2))
    finish = draw(st.integers(start + 2, max(start + 2, max_finish)))
    dice = draw(st.sampled_from(DICE))
    occupied = ["return", "share"] if lattice else ["return", "share", "swap", "restart"]
    lines = [
        "[board]",
        f"start = {start}",
        f"finish = {finish}",
        f"dice = {dice}",
        f"players = {draw(st.sampled_from(players))}",
        f'overshoot = "{draw(st.sampled_from(["bounce", "stay", "win"]))}"',
        f'occupied = "{draw(st.sampled_from(occupied))}"',
        "[squares]",
    ]
    most = min(6, finish - start - 1)
    least = draw(st.integers(0, most))
    special = draw(st.sets(st.integers(start + 1, finish - 1), min_size=least, max_size=most))
    jumps = []
    for square in sorted(special):
        if draw(st.integers(0, 5)) == 0:
            jumps.append(f"{square} = {draw(st.integers(start, finish))}")
        else:
            effect = draw(effects(start, finish, dice, lattice))
            lines.append(f"s{square} = {{ at = {square}, {effect} }}")
    if draw(st.integers(0, 3)) == 0:
        lines.append(f"home = {{ at = {start}, share = true }}")
    lines += ["[jumps]", *jumps, "[first-throw]"]
    rules = draw(st.lists(first_throws(start, finish, dice), max_size=2))
    lines += dict(rules).values()
    text = "\n".join(lines) + "\n"
    try:
        board_class("random.toml", text)()
    except OptionError:
        assume(False)
    return text
