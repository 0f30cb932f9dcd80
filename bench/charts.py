"""Plots of how cost grows, from the figures that benchmarks write. Needs matplotlib; without it there are none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple


class Series(NamedTuple):
    """One line of a plot: (size, value), sorted."""

    label: str
    points: Sequence[tuple[float, float]]


class Plot(NamedTuple):
    """What is drawn of one benchmark."""

    x: str
    y: str
    series: Sequence[Series]


def draw(figures: Mapping[str, Any], folder: Path) -> dict[str, Path]:
    """Writes a picture for each benchmark whose figures have several sizes; by benchmark. Same figures, same picture."""
    try:
        import matplotlib as mpl
    except ImportError:
        print("no plots: matplotlib is not installed")
        return {}
    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "diarist"
    from matplotlib import pyplot as plt

    written = {}
    for name, reader in READERS.items():
        plot = reader(figures[name]) if figures.get(name) else None
        if plot is None or max((len(each.points) for each in plot.series), default=0) < 2:
            continue
        figure, axes = plt.subplots(figsize=(6.4, 3.6))
        for each in plot.series:
            axes.plot(*zip(*each.points, strict=True), marker="o", label=each.label)
        axes.set(xscale="log", yscale="log", xlabel=plot.x, ylabel=plot.y)
        axes.grid(visible=True, which="major", alpha=0.3)
        axes.legend(frameon=False)
        folder.mkdir(parents=True, exist_ok=True)
        written[name] = folder / f"{name}.svg"
        figure.savefig(written[name], bbox_inches="tight", metadata={"Date": None})
        plt.close(figure)
    return written


def _synthesis(figures: Any) -> Plot:
    lines = figures["lines"]
    return Plot(
        "entries",
        "CPU seconds of the whole process",
        [
            Series("diarist synthesize", _points(lines, "entries", "cpu_s")),
            Series("Bernstein, clustering alone", _points(lines, "entries", "peer_cpu_s")),
        ],
    )


def _patterns(figures: Any) -> Plot:
    return Plot("observations", "CPU seconds", [Series("patterns mine", _points(figures, "size", "cpu_s"))])


def _search(figures: Any) -> Plot:
    ways = ("diarist", "raw tantivy", "FTS5")
    rows = [
        {"entries": each["entries"], **{way: each[f"{way}, warm CPU"]["p50"] for way in ways if f"{way}, warm CPU" in each}}
        for each in figures
    ]
    return Plot("entries", "milliseconds of CPU, median", [Series(way, _points(rows, "entries", way)) for way in ways])


def _points(rows: Sequence[Mapping[str, Any]], x: str, y: str) -> list[tuple[float, float]]:
    """Of equal sizes the mean; rows without the value are left out."""
    values: dict[float, list[float]] = {}
    for row in rows:
        if row.get(y):
            values.setdefault(row[x], []).append(row[y])
    return [(size, sum(found) / len(found)) for size, found in sorted(values.items())]


READERS = {"search": _search, "synthesis": _synthesis, "patterns": _patterns}
"""By benchmark: its figures → what to draw."""
