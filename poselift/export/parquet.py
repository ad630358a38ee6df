"""Parquet: the table of a motion for pandas, polars and databases, written by pyarrow."""

import os

import numpy as np

from poselift.core.errors import InputError
from poselift.core.files import atomic_path
from poselift.core.optional import require
from poselift.export.table import columns
from poselift.structures import Motion


def write_parquet(path: str | os.PathLike[str], motion: Motion) -> None:
    """Writes the columns of `poselift.export.table`; unknown values are null.

    The metadata of the file have `skeleton`, `frame` and `axes`, as text.

    Args:
        path: the file to write.
        motion: one person's motion.

    Raises:
        InputError: pyarrow is not installed, the file cannot be written, or no frame has a pose.
    """
    if np.isnan(motion.joints).all():
        raise InputError("the motion has no frame with a pose; lift the person again")
    require("pyarrow", "tables")
    arrow, parquet = require("pyarrow", "tables"), require("pyarrow.parquet", "tables")
    table = arrow.table({name: arrow.array(values, from_pandas=True) for name, values in columns(motion).items()})
    axes = "x right, y down, z forward" if motion.frame == "camera" else "y up, the ground at y = 0"
    about = {"skeleton": motion.skeleton.name, "frame": motion.frame, "axes": axes}
    with atomic_path(path) as temporary:
        parquet.write_table(table.replace_schema_metadata(about), temporary)
