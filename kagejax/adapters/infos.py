"""Metrics and masks in the form that Gymnasium gives `info`: for each name an array, and beside it which entries count."""

from collections.abc import Mapping
from typing import Any

import numpy as np


def single(values: Mapping[str, Any]) -> dict[str, Any]:
    """The info of one environment from arrays with a leading axis of 1: NumPy numbers, Python bools, arrays."""
    return {name: _plain(np.asarray(value)[0]) for name, value in values.items() if value is not None}


def _plain(value: Any) -> Any:
    if value.ndim:
        return np.array(value)
    return bool(value) if value.dtype == np.bool_ else value[()]


def put(info: dict[str, Any], values: Mapping[str, Any], mask: np.ndarray) -> None:
    """Adds what counts where `mask`; nothing where it is empty, as if no environment had said anything."""
    if mask.any():
        for name, value in values.items():
            if value is not None:
                info[name], info[f"_{name}"] = np.array(value), mask.copy()


def put_on_device(info: dict[str, Any], values: Mapping[str, Any], mask: Any) -> None:
    """As `put`, for arrays that stay on a device: what is there does not depend on their values."""
    for name, value in values.items():
        if value is not None:
            info[name], info[f"_{name}"] = value, mask
