"""Kage: a side-scrolling platformer whose every look can be changed without changing the game."""
