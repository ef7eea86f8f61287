"""Checkpoints of whole training states: atomic, restored into a given structure, typed random keys included."""

import pathlib
from typing import Any

import jax
import numpy as np


def save(path: str | pathlib.Path, tree: Any) -> None:
    """Writes `tree` (a pytree of arrays and typed keys) as the folder `path`, replacing one that is there.

    The folder appears under its name only when it is complete, so a killed process leaves no broken checkpoint.
    """
    import orbax.checkpoint

    with orbax.checkpoint.StandardCheckpointer() as checkpointer:
        checkpointer.save(pathlib.Path(path).resolve(), tree, force=True)


def restore(path: str | pathlib.Path, like: Any) -> Any:
    """The tree saved at `path`, with the structure, shapes, dtypes and placement of `like`.

    `like` holds arrays, or `jax.ShapeDtypeStruct`s as `jax.eval_shape` gives them. Raises FileNotFoundError where there is no
    checkpoint, ValueError where it does not fit `like`.
    """
    import orbax.checkpoint

    path = pathlib.Path(path).resolve()
    if not path.is_dir():
        raise FileNotFoundError(f"no checkpoint at {path}")
    with orbax.checkpoint.StandardCheckpointer() as checkpointer:
        return checkpointer.restore(path, jax.tree.map(_placed, like))


def restore_part(path: str | pathlib.Path, name: str) -> Any:
    """The part `name` (a field or key of the top level) of the tree saved at `path`, as NumPy arrays.

    Raises FileNotFoundError where there is no checkpoint, KeyError where it has no such part.
    """
    import orbax.checkpoint

    path = pathlib.Path(path).resolve()
    if not path.is_dir():
        raise FileNotFoundError(f"no checkpoint at {path}")
    handler = orbax.checkpoint.PyTreeCheckpointHandler()
    with orbax.checkpoint.Checkpointer(handler) as checkpointer:
        tree = checkpointer.metadata(path).item_metadata.tree
        wanted = {name: tree[name]}
        arguments = jax.tree.map(lambda _: orbax.checkpoint.RestoreArgs(restore_type=np.ndarray), wanted)
        restore = orbax.checkpoint.args.PyTreeRestore(item=wanted, restore_args=arguments, partial_restore=True)
        return checkpointer.restore(path, restore)[name]


def _placed(leaf: Any) -> jax.ShapeDtypeStruct:
    sharding = getattr(leaf, "sharding", None) or jax.sharding.SingleDeviceSharding(jax.local_devices()[0])
    return jax.ShapeDtypeStruct(leaf.shape, leaf.dtype, sharding=sharding)
