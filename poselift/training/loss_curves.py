"""A plot of a run: losses and validation errors over the steps."""

from pathlib import Path

from poselift.reports.training_log import Log, values_of


def plot_curves(log: Log, folder: Path) -> list[Path]:
    """Draws the losses and the validation errors in curves.png and curves.pdf.

    Args:
        log: the values of each step, as from `read_log`.
        folder: of the files.

    Returns:
        The files; none if nothing was logged.
    """
    # Imported here, because matplotlib takes half a second.
    from poselift.viz.plots.style import save_plot
    from poselift.viz.plots.training import Line, training_plot

    names = sorted({name for row in log.values() for name in row})
    losses = sorted((name for name in names if name.startswith("train/")), key=lambda name: name != "train/loss")
    errors = [name for name in ("val/mpjpe", "val/p_mpjpe") if name in names]
    if not losses and not errors:
        return []

    def label(name: str) -> str:
        if name in losses:
            return name.removeprefix("train/").replace("_", " ")
        title = name.removeprefix("val/").replace("p_", "P-").upper()
        return f"{title}, best {min(values_of(log, name)[1]):.1f} mm"

    lines = [Line(label(name), place, *values_of(log, name)) for place, name in enumerate((*losses, *errors))]
    figure = training_plot(
        lines[: len(losses)], lines[len(losses) :], "training loss (m; velocity in m/s)", "validation error (mm)"
    )
    save_plot(figure, folder / "curves")
    return [folder / "curves.png", folder / "curves.pdf"]
