"""Rows of the benchmark for people: tables and a plot."""

import itertools
import pathlib
from collections.abc import Sequence
from typing import Any

import rich.box
import rich.console
import rich.table

TITLES = {
    "dynamics": "dynamics",
    "frames": "frames",
    "frames_reset": "frames+reset",
    "ppo": "ppo",
    "ppo_full": "ppo full",
}
"""Tiers in the order of the tables, and what they are called there."""
NOTES = (
    "Steps per second, median of the timed blocks. dynamics: no picture. frames: every frame drawn and kept in memory. "
    "frames+reset: and ended episodes begin anew. fill: part of this machine's speed of writing memory that frames+reset "
    "(else frames) reaches, measured in turn with it. ppo: whole updates; on a CPU one learner per core."
)


def print_tables(rows: Sequence[dict], console: rich.console.Console) -> None:
    """Speeds of all tiers side by side, then what each row costs."""
    first = rows[0]
    console.print(f"\n{first['device']}, {_devices(first)}, jax {first['jax']}\n", highlight=False)
    console.print(_speeds(rows))
    console.print(NOTES, style="dim", highlight=False)
    console.print()
    console.print(_costs(rows))


def _devices(row: dict) -> str:
    most = row["cores"] if row["platform"] == "cpu" else row["devices"]
    return f"{most} {'core' if row['platform'] == 'cpu' else 'device'}{'s' if most > 1 else ''}"


def _table(*columns: str, left: int) -> rich.table.Table:
    table = rich.table.Table(box=rich.box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))
    for index, title in enumerate(columns):
        table.add_column(title, justify="left" if index < left else "right", overflow="fold")
    return table


def _speeds(rows: Sequence[dict]) -> rich.table.Table:
    tiers = [tier for tier in TITLES if any(row["tier"] == tier for row in rows)]
    drawn = [tier for tier in ("frames_reset", "frames") if tier in tiers]
    table = _table("config", "envs", *(TITLES[tier] for tier in tiers), *(["fill"] if drawn else []), left=1)
    before = None
    for (config, envs), group in itertools.groupby(rows, key=lambda row: (row["config"], row["envs"])):
        by_tier = {row["tier"]: row for row in group}
        speeds = [count(by_tier[tier]["steps_per_s"]) if tier in by_tier else "-" for tier in tiers]
        fills = [f"{by_tier[tier]['fill_fraction']:.0%}" for tier in drawn if tier in by_tier] + ["-"]
        table.add_row("" if config == before else name(config), f"{envs:,}", *speeds, *(fills[:1] if drawn else []))
        before = config
    return table


def _costs(rows: Sequence[dict]) -> rich.table.Table:
    titles = ("config", "envs", "tier", "blocks min..max", "cpu us", "compile", "state", "peak")
    table = _table(*titles, left=1)
    table.columns[2].justify = "left"
    before = None
    for row in rows:
        spread = f"{count(row['steps_per_s_min'])}..{count(row['steps_per_s_max'])}"
        cpu = f"{row['cpu_us_per_frame']:,.2f}" if row["cpu_us_per_frame"] < 100 else f"{row['cpu_us_per_frame']:,.0f}"
        costs = (cpu, f"{row['compile_s']:.1f} s", f"{row['state_bytes']:,} B", size(row["peak_memory_bytes"]))
        config = "" if row["config"] == before else name(row["config"])
        table.add_row(config, f"{row['envs']:,}", TITLES[row["tier"]], spread, *costs)
        before = row["config"]
    return table


def name(config: str) -> str:
    """What a configuration is called in tables and plots: an id whole, a file without folder and ending."""
    path = pathlib.PurePath(config)
    return path.stem if path.suffix in (".yaml", ".yml") else config


def count(number: float) -> str:
    """A count in at most six characters: 812, 9,480, 662 k, 1.31 M."""
    if number < 9_999.5:
        return f"{number:,.0f}"
    if number < 999_500:
        return f"{number / 1e3:.0f} k"
    return f"{number / 1e6:.2f} M" if number < 9.995e6 else f"{number / 1e6:,.1f} M"


def size(number: int) -> str:
    """Bytes for people: 484 MB, 12.3 GB."""
    return f"{number / 1e6:,.0f} MB" if number < 9.995e8 else f"{number / 1e9:,.1f} GB"


def plot(rows: Sequence[dict], path: str | pathlib.Path) -> None:
    """Speed against number of environments, both axes logarithmic: a panel per configuration, a line per tier."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    configs = list(dict.fromkeys(row["config"] for row in rows))
    figure, panels = pyplot.subplots(
        1, len(configs), figsize=(1.2 + 3.8 * len(configs), 4.2), sharey=True, squeeze=False, layout="constrained"
    )
    colors = dict(zip(TITLES, ("#4477aa", "#228833", "#ccbb44", "#ee6677", "#aa3377"), strict=True))
    for panel, config in zip(panels[0], configs, strict=True):
        ours = [row for row in rows if row["config"] == config]
        for tier, title in TITLES.items():
            line = [row for row in ours if row["tier"] == tier]
            if line:
                panel.errorbar(*_points(line), color=colors[tier], marker="o", markersize=4, capsize=2, label=title)
        filled = {row["envs"]: row["fill_frames_per_s"] for row in ours if row.get("fill_frames_per_s")}
        if filled:
            panel.plot(filled.keys(), filled.values(), "--", color="#888888", marker=".", label="filling memory")
        panel.set(title=name(config), xlabel="environments", xscale="log", yscale="log")
        _powers_of_two(panel, sorted({row["envs"] for row in ours}))
        panel.grid(alpha=0.25)
    panels[0][0].set_ylabel("steps/s")
    handles = {}
    for panel in panels[0]:
        handles |= {label: handle for handle, label in zip(*panel.get_legend_handles_labels(), strict=True)}
    figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=min(6, len(handles)), frameon=False)
    figure.suptitle(f"{rows[0]['device']}, {_devices(rows[0])}", fontsize=10)
    figure.savefig(path, dpi=150)
    pyplot.close(figure)


def _points(line: list[dict]) -> tuple[list, list, Any]:
    middle = [row["steps_per_s"] for row in line]
    below = [row["steps_per_s"] - row["steps_per_s_min"] for row in line]
    above = [row["steps_per_s_max"] - row["steps_per_s"] for row in line]
    return [row["envs"] for row in line], middle, [below, above]


def _powers_of_two(panel: Any, envs: list[int]) -> None:
    exact = all(number & (number - 1) == 0 for number in envs)
    shown = envs[:: max(1, -(-len(envs) // 6))]
    panel.set_xticks(shown, [f"$2^{{{number.bit_length() - 1}}}$" if exact else f"{number:,}" for number in shown])
    panel.minorticks_off() if len(envs) == 1 else panel.tick_params(axis="x", which="minor", bottom=False, labelbottom=False)
