"""Reads a table: TOOL FILE OUT, with pandas, polars or duckdb; csv or parquet."""

import importlib
import sys

import numpy as np
from found import save

tool, path = sys.argv[1:3]
module = importlib.import_module(tool)
if tool == "duckdb":
    columns = module.sql(f"select * from '{path}'").fetchnumpy()
else:
    table = (module.read_parquet if path.endswith(".parquet") else module.read_csv)(path)
    columns = {name: table[name].to_numpy() for name in table.columns}
times = np.asarray(columns["time_s"], float)
rate = 1 / float(np.median(np.diff(times)))
names = [name[: -len("_x_m")] for name in columns if name.endswith("_x_m") and name != "root_x_m"]
if names:
    places = {
        name: np.stack([np.asarray(columns[f"{name}_{axis}_m"], float) for axis in "xyz"], -1)
        for name in ("root", *names)
    }
    save(module.__version__, names, np.stack([places["root"] + places[name] for name in names], 1), rate)
else:
    save(module.__version__, rate=rate, note=f"{len(columns)} columns, {len(times)} rows")
