"""Many training runs: a queue that is resumable and never repeats a finished run, on local processes, Ray or SLURM.

    tasks.py          what is to be done, and what of it is, read from the run directories
    queue.py          the loop: start, look, retry, stop
    work.py           a task as a process; the same wherever it runs
    local.py, ray_engine.py, slurm_engine.py     where tasks run
    board.py          what a person sees meanwhile
    estimate.py       what it will cost
"""
