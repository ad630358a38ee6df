"""The tables of a batch: failures.csv, clips.parquet and people.parquet."""

import csv
import io
import json
from collections.abc import Iterable, Sequence
from typing import Any

from poselift.core.cells import format_cell
from poselift.core.optional import require
from poselift.core.storage import write_file

_CLIPS = {
    "video": "string",
    "folder": "string",
    "status": "string",
    "reason": "string",
    "tries": "int32",
    "sha256": "string",
    "width": "int32",
    "height": "int32",
    "fps": "float64",
    "frames": "int64",
    "start_s": "float64",
    "end_s": "float64",
    "people": "int32",
    "seen_share": "float64",
    "uncertainty_m": "float64",
    "seconds": "float64",
    "warnings": "list<item: string>",
}
_PEOPLE = {
    "video": "string",
    "folder": "string",
    "id": "int32",
    "start_s": "float64",
    "end_s": "float64",
    "frames": "int64",
    "frames_interpolated": "int64",
    "frames_empty": "int64",
    "seen_share": "float64",
    "uncertainty_m": "float64",
}
"""Columns and their types; further facts of a person in summary.json become columns too."""


def make_clip_row(
    video: str, folder: str, status: str, more: dict[str, Any], summary: dict[str, Any]
) -> dict[str, Any]:
    """A row of clips.parquet.

    Args:
        video: path relative to the source.
        folder: name of the folder of the results.
        status: "lifted", "failed" or "waiting".
        more: sha256 of the video, or reason and tries.
        summary: content of summary.json, if the video is lifted.
    """
    facts = {key: summary.get(key) for key in _CLIPS}
    if "people" in summary:
        people = summary["people"]
        facts["people"], facts["seconds"] = len(people), round(sum(summary["seconds"].values()), 3)
        facts |= {key: _mean_of(people, key) for key in ("seen_share", "uncertainty_m")}
    return {**facts, **more, "video": video, "folder": folder, "status": status}


def _mean_of(people: Sequence[dict[str, Any]], key: str) -> float | None:
    """The mean of a fact over the people who have it."""
    values = [person[key] for person in people if person.get(key) is not None]
    return sum(values) / len(values) if values else None


def write_tables(out: str, shard: str, clips: Sequence[dict[str, Any]], people: Sequence[dict[str, Any]]) -> None:
    """Writes the three tables.

    Args:
        out: path or URL of the folder of the batch.
        shard: part of the files' names, such as ".1-of-8"; "" without shards.
        clips: rows of `make_clip_row`.
        people: rows with `video`, `folder`, and the person's entry in summary.json.
    """
    failures = [[row[key] for key in ("video", "folder", "tries", "reason")] for row in clips if row["reason"]]
    write_file(f"{out}/failures{shard}.csv", _encode_csv(["video", "folder", "tries", "reason"], failures))
    write_file(f"{out}/clips{shard}.parquet", _encode_parquet(clips, _CLIPS))
    write_file(f"{out}/people{shard}.parquet", _encode_parquet(people, _PEOPLE))


def _encode_csv(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(map(format_cell, row) for row in rows)
    return text.getvalue().encode("utf-8", "backslashreplace")


def _encode_parquet(rows: Sequence[dict[str, Any]], types: dict[str, str]) -> bytes:
    arrow, parquet = require("pyarrow", "tables"), require("pyarrow.parquet", "tables")
    kinds = {"list<item: string>": arrow.list_(arrow.string())}
    names = dict.fromkeys([*types, *(key for row in rows for key in row)])
    columns = {}
    for name in names:
        values = [_plain(row.get(name)) for row in rows]
        kind = kinds.get(types[name]) or arrow.type_for_alias(types[name]) if name in types else None
        columns[name] = arrow.array(values, kind)
    sink = arrow.BufferOutputStream()
    parquet.write_table(arrow.table(columns), sink)
    return bytes(sink.getvalue().to_pybytes())


def _plain(value: Any) -> Any:
    """A value for a column. Dicts become JSON, and names that are not UTF-8 are written with escapes."""
    if isinstance(value, dict):
        return json.dumps(value)
    if isinstance(value, list):
        return [_plain(part) for part in value]
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value
