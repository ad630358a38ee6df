"""Reads a recording with rerun's own reader: FILE OUT."""

import sys

import numpy as np
import rerun
from found import save
from rerun.chunk import RrdReader

for chunk in RrdReader(sys.argv[1]).stream().to_chunks():
    if chunk.entity_path.endswith("/joints") and "Points3D:positions" in chunk.to_record_batch().schema.names:
        batch = chunk.to_record_batch()
        columns = dict(zip(batch.schema.names, batch.columns, strict=True))
        rows = columns["Points3D:positions"].to_pylist()
        times = columns["time"].cast("int64").to_numpy() / 1e9
        shown = [row for row in rows if row]
        rate = 1 / float(np.median(np.diff(times)))
        save(rerun.__version__, rate=rate, note=f"{len(rows)} frames, {len(shown[0])} joints")
