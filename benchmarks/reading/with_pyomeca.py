"""Reads a TRC or MOT file with pyomeca: FILE OUT."""

import sys
from importlib.metadata import version

import numpy as np
import pyomeca
from found import save

path, tabs = sys.argv[1], {"sep": "\t"}
if path.endswith(".trc"):
    table = pyomeca.Markers.from_trc(path, pandas_kwargs=tabs)
    positions, note = table.values[:3].transpose(2, 1, 0) / 1000, ""
else:
    table = pyomeca.Analogs.from_mot(path, pandas_kwargs=tabs)
    positions, note = None, f"{table.shape[0]} columns, {table.shape[1]} frames, {np.isnan(table.values).sum()} unknown"
save(version("pyomeca"), table.channel.values, positions, table.attrs["rate"], note)
