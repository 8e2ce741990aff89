"""The peers: models in their languages, and scripts that run them."""
