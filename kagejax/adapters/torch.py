"""Arrays between jax and torch by DLPack: on one device, the memory is shared and nothing is copied."""

from typing import Any

import jax
import jax.dlpack

from ._extras import missing


def to_torch(tree: Any) -> Any:
    """jax or NumPy arrays (in any pytree: a dictionary of observations, a tuple) as torch tensors on the same device.

    The tensors share the arrays' memory. jax arrays never change, so do not write into such a tensor: `clone` it first.
    """
    return jax.tree.map(_torch().from_dlpack, tree)


def from_torch(tree: Any) -> Any:
    """torch tensors (in any pytree) as jax arrays on the same device, for instance the actions of a policy.

    The arrays share the tensors' memory where it is contiguous and, on a CPU, aligned as jax needs it (whole tensors are;
    slices may be copied): do not write into the tensor while the array is in use. Without `jax_enable_x64`,
    64-bit tensors become 32-bit arrays, which is a copy.
    """
    _torch()
    return jax.tree.map(lambda tensor: jax.dlpack.from_dlpack(tensor.detach().contiguous()), tree)


def _torch() -> Any:
    try:
        import torch
    except ImportError as problem:
        raise missing("torch", "torch") from problem
    return torch
