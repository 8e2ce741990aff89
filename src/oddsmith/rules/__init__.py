"""What a person writes: the rules of a game."""
