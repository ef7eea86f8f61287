"""A stand-in for agents/ppo.py that takes a moment: the same command line, files and exit status, and it fails when told to.

Settings: `steps` to take, `pause` seconds for each, `fail` and `kill` (so many first attempts end badly after two steps),
`lie` (ends well without having finished).
"""

import json
import os
import pathlib
import signal
import sys
import time


def settings(arguments):
    values = {"steps": 4, "pause": 0.02, "fail": 0, "kill": 0, "lie": False, "total_steps": 400}
    texts = []
    for flag, text in zip(arguments[::2], arguments[1::2], strict=True):
        texts += [text] if flag == "--set" else pathlib.Path(text).read_text().replace(": ", "=").splitlines()
    for key, _, value in (text.partition("=") for text in texts):
        try:
            values[key] = json.loads(value)
        except ValueError:
            values[key] = value
    return values


def say(folder, state, step, total, error=None):
    draft = folder / "status.json.part"
    draft.write_text(json.dumps({"state": state, "step": step, "total_steps": total, "error": error, "updated": ""}))
    draft.replace(folder / "status.json")


def train(config, folder, stop):
    folder.mkdir(parents=True, exist_ok=True)
    saved, attempts, marker = folder / "saved", folder / "attempts", folder / "at_work"
    with attempts.open("a") as file:
        file.write(f"{os.getpid()} {os.getppid()} {sorted(os.sched_getaffinity(0))} {os.environ.get('XLA_FLAGS')}\n")
    attempt = len(attempts.read_text().splitlines())
    if marker.exists() and pathlib.Path(f"/proc/{marker.read_text()}").exists():
        (folder / "clash").touch()
    marker.write_text(str(os.getpid()))
    done, total = int(saved.read_text()) if saved.exists() else 0, config["total_steps"]
    say(folder, "running", done * 100, total)
    while done < config["steps"]:
        time.sleep(config["pause"])
        done += 1
        with (folder / "metrics.jsonl").open("a") as file:
            file.write(json.dumps({"step": done * 100, "return": -1.0, "steps_per_s": 2000.0}) + "\n")
        saved.write_text(str(done))
        if stop() and done < config["steps"]:
            say(folder, "interrupted", done * 100, total)
            marker.unlink()
            return 130
        if done == 2 and attempt <= config["kill"]:
            os.kill(os.getpid(), signal.SIGKILL)
        if done >= 2 and attempt <= config["fail"]:
            marker.unlink()
            sys.exit("the dog ate it")
    if config["lie"]:
        return 0
    names = [config["train"], *config["evaluate"]]
    with (folder / "evaluations.jsonl").open("a") as file:
        entries = {name: {"return": {"mean": -1.0, "sem": 0.0}} for name in names}
        line = {"step": done * 100, "iteration": done, "episodes": 4, "train": names[0], "configurations": entries}
        file.write(json.dumps(line) + "\n")
    say(folder, "finished", done * 100, total)
    marker.unlink()
    return 0


def main():
    config = settings(sys.argv[1:])
    asked, parent = [], int(os.environ.get("KAGEJAX_PARENT", 0))
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: asked.append(True))
    print("run directory", config["run_dir"], flush=True)
    folder, seeds = pathlib.Path(config["run_dir"]), config["seeds"]
    folders = [folder] if len(seeds) == 1 else [folder / f"seed-{seed}" for seed in seeds]
    return max(train(config, each, lambda: asked or (parent and os.getppid() != parent)) for each in folders)


if __name__ == "__main__":
    sys.exit(main())
