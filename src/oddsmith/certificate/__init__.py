"""Certificates: answers in a file, with all that is needed to check them without their solver."""
