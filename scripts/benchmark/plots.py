"""The plots: how many times as much the peers take, what a cold start consists of, and what grows; as PNG."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib import pyplot as plt

from scripts.benchmark.results import Entry

_OURS, _PEERS, _FLOORS, _MISSED = "#1b6ca8", "#8a8a8a", "#c9c9c9", "#b3382c"


def draw(lines: Sequence[Entry], folder: Path) -> None:
    """Put all plots into a folder."""
    mpl.use("Agg")
    with mpl.rc_context({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False, "figure.dpi": 110}):
        _ratios(
            [line for line in lines if line.ratio and line.group not in ("growth", "moving")], folder / "ratios.png"
        )
        _cold([line for line in lines if line.group == "cold start"], folder / "cold.png")
        _growth([line for line in lines if line.group == "growth" and line.ratio], folder / "growth.png")


def _ratios(lines: Sequence[Entry], path: Path) -> None:
    """One bar for each comparison, on a logarithmic scale; what lies right of 1 takes more than ours."""
    figure, axes = plt.subplots(figsize=(9, 1 + 0.24 * len(lines)), layout="constrained")
    names = [f"{line.name}" for line in lines]
    ratios = [line.ratio or 1 for line in lines]
    colours = [_MISSED if line.met is False else _FLOORS if "floor" in line.name else _PEERS for line in lines]
    axes.barh(names, [ratio - 1 for ratio in ratios], left=1, color=colours)
    for position, (line, ratio) in enumerate(zip(lines, ratios, strict=True)):
        axes.text(max(ratio, 1) * 1.05, position, f"{ratio:.3g}", va="center", fontsize=8)
        if line.bound:
            axes.plot([line.bound[1]] * 2, [position - 0.4, position + 0.4], color="black", linewidth=2)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter("{x:g}")
    axes.axvline(1, color=_OURS, linewidth=1.5)
    axes.set_ylim(len(lines) - 0.4, -0.6)
    figure.supxlabel(
        "times as much as ours (blue line); peers are grey, red where a goal (black mark) is missed, floors light",
        fontsize=9,
    )
    _keep(figure, path)


def _cold(lines: Sequence[Entry], path: Path) -> None:
    """A bar for each function: the constant's share, and what it takes beyond."""
    extras = {line.what.removeprefix("extra of "): line for line in lines if line.what.startswith("extra of ")}
    constant = next((line for line in lines if line.what == "a constant"), None)
    figure, axes = plt.subplots(figsize=(9, 1.2 + 0.4 * len(extras)), layout="constrained")
    if constant:
        axes.barh(list(extras), constant.median, color=_FLOORS, label="a constant under the same runtime client")
        for name, extra in extras.items():
            bar = axes.barh(name, extra.median, left=constant.median, color=_PEERS if "boto3" in name else _OURS)
            axes.bar_label(bar, [f"{extra.median:.3g} ms more than a constant"], padding=4, fontsize=8)
        axes.invert_yaxis()
        axes.margins(x=0.25)
        axes.legend(loc="upper right", frameon=False)
    axes.set_xlabel("milliseconds from spawning to the first answer, medians")
    _keep(figure, path)


def _growth(lines: Sequence[Entry], path: Path) -> None:
    """A bar for each kind of work: what its largest case takes as a multiple of its smallest."""
    figure, axes = plt.subplots(figsize=(9, 1 + 0.24 * len(lines)), layout="constrained")
    ratios = [line.ratio or 1 for line in lines]
    colours = [_MISSED if line.met is False else _OURS for line in lines]
    axes.barh([line.what for line in lines], [ratio - 1 for ratio in ratios], left=1, color=colours)
    for position, (line, ratio) in enumerate(zip(lines, ratios, strict=True)):
        marked = max(ratio, line.bound[1] if line.bound else 1)
        axes.text(marked * 1.05, position, f"{ratio:.3g}", va="center", fontsize=8)
        if line.bound:
            axes.plot([line.bound[1]] * 2, [position - 0.4, position + 0.4], color="black", linewidth=2)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter("{x:g}")
    axes.axvline(1, color=_OURS, linewidth=1.5)
    axes.set_ylim(len(lines) - 0.4, -0.6)
    figure.supxlabel(
        "the largest case as a multiple of the smallest; a goal is a black mark, red if missed", fontsize=9
    )
    _keep(figure, path)


def _keep(figure: Any, path: Path) -> None:
    figure.savefig(path, metadata={"Software": None})
    plt.close(figure)
