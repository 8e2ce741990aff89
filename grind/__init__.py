"""The grinder: random games, boards, models and questions, asked of every engine and of references
that share no code with the solvers. See docs/grinder.md."""
