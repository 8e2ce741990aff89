"""Rules as a small native function: from Python's syntax tree to machine code.

Rules are translated from their syntax tree, with the game at hand: what can be known before play
(options, tables, lengths of tuples) is computed by Python itself, and what is left becomes LLVM
text with checked arithmetic. What is translated means what it means in Python; what is not known
here is refused by name, with its line, and the interpreter plays such rules.

- `values.py`: what an expression comes to: known, or a number, a truth value, a tuple of those
- `code.py`: the instructions of one function
- `source.py`: the syntax tree of a function that is in memory
- `arithmetic.py`, `floats.py`: arithmetic and comparisons as Python has them
- `tuples.py`: tuples, tables and what is looked up in them
- `function.py`, `expressions.py`, `statements.py`, `loops.py`, `calls.py`: translating one function
- `builtin_calls.py`, `builtin_numbers.py`, `builtin_folds.py`, `builtin_sequences.py`: what stands
  for Python's own functions in it
- `program.py`: all functions of a game, each for the shapes it is called with
- `steps.py`: what kernels call: winner, mover, legal, die, play, score, rank, unrank
"""
