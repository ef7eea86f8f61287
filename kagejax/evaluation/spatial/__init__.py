"""The evaluation of path puzzles: models and baselines, in one answer or step by step, their logs, figures and page."""
