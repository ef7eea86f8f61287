"""Counting what an agent predicts, without asking the agent.

An agent is given its dynamics as a `Model`, and `model(latents, actions)` leaves a mark with the static size of its batch in
the program of the agent. `counted` reads that program before it is compiled and adds a counter of its own to it: a mark in a
loop counts at each turn, one in a branch where the branch is taken, one under `jax.vmap` once for each element. The agent
holds neither the counter nor a handle to it, so that it can be neither reset, nor run backwards, nor forgotten in a loop.

What is charged is what is computed. A `jax.vmap` inside an agent turns a branch into both branches, and lets a loop go on for
all elements until the last of them is done; all of that counts. A prediction that nothing depends on may be dropped by JAX, and
is then neither made nor charged. The value of a prediction under `jax.grad` counts, its gradient does not.

What it cannot see: a network that is applied without `model`. An agent gets its weights and those of its dynamics apart, and
the latter reach `model` alone, so that this does not happen by mistake; the rest is for reviewers. Arrays that an agent's
functions close over count as parameters (`captured`).
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import jax.extend.core as jex
import jax.numpy as jnp
import numpy as np
from jax.interpreters import ad, batching

MOST = 2**30 - 1
"""Where a counter stops: far above all caps, and twice this is still an i32."""
CALLS = (
    "jit", "pjit", "closed_call", "core_call", "checkpoint", "remat2", "custom_jvp_call", "custom_vjp_call", "custom_vmap_call"
)  # fmt: skip
"""Primitives that do nothing but call their one inner program."""
CALLBACKS = ("pure_callback", "io_callback")

prediction_p = jex.Primitive("sokoban_prediction")
"""The identity on the leaves of predicted latents; its parameter `size` is how many predictions they are."""
prediction_p.multiple_results = True
prediction_p.def_abstract_eval(lambda *leaves, size: leaves)


@prediction_p.def_impl
def _outside(*leaves, size):
    raise RuntimeError("A model was called outside the program of an agent's act, where its calls are not counted.")


def _batched(leaves, axes, *, size):
    (elements,) = {leaf.shape[axis] for leaf, axis in zip(leaves, axes, strict=True) if axis is not None}
    return prediction_p.bind(*leaves, size=size * elements), axes


def _differentiated(leaves, tangents, *, size):
    return prediction_p.bind(*leaves, size=size), list(tangents)


batching.primitive_batchers[prediction_p] = _batched
ad.primitive_jvps[prediction_p] = _differentiated


class Model:
    """The dynamics of an agent, as its `act` gets them: `model(latents, actions) -> latents`.

    latents: a pytree whose leaves are [B, ...]; actions: whole numbers [B]. The result has the structure, shapes and dtypes of
    `latents`. Charges B predictions. Raises TypeError for other shapes, or where the agent has no dynamics.
    """

    def __init__(self, dynamics: Callable | None, weights: Any, dynamics_weights: Any):
        self.weights = weights
        """The agent's own weights, shared by all episodes."""
        self._dynamics, self._dynamics_weights = dynamics, dynamics_weights

    def __call__(self, latents: Any, actions: jax.Array) -> Any:
        if self._dynamics is None:
            raise TypeError("This agent has no dynamics, so it cannot call its model.")
        actions = jnp.asarray(actions)
        if actions.ndim != 1 or not jnp.issubdtype(actions.dtype, jnp.integer):
            raise TypeError(f"A model takes whole numbers [batch] as actions, not {actions.dtype} {list(actions.shape)}.")
        latents = jax.tree.map(jnp.asarray, latents)
        before = jax.tree.map(_kind, latents)
        if not jax.tree.leaves(latents) or any(leaf.shape[:1] != actions.shape for leaf in jax.tree.leaves(latents)):
            raise TypeError(f"A model takes as many latents as actions: leaves [{actions.shape[0]}, ...], not {before}.")
        predicted = self._dynamics(self._dynamics_weights, latents, actions)
        after = jax.tree.map(_kind, predicted)
        if after != before:
            raise TypeError(f"Dynamics must give latents like those they take: {before}, not {after}.")
        leaves, structure = jax.tree.flatten(predicted)
        return jax.tree.unflatten(structure, prediction_p.bind(*leaves, size=actions.shape[0]))


def _kind(leaf: Any) -> str:
    return f"{leaf.dtype} {list(leaf.shape)}"


def counted(function: Callable) -> Callable:
    """`function(*args) -> out` as `(*args) -> (out, calls)`, with the predictions it makes, i32 [], at most `MOST` and a batch.

    Under `jax.vmap` of the result, each element has a count of its own. Raises TypeError where predictions are made inside an
    operation that cannot be counted, and for calls out of the program to the host.
    """

    def with_calls(*args):
        program, out = jax.make_jaxpr(function, return_shape=True)(*args)
        for equation in _equations(program.jaxpr):
            if equation.primitive.name in CALLBACKS:
                raise TypeError(f"An agent may not leave its program ({equation.primitive.name}).")
        leaves, calls = _run(program.jaxpr, program.consts, jax.tree.leaves(args), jnp.int32(0))
        return jax.tree.unflatten(jax.tree.structure(out), leaves), calls

    return with_calls


def captured(function: Callable, *args: Any) -> int:
    """How many numbers, in arrays, `function(*args)` uses that are not in `args`. Arrays with the same content count once."""
    program = jax.make_jaxpr(function)(*args)
    found = list(program.consts)
    for equation in _equations(program.jaxpr):
        for inner in _inner(equation):
            found += getattr(inner, "consts", ())
        found += [x.val for x in equation.invars if isinstance(x, jex.Literal) and np.size(x.val) > 1]
    return sum({_content(array): np.size(array) for array in found}.values())


def _content(array: Any) -> tuple:
    if jnp.issubdtype(array.dtype, jax.dtypes.extended):
        array = jax.random.key_data(array)
    array = np.asarray(array)
    return array.shape, array.dtype.str, hashlib.sha256(array.tobytes()).digest()


def _inner(equation: jex.JaxprEqn) -> Iterator[jex.Jaxpr | jex.ClosedJaxpr]:
    for value in equation.params.values():
        for part in value if isinstance(value, tuple | list) else (value,):
            if isinstance(part, jex.Jaxpr | jex.ClosedJaxpr):
                yield part


def _equations(program: jex.Jaxpr) -> Iterator[jex.JaxprEqn]:
    """All equations of a program, those of inner programs too."""
    for equation in program.eqns:
        yield equation
        for inner in _inner(equation):
            yield from _equations(getattr(inner, "jaxpr", inner))


def _predicts(equation: jex.JaxprEqn) -> bool:
    return any(
        inner.primitive is prediction_p for part in _inner(equation) for inner in _equations(getattr(part, "jaxpr", part))
    )


def _run(program: jex.Jaxpr, consts: Sequence, args: Sequence, calls: jax.Array) -> tuple[list, jax.Array]:
    """Outputs of a program, and `calls` with what it predicts added."""
    known = dict(zip([*program.constvars, *program.invars], [*consts, *args], strict=True))

    def value_of(x):
        return x.val if isinstance(x, jex.Literal) else known[x]

    for equation in program.eqns:
        values = [value_of(x) for x in equation.invars]
        name = equation.primitive.name
        if equation.primitive is prediction_p:
            results, calls = values, jnp.minimum(calls, MOST) + jnp.int32(min(equation.params["size"], MOST))
        elif not _predicts(equation):
            results = equation.primitive.bind(*values, **equation.primitive.get_bind_params(equation.params))
            results = results if equation.primitive.multiple_results else [results]
        elif name in CALLS:
            (inner,) = _inner_of_call(equation)
            results, calls = _inside(inner, values, calls)
        elif name in LOOPS:
            results, calls = LOOPS[name](equation, values, calls)
        else:
            raise TypeError(f"A model was called inside {name!r}, where its calls cannot be counted.")
        known |= zip(equation.outvars, results, strict=True)
    return [value_of(x) for x in program.outvars], calls


def _inner_of_call(equation: jex.JaxprEqn) -> list[jex.Jaxpr | jex.ClosedJaxpr]:
    """The program that a call runs; those for its derivatives are no matter here, as nobody asks for them."""
    return [inner for inner in _inner(equation) if len(getattr(inner, "jaxpr", inner).invars) == len(equation.invars)][:1]


def _inside(program: jex.Jaxpr | jex.ClosedJaxpr, args: Sequence, calls: jax.Array) -> tuple[list, jax.Array]:
    return _run(getattr(program, "jaxpr", program), getattr(program, "consts", ()), args, calls)


def _scan(equation: jex.JaxprEqn, values: list, calls: jax.Array) -> tuple[list, jax.Array]:
    """Versions of JAX say in different ways which values are constants, carried and scanned; the axes tell in all of them."""
    inner = equation.params["jaxpr"]
    body = getattr(inner, "jaxpr", inner)
    scanned = _longer(equation.invars, body.invars)
    carried = len(body.outvars) - _longer(equation.outvars, body.outvars)
    consts_end, carry_end = len(values) - scanned - carried, len(values) - scanned
    consts, first, xs = values[:consts_end], values[consts_end:carry_end], values[carry_end:]

    def turn(carry, x):
        calls, *carry = carry
        out, calls = _inside(inner, [*consts, *carry, *x], calls)
        return (calls, *out[:carried]), out[carried:]

    options = {name: equation.params[name] for name in ("length", "reverse", "unroll")}
    (calls, *carry), ys = jax.lax.scan(turn, (calls, *first), xs, **options)
    return [*carry, *ys], calls


def _longer(outside: Sequence, inside: Sequence) -> int:
    """How many values have an axis more outside of a loop than inside."""
    return sum(outer.aval.ndim > inner.aval.ndim for outer, inner in zip(outside, inside, strict=True))


def _while(equation: jex.JaxprEqn, values: list, calls: jax.Array) -> tuple[list, jax.Array]:
    """The question whether to go on may predict too, so its answer and count are carried along."""
    params = equation.params
    test_end, body_end = params["cond_nconsts"], params["cond_nconsts"] + params["body_nconsts"]
    test_consts, body_consts, first = values[:test_end], values[test_end:body_end], values[body_end:]

    def test(carry, calls):
        (goes_on,), calls = _inside(params["cond_jaxpr"], [*test_consts, *carry], calls)
        return goes_on, calls, *carry

    def turn(going):
        _, calls, *carry = going
        return test(*_inside(params["body_jaxpr"], [*body_consts, *carry], calls))

    _, calls, *carry = jax.lax.while_loop(lambda going: going[0], turn, test(first, calls))
    return carry, calls


def _cond(equation: jex.JaxprEqn, values: list, calls: jax.Array) -> tuple[list, jax.Array]:
    branches = [lambda calls, *args, inner=inner: _inside(inner, args, calls) for inner in equation.params["branches"]]
    return jax.lax.switch(values[0], branches, calls, *values[1:])


LOOPS = {"scan": _scan, "while": _while, "cond": _cond}
"""How a primitive with inner programs runs with a counter; `(equation, values, calls) -> (results, calls)`."""
