"""What asks and shows: pictures by name, reports, galleries, a game at the terminal."""
