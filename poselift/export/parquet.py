"""Parquet: a motion's table for pandas, polars and databases. pyarrow writes it."""

import json
import os
from dataclasses import asdict

import numpy as np

from poselift.core.files import atomic_path
from poselift.core.optional import require
from poselift.export.export_options import ExportOptions
from poselift.export.table import make_columns
from poselift.structures import Recording


def write_parquet(path: str | os.PathLike[str], recording: Recording, options: ExportOptions = ExportOptions()) -> None:
    """Writes a column `person`, then `poselift.export.table`'s; unknown is null.

    The metadata of the file have `skeleton`, `frame` and `axes` as text, and `heights` as JSON: by the person's number
    `metres`, `spread` (metres) and `origin`, given or estimated.

    Args:
        path: the file to write.
        recording: everybody in the file, one after another.
        options: none is used.

    Raises:
        InputError: pyarrow is not installed, or the file cannot be written.
    """
    arrow, parquet = require("pyarrow", "tables"), require("pyarrow.parquet", "tables")
    motions, tables = recording.people, []
    for motion in motions:
        numbers = {"person": np.full(len(motion), motion.keypoints.person, np.int32), **make_columns(motion)}
        tables.append(arrow.table({name: arrow.array(values, from_pandas=True) for name, values in numbers.items()}))
    # Columns that somebody lacks become null.
    table = arrow.concat_tables(tables, promote_options="default")
    first = motions[0]
    axes = "x right, y down, z forward" if first.frame == "camera" else "y up, the ground at y = 0"
    heights = {motion.keypoints.person: asdict(motion.height) for motion in motions if motion.height is not None}
    about = {"heights": json.dumps(heights), "skeleton": first.skeleton.name, "frame": first.frame, "axes": axes}
    # An open file, because pyarrow takes no path that is not UTF-8.
    with atomic_path(path) as temporary, open(temporary, "wb") as file:
        parquet.write_table(table.replace_schema_metadata(about), file)
