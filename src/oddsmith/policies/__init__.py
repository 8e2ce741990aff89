"""Ways to play, as data: rules, tables, their files, and what they leave of a model."""
