"""Generalised advantage estimation (Schulman et al., 2016) that tells a time limit from an end."""

import jax
import jax.numpy as jnp


def generalized_advantages(
    rewards: jax.Array,
    values: jax.Array,
    last_value: jax.Array,
    terminated: jax.Array,
    truncated: jax.Array,
    final_values: jax.Array,
    gamma: float,
    gae_lambda: float,
) -> jax.Array:
    """Advantages f32 [time, batch]; the value targets are `advantages + values`.

    `rewards`, `values` f32 and the flags bool are [time, batch]; `last_value` f32 [batch] is the value after the last step.
    `final_values` f32 [time, batch] is the value of the final observation where `truncated` (it is read nowhere else):
    an episode cut by its time limit would have gone on, so its last step still counts on what was to come. An episode that
    terminated is worth nothing afterwards, and a step that did both terminated. Zeros for `final_values` treat a time limit
    as an end.
    """

    def backward(carry, step):
        advantage, next_value = carry
        reward, value, is_terminated, is_truncated, final_value = step
        done = is_terminated | is_truncated
        following = jnp.where(is_terminated, 0.0, jnp.where(is_truncated, final_value, next_value))
        surprise = reward + gamma * following - value
        advantage = surprise + gamma * gae_lambda * jnp.where(done, 0.0, advantage)
        return (advantage, value), advantage

    start = (jnp.zeros_like(last_value), last_value)
    steps = (rewards, values, terminated, truncated, final_values)
    return jax.lax.scan(backward, start, steps, reverse=True)[1]
