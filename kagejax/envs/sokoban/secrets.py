"""Commit to a secret seed before a round, reveal it after. Standard library only. SPEC 5.7, ISSUES I-19.

The commitment is the SHA-256 of seed and nonce with what they will generate; it can be published, and fits one seed alone.
"""

import hashlib
import hmac
import json
import os
import pathlib
import secrets
from typing import Any

NONCE_BYTES = 16


def commit(split: str, count: int, generator: str, seed: int | None = None) -> tuple[dict[str, Any], dict[str, Any]]:
    """A commitment to publish and a secret to keep: dictionaries for two files. `seed`: drawn if it is not given.

    generator: version of the code that will draw the levels; it is part of what is committed to.
    """
    seed = secrets.randbelow(2**63) if seed is None else seed
    nonce = secrets.token_hex(NONCE_BYTES)
    public = {"split": split, "levels": count, "generator": generator}
    return {**public, "sha256": _digest(seed, nonce, public)}, {**public, "seed": seed, "nonce": nonce}


def verify(commitment: dict[str, Any], secret: dict[str, Any]) -> int:
    """The seed of a secret that belongs to the commitment. Raises ValueError, saying what does not fit, otherwise."""
    missing = [key for key in ("split", "levels", "generator", "sha256") if key not in commitment]
    missing += [key for key in ("seed", "nonce") if key not in secret]
    if missing:
        raise ValueError(f"These are no commitment and secret: {', '.join(missing)} missing.")
    public = {key: commitment[key] for key in ("split", "levels", "generator")}
    for key, value in public.items():
        if secret.get(key, value) != value:
            raise ValueError(f"The secret is for {key} {secret[key]!r}, the commitment for {value!r}.")
    if not hmac.compare_digest(_digest(secret["seed"], secret["nonce"], public), str(commitment["sha256"])):
        raise ValueError("The seed is not the one that was committed to.")
    return int(secret["seed"])


def _digest(seed: int, nonce: str, public: dict[str, Any]) -> str:
    text = json.dumps({"seed": seed, "nonce": nonce, **public}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def write(path: str | pathlib.Path, content: dict[str, Any], private: bool = False) -> None:
    """Writes JSON to a new file, readable by its owner alone if `private`. Raises FileExistsError rather than overwrite."""
    mode = 0o600 if private else 0o644
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "w", encoding="utf-8") as file:
        json.dump(content, file, indent=2)
        file.write("\n")
