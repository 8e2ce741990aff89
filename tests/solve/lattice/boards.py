"""Boards made up for tests: with every effect, too long for registers, and without company."""

SMALL = """
[board]
finish = 9
dice = "d4"
overshoot = "bounce"
occupied = "return"
[squares]
inn = { at = 3, wait = 2 }
pit = { at = 6, hold = true }
meadow = { at = 5, share = true }
back = { at = 8, restart = true }
"""

LONG = """
[board]
finish = 120
dice = "3d7"
overshoot = "bounce"
occupied = "return"
[squares]
inn = { at = 30, wait = 1 }
pit = { at = 70, hold = true }
[jumps]
100 = 3
"""

FREE = """
[board]
finish = 10
dice = "d6"
occupied = "share"
"""
