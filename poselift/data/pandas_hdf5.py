"""A table that pandas wrote as HDF5 (`DataFrame.to_hdf`).

It is read without pandas and PyTables.

It reads both layouts. "table": rows of a compound type with "index", the label of the row, and blocks of values, whose
column names are pickled attributes; only plain containers of text are unpickled. "fixed": blocks of values as plain
arrays, beside the levels of their column labels and the codes of these.

Source: https://pandas.pydata.org/docs/user_guide/io.html#hdf5-pytables
"""

from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from poselift.core.errors import InputError, reason
from poselift.core.isolated_reader import read_isolated
from poselift.core.optional import require
from poselift.core.safe_parsing import limit_unpacked
from poselift.core.unpickling import RestrictedUnpickler
from poselift.data.scientific_files import dataset_array, open_hdf5

_Columns = list[tuple[str, ...]]
_Frame = tuple[_Columns, list[int] | None, Float[np.ndarray, "t c"]]


def read_frame(path: Path) -> _Frame:
    """Column labels, row numbers and values of the table in a file.

    Returns:
        The labels of the columns, one text per level; the labels of the rows, None if they are not whole numbers; the
        values.

    Raises:
        InputError: h5py is not installed, the file is damaged, or does not have one table with levels of columns.
    """
    require("h5py", "datasets")
    try:
        labels, index, values = read_isolated(_read_file, path, limit_unpacked(path.stat().st_size))
    except Exception as error:  # a damaged file can raise any exception
        raise InputError(f"{path}: cannot be read as a table that pandas wrote as HDF5 ({reason(error)})") from error
    columns = [tuple(label) for label in labels]
    if values.shape[1] != len(columns):
        raise InputError(f"{path}: has {values.shape[1]} columns of values, but labels for {len(columns)}")
    whole = index is not None and index.shape == (len(values),) and np.issubdtype(index.dtype, np.integer)
    return columns, index.tolist() if index is not None and whole else None, values


def _read_file(path: str, most: int) -> tuple[_Columns, np.ndarray | None, np.ndarray]:
    """Labels of columns and rows, and values.

    Damaged files raise various exceptions.
    """
    with open_hdf5(path) as file:
        tables = [group for group in file.values() if "pandas_type" in group.attrs]
        if len(tables) != 1:
            raise ValueError(f"it holds {len(tables)} tables, expected one, 'df_with_missing'")
        blocks, index = (_read_table if "table" in tables[0] else _read_fixed)(tables[0], most)
    columns = [column for labels, _ in blocks for column in labels]
    return columns, index, np.concatenate([values for _, values in blocks], axis=1)


def _read_table(group: Any, most: int) -> tuple[list[tuple[_Columns, np.ndarray]], np.ndarray | None]:
    """Each block's columns and values, and the rows' labels.

    The file has the layout "table".
    """
    rows = dataset_array(group["table"], most)
    fields = rows.dtype.names or ()
    blocks = []
    for name in sorted(field for field in fields if field.startswith("values_block_")):
        pickled = bytes(group["table"].attrs[f"{name}_kind"])
        labels = RestrictedUnpickler(BytesIO(pickled)).load()
        blocks.append(
            ([tuple(map(str, label)) for label in labels], rows[name].reshape(len(rows), len(labels)).astype(float))
        )
    return blocks, rows["index"] if "index" in fields else None


def _read_fixed(group: Any, most: int) -> tuple[list[tuple[_Columns, np.ndarray]], np.ndarray | None]:
    """The same of the layout "fixed"."""
    blocks = []
    for number in range(int(group.attrs["nblocks"])):
        name = f"block{number}_items"
        levels = range(int(group.attrs[f"{name}_nlevels"]))
        texts = [
            [text.decode() for text in dataset_array(group[f"{name}_level{level}"], most).tolist()] for level in levels
        ]
        codes = [dataset_array(group[f"{name}_label{level}"], most).tolist() for level in levels]
        labels = [
            tuple(texts[level][code] for level, code in zip(levels, row, strict=True))
            for row in zip(*codes, strict=True)
        ]
        blocks.append((labels, dataset_array(group[f"block{number}_values"], most).astype(float)))
    return blocks, dataset_array(group["axis1"], most) if "axis1" in group else None
