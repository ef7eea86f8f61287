"""YAML files of the working directory: a list of them, and saving one. Nothing outside of the directory is read or written."""

import os
import pathlib
import tempfile

from kagejax.config.problems import ConfigError, Problem, Where

ENDINGS = (".yaml", ".yml")
MOST_LISTED, DEEPEST = 300, 4
SKIPPED = ("node_modules", "__pycache__", "site-packages")


def inside(name: str, folder: pathlib.Path) -> pathlib.Path:
    """The path of the YAML file `name` in `folder` or below it, symbolic links followed. Raises ConfigError."""

    def refuse(message: str) -> ConfigError:
        return ConfigError(Problem(Where(name or "file"), "", message))

    if not name.strip() or "\0" in name:
        raise refuse("Give the file a name, such as my_config.yaml.")
    if not name.endswith(ENDINGS):
        raise refuse("The name must end in .yaml or .yml.")
    path = (folder / name).resolve()
    if not path.is_relative_to(folder.resolve()):
        raise refuse("Only files in the folder that kagejax explore was started in, or below it, can be read and written here.")
    return path


def listed(folder: pathlib.Path) -> list[str]:
    """YAML files in `folder` and not far below it, by name; hidden folders are left out."""
    found: list[str] = []
    for place, folders, files in os.walk(folder):
        depth = len(pathlib.Path(place).relative_to(folder).parts)
        kept = sorted(name for name in folders if not name.startswith(".") and name not in SKIPPED)
        folders[:] = kept if depth < DEEPEST else []
        found += [os.path.relpath(os.path.join(place, name), folder) for name in sorted(files) if name.endswith(ENDINGS)]
        if len(found) >= MOST_LISTED:
            break
    return found[:MOST_LISTED]


def save(path: pathlib.Path, text: str, overwrite: bool) -> bool:
    """Writes `text`, whole or not at all; false, and nothing written, where there is a file and it is not to be overwritten.

    Raises ConfigError where the folder is missing or refuses.
    """
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        there = path.parent.is_dir()
        message = f"{error.strerror}." if there else f"There is no folder {path.parent.name!r}; make it first."
        raise ConfigError(Problem(Where(path.name), "", message)) from None
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        if overwrite:
            os.replace(temporary, path)
            return True
        try:
            os.link(temporary, path)  # unlike a rename, this does not replace a file that has come meanwhile
        except FileExistsError:
            return False
        return True
    except OSError as error:
        raise ConfigError(Problem(Where(path.name), "", f"It cannot be written: {error.strerror}.")) from None
    finally:
        pathlib.Path(temporary).unlink(missing_ok=True)
