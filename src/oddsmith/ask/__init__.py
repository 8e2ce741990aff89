"""Questions, answered: who wins how often, how long, where, from every state, how to play."""
