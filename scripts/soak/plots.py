"""The plots: memory over time, how long answers took, how many there were and of what status; as PNG."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import matplotlib as mpl
from matplotlib import pyplot as plt

from scripts.soak.report import PLOTS
from scripts.soak.results import GROUPS, Results

_RSS, _USS, _WARMING, _WRONG = "#1b6ca8", "#8a8a8a", "#f1ead8", "#b3382c"
_STATUSES: Final = {"2": "#1b6ca8", "3": "#7fb2d9", "4": "#c9c9c9", "5": "#e0a030", "0": _WRONG}


def draw(results: Results, folder: Path) -> None:
    """Put all plots into a folder."""
    mpl.use("Agg")
    with mpl.rc_context({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False, "figure.dpi": 110}):
        for name, plot in zip(PLOTS, (_memory, _latency, _throughput, _answers), strict=True):
            _keep(plot(results), folder / name)


def _memory(results: Results) -> Any:
    """Plot the memory that the operating system reports, and the used part of it."""
    figure, (outside, inside) = plt.subplots(2, 1, figsize=(9, 5.4), sharex=True, layout="constrained")
    half = next((each.seconds for each in results.moments if each.requests >= results.setting.requests / 2), None)
    shown: Any = (
        (outside, (("rss", "RSS", _RSS), ("uss", "USS", _USS))),
        (inside, (("blocks", "Python's blocks in use", _RSS), ("malloc", "malloc's bytes in use", _USS))),
    )
    for axes, lines in shown:
        axes.axvspan(0, results.warming, color=_WARMING, label="warming up")
        for name, label, colour in lines:
            amounts = [(each.seconds, getattr(each, name)) for each in results.moments if getattr(each, name)]
            unit = amounts[-1][1] if axes is inside and amounts else 1
            axes.plot([at for at, _ in amounts], [amount / unit for _, amount in amounts], color=colour, label=label)
        if half is not None:
            axes.axvline(half, color="black", linewidth=0.8, linestyle=":", label="judged from here")
        axes.set(ylim=(0, None), xlim=(0, None))
        axes.legend(frameon=False, loc="lower right", ncols=2)
    outside.set_ylabel("MiB of the process")
    inside.set(xlabel="seconds", ylabel="times what there is at the end")
    return figure


def _latency(results: Results) -> Any:
    """A plot for each group of kinds: what half, 95 and 99 of a hundred answers took no longer than."""
    figure, places = plt.subplots(1, len(GROUPS), figsize=(11, 3.2), sharey=True, layout="constrained")
    for axes, group in zip(places, GROUPS, strict=True):
        told = [(window.seconds, window.times[group]) for window in results.windows if window.times[group]]
        seconds = [at for at, _ in told]
        for position, (share, colour) in enumerate((("50 %", _RSS), ("95 %", _USS), ("99 %", "#c9c9c9"))):
            axes.plot(seconds, [times[position] for _, times in told], color=colour, label=share, linewidth=1.2)
        axes.set(title=group, xlabel="seconds", yscale="log")
        axes.yaxis.set_major_formatter("{x:g}")
    places[0].set_ylabel("milliseconds")
    places[0].legend(frameon=False)
    return figure


def _throughput(results: Results) -> Any:
    figure, axes = plt.subplots(figsize=(9, 2.6), layout="constrained")
    axes.plot([each.seconds for each in results.windows], [each.rate for each in results.windows], color=_RSS)
    axes.set(xlabel="seconds", ylabel="requests a second", ylim=(0, None))
    return figure


def _answers(results: Results) -> Any:
    """Plot a bar for each kind, by the first digit of the status; unexplained responses are red."""
    kinds = results.kinds
    figure, axes = plt.subplots(figsize=(9, 1 + 0.26 * len(kinds)), layout="constrained")
    names = [kind.name for kind in kinds]
    begun = [0.0] * len(kinds)
    for digit, colour in _STATUSES.items():
        width = [_share(kind.statuses.items(), digit, kind.requests) for kind in kinds]
        if any(width):
            label = f"{digit}xx" if digit != "0" else "no answer"
            axes.barh(names, width, left=begun, color=colour, label=label)
        begun = [left + more for left, more in zip(begun, width, strict=True)]
    for position, kind in enumerate(kinds):
        told = f"{kind.requests:,}" + (f", {kind.unexplained:,} unexplained" if kind.unexplained else "")
        axes.text(1.01, position, told, va="center", fontsize=8, color=_WRONG if kind.unexplained else "black")
    axes.invert_yaxis()
    axes.set(xlim=(0, 1.2), xlabel="share of the answers, and their number")
    axes.legend(frameon=False, loc="upper center", bbox_to_anchor=(0.42, 1.07), ncols=5)
    return figure


def _share(statuses: Any, digit: str, requests: int) -> float:
    counted: Sequence[int] = [number for status, number in statuses if status.startswith(digit)]
    return sum(counted) / requests


def _keep(figure: Any, path: Path) -> None:
    figure.savefig(path, metadata={"Software": None})
    plt.close(figure)
