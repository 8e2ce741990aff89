"""Modules act together as the process algebra of PRISM's manual says."""

import pytest

from oddsmith.rules.prism import parse_program
from oddsmith.rules.prism.source import SourceError

THREE = """mdp
module A  [a] true -> true;  [b] true -> true;  endmodule
module B  [] true -> true;  [a] true -> true;  [a] false -> true;  endmodule
module C  [b] true -> true;  [a] true -> true;  [] true -> true;  endmodule
"""
# Commands: A has a:0 b:1, B has a:3,4 and 2 alone, C has b:5 a:6 and 7 alone.


def joints(system: str = "", text: str = THREE) -> list[tuple[str, tuple[tuple[int, ...], ...]]]:
    found = parse_program(text + (f"system {system} endsystem" if system else ""))
    return [(joint.action, joint.parts) for joint in found.synchronisations]


ALONE = [("", ((2,),)), ("", ((7,),))]


@pytest.mark.parametrize(
    ("system", "expected"),
    [
        ("", [("a", ((0,), (3, 4), (6,))), ("b", ((1,), (5,)))]),
        ("A || B || C", [("a", ((0,), (3, 4), (6,))), ("b", ((1,), (5,)))]),
        ("A || (B || C)", [("a", ((0,), (3, 4), (6,))), ("b", ((1,), (5,)))]),
        ("A ||| B ||| C", [("a", ((0,),)), ("a", ((3, 4),)), ("a", ((6,),)),
                           ("b", ((1,),)), ("b", ((5,),))]),
        ("(A ||| B) || C", [("a", ((0,), (6,))), ("a", ((3, 4), (6,))), ("b", ((1,), (5,)))]),
        ("(A |[a]| B) ||| C", [("a", ((0,), (3, 4))), ("a", ((6,),)),
                               ("b", ((1,),)), ("b", ((5,),))]),
        # B has no b: where it must synchronise on b, b can never happen.
        ("(A |[a,b]| B) || C", [("a", ((0,), (3, 4), (6,)))]),
        # Hidden actions are nobody's: C's a goes on by itself.
        ("(A || B) / {a} || C", [("", ((0,), (3, 4))), ("b", ((1,), (5,))), ("a", ((6,),))]),
        ("(A || B) {a<-q} || C", [("q", ((0,), (3, 4))), ("b", ((1,), (5,))), ("a", ((6,),))]),
        ("A {a<-b, b<-a} || B || C", [("b", ((0,), (5,))), ("a", ((1,), (3, 4), (6,)))]),
        ("A {a<-b} || B || C", [("b", ((0,), (5,))), ("b", ((1,), (5,))),
                                ("a", ((3, 4), (6,)))]),
    ],
)  # fmt: skip
def test_system(system: str, expected: list[tuple[str, tuple[tuple[int, ...], ...]]]) -> None:
    assert joints(system) == ALONE + expected


@pytest.mark.parametrize(
    ("system", "message"),
    [
        ("A || B", "system … endsystem leaves out module C: every module must occur."),
        ("A || B || C || A", "Module A occurs twice in system … endsystem."),
        ("A || B || CC", "There is no module CC. Did you mean C?"),
    ],
)
def test_refused_systems(system: str, message: str) -> None:
    with pytest.raises(SourceError) as caught:
        joints(system)
    assert caught.value.message == message


GAME = """smg
{players}
module M  x : [0..1];  [] x=0 -> (x'=1);  [a] x=1 -> true;  [b] x=1 -> true;  endmodule
module N  [a] true -> true;  endmodule
"""


def test_players_control_modules_and_actions() -> None:
    players = "player one M, [a] endplayer player two [b] endplayer"
    found = parse_program(GAME.format(players=players))
    assert found.players == ("one", "two")
    assert [(joint.action, joint.player) for joint in found.synchronisations] == [
        ("", 0),
        ("a", 0),
        ("b", 1),
    ]


@pytest.mark.parametrize(
    ("players", "message"),
    [
        ("", "A game (smg) needs its players: player … endplayer."),
        ("player p [a], [b] endplayer", "Module M is controlled by no player: add M to one."),
        ("player p M, [a] endplayer", "Action b is controlled by no player: add [b] to one."),
        ("player p M, [c] endplayer", "There is no action c."),
        ("player p O endplayer", "There is no module O."),
        ("player p M endplayer player q M endplayer", "Module M belongs to player p already."),
        ("player p M endplayer player p N endplayer", "Player p is declared twice."),
    ],
)
def test_refused_players(players: str, message: str) -> None:
    with pytest.raises(SourceError) as caught:
        parse_program(GAME.format(players=players))
    assert caught.value.message == message


def test_players_need_a_game() -> None:
    with pytest.raises(SourceError, match="Players belong to games: write smg for mdp"):
        parse_program("mdp module M endmodule player p M endplayer")
