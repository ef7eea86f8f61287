"""Many training runs: a queue that is resumable and never repeats a finished run, on local processes, Ray or SLURM.

`tasks` says what is to be done, and reads from the run directories what of it is; `queue` is the loop that starts, looks,
tries again and stops; `work` is a task as a process, the same wherever it runs: on this machine (`local`), a Ray cluster
(`ray_engine`) or SLURM (`slurm_engine`). `board` is what a person sees meanwhile, `estimate` what it will cost.
"""
