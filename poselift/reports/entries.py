"""Which runs may be compared: rows made of seeds, and sections whose rows may share a table."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from poselift.core.errors import InputError
from poselift.reports.runs import Run
from poselift.reports.tables import Cell

_NOT_OF_THE_METHOD = {"device", "predictions", "warnings", "note", "source", "data.root"}
"""Settings that do not make a row another row: where things were, and what the protocol says itself."""


POINTS = ("data.source", "data.keypoints")
"""Settings that say which 2D went in; "gt" is the projected truth."""


@dataclass(frozen=True)
class Entry:
    """A row: the runs of one method, which differ in their seeds alone.

    Attributes:
        name: of the method.
        runs: one or more.
        settings: how it was evaluated, flat: "data.joints" and so on.
    """

    name: str
    runs: tuple[Run, ...]
    settings: Mapping[str, str]

    def cell(self, pick: Callable[[Mapping[str, Any]], float | None]) -> Cell:
        """Mean and deviation over the seeds of a number that each run has."""
        return Cell.of([pick(run.results) for run in self.runs])

    @property
    def model(self) -> Mapping[str, Any] | None:
        """What `metrics.json` says of the model, of the first seed."""
        model: Mapping[str, Any] | None = self.runs[0].results["model"]
        return model

    @property
    def exact_points(self) -> bool:
        """Whether the 2D that went in is the projected truth, and not a detector's."""
        return "gt" in (self.settings.get(key) for key in POINTS)


@dataclass(frozen=True)
class Section:
    """Entries that were measured on the same frames under the same protocol.

    Attributes:
        name: of its files.
        title: of the protocol.
        entries: in the order in which they were given, those of equal data together.
    """

    name: str
    title: str
    entries: tuple[Entry, ...]

    def __post_init__(self) -> None:
        if len({_measured(run.results) for entry in self.entries for run in entry.runs}) != 1:
            protocols = sorted({run.results["protocol"] for entry in self.entries for run in entry.runs})
            raise InputError(
                f"runs that were measured differently cannot share a table (protocols: {', '.join(protocols)})"
            )

    @property
    def results(self) -> Mapping[str, Any]:
        """Of the first run: for what all have in common."""
        return self.entries[0].runs[0].results

    @property
    def varied(self) -> tuple[str, ...]:
        """The settings in which entries differ."""
        keys = dict.fromkeys(key for entry in self.entries for key in entry.settings)
        return tuple(
            key for key in keys if len({entry.settings[key] for entry in self.entries if key in entry.settings}) > 1
        )

    @property
    def common(self) -> str:
        """The settings that all entries have alike, in one line."""
        shared = (
            (key, value)
            for key, value in self.entries[0].settings.items()
            if not key.endswith("_target_") and all(entry.settings.get(key) == value for entry in self.entries)
        )
        return ", ".join(f"{key.removeprefix('data.')} {value}" for key, value in shared)

    def block(self, entry: Entry) -> tuple[str, ...]:
        """The data that an entry was given, so far as the section's entries differ in it."""
        return tuple(entry.settings.get(key, "") for key in self.varied if key.startswith("data."))

    def label(self, entry: Entry) -> str:
        """An entry in one line."""
        return ", ".join((entry.name, *(entry.settings[key] for key in self.varied if key in entry.settings)))


def sections(runs: Sequence[Run]) -> tuple[list[Section], list[str]]:
    """Puts runs into rows, and rows into sections.

    Two runs may share a table if they have the same protocol, groups, frames and joints that count.

    Returns:
        The sections, and warnings about what was kept apart and why.

    Raises:
        InputError: two runs cannot be told apart.
    """
    apart: dict[Any, list[Run]] = {}
    for run in runs:
        apart.setdefault(_measured(run.results), []).append(run)
    found: list[Section] = []
    warnings: list[str] = []
    for members in apart.values():
        results = members[0].results
        protocol = results["protocol"]
        number = sum(section.results["protocol"] == protocol for section in found) + 1
        if number == 2:
            warnings.append(
                f"runs under {results['title']} were measured on different frames, groups or joints; "
                "they do not share a table"
            )
        name, title = (
            (protocol, results["title"])
            if number == 1
            else (
                f"{protocol}_{number}",
                f"{results['title']} ({number}: {results['views']} views, {results['frames']} frames)",
            )
        )
        entries, said = _entries(members)
        warnings += said
        found.append(Section(name, title, entries))
    return found, warnings


def _measured(results: Mapping[str, Any]) -> Any:
    """What must be equal for two numbers to compare."""
    headline = results["metrics"][results["headline"]]
    return (
        results["protocol"],
        results["headline"],
        results["skeleton"],
        results["views"],
        results["frames"],
        headline["count"],
        tuple(headline["groups"]),
    )


def _entries(runs: Sequence[Run]) -> tuple[tuple[Entry, ...], list[str]]:
    rows: dict[Any, list[Run]] = {}
    for run in runs:
        rows.setdefault((run.name, tuple(sorted(_flat(run.results["settings"]).items()))), []).append(run)
    warnings = [warning for (name, _), members in rows.items() for warning in _check_seeds(name, members)]
    entries = [Entry(name, tuple(members), dict(settings)) for (name, settings), members in rows.items()]
    # Rows of the same data together, in the order in which that data comes first.
    data = [tuple((k, v) for k, v in entry.settings.items() if k.startswith("data.")) for entry in entries]
    order = sorted(range(len(entries)), key=lambda place: data.index(data[place]))
    return tuple(entries[place] for place in order), warnings


def _check_seeds(name: str, runs: Sequence[Run]) -> list[str]:
    """Makes sure that runs of one row are different seeds of one model."""
    if len(runs) == 1:
        return []
    where = " and ".join(str(run.path) for run in runs)
    models = [run.results["model"] for run in runs]
    kinds = [model and (model["name"], model.get("config"), model.get("window")) for model in models]
    if any(kind != kinds[0] for kind in kinds):
        raise InputError(f"different models are called {name!r} in {where}; give each a name: evaluate.py name=...")
    seeds = [run.results["seed"] for run in runs]
    if None not in seeds:
        if len(set(seeds)) < len(seeds):
            raise InputError(
                f"runs called {name!r} have the same seed and settings: {where}; give each a name: evaluate.py name=..."
            )
        return []
    files = [model and model.get("sha256") for model in models]
    if None in files or len(set(files)) < len(files):
        raise InputError(
            f"runs called {name!r} do not say which seeds they are of: {where}; give each a name: evaluate.py name=..."
        )
    return [f"{len(runs)} runs are called {name} and do not all say their seeds; taken as as many seeds of one model"]


def _flat(settings: Mapping[str, Any], prefix: str = "") -> dict[str, str]:
    """Settings that belong to the method, by dotted key; of a path only the last part, as folders differ."""
    found: dict[str, str] = {}
    for key, value in settings.items():
        name = f"{prefix}{key}"
        if name in _NOT_OF_THE_METHOD:
            continue
        if isinstance(value, dict):
            found |= _flat(value, f"{name}.")
        elif value is not None:
            found[name] = PurePath(value).name if isinstance(value, str) else str(value)
    return found
