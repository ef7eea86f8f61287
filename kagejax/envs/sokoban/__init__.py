"""Sokoban: push every box onto a goal; boxes cannot be pulled, so a push may be one too many."""
