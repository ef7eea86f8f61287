"""PPO with a convolutional network (Schulman et al., 2017), the whole update in one jitted program.

    python agents/ppo.py --config configs/agents/ppo_kage_quick.yaml --set total_steps=1000000
    python -m kagejax.agents.ppo --help

Reads from top to bottom: settings, data, network, rollout, advantages, loss, update, training loop, main. Every function
between is pure and takes what it needs as arguments: `config` and `env` static, the rest traced.

Defaults are those of the published baseline but for one: an episode that its time limit cuts bootstraps from the value of
its final observation. `bootstrap_truncation: false` gives the baseline's way, in which a time limit is an end.
"""

import contextlib
import dataclasses
import functools
import itertools
import pathlib
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax

import kagejax
from kagejax.assets import cache
from kagejax.config.problems import listing
from kagejax.core import Environment, FrameStack, VectorEnvironment, VectorState, anywhere
from kagejax.evaluation import films, report, rollouts, videos, views
from kagejax.learning import (
    advantages,
    augmentations,
    checkpoints,
    curves,
    distributions,
    frames,
    groups,
    keeping,
    loggers,
    machines,
    networks,
    normalizing,
    run,
    running,
    settings,
    successes,
)
from kagejax.learning.progress import Progress
from kagejax.learning.settings import Amount, Count, Fraction, Whole

IDENTITY_FREE = (
    "run_dir", "run_root", "resume", "seeds", "film", "evaluate_every", "eval_episodes", "eval_levels", "eval_greedy",
    "checkpoint_every", "evaluate", "success_goal", "total_steps", "parallel", "distributed",
    "film_format", "log", "wandb_project", "eval_programs",
)  # fmt: skip
"""Settings that may change when a run goes on: they do not touch what is learned (the length does if the rate is annealed)."""
TRAIN_OFFSET, EVAL_OFFSET, EVAL_STRIDE = 20_000, 10_000, 1_000
"""Of keys of published evaluation levels. BENCH section 3."""
EVALUATION_STREAM = 0x4556414C
"""Folded into a seed's key for the levels and actions of evaluations, so that they are not those of training."""
FILM_SPEED = 15.0
"""Frames per second of episode.gif or .mp4."""
LEARNER_METRICS = ("policy_loss", "value_loss", "entropy", "kl", "clip_fraction", "gradient_norm", "explained_variance")
SAME_NOTE = "Equal in every figure, as where a policy does the same on the same levels, whatever it sees"
TRAP_NOTE = (
    "stuck in a known trap of this task: the policy never jumps and paces left and right (return about -900). More training "
    "does not bring it out; its numbers stand as they are. Clipping the value loss (value_clip) makes it rarer."
)


@dataclasses.dataclass(frozen=True)
class Config:
    """Settings of a run."""

    train: str = "kage/background/1/train"
    """Configuration to train on: a registered id or the path of a YAML file."""
    evaluate: tuple[str, ...] = ("kage/background/1/eval",)
    """Configurations to evaluate on, besides the one trained on."""
    overrides: tuple[str, ...] = ()
    """Keys of the environment changed in all configurations, such as episode_length=200."""
    seeds: tuple[Whole, ...] = (1,)
    """One run each."""
    parallel: Literal["auto", "processes", "vmap", "turn"] = "auto"
    """How several seeds run: each as a process on a core of its own, all in one program on one device, or in turn. auto:
    processes on a CPU, vmap elsewhere, in turn with shards."""
    shards: Count = 1
    """Groups of environments with minibatches drawn from each in equal parts, spread over as many devices as divide them. The
    numbers of a run depend on shards, and not on how many devices there are."""
    distributed: str = ""
    """Trains on several machines (or processes) that see the same run_dir: auto on SLURM, TPU or MPI, else
    HOST:PORT,PROCESSES,INDEX. shards is then a multiple of all their devices."""
    total_steps: Count = 25_000_000
    """Environment steps, rounded up to whole updates."""
    num_envs: Count = 128
    """Environments that step together."""
    rollout_steps: Count = 128
    """Steps of each environment per update; a batch is num_envs x rollout_steps."""
    frame_size: Count = 128
    """Frames are averaged down to this extent, a divisor of the environment's."""
    frame_stack: Count = 1
    """How many of its last frames the policy sees at once."""
    augmentation: Literal["none", "cutout_color", "crop_resize"] = "none"
    """Random changes of frames in training (RAD), drawn once per environment and rollout: a coloured rectangle, or a part of
    the frame enlarged. Evaluations show frames as they are."""
    network: str = "reference"
    """Trunk: reference (4.8 M parameters, for 128x128), quick (49 k, for 32x32), puzzle (3.3 M, for 84x84) or another of
    learning/networks.py."""
    precision: Literal["float32", "bfloat16"] = "float32"
    """What the trunk computes in; parameters, heads and losses stay float32."""
    rollout_storage: Literal["frames", "latents"] = "frames"
    """What a rollout keeps: frames, or states, from which each minibatch's frames are drawn again: the same training, bit for
    bit, with a hundredth of the memory at full size."""
    epochs: Count = 3
    """Passes over each batch."""
    minibatches: Count = 8
    """Optimiser steps per pass."""
    gradient_chunk: Whole = 0
    """Frames differentiated at once, to fit a cache; sums over a minibatch. 0: 64 on a CPU, else the whole minibatch."""
    learning_rate: Amount = 5e-4
    """Of Adam."""
    anneal_learning_rate: bool = False
    """Whether the learning rate falls linearly to zero over the run."""
    adam_epsilon: Amount = 1e-5
    """Added to Adam's denominator."""
    max_gradient_norm: Amount = 0.5
    """Global norm to which gradients are clipped."""
    clip: Amount = 0.2
    """Range of the probability ratio around 1 in which it is not clipped."""
    value_clip: Amount = 0.2
    """How far a value may move from the rollout's before its error is clipped; 0: no clipping."""
    entropy_weight: Amount = 0.01
    """Weight of the entropy bonus."""
    anneal_entropy: bool = False
    """Whether the weight of the entropy bonus falls linearly to zero over the run."""
    target_kl: Amount = 0.0
    """Divergence from the rollout's policy at which a minibatch ends the passes over a batch; 0: never."""
    value_weight: Amount = 0.5
    """Weight of the value loss."""
    gamma: Fraction = 0.999
    """Discount per step."""
    gae_lambda: Fraction = 0.95
    """Decay of generalised advantage estimation."""
    reward_scale: Amount = 1.0
    """Factor on rewards that the learner sees; reported returns are never scaled."""
    normalize_rewards: bool = False
    """Whether the learner's rewards are divided by the deviation of their discounted sums so far."""
    bootstrap_truncation: bool = True
    """Whether an episode cut by its time limit counts on the value of its final observation (false: the baseline's way)."""
    normalize_advantages: bool = True
    """Whether advantages are taken to zero mean and unit deviation in each minibatch."""
    mask_actions: bool = True
    """Whether actions that the environment's mask rules out are never chosen; where it has no mask, this says nothing."""
    pretrained: str = ""
    """Run directory whose encoder (convolutions and their norms) to begin with; everything is trained on."""
    success_goal: Fraction = 0.8
    """Success rate over the last 100 episodes; metrics.jsonl says in `goal_step` when it was first reached."""
    stop_when_perfect: Whole = 0
    """End after so many episodes in a row at whose end the last 100 were all successes; 0: never."""
    updates_per_line: Count = 10
    """Updates per line of metrics.jsonl; progress, logs and signals are looked after between."""
    evaluate_every: Whole = 0
    """Updates between evaluations during training; 0: only at the end."""
    eval_episodes: Count = 128
    """Full episodes per configuration and evaluation."""
    eval_levels: Literal["shared", "published", "published_multi"] = "shared"
    """The same levels in all configurations, or those of KAGE-Bench's protocol: key seed + offset + iteration, with the offset
    20,000 for the configuration trained on and 10,000 for each of the others; published_multi: 10,000, 11,000, ... in order."""
    eval_programs: Literal["auto", "one", "alike"] = "auto"
    """Whether one program plays all configurations of an evaluation, or each set that takes the same drawing passes has its own
    (longer to compile, and faster on a CPU). auto: alike on a CPU, one elsewhere."""
    eval_greedy: bool = False
    """Whether evaluations take the likeliest action instead of a sampled one."""
    checkpoint_every: Whole = 0
    """Updates between checkpoints, at ends of lines of metrics; 0: only at the end. The newest two and the best are kept."""
    film: bool = True
    """Whether to write a film at the end: one episode of the trained policy in every configuration, side by side."""
    film_format: Literal["gif", "mp4"] = "gif"
    """Of the film: episode.gif, or episode.mp4, which needs kagejax[video]."""
    log: tuple[curves.Name, ...] = ("tensorboard",)
    """Where curves are shown, besides metrics.jsonl and evaluations.jsonl: tensorboard (`tensorboard --logdir RUN`), wandb
    (Weights & Biases, which needs kagejax[wandb] and a `wandb login`), both or none."""
    wandb_project: str = "kagejax"
    """Project of Weights & Biases."""
    run_root: str = "runs"
    """Folder for run directories."""
    run_dir: str = ""
    """Exact run directory; empty: a new one under run_root."""
    resume: str = ""
    """Run directory whose checkpoint to go on from; auto: run_dir's own, if it has one; empty: start anew."""

    def __post_init__(self):
        if self.num_envs % self.shards:
            raise ValueError(f"{self.num_envs} environments do not split into {self.shards} shards")
        if self.batch_size % (self.minibatches * self.shards):
            shares = f" of {self.shards} shards" if self.shards > 1 else ""
            raise ValueError(
                f"a batch of {self.num_envs} x {self.rollout_steps} does not split into {self.minibatches} minibatches{shares}"
            )
        if self.gradient_chunk and self.minibatch_size // self.shards % self.gradient_chunk:
            raise ValueError(f"gradient_chunk must divide the minibatch of {self.minibatch_size // self.shards}")
        if self.parallel == "vmap" and (self.shards > 1 or self.stop_when_perfect):
            raise ValueError("parallel=vmap trains its seeds in step, on one device: not with shards or stop_when_perfect")
        if self.distributed and not (self.run_dir and self.grouped):
            raise ValueError("distributed needs a run_dir, one folder that all machines see, and shards for their devices")
        if self.network not in networks.TRUNKS:
            raise ValueError(f"network must be one of {', '.join(networks.TRUNKS)}")
        if self.resume == "auto" and not self.run_dir:
            raise ValueError("resume=auto needs a run_dir")
        if not self.seeds or len(set(self.seeds)) < len(self.seeds):
            raise ValueError("seeds must be at least one number, each once")

    @property
    def batch_size(self) -> int:
        """Environment steps per update."""
        return self.num_envs * self.rollout_steps

    @property
    def minibatch_size(self) -> int:
        """Environment steps per optimiser step."""
        return self.batch_size // self.minibatches

    @property
    def grouped(self) -> bool:
        """Whether environments lie in groups."""
        return self.shards > 1

    @property
    def group(self) -> "Config":
        """The settings of one group by itself."""
        return dataclasses.replace(self, num_envs=self.num_envs // self.shards, shards=1)

    @property
    def total_updates(self) -> int:
        """Updates in the run."""
        return -(-self.total_steps // self.batch_size)


class Batch(NamedTuple):
    """What a rollout leaves to learn from, [time, environment] each."""

    seen: Any  # u8 [..., frame_size, frame_size, channels], what the policy saw; with latents the states that it was drawn from
    action: jax.Array  # i32
    log_probability: jax.Array  # f32, of the action when it was taken
    value: jax.Array  # f32, estimate when the action was taken
    reward: jax.Array  # f32, scaled
    terminated: jax.Array  # bool
    truncated: jax.Array  # bool
    final_value: jax.Array  # f32, value of the final observation where truncated, else 0
    mask: jax.Array | None  # bool [..., actions], those to choose from; None: all
    look: jax.Array | None  # u32 [..., 2], data of the key of the augmentation; None: there is none


class Sample(NamedTuple):
    """What the loss reads, [sample] each."""

    seen: Any  # u8 [..., frame_size, frame_size, channels]; with latents states, until a minibatch is drawn
    action: jax.Array  # i32
    log_probability: jax.Array  # f32
    value: jax.Array  # f32
    advantage: jax.Array  # f32, normalised over its minibatch before the loss
    target: jax.Array  # f32, advantage (not normalised) plus value
    mask: jax.Array | None  # bool [..., actions]
    look: jax.Array | None  # u32 [..., 2]


class TrainState(NamedTuple):
    """Everything that a run carries on; what a checkpoint holds. With shards, fields in GROUPED have a first axis of groups."""

    parameters: Any
    optimizer: Any
    environment: VectorState
    frame: jax.Array  # u8 [num_envs, frame_size, frame_size, channels], what the policy sees next
    key: jax.Array
    step: jax.Array  # i32, environment steps so far
    successes: successes.Successes
    returns: jax.Array | None  # f32 [num_envs], discounted sums of rewards; None unless rewards are normalised
    moments: normalizing.Moments | None  # of such sums


GROUPED = TrainState(False, False, True, True, False, False, False, True, False)
"""Fields that each group has its own of."""


def network(config: Config, env: Environment) -> networks.ActorCritic:
    """The actor-critic for the actions of `env`."""
    brightest = getattr(env.observation_space, "high", 255)
    return networks.actor_critic(config.network, env.action_space.n, brightest, config.precision)


def optimizer(config: Config) -> optax.GradientTransformation:
    """Adam behind a clip of the global gradient norm."""
    rate = config.learning_rate
    if config.anneal_learning_rate:
        rate = optax.linear_schedule(rate, 0.0, config.total_updates * config.epochs * config.minibatches)
    return optax.chain(optax.clip_by_global_norm(config.max_gradient_norm), optax.adam(rate, eps=config.adam_epsilon))


def start(config: Config, env: Environment, env_params: Any, key: jax.Array) -> TrainState:
    """The state before the first update; all randomness of a run comes from `key`."""
    if config.grouped:
        return groups.spread(functools.partial(_start, config, env), config.shards, (False, False), GROUPED)(env_params, key)
    return _start(config, env, env_params, key)


def _start(config: Config, env: Environment, env_params: Any, key: jax.Array) -> TrainState:
    network_key, reset_key, key = jax.random.split(key, 3)
    envs = config.group.num_envs
    frame, environment = VectorEnvironment(env, envs).reset(groups.own_key(config.grouped, reset_key), env_params)
    frame = frames.shrink(frame, config.frame_size)
    parameters = network(config, env).init(network_key, frame[:1])
    optimizer_state = optimizer(config).init(parameters)
    sums = (jnp.zeros(envs, jnp.float32), normalizing.none()) if config.normalize_rewards else (None, None)
    return TrainState(parameters, optimizer_state, environment, frame, key, jnp.int32(0), successes.none(), *sums)


def with_pretrained(config: Config, state: TrainState) -> TrainState:
    """`state` with the encoder of the run `config.pretrained`. Raises FileNotFoundError without a checkpoint there, ValueError
    for one of another shape."""
    folder = pathlib.Path(config.pretrained)
    kept = keeping.listed(folder)
    if not kept:
        raise FileNotFoundError(f"no checkpoint at {folder / 'checkpoint'}")
    saved = checkpoints.restore_part(kept[-1].path, "parameters")
    ours, theirs = networks.encoder(state.parameters), networks.encoder(saved)
    shapes = [{name: leaf.shape for name, leaf in part.items()} for part in (ours, theirs)]
    if not ours or shapes[0] != shapes[1]:
        raise ValueError(f"pretrained: the encoder of {folder} has the shapes {shapes[1]}; this network has {shapes[0]}")
    return state._replace(parameters={"params": {**state.parameters["params"], **theirs}})


@dataclasses.dataclass(frozen=True)
class Policy:
    """The learned policy as `kagejax.evaluation.rollouts.play` takes it: sampled actions for the environment's own frames."""

    config: Config
    env: Environment
    greedy: bool = False

    @property
    def masked(self) -> bool:
        """Whether it is called with masks."""
        return self.config.mask_actions and self.env.has_action_mask

    def __call__(self, parameters: Any, key: jax.Array, frame: jax.Array, mask: jax.Array | None = None) -> jax.Array:
        """Actions i32 [batch] for frames u8 [batch, H, W, channels] and masks bool [batch, actions]."""
        logits, _ = network(self.config, self.env).apply(parameters, frames.shrink(frame, self.config.frame_size))
        logits = distributions.masked(logits, mask)
        return jnp.argmax(logits, -1).astype(jnp.int32) if self.greedy else distributions.sample(key, logits)


def action_mask(config: Config, env: Environment, env_params: Any, environment: VectorState) -> jax.Array | None:
    """What may be chosen now, bool [num_envs, actions]; None for everything."""
    if not (config.mask_actions and env.has_action_mask):
        return None
    return jax.vmap(env.action_mask, (0, None))(environment.env, env_params)


def rollout(config: Config, env: Environment, env_params: Any, state: TrainState) -> tuple[TrainState, Batch, dict]:
    """Plays `rollout_steps` steps: the state after them, the batch, and sums over steps and finished episodes.

    The sums: `episodes` (how many finished), a metric's sum over them by name, and `action_probabilities` f32 [actions].
    With shards, state and batch are those of a group, the sums those of all.
    """
    grouped = config.grouped
    net, vector = network(config, env), VectorEnvironment(env, config.group.num_envs)
    look, key = looks(config, state.key)
    state = state._replace(key=key)

    def step(state: TrainState, _):
        action_key, step_key, key = jax.random.split(state.key, 3)
        seen = augmented(config, state.frame, look)
        logits, value = net.apply(state.parameters, seen)
        mask = action_mask(config, env, env_params, state.environment)
        logits = distributions.masked(logits, mask)
        action = distributions.sample(groups.own_key(grouped, action_key), logits)
        step_key = groups.own_key(grouped, step_key)
        frame, environment, reward, terminated, truncated, info = vector.step(step_key, state.environment, action, env_params)
        done, now = terminated | truncated, state.step + config.num_envs
        success = info["success_once"] > 0 if "success_once" in info else terminated
        batch = Batch(
            seen=seen if config.rollout_storage == "frames" else state.environment.env,
            action=action,
            log_probability=distributions.log_probability(logits, action),
            value=value,
            reward=reward * jnp.float32(config.reward_scale),
            terminated=terminated,
            truncated=truncated,
            final_value=final_values(config, env, env_params, state.parameters, truncated, info["final_state"], look),
            mask=mask,
            look=look,
        )
        sums = episode_sums(done, info) | {"action_probabilities": jax.nn.softmax(logits).mean(0)}
        frame = frames.shrink(frame, config.frame_size)
        return state._replace(environment=environment, frame=frame, key=key, step=now), (batch, sums, done, success, now)

    state, (batch, sums, done, success, steps) = jax.lax.scan(step, state, length=config.rollout_steps)
    probabilities = groups.mean(grouped, sums.pop("action_probabilities").mean(0))
    sums = groups.total(grouped, {name: value.sum(0) for name, value in sums.items()})
    ends = (groups.together(grouped, done), groups.together(grouped, success), steps)
    found = jax.lax.scan(lambda s, end: (successes.add(s, *end, config.success_goal), None), state.successes, ends)[0]
    state = state._replace(successes=found)
    if config.normalize_rewards:
        state, batch = with_normal_rewards(config, state, batch)
    return state, batch, sums | {"action_probabilities": probabilities}


def with_normal_rewards(config: Config, state: TrainState, batch: Batch) -> tuple[TrainState, Batch]:
    """The batch with rewards over the deviation of their discounted sums in this rollout and all before it."""
    sums, returns = normalizing.discounted_sums(state.returns, batch.reward, batch.terminated | batch.truncated, config.gamma)
    moments = normalizing.add(state.moments, sums, lambda x: groups.mean(config.grouped, x.mean()), config.shards)
    return state._replace(returns=returns, moments=moments), batch._replace(reward=normalizing.scaled(batch.reward, moments))


def looks(config: Config, key: jax.Array) -> tuple[jax.Array | None, jax.Array]:
    """Augmentations of a rollout, one for each environment (u32 [num_envs, 2]), and the key to go on with."""
    if config.augmentation == augmentations.NONE:
        return None, key
    own, key = jax.random.split(key)
    own = groups.own_key(config.grouped, own)
    keys = jax.vmap(jax.random.fold_in, (None, 0))(own, jnp.arange(config.group.num_envs, dtype=jnp.uint32))
    return jax.random.key_data(keys), key


def augmented(config: Config, frame: jax.Array, look: jax.Array | None) -> jax.Array:
    """What the policy sees of frames [batch, ...] in training."""
    if look is None:
        return frame
    return jax.vmap(functools.partial(augmentations.augment, config.augmentation))(jax.random.wrap_key_data(look), frame)


def final_values(
    config: Config, env: Environment, env_params: Any, parameters: Any, truncated: jax.Array, final_state: Any, look: Any
) -> jax.Array:
    """Values f32 [num_envs] of final observations where `truncated`, else 0. Drawn only on steps that truncate an episode."""
    nothing = jnp.zeros(truncated.shape, jnp.float32)
    if not config.bootstrap_truncation:
        return nothing

    def values():
        _, value = network(config, env).apply(parameters, augmented(config, drawn(config, env, env_params, final_state), look))
        return jnp.where(truncated, value, 0.0)

    return jax.lax.cond(anywhere(truncated), values, lambda: nothing)


def drawn(config: Config, env: Environment, env_params: Any, states: Any) -> jax.Array:
    """What the policy sees of states [batch]: u8 [batch, frame_size, frame_size, channels]."""
    return frames.shrink(jax.vmap(env.observe, (0, None))(states, env_params), config.frame_size)


def episode_sums(done: jax.Array, info: dict) -> dict[str, jax.Array]:
    """Sums over the episodes that this step finished: their number, and each metric of `info` by name (f32)."""
    metrics = {name: value for name, value in info.items() if name not in ("final_state", "episode")}
    metrics |= {"return": info["episode"].episode_return, "length": info["episode"].episode_length}
    sums = {name: jnp.where(done, value.astype(jnp.float32), 0.0).sum() for name, value in metrics.items()}
    return {"episodes": done.sum(dtype=jnp.int32), **sums}


def samples(config: Config, batch: Batch, last_value: jax.Array) -> Sample:
    """A batch with its advantages and value targets, time and environment flattened into one axis."""
    advantage = advantages.generalized_advantages(
        batch.reward,
        batch.value,
        last_value,
        batch.terminated,
        batch.truncated,
        batch.final_value,
        config.gamma,
        config.gae_lambda,
    )
    target = advantage + batch.value
    sample = Sample(batch.seen, batch.action, batch.log_probability, batch.value, advantage, target, batch.mask, batch.look)
    return jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), sample)


def policy_loss(config: Config, ratio: jax.Array, advantage: jax.Array) -> jax.Array:
    """The clipped surrogate, f32 []: PPO's equation 7, negated, from probability ratios and advantages f32 [sample]."""
    clipped = jnp.clip(ratio, 1 - config.clip, 1 + config.clip)
    return -jnp.minimum(ratio * advantage, clipped * advantage).mean()


def value_loss(config: Config, value: jax.Array, old_value: jax.Array, target: jax.Array) -> jax.Array:
    """Half the mean squared error, f32 []; with `value_clip` the larger of the plain error and that of a clipped move."""
    error = jnp.square(value - target)
    if config.value_clip:
        moved = old_value + jnp.clip(value - old_value, -config.value_clip, config.value_clip)
        error = jnp.maximum(error, jnp.square(moved - target))
    return 0.5 * error.mean()


def entropy_weight(config: Config, step: jax.Array) -> jax.Array:
    """Weight of the entropy bonus after `step` environment steps (i32 []), f32 []."""
    left = 1 - step / (config.total_updates * config.batch_size) if config.anneal_entropy else 1.0
    return jnp.float32(config.entropy_weight) * jnp.clip(jnp.float32(left), 0, 1)


def loss(
    config: Config, env: Environment, parameters: Any, sample: Sample, bonus: jax.Array
) -> tuple[jax.Array, dict[str, jax.Array]]:
    """PPO's objective to minimise, f32 [], and its parts; `bonus` is the weight of the entropy."""
    logits, value = network(config, env).apply(parameters, sample.seen)
    logits = distributions.masked(logits, sample.mask)
    log_ratio = distributions.log_probability(logits, sample.action) - sample.log_probability
    ratio = jnp.exp(log_ratio)
    parts = {
        "policy_loss": policy_loss(config, ratio, sample.advantage),
        "value_loss": value_loss(config, value, sample.value, sample.target),
        "entropy": distributions.entropy(logits).mean(),
        "kl": (ratio - 1 - log_ratio).mean(),
        "clip_fraction": (jnp.abs(ratio - 1) > config.clip).astype(jnp.float32).mean(),
    }
    weighted = config.value_weight * parts["value_loss"] - bonus * parts["entropy"]
    return parts["policy_loss"] + weighted, parts


def gradient(
    config: Config, env: Environment, env_params: Any, parameters: Any, sample: Sample, rows: jax.Array, bonus: jax.Array
) -> tuple[Any, dict]:
    """Gradient of the loss over the minibatch `rows` (i32 [minibatch_size]; with shards, a group's part of it) of `sample`, and
    the loss's parts.

    Advantages are normalised over the minibatch; then chunks that fit a cache are differentiated one after the other.
    """
    advantage = sample.advantage[rows]
    if config.normalize_advantages:
        advantage = advantage - groups.mean(config.grouped, advantage.mean())
        advantage = advantage / (jnp.sqrt(groups.mean(config.grouped, jnp.square(advantage).mean())) + 1e-8)
    chunk = gradient_chunk(config)

    def add(total, part):
        rows, advantage = part
        chosen = jax.tree.map(lambda x: x[rows], sample)._replace(advantage=advantage)
        return jax.tree.map(jnp.add, total, differentiate(parameters, chosen)), None

    def differentiate(parameters, chosen):
        if config.rollout_storage == "latents":
            chosen = chosen._replace(seen=augmented(config, drawn(config, env, env_params, chosen.seen), chosen.look))
        return jax.grad(lambda p: loss(config, env, p, chosen, bonus), has_aux=True)(parameters)

    if chunk == rows.shape[0]:
        found = differentiate(parameters, jax.tree.map(lambda x: x[rows], sample)._replace(advantage=advantage))
        return groups.mean(config.grouped, found)
    parts = (rows.reshape(-1, chunk), advantage.reshape(-1, chunk))
    first = jax.tree.map(lambda x: x[:1], sample)
    zero = jax.tree.map(lambda x: jnp.zeros(x.shape, x.dtype), jax.eval_shape(differentiate, parameters, first))
    total, _ = jax.lax.scan(add, zero, parts)
    return groups.mean(config.grouped, jax.tree.map(lambda x: x / (rows.shape[0] // chunk), total))


def gradient_chunk(config: Config) -> int:
    """Frames differentiated at once."""
    if config.gradient_chunk:
        return config.gradient_chunk
    whole = networks.TRUNKS[config.network].norm == "batch"  # whose statistics are those of the minibatch
    rows = config.group.minibatch_size
    return 64 if jax.default_backend() == "cpu" and rows % 64 == 0 and not whole else rows


def update(config: Config, env: Environment, env_params: Any, state: TrainState) -> tuple[TrainState, dict[str, jax.Array]]:
    """One rollout and `epochs` passes over it: the new state, and the rollout's sums with the means of the loss's parts."""
    state, batch, sums = rollout(config, env, env_params, state)
    last = augmented(config, state.frame, None if batch.look is None else batch.look[-1])
    _, last_value = network(config, env).apply(state.parameters, last)
    sample = samples(config, batch, last_value)
    shuffle_key, key = jax.random.split(state.key)
    shuffle_keys = jax.random.split(groups.own_key(config.grouped, shuffle_key), config.epochs)
    orders = jax.vmap(lambda k: jax.random.permutation(k, config.group.batch_size))(shuffle_keys)
    bonus = entropy_weight(config, state.step)

    def step(learner, rows):
        gradients, parts = gradient(config, env, env_params, learner[0], sample, rows, bonus)
        changes, optimizer_state = optimizer(config).update(gradients, learner[1], learner[0])
        parts["gradient_norm"] = optax.tree.norm(gradients)
        return (optax.apply_updates(learner[0], changes), optimizer_state), parts

    learned, parts = passes(config, step, (state.parameters, state.optimizer), orders.reshape(-1, config.group.minibatch_size))
    means = {name: value.mean() for name, value in parts.items()}
    means["explained_variance"] = 1 - variance(config, sample.target - sample.value) / (variance(config, sample.target) + 1e-8)
    return state._replace(parameters=learned[0], optimizer=learned[1], key=key), {**means, **sums}


def variance(config: Config, values: jax.Array) -> jax.Array:
    """Variance of all groups' values."""
    center = groups.mean(config.grouped, values.mean())
    return groups.mean(config.grouped, jnp.square(values - center).mean())


def passes(config: Config, step: Callable, learner: Any, minibatches: jax.Array) -> tuple[Any, dict[str, jax.Array]]:
    """`step(learner, rows)` for each of the minibatches (i32 [minibatches, minibatch_size]), until one's divergence exceeds
    `target_kl`. Gives the learner and the parts of each minibatch, [minibatches]; those left out repeat the last one taken."""
    if not config.target_kl:
        return jax.lax.scan(step, learner, minibatches)

    def careful(carry, rows):
        learner, parts = jax.lax.cond(carry[2], lambda: step(carry[0], rows), lambda: carry[:2])
        return (learner, parts, carry[2] & (parts["kl"] <= config.target_kl)), parts

    none = jax.tree.map(lambda x: jnp.zeros(x.shape, x.dtype), jax.eval_shape(step, learner, minibatches[0])[1])
    (learner, *_), parts = jax.lax.scan(careful, (learner, none, jnp.bool_(True)), minibatches)
    return learner, parts


@functools.partial(jax.jit, static_argnames=("config", "env"), donate_argnames="state")
def train_chunk(
    config: Config, env: Environment, env_params: Any, state: TrainState, updates: jax.Array
) -> tuple[TrainState, dict[str, jax.Array]]:
    """`updates` updates (i32 []; one program for any number) and their summed metrics."""
    chunk = functools.partial(_chunk, config, env)
    if config.grouped:
        chunk = groups.spread(chunk, config.shards, (False, GROUPED, False), (GROUPED, False))
    return chunk(env_params, state, updates)


@functools.partial(jax.jit, static_argnames=("config", "env"), donate_argnames="state")
def train_chunks(
    config: Config, env: Environment, env_params: Any, state: TrainState, updates: jax.Array
) -> tuple[TrainState, dict[str, jax.Array]]:
    """`train_chunk` of several seeds in step: states and metrics [seeds, ...]."""
    return jax.vmap(functools.partial(_chunk, config, env), (None, 0, None))(env_params, state, updates)


def _chunk(config: Config, env: Environment, env_params: Any, state: TrainState, updates: jax.Array) -> tuple:
    def one(_, carry):
        state, totals = carry
        state, metrics = update(config, env, env_params, state)
        return state, jax.tree.map(jnp.add, totals, metrics)

    shapes = jax.eval_shape(functools.partial(update, config, env), env_params, state)[1]
    totals = jax.tree.map(lambda x: jnp.zeros(x.shape, x.dtype), shapes)
    return jax.lax.fori_loop(0, updates, one, (state, totals))


def line(totals: dict[str, Any], updates: int) -> dict[str, Any]:
    """A line of metrics from the sums of `train_chunk`: means over updates of what the learner measured, means over episodes
    of what the environment measured (none where no episode finished)."""
    per_update = (*LEARNER_METRICS, "action_probabilities")
    episodes = int(totals["episodes"])
    means = {name: np.asarray(totals[name]) / updates for name in per_update}
    if episodes:
        means |= {name: float(value) / episodes for name, value in totals.items() if name not in (*per_update, "episodes")}
    return {**means, "episodes": episodes, "updates": updates}


def perfect(config: Config, state: TrainState) -> bool:
    """Whether the run may end early."""
    enough = config.stop_when_perfect
    return bool(enough) and int(successes.perfect_episodes(state.successes)) >= enough


def trapped(env: Environment, step: int, action_probabilities: np.ndarray) -> bool:
    """Whether a platformer policy is stuck at never jumping and pacing left and right, after half a million steps.

    It ends at a return of about -900 and does not come out again. Some seeds fall into it, more without value clipping: it is
    reported, and the run goes on, since restarting in silence would hide how often it happens.
    """
    if type(getattr(env, "env", env)).__name__ != "KageEnv" or step < 500_000:
        return False
    left, right, jump = (sum(p for action, p in enumerate(action_probabilities) if action & bit) for bit in (1, 2, 4))
    return bool(jump < 0.005 and right - left < 0.2)


class Stage(NamedTuple):
    """Where a run plays."""

    env: Environment
    env_params: Any
    batches: list[tuple[Environment, Any]]  # all configurations evaluated in; one batch where one program serves them all
    names: tuple[str, ...]  # of these configurations, batch by batch


def stage(config: Config) -> Stage:
    """Makes the environments. Raises ConfigError or AssetError for what cannot be made, ValueError for a frame_size that does
    not divide their extent, for frames that cannot be stacked or augmented, and for shards that do not fit the machines."""
    names = tuple(dict.fromkeys((config.train, *config.evaluate)))
    overrides = settings.assignments(config.overrides)
    env, params = kagejax.make(config.train, **overrides)
    sets = [names] if one_program(config) else alike(names, overrides)
    batches = [batch for each in sets for batch in kagejax.make_batches(each, **overrides)]
    names = tuple(itertools.chain(*sets))
    if config.grouped:
        groups.mesh(config.shards)
    if config.frame_stack > 1:
        env, batches = FrameStack(env, config.frame_stack), [(FrameStack(e, config.frame_stack), p) for e, p in batches]
    made = Stage(env, params, batches, names)
    space = made.env.observation_space
    jax.eval_shape(lambda frame: frames.shrink(frame, config.frame_size), jax.ShapeDtypeStruct(space.shape, space.dtype))
    if config.augmentation != augmentations.NONE and (space.dtype != jnp.uint8 or len(space.shape) != 3):
        raise ValueError(f"augmentation changes pictures, u8 [height, width, channels]; observations here are {space}")
    return made


def alike(names: Sequence[str], overrides: dict[str, Any]) -> list[tuple[str, ...]]:
    """Configurations in sets that take the same drawing passes: one program draws all passes that some of its configurations
    take, in all of them, so that on a CPU plain pictures would cost as much as those with every filter."""
    sets: dict[Environment, list[str]] = {}
    for name in names:
        sets.setdefault(kagejax.make(name, **overrides)[0], []).append(name)
    return [tuple(each) for each in sets.values()]


def one_program(config: Config) -> bool:
    """Whether one program plays all configurations of an evaluation."""
    return config.eval_programs == "one" or (config.eval_programs == "auto" and jax.default_backend() != "cpu")


def identity(config: Config, place: Stage, seed: int) -> dict[str, Any]:
    """What makes a run what it is: a checkpoint of another identity is refused."""
    free = set(IDENTITY_FREE) - ({"total_steps"} if config.anneal_learning_rate else set())
    own = {name: value for name, value in dataclasses.asdict(config).items() if name not in free}
    trained_on = _environments(config, place)[config.train]
    return {**loggers.plain(own), "seed": seed, "environment": run.fingerprint(trained_on)}


def check_packages(config: Config) -> None:
    """Raises ValueError for a package that the settings need and that is not installed, with what to install."""
    curves.check(config.log)
    if config.film and config.film_format == "mp4" and not videos.available():
        raise ValueError(f"film_format: {videos.MISSING}")


def begin(config: Config, place: Stage, folders: dict[int, pathlib.Path]) -> TrainState:
    """The state that a run of these seeds begins with: new, or that of checkpoints, all of the same step.

    Raises FileNotFoundError for a run to resume without one, SettingsDiffer for one of another configuration.
    """
    latest, states = None, []
    while len({int(state.step) for state in states}) != 1:  # more if killed between one seed's checkpoint and the next one's
        states = [_begin(config, place, seed, folder, latest) for seed, folder in folders.items()]
        latest = min(int(state.step) for state in states)
    return jax.tree.map(lambda *x: jnp.stack(x), *states) if len(states) > 1 else states[0]


def _begin(config: Config, place: Stage, seed: int, folder: pathlib.Path, latest: int | None = None) -> TrainState:
    arguments = (config, place.env, place.env_params, jax.random.key(seed))
    if config.resume:
        auto = config.resume == "auto"
        source = folder if auto else pathlib.Path(config.resume)
        source = source / folder.name if not auto and len(config.seeds) > 1 else source
        like = jax.eval_shape(functools.partial(start, *arguments[:2]), *arguments[2:])
        like = groups.layouts(like, config.shards, GROUPED) if config.grouped else like
        found = keeping.newest(source, like, identity(config, place, seed), print, latest)
        if found is None and not auto:
            raise FileNotFoundError(f"no checkpoint at {source / 'checkpoint'}")
        if auto and machines.first():  # what a killed run wrote after its checkpoint is written again
            for name in ("metrics.jsonl", "evaluations.jsonl"):
                keeping.cut(folder / name, int(found.step) if found else -1)
        if found:
            return found
    state = rollouts.in_haste(start, (0, 1))(*arguments)
    return with_pretrained(config, state) if config.pretrained else state


def train(config: Config, place: Stage, seed: int, folder: pathlib.Path) -> report.Summary | None:
    """Trains one seed on `place`, writing its run directory `folder`, and gives its final evaluation.

    An interrupt ends it after the chunk at hand, with the state saved; then None is given. `resume` goes on from there, and
    ends with the same numbers, bit for bit.
    """
    return train_together(config, place, {seed: folder}).get(seed)


def train_together(config: Config, place: Stage, folders: dict[int, pathlib.Path]) -> dict[int, report.Summary]:
    """`train` for several seeds in step on one device, each with a run directory of its own; final evaluations by seed."""
    total, done_before = config.total_updates * config.batch_size, {}
    if config.resume == "auto":
        finished = [s for s, folder in folders.items() if keeping.finished(folder, total, identity(config, place, s))]
        done_before = {s: loggers.read(folders[s] / "evaluations.jsonl")[-1]["configurations"] for s in finished}
        folders = {seed: folder for seed, folder in folders.items() if seed not in finished}
    if not folders:
        return done_before
    state = begin(config, place, folders)
    places = enumerate(folders) if len(folders) > 1 else [(None, seed) for seed in folders]
    lanes = [Lane(seed, folders[seed], machines.own(folders[seed]), index) for index, seed in places]
    with contextlib.ExitStack() as stack:
        shown = [stack.enter_context(curves_of(config, lane)) for lane in lanes]
        return done_before | train_lanes(config, place, state, lanes, shown)


def train_lanes(
    config: Config, place: Stage, state: TrainState, lanes: list["Lane"], shown: list[curves.Curves]
) -> dict[int, report.Summary]:
    """What `train_together` does from `state` on, for seeds that are not finished; their curves are `shown`."""
    total, learn = config.total_updates * config.batch_size, train_chunk if len(lanes) == 1 else train_chunks
    for lane in lanes:
        run.write_json(lane.folder / "run.json", run.describe(config, _environments(config, place), (lane.seed,)))
        keeping.say_status(lane.folder, keeping.RUNNING, int(lane.of(state.step)), total)
    done, was_trapped = int(lanes[0].of(state.step)) // config.batch_size, set()
    if not done and config.evaluate_every:
        for lane in lanes:
            measure(config, place, lane.of(state), lane.seed, lane.folder)
    follow(shown)
    with contextlib.ExitStack() as stack:
        interrupt = stack.enter_context(running.Interrupt())
        logs = [stack.enter_context(loggers.JsonLines(lane.folder / "metrics.jsonl")) for lane in lanes]
        progress = stack.enter_context(Progress({lane.label: total for lane in lanes}, machines.console()))
        while done < config.total_updates and not machines.anyone(interrupt.asked) and not perfect(config, state):
            updates, began = min(config.updates_per_line, config.total_updates - done), time.monotonic()
            state, totals = learn(config, place.env, place.env_params, state, jnp.int32(updates))
            totals = jax.device_get(totals)
            before, done = done, done + updates
            step, seconds = done * config.batch_size, time.monotonic() - began
            for lane, log in zip(lanes, logs, strict=True):
                found, metrics = lane.of(state.successes), line(lane.of(totals), updates)
                metrics |= {"success_rate": float(successes.rate(found)), "goal_step": int(found.reached)}
                metrics["trapped"] = trapped(place.env, step, metrics["action_probabilities"])
                log.write(step, {**metrics, "steps_per_s": updates * config.batch_size / seconds})
                progress.update(lane.label, step, running.note(metrics))
                if metrics["trapped"] and lane.seed not in was_trapped:
                    progress.say(f"{lane.label}: {TRAP_NOTE}")
                was_trapped = was_trapped | {lane.seed} if metrics["trapped"] else was_trapped - {lane.seed}
            if done == config.total_updates:
                break
            scores = [None] * len(lanes)
            if _passes(before, done, config.evaluate_every):
                found = [measure(config, place, lane.of(state), lane.seed, lane.folder) for lane in lanes]
                scores = [worth(summary[config.train]) for summary in found]
            if _passes(before, done, config.checkpoint_every):
                for lane, score in zip(lanes, scores, strict=True):
                    keep(config, place, lane.of(state), lane.seed, lane.home, score)
                    keeping.say_status(lane.folder, keeping.RUNNING, step, total)
            follow(shown)
        stopped = machines.anyone(interrupt.asked)
    summaries = {}
    for lane, pictured in zip(lanes, shown, strict=True):
        last, step = lane.of(state), done * config.batch_size
        if stopped:
            keep(config, place, last, lane.seed, lane.home, None)
            keeping.say_status(lane.folder, keeping.INTERRUPTED, step, total)
            if machines.first():
                print(f"{lane.label}: stopped after {step:,} steps and saved; --set resume={lane.home} goes on.")
            continue
        if machines.first():
            plan = f"{config.eval_episodes} episodes in each of {len(place.names)} configurations"
            print(f"{lane.label}: playing {plan}", flush=True)
        summaries[lane.seed] = measure(config, place, last, lane.seed, lane.folder, film=config.film)
        keep(config, place, last, lane.seed, lane.home, worth(summaries[lane.seed][config.train]))
        keeping.say_status(lane.folder, keeping.FINISHED, step, total)
        if config.film:
            pictured.film(film_path(config, lane.folder), step)
    return summaries


def curves_of(config: Config, lane: "Lane") -> curves.Curves:
    """Curves of a seed; none where another process shows them."""
    names = config.log if machines.first() else ()
    return curves.Curves(names, lane.folder, learner=LEARNER_METRICS, project=config.wandb_project)


def follow(shown: list[curves.Curves]) -> None:
    """Has all curves show what is new."""
    for each in shown:
        each.follow()


class Lane(NamedTuple):
    """One of the seeds that train in step."""

    seed: int
    home: pathlib.Path  # its run directory
    folder: pathlib.Path  # where this process writes: the same, unless another process writes there
    index: int | None  # its place in states [seeds, ...]; None: the seed is alone, and states have no such axis

    @property
    def label(self) -> str:
        """For people."""
        return f"seed {self.seed}"

    def of(self, tree: Any) -> Any:
        """Its part of a tree."""
        return tree if self.index is None else jax.tree.map(lambda x: x[self.index], tree)


def keep(config: Config, place: Stage, state: TrainState, seed: int, folder: pathlib.Path, score: float | None) -> None:
    """Writes a checkpoint."""
    keeping.save(folder, state, int(state.step), identity(config, place, seed), score)


def worth(metrics: dict[str, dict[str, float]]) -> float:
    """By what the best checkpoint is chosen: the success rate on the configuration trained on, or the return without one."""
    return metrics["success_once" if "success_once" in metrics else "return"]["mean"]


def evaluation_key(config: Config, place: Stage, seed: int, step: int, names: Sequence[str]) -> jax.Array:
    """Source of the levels and actions of an evaluation: one key, or one for each of the configurations `names`."""
    if config.eval_levels == "shared":
        return jax.random.fold_in(jax.random.fold_in(jax.random.key(seed), EVALUATION_STREAM), jnp.int32(step))
    others = [name for name in dict.fromkeys(config.evaluate) if name != config.train]
    stride = EVAL_STRIDE if config.eval_levels == "published_multi" else 0
    offsets = [TRAIN_OFFSET if name == config.train else EVAL_OFFSET + stride * others.index(name) for name in names]
    return jax.vmap(jax.random.key)(jnp.asarray([seed + offset + step // config.batch_size for offset in offsets]))


def measure(
    config: Config, place: Stage, state: TrainState, seed: int, folder: pathlib.Path, film: bool = False
) -> report.Summary:
    """Plays full episodes in all configurations and appends the summary to `evaluations.jsonl`; with `film`, the first episode
    becomes `film_path`."""
    played, first, step = [], 0, int(state.step)
    parameters = groups.gathered(state.parameters) if config.grouped else state.parameters
    for env, params in place.batches:
        names = place.names[first : first + rollouts.configurations(env, params)]
        key, first = evaluation_key(config, place, seed, step, names), first + len(names)
        policy = Policy(config, env, config.eval_greedy)
        played.append(rollouts.play(env, params, policy, parameters, key, config.eval_episodes, keep_film=film))
    told = list(dict.fromkeys((config.train, *config.evaluate)))  # in the order of the configuration
    order = [place.names.index(name) for name in told]
    metrics = {name: np.concatenate([part.metrics[name] for part in played])[order] for name in played[0].metrics}
    summary = report.summarize(told, metrics)
    facts = {"iteration": step // config.batch_size, "episodes": config.eval_episodes, "train": config.train}
    with loggers.JsonLines(folder / "evaluations.jsonl") as log:
        log.write(step, {**facts, "configurations": summary})
    if film:
        panels = [views.pictures(env, part.film) for (env, _), part in zip(place.batches, played, strict=True)]
        try:
            films.write(film_path(config, folder), films.side_by_side(views.together(panels)[:, order], told), FILM_SPEED)
        except (OSError, RuntimeError) as problem:  # the state that has been learned is yet to be saved
            print(f"The film could not be written: {problem}", file=sys.stderr)
    return summary


def film_path(config: Config, folder: pathlib.Path) -> pathlib.Path:
    """Where a run's film lies."""
    return folder / f"episode.{config.film_format}"


def _environments(config: Config, place: Stage) -> dict[str, Any]:
    overrides = settings.assignments(config.overrides)
    return {name: kagejax.load_config(name, **overrides).model_dump(mode="json") for name in place.names}


def _passes(before: int, now: int, every: int) -> bool:
    """Whether a multiple of `every` lies in (before, now]."""
    return bool(every) and now // every > before // every


def train_seeds(config: Config, place: Stage, folder: pathlib.Path) -> dict[str, report.Summary]:
    """Trains all seeds of `config`, each in a folder of its own, and gives their final evaluations by seed.

    A seed that was interrupted is left out.
    """
    if machines.first():
        run.write_json(folder / "run.json", run.describe(config, _environments(config, place), config.seeds))
    alone = {}
    for seed in config.seeds:
        path = folder / f"seed-{seed}"
        path.mkdir(exist_ok=config.resume == "auto" or bool(config.distributed))
        resume = str(pathlib.Path(config.resume) / path.name) if config.resume not in ("", "auto") else config.resume
        alone[seed] = dataclasses.replace(config, seeds=(seed,), run_dir=str(path), resume=resume)
    way = parallel(config)
    total = config.total_updates * config.batch_size
    if way == "vmap":
        together = {seed: pathlib.Path(one.run_dir) for seed, one in alone.items()}
        with contextlib.ExitStack() as stack:
            for path in together.values():
                stack.enter_context(keeping.failing(path, total))
            return {str(seed): summary for seed, summary in train_together(config, place, together).items()}
    if way == "turn":
        summaries = {}
        for seed, one in alone.items():
            with keeping.failing(pathlib.Path(one.run_dir), total):
                summaries[str(seed)] = train(one, place, seed, pathlib.Path(one.run_dir))
        return {label: summary for label, summary in summaries.items() if summary}
    folders = {f"seed {seed}": pathlib.Path(one.run_dir) for seed, one in alone.items()}
    for one in alone.values():
        settings.save(one, pathlib.Path(one.run_dir) / "config.yaml")
    commands = {label: (sys.executable, __file__, "--config", str(path / "config.yaml")) for label, path in folders.items()}
    running.one_per_core(commands, folders, total)
    lines = {seed: loggers.read(pathlib.Path(one.run_dir) / "evaluations.jsonl") for seed, one in alone.items()}
    return {str(seed): found[-1]["configurations"] for seed, found in lines.items() if found}


def parallel(config: Config) -> str:
    """How several seeds run: processes, vmap or turn."""
    if config.parallel != "auto":
        return config.parallel
    if config.grouped or config.distributed:
        return "turn"
    if jax.default_backend() == "cpu":
        return "processes"
    return "turn" if config.stop_when_perfect else "vmap"


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs from the command line; gives the exit status."""
    try:
        config = settings.from_command_line(Config, __doc__.partition("\n\n")[0], arguments)
        check_packages(config)
        cache.keep_programs()
        machines.join(config.distributed)
        place = stage(config)
        name = f"ppo-{config.train.replace('/', '-')}"
        again = config.resume == "auto" or not machines.first()
        folder = run.prepare(config.run_dir, config.run_root, name, again)
    except (ValueError, FileExistsError) as problem:
        print(problem, file=sys.stderr)
        return 1
    print(f"Run directory: {folder}", flush=True)
    try:
        if len(config.seeds) > 1:
            summaries = train_seeds(config, place, folder)
        else:
            with keeping.failing(folder, config.total_updates * config.batch_size):
                summary = train(config, place, config.seeds[0], folder)
            summaries = {str(config.seeds[0]): summary} if summary else {}
    except (FileNotFoundError, keeping.SettingsDiffer, running.RunFailed, curves.Refused) as problem:
        print(problem, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"Interrupted; what was learned is saved. --set resume={folder} goes on.", file=sys.stderr)
        return 130
    if not summaries:
        return 130
    if not machines.first():
        return 0
    text = conclusion(config, folder, summaries)
    (folder / "evaluation.txt").write_text(text + "\n")
    print(f"\n{text}")
    return 0


def conclusion(config: Config, folder: pathlib.Path, summaries: dict[str, report.Summary]) -> str:
    """What a run ends with: the table of its evaluation, seeds that are stuck, and where its files are."""
    folders = {seed: folder / f"seed-{seed}" if len(config.seeds) > 1 else folder for seed in summaries}
    last = {seed: (loggers.read(path / "metrics.jsonl") or [{}])[-1] for seed, path in folders.items()}
    stuck = [seed for seed, metrics in last.items() if metrics.get("trapped")]
    steps = sorted({metrics.get("step", 0) for metrics in last.values()})
    levels = "the same levels in all" if config.eval_levels == "shared" else "published levels"
    same = report.same_figures(list(summaries.values())) if config.eval_levels == "shared" else []
    parts = [
        f"After {' to '.join(f'{step:,}' for step in (steps[0], steps[-1])[: len(steps)])} steps: {config.eval_episodes} full "
        f"episodes per configuration and seed, {levels}, {'likeliest actions' if config.eval_greedy else 'actions sampled'}.",
        report.table(summaries, config.train),
        *(f"{SAME_NOTE}: {listing(names, 'and')}." for names in same),
        *(goal_note(config, seed, metrics) for seed, metrics in last.items()),
        *(f"Seed {seed}: {TRAP_NOTE}" for seed in stuck),
    ]
    shown = [str(film_path(config, path)) for path in folders.values() if film_path(config, path).exists()]
    return "\n\n".join([*parts, *(["An episode in each configuration: " + ", ".join(shown)] if shown else [])])


def goal_note(config: Config, seed: str, metrics: dict[str, Any]) -> str:
    """When a seed's training episodes first were as often successes as `success_goal` asks."""
    goal, step = f"{config.success_goal:.0%} of the last {successes.WINDOW} training episodes", metrics.get("goal_step", -1)
    return f"Seed {seed}: {goal} were successes " + (f"first after {step:,} steps." if step >= 0 else "at no time.")


if __name__ == "__main__":
    sys.exit(main())
