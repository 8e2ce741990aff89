"""Pictures by name, each with what it has to ask."""
