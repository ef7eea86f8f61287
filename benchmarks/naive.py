"""The baseline of training.py: PPO on kage as one writes it by hand, from the usual parts.

Rules and resets are kagejax's, so that the games are the same; pictures (`_naive_scene`), network and learning are not. Flax's
`nn.Conv` on frames in the usual order, a rollout in a `lax.scan` that stores every frame, minibatches gathered whole and
differentiated at once, all of an update in one jitted program: the shape of the single-file trainers that people start from.
Those scan over the minibatches too. On a CPU that makes XLA's gradients of convolutions more than ten times slower than they
are outside of a loop, which someone who trains there would notice; so the baseline unrolls that loop unless told not to.
Settings and results are those of `agents/ppo.py` up to rounding, which tests/benchmarks/test_naive.py holds it to.
"""

from typing import Any, NamedTuple

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax

from kagejax.envs.kage.env import KageEnv
from kagejax.learning.networks import TRUNKS, Trunk

from ._naive_scene import NaiveScene


class Network(nn.Module):
    """Frames u8 [batch, height, width, 3] to logits f32 [batch, actions] and values f32 [batch]."""

    trunk: Trunk
    actions: int

    @nn.compact
    def __call__(self, frames: jax.Array) -> tuple[jax.Array, jax.Array]:
        x = frames.astype(jnp.float32) / 255
        gain = nn.initializers.orthogonal(2**0.5)
        for layer in self.trunk.convolutions:
            padding = ((0, layer.margin), (0, layer.margin))
            size, stride = (layer.size, layer.size), (layer.stride, layer.stride)
            x = nn.relu(nn.Conv(layer.features, size, stride, padding, kernel_init=gain)(x))
        x = nn.relu(nn.Dense(self.trunk.width, kernel_init=gain)(x.reshape(x.shape[0], -1)))
        logits = nn.Dense(self.actions, kernel_init=nn.initializers.orthogonal(self.trunk.actor_gain), name="actor")(x)
        value = nn.Dense(1, kernel_init=nn.initializers.orthogonal(self.trunk.critic_gain), name="critic")(x)
        return logits, value[:, 0]


class Task(NamedTuple):
    """What is static."""

    config: Any  # agents.ppo.Config
    env: KageEnv
    scene: NaiveScene
    unrolled: bool = True  # the loop over minibatches

    @property
    def network(self) -> Network:
        """The actor-critic."""
        return Network(TRUNKS[self.config.network], self.env.action_space.n)

    @property
    def optimizer(self) -> optax.GradientTransformation:
        """Adam behind a clip of the global norm."""
        config = self.config
        clip = optax.clip_by_global_norm(config.max_gradient_norm)
        return optax.chain(clip, optax.adam(config.learning_rate, eps=config.adam_epsilon))


class Learner(NamedTuple):
    """What a run carries on."""

    parameters: Any
    optimizer: Any
    states: Any
    frames: jax.Array  # u8 [envs, size, size, 3]
    key: jax.Array


class Stored(NamedTuple):
    """One step of all environments, as the rollout stores it."""

    frame: jax.Array
    action: jax.Array
    log_probability: jax.Array
    value: jax.Array
    reward: jax.Array
    terminated: jax.Array
    truncated: jax.Array
    final_value: jax.Array


def start(task: Task, params: Any, key: jax.Array) -> Learner:
    """The state before the first update."""
    network_key, reset_key, key = jax.random.split(key, 3)
    states = jax.vmap(task.env.init, (0, None))(_keys(task, reset_key), params)
    frames = draw(task, params, states)
    parameters = task.network.init(network_key, frames[:1])
    return Learner(parameters, task.optimizer.init(parameters), states, frames, key)


def draw(task: Task, params: Any, states: Any) -> jax.Array:
    """Pictures of states [envs], averaged down to the size that the network sees."""
    pictures = jax.vmap(task.scene, (0, None))(states, params)
    size, (envs, extent) = task.config.frame_size, pictures.shape[:2]
    if size == extent:
        return pictures
    blocks = pictures.reshape(envs, size, extent // size, size, extent // size, 3).astype(jnp.float32)
    return jnp.floor(blocks.mean((2, 4)) + 0.5).astype(jnp.uint8)


def rollout(task: Task, params: Any, learner: Learner) -> tuple[Learner, Stored]:
    """`rollout_steps` steps of all environments, [time, envs, ...] each."""
    config, env = task.config, task.env

    def step(learner, _):
        action_key, step_key, key = jax.random.split(learner.key, 3)
        logits, value = task.network.apply(learner.parameters, learner.frames)
        action = jax.random.categorical(action_key, logits)
        keys = _keys(task, step_key)
        after, reward, terminated, truncated, _ = jax.vmap(env.advance, (0, 0, 0, None))(keys, learner.states, action, params)
        states = jax.vmap(env.reset_where, (0, 0, 0, None))(terminated | truncated, keys, after, params)

        def final_value():
            return jnp.where(truncated, task.network.apply(learner.parameters, draw(task, params, after))[1], 0.0)

        final = jnp.zeros(config.num_envs)
        if config.bootstrap_truncation:
            final = jax.lax.cond(truncated.any(), final_value, lambda: jnp.zeros(config.num_envs))
        log_probability = jnp.take_along_axis(jax.nn.log_softmax(logits), action[:, None], 1)[:, 0]
        reward = reward * config.reward_scale
        stored = Stored(learner.frames, action, log_probability, value, reward, terminated, truncated, final)
        return learner._replace(states=states, frames=draw(task, params, states), key=key), stored

    return jax.lax.scan(step, learner, length=config.rollout_steps)


def advantages(task: Task, stored: Stored, last_value: jax.Array) -> jax.Array:
    """Generalised advantage estimates, f32 [time, envs]."""
    config = task.config

    def backward(carry, step):
        advantage, next_value = carry
        alive = 1.0 - (step.terminated | step.truncated)
        following = jnp.where(step.truncated & ~step.terminated, step.final_value, next_value * alive)
        delta = step.reward + config.gamma * following - step.value
        advantage = delta + config.gamma * config.gae_lambda * alive * advantage
        return (advantage, step.value), advantage

    steps = stored._replace(frame=None)
    return jax.lax.scan(backward, (jnp.zeros_like(last_value), last_value), steps, reverse=True)[1]


def loss(task: Task, parameters: Any, stored: Stored, advantage: jax.Array, target: jax.Array) -> jax.Array:
    """PPO's objective on one minibatch."""
    config = task.config
    logits, value = task.network.apply(parameters, stored.frame)
    logs = jax.nn.log_softmax(logits)
    ratio = jnp.exp(jnp.take_along_axis(logs, stored.action[:, None], 1)[:, 0] - stored.log_probability)
    advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
    policy = -jnp.minimum(ratio * advantage, jnp.clip(ratio, 1 - config.clip, 1 + config.clip) * advantage).mean()
    moved = stored.value + jnp.clip(value - stored.value, -config.value_clip, config.value_clip)
    worth = 0.5 * jnp.maximum((value - target) ** 2, (moved - target) ** 2).mean()
    entropy = -(jnp.exp(logs) * logs).sum(-1).mean()
    return policy + config.value_weight * worth - config.entropy_weight * entropy


def update(task: Task, params: Any, learner: Learner) -> Learner:
    """A rollout, and `epochs` passes over it in minibatches."""
    config = task.config
    learner, stored = rollout(task, params, learner)
    advantage = advantages(task, stored, task.network.apply(learner.parameters, learner.frames)[1])
    sample = (stored, advantage, advantage + stored.value)
    sample = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), sample)
    shuffle_key, key = jax.random.split(learner.key)

    orders = [jax.random.permutation(k, config.batch_size) for k in jax.random.split(shuffle_key, config.epochs)]
    minibatches = jnp.concatenate(orders).reshape(config.epochs * config.minibatches, -1)

    def minibatch(carry, rows):
        parameters, state = carry
        chosen = jax.tree.map(lambda x: x[rows], sample)
        gradients = jax.grad(lambda p: loss(task, p, *chosen))(parameters)
        changes, state = task.optimizer.update(gradients, state, parameters)
        return (optax.apply_updates(parameters, changes), state), None

    carry = learner.parameters, learner.optimizer
    if task.unrolled:
        for rows in minibatches:
            carry, _ = minibatch(carry, rows)
    else:
        carry, _ = jax.lax.scan(minibatch, carry, minibatches)
    parameters, state = carry
    return learner._replace(parameters=parameters, optimizer=state, key=key)


def translated(parameters: dict) -> dict:
    """Parameters of `kagejax.learning.networks.ActorCritic` as those of `Network`."""
    ours = parameters["params"]
    count = sum(name.endswith("_kernel") for name in ours)
    convolutions = {
        f"Conv_{i}": {"kernel": ours[f"convolution_{i}_kernel"], "bias": ours[f"convolution_{i}_bias"]} for i in range(count)
    }
    return {"params": {**convolutions, "Dense_0": ours["dense"], "actor": ours["actor"], "critic": ours["critic"]}}


def _keys(task: Task, key: jax.Array) -> jax.Array:
    return jax.vmap(jax.random.fold_in, (None, 0))(key, jnp.arange(task.config.num_envs, dtype=jnp.uint32))
