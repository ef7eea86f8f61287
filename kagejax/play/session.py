"""An environment for one person at a time: episodes of a seed, their pictures, and all that a step tells. Plays on the CPU."""

import dataclasses
import hashlib
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from kagejax.config import registry
from kagejax.config.loader import load
from kagejax.config.making import make
from kagejax.config.schema import ConfigModel
from kagejax.core import Text
from kagejax.evaluation import views

from . import layers, rooms

DIGITS = 16
"""Hexadecimal digits of the digest of a moment."""


class Moment(NamedTuple):
    """Where an episode stands."""

    episode: int  # its number; the same number of the same seed is the same episode
    step: int  # steps so far
    picture: np.ndarray  # u8 [height, width, 3], the board for a person; what is enlarged
    film: np.ndarray  # u8 [height, width, 3], what a recording shows
    observation: Any  # what the agent sees, NumPy
    reward: float  # of the last step
    total: float  # undiscounted sum of rewards
    terminated: bool
    truncated: bool
    metrics: Mapping[str, Any]  # those of the last step; empty before the first
    state: Any

    @property
    def over(self) -> bool:
        """Whether the episode has ended."""
        return self.terminated or self.truncated


class Seen(NamedTuple):
    """A part of an observation as a picture."""

    title: str  # with dtype and shape
    picture: np.ndarray  # u8 [height, width, 3]
    exact: bool  # whether the picture is the observation itself, not a drawing of it
    text: str = ""  # that tokens stand for


class Session:
    """Episodes of `config`, numbered from 0. Ready for `start` when made; `prepare` compiles what `act` needs.

    Episode 0 begins as `kagejax render --seed` does, and goes through the same noise. Raises ConfigError or AssetError for a
    configuration that cannot be made. `tell` hears what is being done.
    """

    def __init__(self, config: ConfigModel, seed: int = 0, tell: Callable[[str], None] = lambda stage: None):
        self.seed, self.room = seed, registry.room_of(config).id
        self._device = _device()
        self._advance: Any = None
        self._lock = threading.Lock()
        with jax.default_device(self._device):
            tell("making the environment")
            self.env, self.params = self._made(config)
            self.is_picture = rooms.is_picture(self.env.observation_space)
            self._twin = None if self.is_picture else self._picturing(config)
            tell("compiling the first picture")
            self._compile()

    def _picturing(self, config: ConfigModel) -> tuple[Any, Any] | None:
        """`(env, params)` of the same game seen as a picture; None where there is none."""
        settings = rooms.PICTURES.get(self.room)
        return self._made(load(config, settings)) if settings else None

    def _made(self, config: ConfigModel) -> tuple[Any, Any]:
        """`(env, params)`, drawn in the way that is for a CPU where there is a choice: less to trace, the same picture."""
        env, params = make(config)
        if self._device.platform == "cpu" and getattr(env, "renderer", None) == "auto":
            env = dataclasses.replace(env, renderer="push")
        return env, params

    def _compile(self) -> None:
        env, params, number = self.env, self.params, np.uint32(0)
        begin = jax.jit(lambda params, seed, number: env.init(_keys(seed, number)[0], params))
        self._state = jax.eval_shape(begin, params, number, number)
        with ThreadPoolExecutor(4) as pool:  # compilers run beside one another, and beside the tracing of the next program

            def compiled(function, *arguments):
                return pool.submit(jax.jit(function).lower(*arguments).compile, self._options)

            programs = [compiled(begin, params, number, number), compiled(env.observe, self._state, params)]
            if self._twin:
                twin, twin_params = self._twin

                def begin_twin(params, seed, number):
                    return twin.init(_keys(seed, number)[0], params)

                state = jax.eval_shape(begin_twin, twin_params, number, number)
                # Only what is drawn differs, so the twin's episode with our tick is our game, if their ticks are alike.
                if _like(state.tick) == _like(self._state.tick):
                    programs += [compiled(begin_twin, twin_params, number, number), compiled(twin.observe, state, twin_params)]
            found = [program.result() for program in programs]
        self._begin, self._observe = found[:2]
        self._begin_twin, self._observe_twin = found[2:] or (None, None)

    @property
    def _options(self) -> dict[str, Any] | None:
        """On a CPU, compiling well would take longer than a person plays."""
        return {"xla_backend_optimization_level": 0} if self._device.platform == "cpu" else None

    @property
    def ready(self) -> bool:
        """Whether `act` is compiled."""
        return self._advance is not None

    def prepare(self) -> None:
        """Compiles what `act` needs, once."""
        env = self.env

        def advance(params, seed, number, t, state, action):
            key = jax.random.fold_in(_keys(seed, number)[1], t)
            state, reward, terminated, truncated, info = env.advance(key, state, action, params)
            del info["final_state"]
            return state, reward, terminated, truncated, info

        with self._lock, jax.default_device(self._device):
            if self._advance is None:
                zero, action = np.uint32(0), self._action(np.zeros(self.env.action_space.shape))
                lowered = jax.jit(advance).lower(self.params, zero, zero, zero, self._state, action)
                self._advance = lowered.compile(self._options)

    def start(self, number: int = 0) -> Moment:
        """The first moment of episode `number`."""
        names = np.uint32(self.seed), np.uint32(number)
        self._episode = self._begin_twin(self._twin[1], *names).episode if self._begin_twin else None
        return self._moment(self._begin(self.params, *names), number, 0, 0.0, 0.0, (False, False), {})

    def act(self, moment: Moment, action: Any) -> Moment:
        """The moment after an action; waits for `prepare`. One that is over can be gone on from, but shows what it may."""
        self.prepare()
        names = np.uint32(self.seed), np.uint32(moment.episode), np.uint32(moment.step)
        state, *told = self._advance(self.params, *names, moment.state, self._action(action))
        reward, terminated, truncated, metrics = jax.device_get(told)
        ends, total = (bool(terminated), bool(truncated)), moment.total + float(reward)
        return self._moment(state, moment.episode, moment.step + 1, float(reward), total, ends, metrics)

    def _action(self, action: Any) -> np.ndarray:
        return np.asarray(action, self.env.action_space.dtype)

    def _moment(self, state, number, step, reward, total, ends, metrics) -> Moment:
        observation = jax.tree.map(np.asarray, self._observe(state, self.params))
        if self.is_picture:
            parts = [views.view(self.env, part) for part in (observation.values() if self._parts else (observation,))]
            picture, film = parts[0], np.concatenate(parts, axis=1)
        elif self._observe_twin:
            twin = state._replace(episode=self._episode)
            picture = film = np.asarray(self._observe_twin(twin, self._twin[1]))
        else:
            picture = film = self._view(observation)
        metrics = {name: value.item() for name, value in metrics.items() if np.ndim(value) == 0}
        return Moment(number, step, picture, film, observation, reward, total, *ends, metrics, state)

    @property
    def _parts(self) -> bool:
        return hasattr(self.env.observation_space, "spaces")

    def seen(self, moment: Moment, small: bool = False) -> tuple[Seen, ...]:
        """What the agent sees, part by part; `small`: of layers the bare entries, a pixel each."""
        if self._parts:
            items = moment.observation.items()
            return tuple(Seen(f"{name} {_form(part)}", views.view(self.env, part), self.is_picture) for name, part in items)
        observation, text = moment.observation, ""
        if isinstance(self.env.observation_space, Text):
            text = self.env.text_of(observation)
        title = f"{'tokens ' if text else ''}{_form(observation)}"
        return (Seen(title, self._view(observation, small), self.is_picture, text),)

    def _view(self, observation: np.ndarray, small: bool = False) -> np.ndarray:
        if not self.is_picture and observation.ndim == 3:
            names = () if small else rooms.layer_names(self.room, observation.shape[-1])
            return layers.sheet(observation, names)
        return views.view(self.env, observation)


def digest(moment: Moment) -> str:
    """DIGITS hexadecimal digits of the SHA-256 of what a moment shows: recorded picture, observation, reward and ends."""
    found = hashlib.sha256()
    ends = np.array([moment.terminated, moment.truncated])
    for array in (moment.film, *jax.tree.leaves(moment.observation), np.float32(moment.reward), ends):
        array = np.ascontiguousarray(array)
        found.update(f"{array.dtype} {array.shape}".encode() + array.tobytes())
    return found.hexdigest()[:DIGITS]


def _keys(seed: jax.Array, number: jax.Array) -> jax.Array:
    """Keys of the first state and of the steps of an episode."""
    key = jax.random.key(seed)
    key = jnp.where(number == 0, key, jax.random.fold_in(key, number))
    return jax.random.split(key, 3)


def _like(tree: Any) -> Any:
    return jax.tree.structure(tree), [(leaf.shape, leaf.dtype) for leaf in jax.tree.leaves(tree)]


def _form(array: np.ndarray) -> str:
    short = {"uint8": "u8", "int32": "i32", "float32": "f32"}.get(str(array.dtype), str(array.dtype))
    return f"{short} {' x '.join(map(str, array.shape))}"


def _device() -> Any:
    """A CPU where jax has one: one environment does not fill a GPU, and those are for training."""
    try:
        return jax.devices("cpu")[0]
    except RuntimeError:
        return jax.devices()[0]
