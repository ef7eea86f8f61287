"""The evaluation of Sokoban agents: episodes under a cap on predictions, figures, the profile score, and entries."""
