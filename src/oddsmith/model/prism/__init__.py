"""A program in the PRISM language as a model: translated to native code, explored by hashing."""
