"""Snakes and Ladders on twenty fields."""

from typing import ClassVar

from oddsmith.games.chutes_and_ladders import ChutesAndLadders


class SnakesAndLadders(ChutesAndLadders):
    """A race to field 20 with one die, up two ladders and down three snakes.

    Everybody starts on field 1. In turn, a player throws one die and moves as many fields;
    ladders lead from 2 to 5 and from 4 to 11, snakes from 8 to 5, from 18 to 3 and from 19 to
    9. Reaching or passing field 20 wins. Pieces do not disturb each other.

    This is the game as people play it. The PRISM model that the source prints differs: its win
    has no turn guard, and its figures come from resolving that overlap at random.

    Source: V. Sundarapandian Raani, Modeling and Analysis of Board Games, University of Twente
    (2018), section 3.
    """

    title = "Snakes and Ladders"

    players: int = 2

    finish: ClassVar = 20
    first: ClassVar = 1
    overshoot_wins: ClassVar = True
    jumps: ClassVar = {2: 5, 4: 11, 8: 5, 18: 3, 19: 9}
