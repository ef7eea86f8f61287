import jax
import jax.numpy as jnp
import numpy as np
import pytest

from kagejax.learning.convolutions import convolve, convolve_by_products, convolve_plainly

CASES = [(32, 3, 16, 8, 4), (8, 16, 32, 4, 2), (31, 4, 5, 4, 2), (14, 8, 8, 3, 1), (11, 2, 3, 5, 3), (7, 2, 3, 1, 2)]


def inputs(extent, channels, features, size):
    rng = np.random.default_rng(extent)
    x = rng.normal(size=(extent, extent, 3, channels)).astype(np.float32)
    return jnp.asarray(x), jnp.asarray(rng.normal(size=(size, size, channels, features)).astype(np.float32))


@pytest.mark.parametrize("extent, channels, features, size, stride", CASES)
def test_products_give_the_values_of_a_convolution(extent, channels, features, size, stride):
    x, kernel = inputs(extent, channels, features, size)
    expected = convolve_plainly(x, kernel, stride)
    np.testing.assert_allclose(convolve_by_products(x, kernel, stride), expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("extent, channels, features, size, stride", CASES)
def test_products_give_the_gradients_of_a_convolution(extent, channels, features, size, stride):
    x, kernel = inputs(extent, channels, features, size)

    def gradients(convolution):
        return jax.jit(jax.grad(lambda x, kernel: jnp.sin(convolution(x, kernel, stride)).sum(), argnums=(0, 1)))(x, kernel)

    for found, expected in zip(gradients(convolve_by_products), gradients(convolve_plainly), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-3)


def test_a_convolution_is_a_sum_over_a_window():
    x = jnp.arange(9.0, dtype=jnp.float32).reshape(3, 3, 1, 1)
    kernel = jnp.ones((2, 2, 1, 1), jnp.float32)
    np.testing.assert_array_equal(convolve(x, kernel, 1)[:, :, 0, 0], [[8, 12], [20, 24]])


def test_a_cpu_program_has_no_convolution_in_it():
    x, kernel = inputs(8, 3, 4, 4)
    text = jax.jit(convolve, static_argnums=2).lower(x, kernel, 2).as_text()
    assert ("stablehlo.convolution" in text) == (jax.default_backend() != "cpu")
