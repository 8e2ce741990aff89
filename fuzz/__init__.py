"""Fuzzing: random texts and files, which may be refused but must never crash; see README.md."""
