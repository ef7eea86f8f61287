import jax
import jax.numpy as jnp
import numpy as np
import pytest

from kagejax.learning import networks


def shapes(name, extent):
    return jax.eval_shape(networks.actor_critic(name, 8).init, jax.random.key(0), jnp.zeros((1, extent, extent, 3), jnp.uint8))


@pytest.mark.parametrize("name, extent, count", [("reference", 128, 4_799_657), ("quick", 32, 49_465)])
def test_number_of_parameters(name, extent, count):
    assert networks.parameter_count(shapes(name, extent)) == count


@pytest.mark.parametrize("name, count", [("puzzle_shared", 1_685_989), ("puzzle", 3_293_157)])
def test_number_of_parameters_of_puzzle_networks(name, count):
    net = networks.actor_critic(name, 4)
    found = jax.eval_shape(net.init, jax.random.key(0), jnp.zeros((1, 84, 84, 3), jnp.uint8))
    assert networks.parameter_count(found) == count
    assert networks.parameter_count({"encoder": networks.encoder(found)}) == 76_256


def test_a_batch_norm_reads_the_batch_and_a_layer_norm_does_not():
    frames = jax.random.randint(jax.random.key(1), (6, 36, 36, 3), 0, 256, jnp.int32).astype(jnp.uint8)
    for norm, apart in (("batch", True), ("layer", False)):
        trunk = networks.Trunk((networks.Convolution(8, 8, 4), networks.Convolution(8, 4, 2)), 16, norm, True)
        net = networks.ActorCritic(trunk, 4)
        parameters = jax.jit(net.init)(jax.random.key(0), frames)
        whole, half = (jax.jit(net.apply)(parameters, part)[0] for part in (frames, frames[:3]))
        assert np.allclose(whole[:3], half, atol=1e-5) != apart


def test_kernels_under_a_norm_begin_with_an_orthogonal_centre_alone():
    kernel = networks.centred_orthogonal(jax.random.key(0), (3, 3, 8, 16), jnp.float32)
    centre = np.asarray(kernel[1, 1])
    np.testing.assert_allclose(centre @ centre.T, 2 * np.eye(8), atol=1e-5)
    assert np.count_nonzero(kernel) == np.count_nonzero(centre)


def test_vectors_pass_without_convolutions():
    net = networks.actor_critic("vector", 4)
    boards = jnp.eye(9, dtype=jnp.float32)
    logits, values = net.apply(net.init(jax.random.key(0), boards), boards)
    assert logits.shape == (9, 4) and values.shape == (9,)


def quick():
    net = networks.actor_critic("quick", 8)
    frames = jax.random.randint(jax.random.key(1), (4, 32, 32, 3), 0, 256, jnp.int32).astype(jnp.uint8)
    return net, jax.jit(net.init)(jax.random.key(0), frames[:1]), frames


def test_equals_the_network_written_with_library_layers():
    net, parameters, frames = quick()
    p = parameters["params"]

    def layer(x, i, stride, padding):
        dims = ("NHWC", "HWIO", "NHWC")
        y = jax.lax.conv_general_dilated(x, p[f"convolution_{i}_kernel"], (stride, stride), padding, dimension_numbers=dims)
        return jax.nn.relu(y + p[f"convolution_{i}_bias"])

    x = layer(frames.astype(jnp.float32) / 255, 0, 4, "VALID")
    x = layer(x, 1, 2, ((0, 1), (0, 1))).reshape(4, -1)
    x = jax.nn.relu(x @ p["dense"]["kernel"] + p["dense"]["bias"])
    logits, values = jax.jit(net.apply)(parameters, frames)
    np.testing.assert_allclose(logits, x @ p["actor"]["kernel"], rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(values, (x @ p["critic"]["kernel"])[:, 0], rtol=1e-4, atol=1e-5)


def test_weights_are_orthogonal_with_the_published_gains():
    _, parameters, _ = quick()
    p = parameters["params"]
    kernel = np.asarray(p["convolution_0_kernel"]).reshape(-1, 16)
    np.testing.assert_allclose(kernel.T @ kernel, 2 * np.eye(16), atol=1e-4)
    np.testing.assert_allclose(p["actor"]["kernel"].T @ p["actor"]["kernel"], 1e-4 * np.eye(8), atol=1e-7)
    np.testing.assert_allclose(p["critic"]["kernel"].T @ p["critic"]["kernel"], [[1.0]], atol=1e-4)
    assert not np.asarray(p["dense"]["bias"]).any()


def test_half_precision_is_the_trunk_alone():
    net, parameters, frames = quick()
    half = networks.actor_critic("quick", 8, precision="bfloat16")
    kept = jax.eval_shape(half.init, jax.random.key(0), frames[:1])
    assert {leaf.dtype for leaf in jax.tree.leaves(kept)} == {np.dtype("float32")}
    program = jax.jit(half.apply).lower(parameters, frames).as_text()
    assert "xbf16>" in program and "xbf16>" not in jax.jit(net.apply).lower(parameters, frames).as_text()
    (logits, values), (coarse, rough) = net.apply(parameters, frames), half.apply(parameters, frames)
    assert (coarse.dtype, rough.dtype) == (jnp.float32, jnp.float32)
    np.testing.assert_allclose(coarse, logits, atol=2e-3)
    np.testing.assert_allclose(rough, values, atol=0.05)
    assert np.abs(rough - values).max() > 1e-4


def test_an_unknown_network_is_answered_with_the_known_ones():
    with pytest.raises(ValueError, match="network is 'resnet'; allowed: 'reference', 'quick'"):
        networks.actor_critic("resnet", 8)
