"""Evaluations as they stand in `metrics.json`, read and checked."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from poselift.core.errors import InputError

FORMAT, VERSION = "poselift-metrics", 1

_NUMBER: tuple[type, ...] = (int, float, type(None))
_FIELDS: dict[str, tuple[type, ...]] = {
    "protocol": (str,),
    "title": (str,),
    "name": (str,),
    "seed": (int, type(None)),
    "group_by": (str,),
    "headline": (str,),
    "metrics": (dict,),
    "limbs": (dict,),
    "curves": (dict,),
    "over_time": (dict,),
    "skeleton": (str,),
    "views": (int,),
    "frames": (int,),
    "model": (dict, type(None)),
    "settings": (dict,),
    "environment": (dict,),
}
_METRIC: dict[str, tuple[type, ...]] = {
    "title": (str,),
    "unit": (str,),
    "better": (str,),
    "mean": _NUMBER,
    "frames": _NUMBER,
    "count": (int,),
    "groups": (dict,),
    "joints": (dict, type(None)),
}
_LIMBS: dict[str, tuple[type, ...]] = {
    "title": (str,),
    "unit": (str,),
    "better": (str,),
    "values": (dict,),
    "mean": _NUMBER,
}
_CURVE: dict[str, tuple[type, ...]] = {
    "title": (str,),
    "x_title": (str,),
    "x_unit": (str,),
    "thresholds": (list,),
    "mean": (list,),
    "joints": (dict,),
}
_OVER_TIME: dict[str, tuple[type, ...]] = {"clip": (str,), "seconds": (list,), "error": (list,)}


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
        """What tables call it."""
        return str(self.results["name"])

    @property
    def headline(self) -> Mapping[str, Any]:
        """The metric that its protocol compares by."""
        metric: Mapping[str, Any] = self.results["metrics"][self.results["headline"]]
        return metric


def read_runs(paths: Sequence[str | Path]) -> list[Run]:
    """Reads evaluations; one that is named twice is read once.

    Args:
        paths: `metrics.json` files, or folders that hold one.

    Raises:
        InputError: there is none, one cannot be read, or is of another version.
    """
    files = dict.fromkeys(_file(Path(path)) for path in paths)
    if not files:
        raise InputError("no run is given; give folders that tools/evaluate.py wrote")
    return [_read(file) for file in files]


def _file(path: Path) -> Path:
    file = path / "metrics.json" if path.is_dir() else path
    if not file.is_file():
        raise InputError(f"no such file: {file}; give a folder that tools/evaluate.py wrote, or its metrics.json")
    return file.resolve()


def _read(file: Path) -> Run:
    try:
        results = json.loads(file.read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{file} is not JSON ({error}); give a metrics.json of tools/evaluate.py") from error
    if not isinstance(results, dict) or results.get("format") != FORMAT:
        raise InputError(f"{file} is not a metrics.json: its format is not {FORMAT!r}; tools/evaluate.py writes them")
    if results.get("version") != VERSION:
        raise InputError(f"{file} has version {results.get('version')}, not {VERSION}; run tools/evaluate.py again")
    _check(file, "", results, _FIELDS)
    for kind, fields in (("metrics", _METRIC), ("limbs", _LIMBS), ("curves", _CURVE)):
        for key, value in results[kind].items():
            _check(file, f"{kind}.{key}.", value, fields)
    _check(file, "over_time.", results["over_time"], _OVER_TIME)
    if results["headline"] not in results["metrics"]:
        raise InputError(f"{file}: its headline {results['headline']!r} is none of its metrics")
    return Run(file, results)


def _check(file: Path, prefix: str, value: Any, fields: Mapping[str, tuple[type, ...]]) -> None:
    if not isinstance(value, dict):
        raise InputError(f"{file}: {prefix.rstrip('.')} must be an object; run tools/evaluate.py again")
    for key, types in fields.items():
        if key not in value:
            raise InputError(f"{file}: {prefix}{key} is missing; run tools/evaluate.py again")
        if not isinstance(value[key], types) or isinstance(value[key], bool):
            names = " or ".join("null" if kind is type(None) else kind.__name__ for kind in types)
            raise InputError(f"{file}: {prefix}{key} must be {names}, not {value[key]!r:.40}")
