"""The categorical distribution over a last axis of logits."""

import jax
import jax.numpy as jnp


def masked(logits: jax.Array, mask: jax.Array | None) -> jax.Array:
    """`logits` with those actions ruled out that `mask` (bool [..., actions]) does not allow. No mask, or one that allows
    nothing, rules nothing out."""
    if mask is None:
        return logits
    return jnp.where(mask | ~mask.any(-1, keepdims=True), logits, jnp.finfo(logits.dtype).min)


def sample(key: jax.Array, logits: jax.Array) -> jax.Array:
    """Actions i32 [...], each drawn from softmax of logits f32 [..., actions] (by the Gumbel-max trick)."""
    return jax.random.categorical(key, logits).astype(jnp.int32)


def log_probability(logits: jax.Array, actions: jax.Array) -> jax.Array:
    """Logarithm of the probability of `actions` (i32 [...]) under logits f32 [..., actions]; f32 [...]."""
    return jnp.take_along_axis(jax.nn.log_softmax(logits), actions[..., None], axis=-1)[..., 0]


def entropy(logits: jax.Array) -> jax.Array:
    """Entropy in nats, f32 [...], of logits f32 [..., actions]."""
    log_probabilities = jax.nn.log_softmax(logits)
    return -(jnp.exp(log_probabilities) * log_probabilities).sum(-1)
