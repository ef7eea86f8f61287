"""Memory shared between jax and torch."""

import gc
import resource

import jax
import jax.numpy as jnp
import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'kagejax[torch]'")

from kagejax.adapters.torch import from_torch, to_torch  # noqa: E402


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int32", "bool", "float32", "bfloat16"])
def test_both_ways_lead_to_the_same_memory(dtype):
    array = jnp.ones((64, 8), dtype)
    tensor = to_torch(array)
    assert tensor.data_ptr() == array.unsafe_buffer_pointer() and str(tensor.dtype) == f"torch.{dtype}"
    back = from_torch(tensor)
    assert back.unsafe_buffer_pointer() == tensor.data_ptr() and back.dtype == array.dtype
    own = torch.ones((64, 8), dtype=getattr(torch, dtype))
    assert from_torch(own).unsafe_buffer_pointer() == own.data_ptr()


def test_frames_of_the_vector_environment_become_tensors_without_a_copy_or_a_warning():
    frames = np.asarray(jnp.arange(48, dtype=jnp.uint8).reshape(4, 2, 2, 3))
    assert not frames.flags.writeable
    tensor = to_torch(frames)
    assert tensor.data_ptr() == frames.ctypes.data and tensor[3, 1, 1].tolist() == [45, 46, 47]


def test_dictionaries_go_through_as_they_are():
    tensors = to_torch({"board": jnp.zeros(3), "goal": jnp.ones(2, jnp.int32)})
    assert tensors["goal"].tolist() == [1, 1]
    assert from_torch(tensors)["board"].tolist() == [0.0, 0.0, 0.0]


def test_actions_of_64_bits_become_32():
    actions = from_torch(torch.tensor([0, -3, 7]))
    assert actions.dtype == jnp.int32 and actions.tolist() == [0, -3, 7]


def test_what_has_a_gradient_or_another_order_in_memory_arrives_by_value():
    weights = torch.arange(6.0).reshape(2, 3).requires_grad_()
    assert from_torch(weights).tolist() == [[0, 1, 2], [3, 4, 5]]
    assert from_torch(torch.arange(6).reshape(2, 3).T).tolist() == [[0, 3], [1, 4], [2, 5]]
    assert from_torch(torch.arange(5.0)[1:]).tolist() == [1, 2, 3, 4]


def test_memory_lives_as_long_as_either_side_needs_it_and_no_longer():
    tensor = to_torch(jnp.full(1000, 7, jnp.int32))
    gc.collect()
    jnp.zeros(1000).block_until_ready()
    assert (tensor == 7).all()
    make = jax.jit(lambda x: jnp.full((1 << 20,), x, jnp.float32))
    for i in range(20):
        from_torch(to_torch(make(float(i))))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for i in range(200):  # 800 MB in all
        from_torch(to_torch(make(float(i))))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # KiB
