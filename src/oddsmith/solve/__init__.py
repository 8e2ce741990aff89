"""Questions to numbers: the odds, the length, the visits and the values of a game of chance."""
