"""The PRISM language: text to syntax tree to program, and programs to processes."""
