"""kagejax where others look for environments: Gymnasium, torch, Stable-Baselines3. Imported when asked for."""
