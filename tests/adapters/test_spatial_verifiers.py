"""The environment for the library verifiers: its tasks, and an episode with a player whose part is written here."""

import asyncio
import contextlib
import json
import pathlib
import sys

import pytest

pytest.importorskip(
    "verifiers.v1", reason="verifiers is not installed: pip install 'kagejax[verifiers]'; it needs openai below 3"
)
sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "adapters"))

import kagejax_spatial
import verifiers.v1 as vf

GOLDEN = pathlib.Path(__file__).parents[1] / "golden" / "spatial" / "puzzles.jsonl"


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """Puzzles A01 (one cell, RRDD) and A03 (2x2), of level 1."""
    rows = [json.loads(line)["puzzle"] for line in GOLDEN.read_text().splitlines()]
    path = tmp_path_factory.mktemp("puzzles") / "two.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows if row["id"] in ("A01", "A03")))
    return str(path)


def environment(source, **settings):
    taskset = {"id": "kagejax-spatial", "puzzles": source} | settings
    return vf.load_environment(vf.resolve_env_config({"taskset": taskset}))


class Talk:
    """A player whose replies are given; it keeps what it was asked, and can hang up."""

    def __init__(self, task, replies):
        self.asked, self._replies = [], iter(replies)
        self.trace = vf.Trace(
            task=vf.TraceTask(type="SpatialTask", data=task.data, key=task.key, hash=task.hash),
            agent=vf.AgentInfo(name="player", config=vf.AgentConfig(harness={"id": "null"})),
        )

    async def turn(self, message=None):
        self.asked.append(message)
        reply = next(self._replies, None)
        if reply is None:
            return vf.Segment(messages=[], terminated=True)
        return vf.Segment(messages=[vf.AssistantMessage(content=reply)])


def played(env, task, replies):
    talk = Talk(task, replies)

    class Player:
        @contextlib.asynccontextmanager
        async def interaction(self, _):
            yield talk

    class Agents:
        player = Player()

    asyncio.run(env.run(task, Agents()))
    return talk


def test_it_is_found_by_its_name_and_gives_a_task_for_each_puzzle(source):
    env = environment(source)
    assert isinstance(env, kagejax_spatial.SpatialEnv)
    tasks = list(env.taskset)
    assert [(task.data.idx, task.data.puzzle, task.key) for task in tasks] == [(0, "A01", "A01"), (1, "A03", "A03")]
    assert tasks[0].data.prompt[0].content.startswith("Step: 1\nPosition: (0, 0)\nLegal moves: [0=RIGHT, 3=DOWN]\n")
    assert "Rules:" in tasks[0].data.system_prompt


def test_only_the_levels_that_are_asked_for(source):
    with pytest.raises(ValueError, match=r"two.jsonl' has a level of \[2\]."):
        list(environment(source, levels=[2]).taskset)
    assert len(list(environment(source, levels=[1, 2]).taskset)) == 2


def test_a_conversation_step_by_step_is_rewarded_for_a_solved_puzzle(source):
    env = environment(source)
    task = next(iter(env.taskset))
    talk = played(env, task, ["Final: 0", "hm", "Final: RIGHT", "Final: 3", "Final: 3"])
    assert {name: reward.score for name, reward in talk.trace.rewards.items()} == {"solved": 1.0}
    assert talk.trace.metrics["steps"] == 4.0
    assert talk.trace.metrics["invalid_replies"] == 1.0
    assert talk.trace.info["outcome"] == "solved"
    assert talk.asked[0] is None  # the task holds the first question
    assert talk.asked[1][0]["content"].startswith("Step: 2\nPosition: (1, 0)\n")
    assert talk.asked[2][0]["content"].startswith("Your reply named no move.")
    assert all(len(messages) == 1 for messages in talk.asked[1:])


def test_one_reply_without_a_move_too_many_ends_an_episode(source):
    env = environment(source, invalid_replies=1)
    talk = played(env, next(iter(env.taskset)), ["hm", "hm"])
    assert talk.trace.rewards["solved"].score == 0.0
    assert talk.trace.info["outcome"] == "invalid reply"


def test_a_whole_answer_is_judged_by_the_rules(source):
    env = environment(source, mode="one-shot")
    task = next(iter(env.taskset))
    right = played(env, task, ["#### (0,0),(1,0),(2,0),(2,1),(2,2)"])
    wrong = played(env, task, ["#### (0,0),(0,1),(0,2),(1,2),(2,2)"])
    assert (right.trace.rewards["solved"].score, right.trace.info["outcome"]) == (1.0, "solved")
    assert (wrong.trace.rewards["solved"].score, wrong.trace.info["outcome"]) == (0.0, "rules broken")
    assert wrong.trace.metrics["line_valid"] == 1.0


def test_a_run_that_ends_early_is_a_failure(source):
    env = environment(source)
    talk = played(env, next(iter(env.taskset)), ["Final: 0"])
    assert (talk.trace.rewards["solved"].score, talk.trace.info["outcome"]) == (0.0, "request failed")
