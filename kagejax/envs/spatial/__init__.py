"""Path puzzles: draw one line from start to end so that every region and every symbol is satisfied."""
