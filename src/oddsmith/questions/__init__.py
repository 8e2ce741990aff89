"""How a question is put: its settings, their keywords, and the door by which answers leave."""
