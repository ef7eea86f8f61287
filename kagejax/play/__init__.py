"""Episodes played by a person: the game behind a window or a terminal, its keys, and its recordings."""
