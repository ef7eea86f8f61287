"""Sliding puzzles: a cut picture to be put in order, one tile at a time."""
