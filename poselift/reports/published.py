"""Published rows of other methods, each with its citation."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from poselift.core.errors import InputError
from poselift.core.safe_parsing import read_yaml
from poselift.reports.measures import MEASURES
from poselift.reports.protocols import PROTOCOLS

DEFAULT_PUBLISHED = Path(__file__).with_name("published.yaml")
"""The rows of the package; comments in the file explain its keys."""

_REQUIRED = {"name", "protocol", "points", "values", "paper", "url"}
_LARGEST = 1e18
"""A number of multiply-adds beyond it is a slip."""
_NUMBERS = {"window", "parameters", "macs"}
_TEXTS = {"differs", "keypoints", "weights"}
_OPTIONAL = {*_NUMBERS, *_TEXTS, "groups"}


@dataclass(frozen=True)
class PublishedRow:
    """A row of a publication.

    Attributes:
        name: of the method.
        protocol: of its values.
        exact_points: whether the input 2D is the projected truth instead of a detector's.
        values: by the key of the metric.
        groups: the values of which `values` has the mean, by the key of the metric and the protocol's group.
        citation: paper, how the evaluation differs from the protocol, and URL.
        window: input frames; None if unknown.
        parameters: millions; None if unknown.
        macs: millions of multiply-adds per output frame, including attention; None if unknown.
        differs: how the evaluation differs from the protocol; "" where it does not.
        keypoints: the input 2D, such as "cpn", or "gt"; "detected" where the detector is not known.
        weights: "open" where everybody can download them, "none" where nobody can; "" if unknown.
    """

    name: str
    protocol: str
    exact_points: bool
    values: Mapping[str, float]
    citation: str
    window: int | None = None
    parameters: float | None = None
    macs: float | None = None
    differs: str = ""
    keypoints: str = ""
    weights: str = ""
    groups: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


def read_published(path: str | Path = DEFAULT_PUBLISHED) -> list[PublishedRow]:
    """The published rows in a YAML file.

    Args:
        path: a file like `published.yaml` of this package.

    Raises:
        InputError: the file cannot be read, or a row lacks keys.
    """
    content = read_yaml(path, "give a YAML file of published rows, default or none")
    if not isinstance(content, dict) or not isinstance(content.get("rows"), list):
        raise InputError(f"{path} must have a list under `rows`")
    return [found for number, row in enumerate(content["rows"], 1) for found in _rows(f"{path}, row {number}", row)]


def _rows(where: str, row: Any) -> list[PublishedRow]:
    """The row under each of its protocols."""
    if not isinstance(row, dict):
        raise InputError(f"{where} must have keys and values, not {row!r:.40}")
    if missing := sorted(_REQUIRED - set(row)):
        raise InputError(f"{where} lacks {', '.join(missing)}")
    if unknown := sorted(set(row) - _REQUIRED - _OPTIONAL):
        raise InputError(
            f"{where} has {', '.join(map(str, unknown))}; the known keys are {', '.join(sorted(_REQUIRED | _OPTIONAL))}"
        )
    protocols = row["protocol"] if isinstance(row["protocol"], list) else [row["protocol"]]
    for name in protocols:
        if str(name) not in PROTOCOLS:
            raise InputError(f"{where}: no protocol is called {name!r}; choose one of {', '.join(PROTOCOLS)}")
    if row["points"] not in ("detected", "gt"):
        raise InputError(f"{where}: points must be detected or gt, not {row['points']!r}")
    if not re.fullmatch(r"https?://[^\s{}\\]+", str(row["url"])):
        raise InputError(f"{where}: url must be the address of the values' publication, not {row['url']!r}")
    values = row["values"]
    if not isinstance(values, dict) or not values or not set(values) <= set(MEASURES):
        raise InputError(f"{where}: values must be numbers by metric; metrics are {', '.join(MEASURES)}")
    for key, value in {**values, **{key: row[key] for key in _NUMBERS if key in row}}.items():
        _check_number(where, key, value)
    differs, keypoints, weights = (row.get(key, "") for key in ("differs", "keypoints", "weights"))
    for key in sorted(_TEXTS & set(row)):
        if not isinstance(row[key], str):
            raise InputError(f"{where}: {key} must be a text, not {row[key]!r}")
    if weights not in ("", "open", "none"):
        raise InputError(f"{where}: weights must be open or none, or left out if unknown; not {weights!r}")
    parameters, macs = (None if key not in row else float(row[key]) for key in ("parameters", "macs"))
    return [
        PublishedRow(
            str(row["name"]),
            name,
            row["points"] == "gt",
            {key: float(value) for key, value in values.items()},
            f"{row['paper']}{'; differs from the protocol: ' * bool(differs)}{differs}, {row['url']}",
            row.get("window"),
            parameters,
            macs,
            differs,
            keypoints or row["points"],
            weights,
            _groups(where, row.get("groups", {}), values, PROTOCOLS[name].groups),
        )
        for name in protocols
    ]


def _groups(where: str, given: Any, values: Any, names: Sequence[str]) -> dict[str, dict[str, float]]:
    """The values of each group, by metric."""
    if not isinstance(given, dict) or not set(given) <= set(values):
        raise InputError(f"{where}: groups must be lists by metric, of metrics in `values` ({', '.join(values)})")
    for key, row in given.items():
        if not isinstance(row, list) or len(row) != len(names):
            raise InputError(f"{where}: groups of {key} must be a list of {len(names)} numbers: {', '.join(names)}")
        for value in row:
            _check_number(where, f"groups of {key}", value)
    return {key: dict(zip(names, map(float, row), strict=True)) for key, row in given.items()}


def _check_number(where: str, key: str, value: Any) -> None:
    if type(value) not in ((int,) if key == "window" else (int, float)) or not 0 < value < _LARGEST:
        raise InputError(f"{where}: {key} must be a {'whole ' * (key == 'window')}number above 0, not {value!r}")
