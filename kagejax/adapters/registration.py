"""Gymnasium learns of our environments by itself, and kagejax does not import it for that.

`import kagejax` is enough, before or after `import gymnasium`: where Gymnasium is loaded, the ids are registered at once; where
it is not, they are as soon as it is. (Gymnasium 1.x looks for no entry points of installed packages.)
"""

import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Sequence
from types import ModuleType

from kagejax.config import registry

GYMNASIUM = "gymnasium"
NAMESPACE = "kagejax"


def gymnasium_id(room: str) -> str:
    """The id that Gymnasium knows the environment `room` by: 'kagejax/Kage-v0' for 'kage'."""
    return f"{NAMESPACE}/{room.capitalize()}-v0"


def announce() -> None:
    """Registers all environments with Gymnasium, now or when it is imported. Calling it again changes nothing."""
    if hasattr(sys.modules.get(GYMNASIUM), "register"):
        register_all()
    elif not any(isinstance(finder, _WithGymnasium) for finder in sys.meta_path):
        sys.meta_path.insert(0, _WithGymnasium())


def register_all() -> None:
    """Registers all environments with Gymnasium, which must be installed; those that it knows already stay as they are."""
    import gymnasium

    for room in registry.rooms():
        if gymnasium_id(room.id) not in gymnasium.registry:
            gymnasium.register(
                gymnasium_id(room.id),
                entry_point="kagejax.adapters.gymnasium:KagejaxEnv",
                vector_entry_point="kagejax.adapters.vector:KagejaxVectorEnv",
                kwargs={"environment": room.id},
            )


class _WithGymnasium(importlib.abc.MetaPathFinder):
    """Finds nothing itself, but lets our registration follow the import of Gymnasium."""

    looking = False

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """What the other finders find; for Gymnasium, with a loader that registers our environments at its end."""
        if name != GYMNASIUM or self.looking:
            return None
        self.looking = True
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self.looking = False
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module

            def load_and_register(module: ModuleType) -> None:
                load(module)
                register_all()

            spec.loader.exec_module = load_and_register
        return spec
