"""What users hand over (configurations, seeds, actions, options), checked at the door. Host side."""

import operator
import warnings
from collections.abc import Mapping
from typing import Any

import jax
import numpy as np

from kagejax import core
from kagejax.config import registry
from kagejax.config.loader import Source, load_config
from kagejax.config.parameters import parameters, sections
from kagejax.config.problems import ConfigError, DeadKeyWarning, Problem, Where, did_you_mean
from kagejax.config.schema import ConfigModel

from .batches import Seeds
from .registration import gymnasium_id

ARGUMENTS = ("config", "params", "render_mode", "num_envs", "autoreset_mode", "device_observations")
"""Arguments of the adapters beside which overrides stand."""
MOST_SEED = 2**64 - 1


def configured(environment: str, config: Source | None, overrides: Mapping[str, Any]) -> ConfigModel:
    """The configuration that `config` (by default, `environment` itself) and `overrides` name, as for `kagejax.make`.

    Raises ConfigError for what `kagejax.make` refuses, and for a configuration of another environment, TypeError for an
    override that looks like a misspelt argument.
    """
    model = next((room.model for room in registry.rooms() if room.id == environment), None)
    for key in overrides if model else ():
        meant = did_you_mean(key, ARGUMENTS)
        if meant and key not in (*parameters(model), *sections(model)):
            raise TypeError(f"There is no argument {key!r}.{meant}")
    found = load_config(environment if config is None else config, **overrides)
    kind = registry.room_of(found).id
    if kind != environment:
        where = Where("configuration" if isinstance(config, ConfigModel) else str(config))
        raise ConfigError(Problem(where, "", f"This configures {kind}, not {environment}; make it as {gymnasium_id(kind)}."))
    return found


def built(config: ConfigModel, **overrides: Any) -> tuple[core.Environment, Any]:
    """Environment and params of `config`, changed by `overrides` that may make other keys of it useless."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeadKeyWarning)
        config = load_config(config, **overrides)
    return registry.builder(config)(config)


def one_seed(seed: Any) -> int:
    """A seed as an int. Raises ValueError or TypeError for what is none."""
    if isinstance(seed, bool):
        raise TypeError("seed is a bool; a whole number is needed")
    try:
        number = operator.index(seed)
    except TypeError:
        raise TypeError(f"seed is {seed!r} ({type(seed).__name__}); a whole number is needed") from None
    if not 0 <= number <= MOST_SEED:
        raise ValueError(f"seed is {number}; allowed: 0 to 2^64 - 1")
    return number


def seeds(seed: Any, num_envs: int, anew: bool) -> Seeds:
    """Seeds for `num_envs` environments: seed + i from one number, or those of a list, in which None gives none.

    `anew`: environments without a seed get one of the machine's entropy.
    """
    if seed is None:
        each: list = [None] * num_envs
    elif isinstance(seed, list | tuple | np.ndarray):
        each = list(seed)
    else:
        first = one_seed(seed)
        each = list(range(first, first + num_envs))
    if len(each) != num_envs:
        raise ValueError(f"seed has {len(each)} entries for {num_envs} environments; give one each, or a single number")
    numbers = np.random.SeedSequence().generate_state(num_envs, np.uint64) if anew else np.zeros(num_envs, np.uint64)
    given = np.array([number is not None for number in each])
    numbers[given] = [one_seed(number) for number in each if number is not None]
    return Seeds(given | anew, (numbers & 0xFFFFFFFF).astype(np.uint32), (numbers >> np.uint64(32)).astype(np.uint32))


def reset_mask(options: Mapping[str, Any] | None, num_envs: int) -> np.ndarray | None:
    """`options["reset_mask"]`, or None for all environments. Raises TypeError or ValueError for what cannot be used."""
    no_more_than(options, ("reset_mask",))
    if not options:
        return None
    mask = options["reset_mask"]
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
        found = f"an array of {mask.dtype}" if isinstance(mask, np.ndarray) else type(mask).__name__
        raise TypeError(f"options['reset_mask'] is {found}; a NumPy array of bool is needed")
    if mask.shape != (num_envs,):
        raise ValueError(f"options['reset_mask'] has shape {mask.shape}; needed: ({num_envs},), an entry for each environment")
    if not mask.any():
        raise ValueError("options['reset_mask'] is False everywhere; mark at least one environment")
    return mask


def no_more_than(options: Mapping[str, Any] | None, known: tuple[str, ...] = ()) -> None:
    """Raises ValueError for options that would do nothing."""
    unknown = sorted(set(options or ()) - set(known))
    if unknown:
        raise ValueError(f"options has {unknown[0]!r}; known: {', '.join(known) or 'none'}")


def actions(space: core.Space, given: Any, shape: tuple[int, ...]) -> np.ndarray | jax.Array:
    """Actions with the leading axes `shape`, checked unless they are on a device. Raises TypeError or ValueError."""
    on_device = isinstance(given, jax.Array)
    array = given if on_device else np.asarray(given)
    if array.shape != (*shape, *space.shape):
        raise ValueError(f"actions have shape {array.shape}; needed: {(*shape, *space.shape)}")
    if on_device:
        return array
    if not isinstance(space, core.Discrete):
        return array.astype(space.dtype)
    if array.dtype.kind not in "iu":
        raise TypeError(f"actions are {array.dtype}; whole numbers from 0 to {space.n - 1} are needed")
    if array.size and (array.min() < 0 or array.max() >= space.n):
        wrong = array[(array < 0) | (array >= space.n)].flat[0]
        raise ValueError(f"an action is {wrong}; allowed: 0 to {space.n - 1}")
    return array.astype(np.int32)
