"""Comparable runs: rows of seeds, in sections that share tables."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from poselift.core.errors import InputError
from poselift.reports.runs import Run
from poselift.reports.tables import Cell

_NOT_OF_THE_METHOD = {
    "device",
    "predictions",
    "layout",
    "joints",
    "lengths",
    "warnings",
    "note",
    "citation",
    "data.root",
}
"""Settings in which runs of one row may differ: paths, ways of reading, texts of the protocol."""

_RENAME = "give each a name of its own: poselift evaluate name=..."

POINTS = ("data.keypoints",)
"""Settings that name the input 2D; "gt" is the projected truth."""


@dataclass(frozen=True)
class Entry:
    """A row: one method's runs, which differ in their seeds.

    Attributes:
        name: of the method.
        runs: one or more.
        settings: of the evaluation, by dotted key, for example "data.skeleton".
    """

    name: str
    runs: tuple[Run, ...]
    settings: Mapping[str, str]

    def at(self, *keys: str) -> Cell:
        """Mean and deviation over the seeds of one number.

        The keys lead to it in `metrics.json`, one below the other.
        """
        return Cell.of([follow(run.results, *keys) for run in self.runs])

    @property
    def model(self) -> Mapping[str, Any] | None:
        """The model of the first seed, as in `metrics.json`."""
        model: Mapping[str, Any] | None = self.runs[0].results["model"]
        return model

    @property
    def exact_points(self) -> bool:
        """Whether the input 2D is the projected truth instead of a detector's."""
        return "gt" in (self.settings.get(key) for key in POINTS)


@dataclass(frozen=True)
class Section:
    """Entries measured on the same frames under the same protocol.

    Attributes:
        name: of its files.
        title: of the protocol.
        entries: in the given order, with those of equal data together.
    """

    name: str
    title: str
    entries: tuple[Entry, ...]

    def __post_init__(self) -> None:
        if len({_measured(run.results) for entry in self.entries for run in entry.runs}) != 1:
            protocols = sorted({run.results["protocol"] for entry in self.entries for run in entry.runs})
            raise InputError(
                f"runs that were measured differently cannot share a table (protocols: {', '.join(protocols)}); make a "
                "report of each"
            )
        label, rows = Counter(self.label(entry) for entry in self.entries).most_common(1)[0]
        if rows > 1:
            paths = " and ".join(str(entry.runs[0].path) for entry in self.entries if self.label(entry) == label)
            raise InputError(f"two rows would be called {label!r}: {paths}; {_RENAME}")

    @property
    def results(self) -> Mapping[str, Any]:
        """The results of the first run, for values that all runs share."""
        return self.entries[0].runs[0].results

    @property
    def headline(self) -> Mapping[str, Any]:
        """The headline metric of the first run."""
        metric: Mapping[str, Any] = self.results["metrics"][self.results["headline"]]
        return metric

    @property
    def varied(self) -> tuple[str, ...]:
        """The settings in which entries differ.

        A missing setting is a difference only among entries of one name, because the predictions of others have few
        settings.
        """
        keys = dict.fromkeys(key for entry in self.entries for key in entry.settings)
        names = {entry.name for entry in self.entries}

        def differs(key: str) -> bool:
            said = {entry.settings[key] for entry in self.entries if key in entry.settings}
            of_one_name = [{entry.settings.get(key) for entry in self.entries if entry.name == name} for name in names]
            return len(said) > 1 or any(len(values) > 1 for values in of_one_name)

        return tuple(key for key in keys if differs(key))

    def common(self, columns: Sequence[str] = ()) -> str:
        """The settings that all entries share, in one line.

        Without those that a table has as columns.
        """
        shared = (
            (key, value)
            for key, value in self.entries[0].settings.items()
            if not key.endswith("_target_")
            and key not in columns
            and all(entry.settings.get(key) == value for entry in self.entries)
        )
        return ", ".join(f"{key.removeprefix('data.')} {value}" for key, value in shared)

    def block(self, entry: Entry) -> tuple[str, ...]:
        """The settings of an entry's data in which the section's entries differ."""
        return tuple(entry.settings.get(key, "") for key in self.varied if key.startswith("data."))

    def label(self, entry: Entry) -> str:
        """An entry's name and differing settings, in one line."""
        differs = [f"{self.short(key)} {entry.settings[key]}" for key in self.varied if key in entry.settings]
        return ", ".join((entry.name, *differs))

    def short(self, key: str) -> str:
        """The last part of a setting's dotted key.

        The whole key if another varied one ends in it too.
        """
        last = key.rpartition(".")[2]
        others = [other for other in self.varied if other != key]
        return last.strip("_") if all(other.rpartition(".")[2] != last for other in others) else key


def sections(runs: Sequence[Run]) -> tuple[list[Section], list[str]]:
    """Sections of rows, and warnings about runs apart.

    Those cannot share a table with others.

    Two runs may share a table if they have the same protocol, groups, frames and joints that count.

    Raises:
        InputError: two runs have the same name, settings and seed.
    """
    apart: dict[Any, list[Run]] = {}
    for run in runs:
        apart.setdefault(_measured(run.results), []).append(run)
    found: list[Section] = []
    warnings: list[str] = []
    for members in apart.values():
        results = members[0].results
        name, title = results["protocol"], results["title"]
        number = 1 + sum(section.results["protocol"] == name for section in found)
        if number > 1:
            warnings.append(
                f"not all runs under {title} were measured on the same frames, groups and joints; they are in separate "
                "tables"
            )
            name, title = (
                f"{name}_{number}",
                f"{title} ({number}: {results['views']} views, {results['frames']} frames)",
            )
        found.append(Section(name, title, _entries(members)))
    return found, list(dict.fromkeys(warnings))


def follow(value: Any, *keys: str) -> Any:
    """The value at some keys, one below the other, or None."""
    for key in keys:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _measured(results: Mapping[str, Any]) -> Any:
    """The properties that comparable runs share."""
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


def _entries(runs: Sequence[Run]) -> tuple[Entry, ...]:
    rows: dict[Any, list[Run]] = {}
    for run in runs:
        rows.setdefault((run.name, tuple(sorted(_flatten(run.results["settings"]).items()))), []).append(run)
    for members in rows.values():
        _check_seeds(members)
    entries = [Entry(name, tuple(members), dict(settings)) for (name, settings), members in rows.items()]
    # Rows of the same data together, in the order in which the data first appears.
    data = [
        tuple((key, value) for key, value in entry.settings.items() if key.startswith("data.")) for entry in entries
    ]
    order = sorted(range(len(entries)), key=lambda place: data.index(data[place]))
    return tuple(entries[place] for place in order)


def _check_seeds(runs: Sequence[Run]) -> None:
    """Checks that a row's runs are seeds of one training.

    They must have the same model too.
    """
    where = f"{runs[0].name!r}: {' and '.join(str(run.path) for run in runs)}"
    models = [run.results["model"] for run in runs]
    kinds = [model and (model.get("name"), model.get("config"), model.get("window")) for model in models]
    if any(kind != kinds[0] for kind in kinds):
        raise InputError(f"different models are called {where}; {_RENAME}")
    # Weights of others, and checkpoints, do not say how the lifter was trained.
    trainings = [model["training"] for model in models if model and "training" in model]
    if any(training != trainings[0] for training in trainings):
        raise InputError(f"lifters trained with different settings are called {where}; {_RENAME}")
    seeds = [run.results["seed"] for run in runs]
    if len(runs) > 1 and None in seeds:
        raise InputError(f"runs of one name and settings without a seed are called {where}; {_RENAME}")
    if len(set(seeds)) < len(seeds):
        raise InputError(f"runs of one name, settings and seed are called {where}; {_RENAME}")


def _flatten(settings: Mapping[str, Any], prefix: str = "") -> dict[str, str]:
    """The method's settings by dotted key.

    Of a path only the last part, because folders differ.
    """
    found: dict[str, str] = {}
    for key, value in settings.items():
        name = f"{prefix}{key}"
        if name in _NOT_OF_THE_METHOD or value is None:
            continue
        if isinstance(value, dict):
            found |= _flatten(value, f"{name}.")
        elif isinstance(value, bool):
            found[name] = "yes" if value else "no"
        else:
            found[name] = PurePath(value).name if isinstance(value, str) else str(value)
    return found
