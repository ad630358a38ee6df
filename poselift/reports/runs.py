"""Evaluations from files `metrics.json`, read and checked."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any, get_args

from poselift.core.errors import InputError, make_printable
from poselift.core.publishing import find_published
from poselift.core.safe_parsing import read_json
from poselift.reports.protocols import GroupBy
from poselift.skeleton import get_skeleton

FORMAT, VERSION = "poselift-metrics", 1

_NULL = type(None)
_NUMBER = (int, float, _NULL)
_EACH = "*"
"""The key of a shape for any number of keys."""

_VALUES = {_EACH: _NUMBER}
_JOINTS = {_EACH: _NUMBER}
"""May be null for a metric that is not of joints."""

_HEAD = {"title": (str,), "unit": (str,), "better": ["lower", "higher"], "mean": _NUMBER}
_MODEL = {"name": (str,), "config": (dict,), "window": (int,), "weights": (str,), "sha256": (str,)}
"""May be null for predictions of others."""

_SHAPE: dict[str, Any] = {
    "protocol": (str,),
    "title": (str,),
    "name": (str,),
    "seed": (int, _NULL),
    "group_by": [*get_args(GroupBy)],
    "headline": (str,),
    "metrics": {_EACH: {**_HEAD, "frames": _NUMBER, "count": (int,), "groups": _VALUES, "joints": _JOINTS}},
    "limbs": {_EACH: {**_HEAD, "values": _VALUES}},
    "curves": {
        _EACH: {
            "title": (str,),
            "x_title": (str,),
            "x_unit": (str,),
            "thresholds": (list,),
            "mean": (list,),
            "joints": {_EACH: (list,)},
        }
    },
    "over_time": {"clip": (str,), "seconds": (list,), "error": (list,)},
    "sequences": {_EACH: {"group": (str,), "mean": _NUMBER, "count": (int,)}},
    "poses": (list,),
    "skeleton": (str,),
    "views": (int,),
    "frames": (int,),
    "model": _MODEL,
    "settings": (dict,),
    "environment": (dict,),
}
"""The shape of `metrics.json`: for each key the types, [the choices], or {the keys below it}."""

_POSE = {
    "kind": (str,),
    "view": (str,),
    "frame": (int,),
    "seconds": (int, float),
    "error": (int, float),
    "truth": (list,),
    "prediction": (list,),
}
"""The shape of an entry of "poses"."""

_SETTINGS: dict[str, Any] = {"window": (int,), "note": (str,), "warnings": (list,)}
"""The settings that a report reads; there may be others."""


@dataclass(frozen=True)
class Run:
    """One evaluation.

    Attributes:
        path: of its `metrics.json`.
        results: the content.
    """

    path: Path
    results: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The name in tables."""
        return str(self.results["name"])


def read_runs(paths: Sequence[str | Path]) -> list[Run]:
    """The evaluations in files or folders, each once.

    Args:
        paths: `metrics.json` files, or folders with one.

    Raises:
        InputError: there is no path, or a file is missing, unreadable or of another version.
    """
    files = dict.fromkeys(path / "metrics.json" if path.is_dir() else path for path in map(Path, paths))
    if not files:
        raise InputError("no run is given; give folders that poselift evaluate wrote")
    missing = [str(file) for file in files if not find_published(file).is_file()]
    if missing:
        advice = "give a folder that poselift evaluate wrote, or its metrics.json"
        also = ", and leave these out" if len(missing) > 1 else ""
        raise InputError(f"no such file: {', '.join(missing)}; {advice}{also}")
    return [_read(file) for file in dict.fromkeys(file.resolve() for file in files)]


def _read(file: Path) -> Run:
    results = read_json(file, "give a metrics.json of poselift evaluate", finite=True)
    if not isinstance(results, dict) or results.get("format") != FORMAT:
        raise InputError(
            f"{file} is not a metrics.json: its format is not {FORMAT!r}; give one that poselift evaluate wrote"
        )
    if results.get("version") != VERSION:
        raise InputError(f"{file} has version {results.get('version')}, not {VERSION}; run poselift evaluate again")
    _check(file, "", results, _SHAPE)
    # They become parts of file names.
    for key in (results["protocol"], *results["metrics"], *results["limbs"], *results["curves"]):
        if not re.fullmatch(r"\w+", key):
            raise InputError(f"{file}: {key!r} cannot be the name of a protocol or metric: letters, digits and _ only")
    if results["headline"] not in results["metrics"]:
        raise InputError(
            f"{file}: its headline {results['headline']!r} is none of its metrics; run poselift evaluate again"
        )
    settings = results["settings"]
    for key in _SETTINGS:
        if key in settings:
            _check(file, f"settings.{key}", settings[key], _SETTINGS[key])
    for warning in settings.get("warnings", []):
        _check(file, "an entry of settings.warnings", warning, (str,))
    get_skeleton(results["skeleton"])
    for key, curve in results["curves"].items():
        _check_lists(file, f"curves.{key}", [curve["thresholds"], curve["mean"], *curve["joints"].values()])
    _check_lists(file, "over_time", [results["over_time"]["seconds"], results["over_time"]["error"]])
    _check_poses(file, results)
    shown = _printable(results)
    if results["model"] is not None:
        shown["model"]["weights"] = results["model"]["weights"]  # the path of a file
    return Run(file, shown)


def _printable(value: Any) -> Any:
    """The value with texts that pages, tables and plots can show."""
    if isinstance(value, dict):
        return {make_printable(key): _printable(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_printable(part) for part in value]
    return make_printable(value) if isinstance(value, str) else value


def _check(file: Path, where: str, value: Any, shape: Any) -> None:
    """Compares a value with a part of `_SHAPE`."""
    if value is None and (shape is _JOINTS or shape is _MODEL):
        return
    if isinstance(shape, dict):
        if not isinstance(value, dict):
            raise InputError(f"{file}: {where} must be an object, not {value!r:.40}; run poselift evaluate again")
        for key in value if _EACH in shape else shape:
            if key not in value:
                raise InputError(f"{file}: {where}{'.' if where else ''}{key} is missing; run poselift evaluate again")
            _check(file, f"{where}.{key}".lstrip("."), value[key], shape.get(_EACH, shape.get(key)))
    elif isinstance(shape, list):
        if value not in shape:
            raise InputError(f"{file}: {where} must be one of {', '.join(shape)}, not {value!r:.40}")
    elif isinstance(value, float) and not isfinite(value):
        raise InputError(f"{file}: {where} is {value}; run poselift evaluate again")
    elif not isinstance(value, shape) or isinstance(value, bool):
        names = " or ".join("null" if kind is _NULL else kind.__name__ for kind in shape)
        raise InputError(f"{file}: {where} must be {names}, not {value!r:.40}; run poselift evaluate again")


def _check_lists(file: Path, where: str, lists: Sequence[list[Any]]) -> None:
    """Checks lists of numbers of equal length.

    Each has one number per threshold or time.
    """
    if len({len(values) for values in lists}) > 1:
        raise InputError(f"{file}: the lists of {where} are not of one length; run poselift evaluate again")
    for number in (number for values in lists for number in values):
        if not isinstance(number, _NUMBER) or isinstance(number, bool) or not isfinite(number or 0):
            raise InputError(f"{file}: {where} must hold numbers, not {number!r:.40}; run poselift evaluate again")


def _check_poses(file: Path, results: Mapping[str, Any]) -> None:
    """Checks that poses have three numbers or null a joint."""
    joints = len(get_skeleton(results["skeleton"]))
    for pose in results["poses"]:
        _check(file, "an entry of poses", pose, _POSE)
        for key in ("truth", "prediction"):
            known = [row for row in pose[key] if row is not None]
            if len(pose[key]) != joints or not known or not all(map(_is_point, known)):
                raise InputError(
                    f"{file}: {key} of a pose must be [x, y, z] or null for each of {joints} joints; run poselift "
                    "evaluate again"
                )


def _is_point(row: Any) -> bool:
    return isinstance(row, list) and len(row) == 3 and all(type(value) in (int, float) for value in row)
