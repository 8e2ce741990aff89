"""What every front end becomes: states, choices, chances."""
