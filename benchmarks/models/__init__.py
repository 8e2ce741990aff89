"""PRISM sources for comparisons, generated to size, each a shape of its own."""
