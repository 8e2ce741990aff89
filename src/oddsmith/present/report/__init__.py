"""A report on a game: what it asks, within limits, and the sections it becomes."""
