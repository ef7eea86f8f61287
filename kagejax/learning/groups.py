"""Environments in groups that share one learner: one program per group, over as many devices as there are.

The program of a group is written once and says `mean` and `total` where it needs all groups. Groups on one device are a `vmap`,
devices a `shard_map` over a mesh, and both name an axis, so the same numbers come out, up to the order of sums, however many
devices the groups lie on.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

AXES = ("devices", "groups")
"""Names of a group's two axes."""


def mean(grouped: bool, values: Any) -> Any:
    """Leaf by leaf, the mean over all groups; the values themselves where there are none."""
    return jax.lax.pmean(values, AXES) if grouped else values


def total(grouped: bool, values: Any) -> Any:
    """Leaf by leaf, the sum over all groups."""
    return jax.lax.psum(values, AXES) if grouped else values


def together(grouped: bool, value: jax.Array) -> jax.Array:
    """The last axis of all groups in a row, in order."""
    if not grouped:
        return value
    for axis in reversed(AXES):  # one by one: JAX gathers over a vmap and a mesh, but not over both at once
        value = jax.lax.all_gather(value, axis, axis=value.ndim - 1, tiled=True)
    return value


def own_key(grouped: bool, key: jax.Array) -> jax.Array:
    """A group's own stream of what all groups have the same key for."""
    if not grouped:
        return key
    devices, groups = AXES
    return jax.random.fold_in(key, jax.lax.axis_index(devices) * jax.lax.axis_size(groups) + jax.lax.axis_index(groups))


def mesh(groups: int) -> Mesh:
    """As many of the devices as divide the groups evenly; those of all machines."""
    devices = jax.devices()
    count = next(count for count in range(min(groups, len(devices)), 0, -1) if groups % count == 0)
    if jax.process_count() > 1 and count < len(devices):
        raise ValueError(f"shards is {groups}; on {len(devices)} devices of {jax.process_count()} processes take a multiple")
    return Mesh(np.array(devices[:count]), AXES[:1])


def spread(function: Callable, groups: int, inputs: Any, outputs: Any) -> Callable:
    """`function` of one group as a function of all: leaves marked True in the prefix trees `inputs` (a tuple) and `outputs`
    have a leading axis of groups, the others are the same for all."""

    def axes(marks):
        return jax.tree.map(lambda mark: 0 if mark else None, marks)

    def specs(marks):
        return jax.tree.map(lambda mark: PartitionSpec(AXES[0]) if mark else PartitionSpec(), marks)

    grid = mesh(groups)
    mapped = jax.vmap(function, axes(inputs), axes(outputs), axis_name=AXES[1], axis_size=groups // grid.size)
    return jax.shard_map(mapped, mesh=grid, in_specs=specs(inputs), out_specs=specs(outputs), check_vma=False)


def layouts(shapes: Any, groups: int, marks: Any) -> Any:
    """`jax.ShapeDtypeStruct`s that say where the leaves of what `spread` takes and gives lie."""
    grid = mesh(groups)

    def lay(mark, part):
        layout = NamedSharding(grid, PartitionSpec(AXES[0]) if mark else PartitionSpec())
        return jax.tree.map(lambda leaf: jax.ShapeDtypeStruct(leaf.shape, leaf.dtype, sharding=layout), part)

    return jax.tree.map(lay, marks, shapes)


def gathered(tree: Any) -> Any:
    """A tree that lies on many devices as arrays of one, whole; every machine has to ask."""
    return jax.tree.map(_gather, tree)


def _gather(leaf: jax.Array) -> jax.Array:
    typed = jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key)
    data = jax.random.key_data(leaf) if typed else leaf
    if not data.is_fully_addressable and not data.is_fully_replicated:
        from jax.experimental import multihost_utils

        data = multihost_utils.process_allgather(data, tiled=True)
    whole = jnp.asarray(np.asarray(data))
    return jax.random.wrap_key_data(whole) if typed else whole
