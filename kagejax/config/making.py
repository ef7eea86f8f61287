"""From what names a configuration to an environment and its params."""

import os
from collections.abc import Iterable
from typing import Any

from . import registry, suites
from .loader import Source, load_config
from .problems import ConfigError
from .schema import ConfigModel


def make(source: Source, **overrides: Any) -> tuple[Any, Any]:
    """The environment and params of `source`: an id, the path of a YAML file, or a configuration; `(env, params)`.

    `overrides` are those of `load_config`. `env` is static and hashable, `params` a pytree of arrays. Raises ConfigError for
    a configuration that cannot be used, AssetError for pictures and skins that do not load.
    """
    config = load_config(source, **overrides)
    return registry.builder(config)(config)


def make_batch(sources: Iterable[Source], **overrides: Any) -> tuple[Any, Any]:
    """One environment for many configurations, with their params stacked; `(env, params)`.

    `jax.vmap(function, in_axes=env.params_axes(params))` runs over the configurations. `overrides` apply to each. Raises as
    `make` does, ValueError for no source, and TypeError for configurations of different environments or one that is in no list.
    """
    configs = _loaded(sources, overrides)
    if not configs:
        raise ValueError("A batch needs at least one configuration.")
    kinds = sorted({registry.room_of(config).id for config in configs})
    if len(kinds) > 1:
        raise TypeError(f"One batch holds configurations of one environment; found {', '.join(kinds)}.")
    return registry.builder(configs[0], batch=True)(configs)


def make_batches(sources: Iterable[Source], **overrides: Any) -> list[tuple[Any, Any]]:
    """`make_batch` for configurations that may differ in what is static, such as the kind of observation: `[(env, params)]`.

    One batch of all where there is one, else a batch of each, in order.
    """
    configs = _loaded(sources, overrides)
    try:
        return [make_batch(configs)]
    except ConfigError:
        raise
    except ValueError:
        if len(configs) < 2:
            raise
        return [make_batch([config]) for config in configs]


def _loaded(sources: Iterable[Source], overrides: dict[str, Any]) -> list[ConfigModel]:
    if isinstance(sources, str | os.PathLike | ConfigModel):
        raise TypeError(f"A batch is made of a list of configurations, such as [{str(sources)[:60]!r}]; found one alone.")
    return [load_config(source, **overrides) for source in sources]


def ids() -> tuple[str, ...]:
    """Every registered id: environments, configurations that come with kagejax, and both sides of each suite's pairs."""
    return (*(room.id for room in registry.rooms()), *suites.ids())
