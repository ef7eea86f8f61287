"""`kagejax spatial eval`: language models and baselines on path puzzles, their log, report and page."""

import asyncio
import json
import os
import pathlib
import sys
import time
from collections.abc import Callable
from typing import Annotated, Any

import tyro

from kagejax.config.problems import ConfigError, Problem, Where, did_you_mean, listing

from ._arguments import require
from ._spatial_puzzles import puzzles_of

AGENTS = ("endpoint", "random", "astar")
OPENAI = "https://api.openai.com/v1"
PLAIN_INTERVAL = 10.0
"""Seconds between lines of progress where there is no terminal."""


def evaluate(
    puzzles: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="FILE|FOLDER|SET|hub")],
    *,
    out: str,
    agent: str = "endpoint",
    model: str = "",
    base_url: str = "",
    key_env: str = "OPENAI_API_KEY",
    mode: str = "one-shot",
    view: str = "text",
    wording: str = "reference",
    history: bool = False,
    parser: str = "strict",
    max_steps: int = 100,
    invalid_replies: int = 2,
    picture_size: int = 512,
    levels: str = "",
    limit: int = 0,
    samples: int = 1,
    temperature: float | None = None,
    max_tokens: int | None = None,
    seed: int | None = None,
    extra: str = "",
    concurrency: int = 8,
    timeout: float = 600.0,
    attempts: int = 6,
    stop_after: int = 10,
    retry_failed: bool = False,
) -> int:
    """Ask a language model, or let a baseline play, and report how many puzzles are solved.

    The folder gets a log of every episode, a report and a page to read transcripts. The same command again takes a run up where
    it was broken off: nothing is asked or counted twice. A request that fails for good counts as a failure.

    For example:
      kagejax spatial eval puzzles.jsonl --out runs/a --model my-model --base-url http://localhost:8000/v1
      kagejax spatial eval hub --out runs/b --model my-model --mode step --view picture --levels 5
      kagejax spatial eval puzzles.jsonl --out runs/random --agent random --mode step --samples 5

    Args:
        puzzles: Records, as JSON lines; a set that comes with kagejax; or hub, the public test puzzles.
        out: Folder of the run.
        agent: endpoint; or random (legal moves) or astar (shortest path, rules ignored).
        model: Name of the model, as the endpoint knows it.
        base_url: The endpoint; nothing: OpenAI's own.
        key_env: Environment variable with the key; it may be unset where --base-url names an endpoint that needs none.
        mode: one-shot (a whole path), step (a question for each move) or traceback (the same, and the line may be taken back).
        view: text or picture.
        wording: Of the rules: reference (what the stored solutions obey) or paper (as first published).
        history: Step by step: keep one conversation; else each step is asked without those before.
        parser: Step by step: which reading of a reply counts, strict (as published) or lenient; both are reported.
        max_steps: Steps of an episode, illegal ones too.
        invalid_replies: Step by step: so many replies without a move are asked again in an episode; one more ends it.
        picture_size: Height and width of pictures, px.
        levels: Only these, with commas.
        limit: Only so many puzzles, of each level as many as of the others; 0: all.
        samples: Answers to each puzzle.
        temperature: Sent along; nothing: the endpoint's default, here and below.
        max_tokens: Of a reply, reasoning included. For an endpoint that has another name for it, see --extra.
        seed: Sent along, for sample i plus i. A baseline draws from it.
        extra: Further fields of each request, as JSON, such as '{"max_completion_tokens": 8000}'.
        concurrency: Episodes at a time.
        timeout: Seconds for one attempt at a request.
        attempts: At a request, with growing waits.
        stop_after: Give up after so many episodes in a row whose request failed; 0: never.
        retry_failed: Play episodes again whose request failed.
    """
    from kagejax.evaluation.spatial import runs, settings

    _require_choices(agent, mode, view, wording, parser)
    least: list[tuple[str, float, float]] = [("--max-steps", max_steps, 1), ("--invalid-replies", invalid_replies, 0)]
    least += [("--picture-size", picture_size, 32), ("--limit", limit, 0), ("--samples", samples, 1)]
    least += [("--max-tokens", 1 if max_tokens is None else max_tokens, 1), ("--concurrency", concurrency, 1)]
    least += [("--attempts", attempts, 1), ("--stop-after", stop_after, 0)]
    for option, value, allowed in least:
        require(value >= allowed, option, f"Found {value}; allowed: {allowed} or more.")
    require(timeout > 0, "--timeout", f"Found {timeout:g}; allowed: above 0.")
    require(agent != "endpoint" or bool(model), "--model", "An endpoint is asked for a model by its name; say which.")
    require(agent == "endpoint" or not model, "--model", f"The agent {agent} asks no model; leave this out.")
    protocol = settings.Protocol(mode, view, wording, history, parser, max_steps, invalid_replies, picture_size)
    if agent == "endpoint":
        sampling = settings.Sampling(model, temperature, max_tokens, seed, _fields(extra))
        player = _endpoint(sampling, base_url, key_env, timeout, attempts)
        stated = runs.settings_of(agent, protocol, sampling)
    else:
        player = _baseline(agent, seed or 0)
        stated = runs.settings_of(agent, protocol, seed=seed or 0)
    plan = runs.Plan(_chosen(puzzles, levels, limit), samples, protocol)
    playing = {"concurrency": concurrency, "retry_failed": retry_failed, "stop_after": stop_after}
    session: dict[str, Any] = playing | {"timeout": timeout, "attempts": attempts}
    session["base_url"] = _shown(base_url) if agent == "endpoint" else None
    session["began"] = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    return _run(_folder(out), plan, stated, session, player, playing)


def _require_choices(agent: str, mode: str, view: str, wording: str, parser: str) -> None:
    from kagejax.evaluation.spatial import settings

    choices = [("--agent", agent, AGENTS), ("--mode", mode, settings.MODES), ("--view", view, settings.VIEWS)]
    choices += [("--wording", wording, settings.WORDINGS), ("--parser", parser, settings.PARSERS)]
    for option, value, allowed in choices:
        message = f"Found {value!r}; allowed: {listing(list(allowed))}.{did_you_mean(value, allowed)}"
        require(value in allowed, option, message)


def _chosen(source: str, levels: str, limit: int) -> tuple[Any, ...]:
    """The puzzles that are asked for."""
    from kagejax.evaluation.spatial import runs

    found = puzzles_of(source)
    if levels:
        known = sorted({puzzle.level for puzzle in found})
        try:
            wanted = {int(level) for level in levels.split(",")}
        except ValueError:
            wanted = set()
        message = f"Found {levels!r}; allowed: {listing([str(level) for level in known])}, with commas."
        require(bool(wanted) and wanted <= set(known), "--levels", message)
        found = tuple(puzzle for puzzle in found if puzzle.level in wanted)
    return tuple(runs.in_turns(found)[:limit]) if limit else found


def _fields(extra: str) -> dict[str, Any]:
    """Further fields of a request, from JSON."""
    from kagejax.evaluation.spatial import settings

    try:
        fields = json.loads(extra or "{}")
    except ValueError as problem:
        raise ConfigError(Problem(Where("--extra"), "", f"Found {extra!r}, which is no JSON: {problem}.")) from None
    require(isinstance(fields, dict), "--extra", f"Found {extra!r}; it must be a JSON object.")
    taken = [name for name in fields if name in settings.OWN_FIELDS]
    require(not taken, "--extra", f"Found {listing(taken, 'and') if taken else ''}; such fields are not set there.")
    return fields


def _endpoint(sampling: Any, base_url: str, key_env: str, timeout: float, attempts: int) -> Callable[[], Any]:
    """What makes the player: a client belongs to the loop in which it is used."""
    from kagejax.evaluation.spatial import endpoint

    message = f"Found {base_url!r}; it must begin with http:// or https://."
    require(not base_url or base_url.startswith(("http://", "https://")), "--base-url", message)
    key = os.environ.get(key_env, "")
    message = f"The environment variable {key_env} is not set. It must hold the key; where none is needed, give --base-url."
    require(bool(key or base_url), "--key-env", message)
    patience = endpoint.Patience(timeout=timeout, attempts=attempts)
    return lambda: endpoint.Endpoint(sampling, key or "none", base_url or OPENAI, patience)


def _baseline(agent: str, seed: int) -> Callable[[], Any]:
    from kagejax.evaluation.spatial import baselines

    return lambda: {"random": baselines.Random, "astar": baselines.AStar}[agent](seed)


def _shown(base_url: str) -> str:
    from kagejax.evaluation.spatial import endpoint

    return endpoint.address(base_url or OPENAI)


def _folder(out: str) -> pathlib.Path:
    path = pathlib.Path(out)
    require(path.is_dir() or not path.exists(), "--out", f"Found {out!r}, which is a file; a run needs a folder.")
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise ConfigError(Problem(Where("--out"), "", f"The folder {out!r} cannot be made: {problem.strerror}.")) from None
    return path


def _run(
    folder: pathlib.Path,
    plan: Any,
    settings: dict[str, Any],
    session: dict[str, Any],
    player: Callable[[], Any],
    playing: dict[str, Any],
) -> int:
    """Plays what is left of a plan, and writes what came of it, also when it is broken off."""
    from kagejax.evaluation.spatial import endpoint, logs, results, runs

    total = len(plan.places())
    try:
        with logs.opened(folder / results.LOG, settings, session) as log:
            left = len(runs.pending(plan, log, playing["retry_failed"]))
            print(f"{folder / results.LOG}: {total - left} of {total} episodes are there, {left} to play", flush=True)
            if left and plan.protocol.view == "picture":
                print("preparing pictures, a program for each size of board", flush=True)
            try:
                if left:
                    with _Progress(total, runs.played(plan, log)) as progress:
                        asyncio.run(_play(plan, log, player, progress.say, playing))
            finally:
                _write(folder, plan, settings, runs.played(plan, log))
    except ImportError as problem:
        if "kagejax[llm]" not in str(problem):
            raise
        raise ConfigError(Problem(Where("--agent"), "", str(problem))) from None
    except (endpoint.EndpointError, logs.LogError) as problem:
        raise ConfigError(Problem(Where("kagejax spatial eval"), "", str(problem))) from None
    return 0


async def _play(plan: Any, log: Any, player: Callable[[], Any], say: Callable[[Any], None], playing: dict[str, Any]) -> None:
    from kagejax.evaluation.spatial import runs

    made = player()
    try:
        await runs.play(plan, log, made, say=say, **playing)
    finally:
        if hasattr(made, "close"):
            await made.close()


def _write(folder: pathlib.Path, plan: Any, settings: dict[str, Any], episodes: list[Any]) -> None:
    """Report, tables and page of the episodes so far; the tables are printed."""
    from kagejax.evaluation.spatial import metrics, results, tables

    if not episodes:
        return
    report = metrics.report(settings, plan.protocol, episodes, len(plan.places()))
    results.write(folder, report, episodes, plan.puzzles)
    print(f"\n{tables.plain(report)}\n")
    if not report["complete"]:
        print(f"{len(episodes)} of {report['asked']} episodes have been played; the same command goes on.")
    print(f"To read: {folder / results.PAGE}", flush=True)


class _Progress:
    """A bar on a terminal, elsewhere a line now and then; with the number of puzzles solved and of requests that failed."""

    def __init__(self, total: int, before: list[Any]):
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        self._total, self._done = total, len(before)
        self._solved = sum(episode.solved for episode in before)
        self._failed = sum(not episode.finished for episode in before)
        self._printed = time.monotonic()
        columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[note]}"), TimeRemainingColumn())
        self._bar = Progress(*columns, transient=True, disable=not sys.stdout.isatty())
        self._task = self._bar.add_task("episodes", total=total, completed=self._done, note="")

    def __enter__(self) -> "_Progress":
        self._bar.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self._bar.stop()

    def say(self, episode: Any) -> None:
        """An episode is over."""
        self._done = min(self._done + 1, self._total)
        self._solved += episode.solved
        self._failed += not episode.finished
        note = f"{self._solved} solved" + (f", {self._failed} requests failed" if self._failed else "")
        self._bar.update(self._task, completed=self._done, note=note)
        now = time.monotonic()
        if self._bar.disable and now - self._printed >= PLAIN_INTERVAL:
            self._printed = now
            print(f"{self._done} of {self._total} episodes, {note}", flush=True)
