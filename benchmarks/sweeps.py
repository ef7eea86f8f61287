"""What a sweep and a resumption cost beside the training itself.

    python benchmarks/sweeps.py

`sweep`: all 21 runs of kage-mini with an agent that does nothing, one at a time, less the same commands typed one by one; the
proof on pixels that shared trainings are alike is part of it. `resume`: a run of the quick agent that goes on from its
checkpoint, less one that begins anew and takes as many steps; both find their programs on disk.
"""

import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).parents[1]
IDLE = ROOT / "tests" / "learning" / "sweeps_agent.py"
STEPS = 32_768
ROUNDS = 3


def seconds(*command: str) -> float:
    """How long a command takes. Raises CalledProcessError."""
    began = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=ROOT)
    return time.perf_counter() - began


def kagejax(*words: str) -> tuple[str, ...]:
    """A command of kagejax in this Python."""
    return sys.executable, "-m", "kagejax", *words


def sweep(folder: pathlib.Path) -> tuple[float, float, int]:
    """Seconds of a sweep whose runs do nothing, seconds of its commands alone, and their number."""
    quick = folder / "idle.yaml"
    quick.write_text("steps: 1\npause: 0\ntotal_steps: 100\n")
    words = ("suite=kage-mini", f"agent={quick}", f"program={IDLE}", f"out={folder / 'sweep'}", "--jobs", "1")
    whole = seconds(*kagejax("sweep", *words))
    runs = json.loads((folder / "sweep" / "sweep.json").read_text())["runs"]
    alone = []
    for run in runs:
        place = str(folder / "alone" / run["run"])
        settings = {"train": run["train"], "evaluate": [run["train"]], "seeds": [1], "run_dir": place}
        given = [word for key, value in settings.items() for word in ("--set", f"{key}={json.dumps(value)}")]
        alone.append(seconds(sys.executable, str(IDLE), "--config", str(quick), *given))
    count = len(list((folder / "sweep").glob("*/seed-*")))
    return whole, count * statistics.mean(alone), count


def resume(folder: pathlib.Path) -> tuple[float, float]:
    """Median seconds of a resumed run and of a new one with as many steps."""
    command = [sys.executable, "agents/ppo.py", "--config", "configs/agents/ppo_kage_quick.yaml"]
    command += ["--set", "seeds=[1]", "film=false", "eval_episodes=8", "resume=auto", "log=[]"]
    new, on = [], []
    for round in range(ROUNDS + 1):
        place = folder / f"resumed-{round}"
        times = [seconds(*command, f"run_dir={place}", f"total_steps={part * STEPS}") for part in (1, 2)]
        if round:  # the first compiles
            new.append(times[0])
            on.append(times[1])
    return statistics.median(on), statistics.median(new)


def main() -> None:
    """Prints both."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        whole, alone, count = sweep(folder)
        print(f"sweep: {count} runs {whole:.1f} s, their commands alone {alone:.1f} s: {(whole - alone) / count:.2f} s a run")
        on, new = resume(folder)
        print(f"resume: {on:.1f} s, a new run of as many steps {new:.1f} s: {on - new:+.1f} s")


if __name__ == "__main__":
    main()
