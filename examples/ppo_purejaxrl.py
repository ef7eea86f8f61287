"""PPO in one compiled program, in the manner of PureJaxRL, on the signature that kagejax shares with gymnax 1.0.

    python examples/ppo_purejaxrl.py --config sliding/simplest --envs 64 --updates 40

Nothing but jax, flax and optax: `env.reset(key, params)` and `env.step(key, state, action, params)` under `jax.vmap`, all of it
inside `jax.lax.scan`. `train` is a pure function of a key, so `jax.vmap(train)` trains many seeds at once.
"""

import dataclasses
import functools
from typing import Any, NamedTuple

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
import tyro

import kagejax


@dataclasses.dataclass(frozen=True)
class Options:
    """Settings of a run."""

    config: str = "sliding/simplest"
    """An id or a YAML file of an environment with one array as observation."""
    envs: int = 64
    """Environments that step together."""
    updates: int = 40
    """Rollouts, each followed by its epochs."""
    rollout: int = 64
    """Steps of each environment between two updates."""
    epochs: int = 4
    """Passes over a rollout."""
    minibatches: int = 4
    """Parts of a pass."""
    learning_rate: float = 5e-4
    """Of Adam."""
    gamma: float = 0.99
    """Discount."""
    gae_lambda: float = 0.95
    """Mixing of the advantage's horizons."""
    clip: float = 0.2
    """Farthest that a probability ratio counts."""
    entropy: float = 0.01
    """Weight of the entropy bonus."""
    seed: int = 1
    """Of everything."""


class Moment(NamedTuple):
    """One step of all environments."""

    observation: jax.Array
    action: jax.Array
    logprob: jax.Array
    value: jax.Array
    reward: jax.Array
    done: jax.Array


class ActorCritic(nn.Module):
    """A dense network with two heads."""

    actions: int

    @nn.compact
    def __call__(self, observation: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Logits [n, actions] and values [n]."""
        x = observation.reshape(len(observation), -1).astype(jnp.float32)
        x = x / 255 if observation.dtype == jnp.uint8 else x
        for _ in range(2):
            x = nn.tanh(nn.Dense(64, kernel_init=nn.initializers.orthogonal(2**0.5))(x))
        return nn.Dense(self.actions, kernel_init=nn.initializers.orthogonal(0.01))(x), nn.Dense(1)(x).squeeze(-1)


def train(key: jax.Array, params: Any, env: Any, options: Options) -> jax.Array:
    """Trains from `key`, and gives the mean reward per step of each rollout, f32 [updates]."""
    network = ActorCritic(env.action_space(params).n)
    reset, step = jax.vmap(env.reset, (0, None)), jax.vmap(env.step, (0, 0, 0, None))
    optimizer = optax.chain(optax.clip_by_global_norm(0.5), optax.adam(options.learning_rate, eps=1e-5))

    def play(carry, _):
        weights, observation, state, key = carry
        key, act_key, step_key = jax.random.split(key, 3)
        logits, value = network.apply(weights, observation)
        action = jax.random.categorical(act_key, logits)
        logprob = jnp.take_along_axis(jax.nn.log_softmax(logits), action[:, None], 1)[:, 0]
        after, state, reward, terminated, truncated, info = step(
            jax.random.split(step_key, options.envs), state, action, params
        )
        # Time limits count as ends here, as in PureJaxRL; info["final_state"] has what a bootstrap would need.
        return (weights, after, state, key), Moment(observation, action, logprob, value, reward, terminated | truncated)

    def advantage(carry, moment):
        following, gathered = carry
        delta = moment.reward + options.gamma * following * (1 - moment.done) - moment.value
        gathered = delta + options.gamma * options.gae_lambda * (1 - moment.done) * gathered
        return (moment.value, gathered), gathered

    def loss(weights, moment, gain, target):
        logits, value = network.apply(weights, moment.observation)
        every = jax.nn.log_softmax(logits)
        ratio = jnp.exp(jnp.take_along_axis(every, moment.action[:, None], 1)[:, 0] - moment.logprob)
        gain = (gain - gain.mean()) / (gain.std() + 1e-8)
        actor = -jnp.minimum(ratio * gain, jnp.clip(ratio, 1 - options.clip, 1 + options.clip) * gain).mean()
        entropy = -(jnp.exp(every) * every).sum(-1).mean()
        return actor + 0.25 * jnp.square(value - target).mean() - options.entropy * entropy

    def improve(carry, batch):
        weights, memory = carry
        changes, memory = optimizer.update(jax.grad(loss)(weights, *batch), memory, weights)
        return (optax.apply_updates(weights, changes), memory), None

    def update(carry, _):
        weights, memory, observation, state, key = carry
        (_, observation, state, key), moments = jax.lax.scan(play, (weights, observation, state, key), None, options.rollout)
        last = network.apply(weights, observation)[1]
        _, gains = jax.lax.scan(advantage, (last, jnp.zeros_like(last)), moments, reverse=True)
        flat = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), (moments, gains, gains + moments.value))
        key, *shuffles = jax.random.split(key, options.epochs + 1)
        for shuffle in shuffles:
            order = jax.random.permutation(shuffle, options.rollout * options.envs)
            parts = jax.tree.map(lambda x, order=order: x[order].reshape(options.minibatches, -1, *x.shape[1:]), flat)
            (weights, memory), _ = jax.lax.scan(improve, (weights, memory), parts)
        return (weights, memory, observation, state, key), moments.reward.mean()

    key, weights_key, reset_key = jax.random.split(key, 3)
    observation, state = reset(jax.random.split(reset_key, options.envs), params)
    weights = network.init(weights_key, observation)
    return jax.lax.scan(update, (weights, optimizer.init(weights), observation, state, key), None, options.updates)[1]


def main(options: Options) -> jax.Array:
    """Trains one seed and prints how its reward went."""
    env, params = kagejax.make(options.config)
    rewards = jax.jit(functools.partial(train, env=env, options=options))(jax.random.key(options.seed), params)
    for i, reward in enumerate(rewards.tolist(), 1):
        print(f"update {i}: reward per step {reward:.4f}")
    return rewards


if __name__ == "__main__":
    main(tyro.cli(Options, description=__doc__))
