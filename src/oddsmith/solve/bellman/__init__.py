"""The Bellman equation, for whoever decides: see `docs/method.md`."""
