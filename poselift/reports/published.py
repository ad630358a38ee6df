"""Published rows of other methods, each with its citation."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from poselift.core.bounded import read_yaml
from poselift.core.errors import InputError
from poselift.reports.measures import MEASURES
from poselift.reports.protocols import PROTOCOLS

DEFAULT_PUBLISHED = Path(__file__).with_name("published.yaml")
"""The rows of the package; comments in the file explain its keys."""

_REQUIRED = {"name", "protocol", "points", "values", "paper", "url"}
_LARGEST = 1e18
_NUMBERS = {"window", "parameters", "macs"}
_TEXTS = {"differs", "keypoints", "weights"}
_OPTIONAL = {*_NUMBERS, *_TEXTS}


@dataclass(frozen=True)
class Published:
    """A row of a publication.

    Attributes:
        name: of the method.
        protocol: of its values.
        exact_points: whether the input 2D is the projected truth instead of a detector's.
        values: by the key of the metric.
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


def read_published(path: str | Path = DEFAULT_PUBLISHED) -> list[Published]:
    """The published rows in a YAML file.

    Args:
        path: a file like `published.yaml` of this package.

    Raises:
        InputError: the file cannot be read, or a row lacks keys.
    """
    content = read_yaml(path, "give a YAML file of published rows, default or none")
    if not isinstance(content, dict) or not isinstance(content.get("rows"), list):
        raise InputError(f"{path} must have a list under `rows`")
    return [_row(f"{path}, row {number}", row) for number, row in enumerate(content["rows"], 1)]


def _row(where: str, row: Any) -> Published:
    if not isinstance(row, dict):
        raise InputError(f"{where} must have keys and values, not {row!r:.40}")
    if missing := sorted(_REQUIRED - set(row)):
        raise InputError(f"{where} lacks {', '.join(missing)}")
    if unknown := sorted(set(row) - _REQUIRED - _OPTIONAL):
        raise InputError(
            f"{where} has {', '.join(map(str, unknown))}; the known keys are {', '.join(sorted(_REQUIRED | _OPTIONAL))}"
        )
    if str(row["protocol"]) not in PROTOCOLS:
        raise InputError(f"{where}: no protocol is called {row['protocol']!r}; choose one of {', '.join(PROTOCOLS)}")
    if row["points"] not in ("detected", "gt"):
        raise InputError(f"{where}: points must be detected or gt, not {row['points']!r}")
    if not re.fullmatch(r"https?://[^\s{}\\]+", str(row["url"])):
        raise InputError(f"{where}: url must be the address of the values' publication, not {row['url']!r}")
    values = row["values"]
    if not isinstance(values, dict) or not values or not set(values) <= set(MEASURES):
        raise InputError(f"{where}: values must be numbers by metric; metrics are {', '.join(MEASURES)}")
    for key, value in {**values, **{key: row[key] for key in _NUMBERS if key in row}}.items():
        kinds = (int,) if key == "window" else (int, float)
        if type(value) not in kinds or not 0 < value < _LARGEST:
            raise InputError(f"{where}: {key} must be a {'whole ' * (key == 'window')}number above 0, not {value!r}")
    differs, keypoints, weights = (row.get(key, "") for key in ("differs", "keypoints", "weights"))
    for key in sorted(_TEXTS & set(row)):
        if not isinstance(row[key], str):
            raise InputError(f"{where}: {key} must be a text, not {row[key]!r}")
    if weights not in ("", "open", "none"):
        raise InputError(f"{where}: weights must be open or none, or left out if unknown; not {weights!r}")
    parameters, macs = (None if key not in row else float(row[key]) for key in ("parameters", "macs"))
    return Published(
        str(row["name"]),
        row["protocol"],
        row["points"] == "gt",
        {key: float(value) for key, value in values.items()},
        f"{row['paper']}{'; differs from the protocol: ' * bool(differs)}{differs}, {row['url']}",
        row.get("window"),
        parameters,
        macs,
        differs,
        keypoints or row["points"],
        weights,
    )
