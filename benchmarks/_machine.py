"""The machine that is measured: its devices, its memory, and what to say about it."""

import contextlib
import os
import pathlib
import platform
import resource
from typing import Any

import jax

SPARE = 0.9
"""Part of the memory that a row may take."""


def use_all_cores() -> None:
    """One CPU device per core; does nothing where JAX has begun already, or a number of devices is set.

    On a CPU, environments spread over single-threaded devices keep all cores busy, whereas XLA's own splitting of small kernels
    does not. Accelerators are found as ever.
    """
    if "JAX_NUM_CPU_DEVICES" in os.environ or "xla_force_host_platform_device_count" in os.environ.get("XLA_FLAGS", ""):
        return
    try:
        jax.config.update("jax_num_cpu_devices", cores())
    except RuntimeError:  # the backend exists already, with the devices that it has
        return


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def describe(devices: list) -> dict[str, Any]:
    """What a row says of where it was measured."""
    kind = devices[0].device_kind
    return {
        "device": cpu_name() if devices[0].platform == "cpu" else kind,
        "devices": len(devices),
        "platform": devices[0].platform,
        "cores": cores(),
        "jax": jax.__version__,
        "python": platform.python_version(),
        "xla_flags": os.environ.get("XLA_FLAGS", ""),
    }


def cpu_name() -> str:
    """The processor's name."""
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or platform.machine())


def available_bytes(devices: list) -> int | None:
    """Memory that a row may take in all `devices` together; None where the system does not say."""
    limits = [(device.memory_stats() or {}).get("bytes_limit") for device in devices]
    if all(limits):
        return int(SPARE * sum(limits))
    try:
        lines = pathlib.Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return None
    free = next((int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable")), None)
    return free and int(SPARE * free)


def program_bytes(executable: Any, devices: int) -> int:
    """Memory that a compiled program needs on all its devices: arguments, temporaries, and results that reuse no argument."""
    needs = executable.memory_analysis()
    if needs is None:
        return 0
    new = needs.output_size_in_bytes - needs.alias_size_in_bytes
    return devices * (needs.argument_size_in_bytes + new + needs.temp_size_in_bytes)


class PeakMemory:
    """The largest memory in use since this was made: of the devices where they count it, else of the process."""

    def __init__(self, devices: list):
        self._devices = devices
        self._before = self._device_peak()
        with contextlib.suppress(OSError):  # Linux: 5 sets the high-water mark of resident memory to what is resident now
            pathlib.Path("/proc/self/clear_refs").write_text("5")

    def bytes(self, program: int) -> int:
        """The peak. A device's counter never falls, so where it did not rise either, `program` (what the program needs by the
        compiler's account) stands for it."""
        now = self._device_peak()
        if now is not None:
            return now if now > self._before else program
        try:
            lines = pathlib.Path("/proc/self/status").read_text().splitlines()
        except OSError:
            lines = []
        peak = next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM")), None)
        return peak or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

    def _device_peak(self) -> int | None:
        peaks = [(device.memory_stats() or {}).get("peak_bytes_in_use") for device in self._devices]
        return sum(peaks) if all(peak is not None for peak in peaks) else None
