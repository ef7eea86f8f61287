"""Functions that know their batch: under `jax.vmap` they run once for the whole batch, not once per element."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.custom_batching import custom_vmap


def batch_aware(batched: Callable[..., Any], shared_argnums: tuple[int, ...] = ()) -> Callable[..., Any]:
    """Turns `batched(axes, *args)` into a function of single elements whose every `vmap` calls `batched` once.

    `axes` has the structure of `args`, with 0 at each leaf that carries a leading batch axis and None at each leaf that all
    elements share; it can be handed to `jax.vmap` as `in_axes`. `batched` must return a leading batch axis on every leaf.
    A call without `vmap` is a batch of one, in which the arguments in `shared_argnums` are shared. Nested `vmap`s are
    flattened into one batch, so single, batched and doubly batched calls run the same arithmetic.
    """

    @custom_vmap
    def single(*args):
        mapped = tuple(
            jax.tree.map(lambda _, is_mapped=(i not in shared_argnums): is_mapped, arg) for i, arg in enumerate(args)
        )
        lifted = jax.tree.map(lambda x, m: jnp.asarray(x)[None] if m else x, args, mapped)
        return jax.tree.map(lambda x: x[0], batched(_axes(mapped), *lifted))

    @single.def_vmap
    def rule(size, mapped, *args):
        out = _many(batched, tuple(mapped), size)(*args)
        return out, jax.tree.map(lambda _: True, out)

    return single


@custom_vmap
def anywhere(flags: jax.Array) -> jax.Array:
    """Whether any of `flags` (bool, any shape) is set, in this element or, under `jax.vmap`, in any other: one bool for all, so
    that a `jax.lax.cond` on it stays one and does not compute both sides."""
    return flags.any()


@anywhere.def_vmap
def _anywhere_in_batch(size, mapped, flags):
    return anywhere(flags), False


def batch_size(axes: Any, args: Any) -> int:
    """How many elements a batch has, inside a `batched` function: the extent of the first leaf of `args` with a batch axis."""
    sizes = jax.tree.map(lambda x, axis: x.shape[0] if axis == 0 else None, args, axes)
    return jax.tree.leaves(sizes)[0]


def first_of(batch: Any, axes: Any) -> Any:
    """The first element of `batch`: arrays that lead with an axis of elements where `axes` has 0, and are shared where None.

    Sliced on the host: on the device each shape would compile a program of its own, as `jnp.asarray` does too.
    """
    return jax.tree.map(lambda x, axis: x if axis is None else jax.device_put(np.asarray(x)[0]), batch, axes)


def _many(batched: Callable[..., Any], mapped: Any, size: int) -> Callable[..., Any]:
    """`batched` over `size` elements, with a rule that folds one more `vmap` into the same leading axis."""

    @custom_vmap
    def many(*args):
        return batched(_axes(mapped), *args)

    @many.def_vmap
    def rule(outer_size, outer_mapped, *args):
        def fold(x, inner, outer):
            if not inner and not outer:
                return x
            x = x if outer else jnp.broadcast_to(x, (outer_size, *jnp.shape(x)))
            x = x if inner else jnp.broadcast_to(x[:, None], (outer_size, size, *jnp.shape(x)[1:]))
            return x.reshape(outer_size * size, *x.shape[2:])

        outer_mapped = tuple(outer_mapped)
        folded = jax.tree.map(fold, args, mapped, outer_mapped)
        either = jax.tree.map(lambda a, b: a or b, mapped, outer_mapped)
        out = _many(batched, either, outer_size * size)(*folded)
        out = jax.tree.map(lambda x: x.reshape(outer_size, size, *x.shape[1:]), out)
        return out, jax.tree.map(lambda _: True, out)

    return many


def _axes(mapped: Any) -> Any:
    return jax.tree.map(lambda m: 0 if m else None, mapped)
