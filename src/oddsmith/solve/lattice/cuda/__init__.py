"""Lattice sweeps on a CUDA device: one turn of one player, in place, at the speed of its memory.

- `layout.py`: how numbers lie on the device, and how a turn is laid out
- `source.py`, `pieces.py`: the kernels of turns, written for one board; what is the same for all
- `everywhere.py`: kernels that know no board: sums, copies, what is subtracted
- `device.py`: the device, and what it says of itself
- `sweeper.py`: the numbers and their turns, as every `Sweeper` has them
"""
