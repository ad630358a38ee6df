"""A plot of a run: losses and validation errors over the steps."""

from collections.abc import Mapping
from pathlib import Path

from poselift.core.files import atomic_path

_AROUND = 3
"""The line of a loss is a running mean with this many logged values on each side."""


def plot_curves(rows: Mapping[int, Mapping[str, float | int]], folder: Path, title: str) -> list[Path]:
    """Draws the losses and the validation errors in curves.png and curves.pdf.

    Args:
        rows: the values of each step, as from `poselift.training.csv_log.read_log`.
        folder: of the files.
        title: of the plot.

    Returns:
        The files; none if nothing was logged.
    """
    from matplotlib.figure import Figure  # imported here, because it takes half a second

    names = sorted({name for row in rows.values() for name in row})
    losses = sorted((name for name in names if name.startswith("train/")), key=lambda name: name != "train/loss")
    errors = [name for name in ("val/mpjpe", "val/p_mpjpe") if name in names]
    if not names:
        return []

    def series(name: str) -> tuple[list[int], list[float]]:
        points = [(step, float(row[name])) for step, row in sorted(rows.items()) if name in row]
        return [step for step, _ in points], [value for _, value in points]

    figure = Figure(figsize=(9, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    for number, name in enumerate(losses):
        steps, values = series(name)
        colour = f"C{number}"
        left.plot(steps, values, color=colour, alpha=0.25, linewidth=0.8)
        left.plot(steps, _running_mean(values), color=colour, label=name.removeprefix("train/"))
    left.set(xlabel="step", ylabel="loss (m; velocity in m/s)", yscale="log", title="Training")
    if losses:
        left.legend(fontsize="small", frameon=False)
    for name in errors:
        steps, values = series(name)
        label = name.removeprefix("val/").replace("p_", "P-").upper()
        right.plot(steps, values, marker="o", markersize=3, label=f"{label}, best {min(values):.1f}")
    right.set(xlabel="step", ylabel="error (mm)", title="Validation")
    if errors:
        right.legend(frameon=False)
    for axes in (left, right):
        axes.grid(alpha=0.25, which="both")
        axes.spines[["top", "right"]].set_visible(False)
    figure.suptitle(title)
    paths = [folder / "curves.png", folder / "curves.pdf"]
    for path in paths:
        with atomic_path(path) as temporary:
            figure.savefig(temporary, dpi=150)
    return paths


def _running_mean(values: list[float]) -> list[float]:
    around = [values[max(0, at - _AROUND) : at + _AROUND + 1] for at in range(len(values))]
    return [sum(part) / len(part) for part in around]
