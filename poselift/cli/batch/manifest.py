"""A manifest: a CSV or Parquet file of videos with their options."""

import csv
import io
from typing import Any

from fsspec import AbstractFileSystem

from poselift.core.errors import InputError
from poselift.core.optional import require
from poselift.core.safe_parsing import MOST_TEXT, limit_unpacked
from poselift.core.storage import find_address

MANIFESTS = (".csv", ".parquet")
"""Endings of the names of manifests."""
_MOST_ROWS = 10_000_000
"""Rows of a list at most: a damaged file may declare any number."""


def read_manifest(files: AbstractFileSystem, path: str) -> list[tuple[str, dict[str, str]]]:
    """The rows of a manifest as text, each with its place.

    The place is for messages; empty values are "".

    Args:
        files: the file system.
        path: the file on it, with a column `path`.

    Raises:
        InputError: the file cannot be read, lacks the column, or has no rows.
    """
    where = find_address(files, path)
    if files.size(path) > MOST_TEXT:
        raise InputError(f"{where}: it is too large to read ({files.size(path)} bytes, at most {MOST_TEXT}); split it")
    content = files.cat_file(path)
    rows = _read_parquet(content, where) if path.lower().endswith(".parquet") else _read_csv(content, where)
    if not rows:
        raise InputError(f"{where}: there are no videos in it; write one row for each")
    for place, row in rows:
        if not row.get("path") or "\0" in row["path"]:
            raise InputError(f"{place}: the column 'path' is missing or not a path; write the path of the video")
    return rows


def _read_csv(content: bytes, where: str) -> list[tuple[str, dict[str, str]]]:
    try:
        reader = csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline=""), strict=True)
        _check_columns([name.strip() for name in reader.fieldnames or ()], where)
        rows = []
        for row in reader:
            place = f"{where}, line {reader.line_num}"
            if None in row or None in row.values():
                raise InputError(f"{place}: it has {'more' if None in row else 'fewer'} cells than the first line")
            rows.append((place, {key.strip(): value.strip() for key, value in row.items()}))
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{where}: not readable as CSV in UTF-8 ({error})") from error
    return rows


def _read_parquet(content: bytes, where: str) -> list[tuple[str, dict[str, str]]]:
    arrow, parquet = require("pyarrow", "tables"), require("pyarrow.parquet", "tables")
    try:
        file = parquet.ParquetFile(arrow.BufferReader(content))
        _check_columns(file.schema_arrow.names, where)
        groups = [file.metadata.row_group(number) for number in range(file.metadata.num_row_groups)]
        if (
            sum(group.total_byte_size for group in groups) > limit_unpacked(len(content))
            or file.metadata.num_rows > _MOST_ROWS
        ):
            raise InputError(f"{where}: it declares more than can be read, {file.metadata.num_rows} rows; split it")
        rows = file.read().to_pylist()
    except (arrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise InputError(f"{where}: not readable as Parquet ({' '.join(str(error).split())})") from error
    return [
        (f"{where}, row {number}", {key: _text(value) for key, value in row.items()})
        for number, row in enumerate(rows, start=1)
    ]


def _check_columns(names: list[str], where: str) -> None:
    """Raises an error if two columns have one name. One of them would be ignored."""
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InputError(f"{where}: the column {twice[0]!r} is there twice; remove one")


def _text(value: Any) -> str:
    """A value as the command line has it."""
    if value is None or value != value:  # NaN
        return ""
    if isinstance(value, list):
        return ",".join(map(_text, value))
    return f"{value:.15g}" if isinstance(value, float) else str(value)
