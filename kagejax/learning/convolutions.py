"""Convolution with the batch behind the spatial axes, written so that a CPU does it at the speed of its matrix products.

XLA:CPU runs `lax.conv_general_dilated` inside a loop, and its gradients anywhere, many times slower than the arithmetic
needs. Here stride blocks become channels (so that every convolution has stride 1), and each kernel position becomes one
matrix product over a window of the picture, contiguous because batch and channels come last. Elsewhere the plain
convolution is used. Both give the same numbers up to the order of summation.
"""

import jax
import jax.numpy as jnp


def convolve(x: jax.Array, kernel: jax.Array, stride: int) -> jax.Array:
    """Convolution (cross-correlation) without padding.

    `x` is f32 [height, width, batch, channels], `kernel` f32 [size, size, channels, features]; gives f32 [out, out, batch,
    features]. Differentiable in both. The implementation follows the platform that the program is compiled for.
    """
    return jax.lax.platform_dependent(
        x,
        kernel,
        cpu=lambda x, kernel: convolve_by_products(x, kernel, stride),
        default=lambda x, kernel: convolve_plainly(x, kernel, stride),
    )


def convolve_plainly(x: jax.Array, kernel: jax.Array, stride: int) -> jax.Array:
    """`convolve` by the compiler's own convolution."""
    return jax.lax.conv_general_dilated(x, kernel, (stride, stride), "VALID", dimension_numbers=("HWNC", "HWIO", "HWNC"))


def convolve_by_products(x: jax.Array, kernel: jax.Array, stride: int) -> jax.Array:
    """`convolve` by one matrix product per kernel position, over blocks of stride x stride pixels."""
    size = kernel.shape[0]
    out_height, out_width = ((extent - size) // stride + 1 for extent in x.shape[:2])
    reach = -(-size // stride)  # kernel size in blocks; a size that is no multiple of the stride is filled up with zeros
    kernel = jnp.pad(kernel, ((0, reach * stride - size), (0, reach * stride - size), (0, 0), (0, 0)))
    x = _resize(x, (out_height + reach - 1) * stride, (out_width + reach - 1) * stride)
    # Without the barrier the compiler would redo the rearrangement (of the first layer: also u8 to f32) in each window.
    blocks = jax.lax.optimization_barrier(_to_blocks(x, stride))
    weights = _kernel_blocks(kernel, stride)
    return sum(
        jnp.matmul(blocks[i : i + out_height, j : j + out_width], weights[i, j]) for i in range(reach) for j in range(reach)
    )


def _resize(x: jax.Array, height: int, width: int) -> jax.Array:
    """Rows and columns cut, or zeros added, at the bottom and right."""
    x = x[:height, :width]
    return jnp.pad(x, ((0, height - x.shape[0]), (0, width - x.shape[1]), (0, 0), (0, 0)))


def _to_blocks(x: jax.Array, block: int) -> jax.Array:
    height, width, batch, channels = x.shape
    x = x.reshape(height // block, block, width // block, block, batch, channels)
    return x.transpose(0, 2, 4, 1, 3, 5).reshape(height // block, width // block, batch, block * block * channels)


def _kernel_blocks(kernel: jax.Array, block: int) -> jax.Array:
    size, _, channels, features = kernel.shape
    kernel = kernel.reshape(size // block, block, size // block, block, channels, features)
    return kernel.transpose(0, 2, 1, 3, 4, 5).reshape(size // block, size // block, block * block * channels, features)
