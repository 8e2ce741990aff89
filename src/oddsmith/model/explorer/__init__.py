"""One explorer for all rules: from one step, a native function, to the rows of a model.

- `batch.py`: what a step is: the convention by which rules in Python, PRISM programs and whatever
  comes say what can happen in a packed state
- `states.py`: states numbered in the order they are met, by an index or by hashing
- `rows.py`: the loop: have a batch of states expanded, number their successors, write the rows
- `numbers.py`: chances as fractions, each different one once
- `room.py`: arrays that grow without being copied
- `driver.py`: owns the arrays, makes room, shows progress, hears Ctrl-C, refuses at limits
"""
