"""Properties of processes: the language of PRISM's property files, and the checker."""
