"""Sweep folders made up for tests: no number in them was ever measured.

Values follow `made_up`, which is simple enough to check by hand; a test that needs others passes its own.
"""

import json

PAIRS = (
    ("fake/light/1", "light", "day -> night"),
    ("fake/light/2", "light", "day -> dusk"),
    ("fake/sound/1", "sound", "quiet -> loud"),
)
"""Pairs (id, axis, title) of which the two of light share a run."""
STEPS = (1000, 2000, 3000)


def made_up(run, seed, step, configuration, train):
    """Means of one evaluation: success grows to 0.8 and 0.01 per seed; an eval side has half of the train side's."""
    part = STEPS.index(step) / (len(STEPS) - 1) if step in STEPS else 1.0
    success = 0.8 * part + 0.01 * seed
    share = 1.0 if configuration == train else 0.5
    return {
        "return": -100.0 + 90 * part - (0 if configuration == train else 200),
        "success_once": share * success,
        "passed_distance": 490 * (0.5 + 0.5 * share) * success,
        "progress": (0.5 + 0.5 * share) * success,
        "jump_count": 5.0,
    }


def make_sweep(folder, pairs=PAIRS, seeds=(1, 2, 3), values=made_up, trapped=(), unfinished=None, shared=True):
    """Writes a whole sweep. `trapped` has (run, seed) that are stuck; `unfinished` maps (run, seed) to a status ("failed",
    "running", "interrupted"), to "missing" (no folder) or to "bare" (no status)."""
    unfinished = unfinished or {}
    groups = {}
    for id, axis, title in pairs:
        groups.setdefault(axis if shared else id, []).append((id, axis, title))
    planned, runs = [], []
    for members in groups.values():
        run, train = members[0][0].replace("/", "-"), f"{members[0][0]}/train"
        evaluate = [f"{id}/eval" for id, _, _ in members]
        runs.append({"run": run, "train": train, "evaluate": evaluate, "pairs": [id for id, _, _ in members]})
        planned += [
            {
                "pair": id,
                "axis": axis,
                "title": title,
                "own_train": f"{id}/train",
                "train": train,
                "eval": f"{id}/eval",
                "run": run,
            }
            for id, axis, title in members
        ]
        for seed in seeds:
            state = unfinished.get((run, seed), "finished")
            if state != "missing":
                make_seed(folder / run / f"seed-{seed}", run, seed, train, evaluate, state, (run, seed) in trapped, values)
    plan = {
        "suite": ["fake"], "seeds": list(seeds), "agent": {"total_steps": 3000}, "agent_file": "fake_agent.yaml",
        "created": "2000-01-01T00:00:00", "shared": shared, "pairs": planned, "runs": runs, "proofs": {},
    }  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "sweep.json").write_text(json.dumps(plan))
    return folder


def make_seed(folder, run, seed, train, evaluate, state="finished", trapped=False, values=made_up):
    """Writes the directory of one seed; what is not finished lacks its last evaluation."""
    folder.mkdir(parents=True)
    done = STEPS if state == "finished" else STEPS[:-1]
    for number, step in enumerate(done):
        configurations = {
            name: {metric: {"mean": mean, "sem": 0.01} for metric, mean in values(run, seed, step, name, train).items()}
            for name in (train, *evaluate)
        }
        line = {"step": step, "iteration": number, "episodes": 128, "train": train, "configurations": configurations}
        append(folder / "evaluations.jsonl", line)
        append(folder / "metrics.jsonl", {"step": step, "return": -900.0 if trapped else -10.0, "trapped": trapped})
    if state != "bare":
        status = {"state": state, "step": done[-1], "total_steps": STEPS[-1], "updated": "2000-01-01T00:00:00"}
        error = "RuntimeError: made up" if state == "failed" else None
        (folder / "status.json").write_text(json.dumps(status | {"error": error}))


def append(path, line):
    with path.open("a") as file:
        file.write(json.dumps(line) + "\n")
