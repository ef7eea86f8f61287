"""The environments, one folder each. Importing this registers them; nothing else is loaded until it is used."""

from kagejax.config.registry import register

register(
    "kage",
    published=True,
    config="kagejax.envs.kage.config:KageConfig",
    builder="kagejax.envs.kage.build:build",
    batch_builder="kagejax.envs.kage.build:build_batch",
    art="kagejax.envs.kage.art:load",
)
register(
    "sliding",
    config="kagejax.envs.sliding.config:SlidingConfig",
    builder="kagejax.envs.sliding.build:build",
    batch_builder="kagejax.envs.sliding.build:build_batch",
    art="kagejax.envs.sliding.build:load",
)
register(
    "sokoban",
    config="kagejax.envs.sokoban.config:SokobanConfig",
    builder="kagejax.envs.sokoban.build:build",
    batch_builder="kagejax.envs.sokoban.build:build_batch",
    art="kagejax.envs.sokoban.build:load",
)
register(
    "spatial",
    config="kagejax.envs.spatial.config:SpatialConfig",
    builder="kagejax.envs.spatial.build:build",
    batch_builder="kagejax.envs.spatial.build:build_batch",
    art="kagejax.envs.spatial.build:load",
)
