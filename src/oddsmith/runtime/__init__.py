"""What a running program needs: memory, progress, Ctrl-C, files that are whole."""
