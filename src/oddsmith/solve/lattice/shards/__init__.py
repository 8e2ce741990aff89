"""The lattice on a cluster: the array in slabs, one or more a worker.

- `cuts.py`: where numbers are: slabs, orders of the axes, and the pieces of new slabs
- `tasks.py`: what workers run: pure functions
- `anchors.py`: slabs in files, from which they come again when a worker dies
- `worker_memory.py`: whether the slabs fit into the workers' memory
- `sweeper.py`: the numbers and their turns, as every `Sweeper` has them
"""
