"""The formats of `poselift export`, by name."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from poselift.export.angles import write_angles_csv, write_angles_mot
from poselift.export.bvh import write_bvh
from poselift.export.c3d import write_c3d
from poselift.export.csv import write_csv
from poselift.export.netcdf import write_netcdf
from poselift.export.parquet import write_parquet
from poselift.export.rerun import write_rerun
from poselift.export.trc import write_trc
from poselift.structures import Motion


@dataclass(frozen=True)
class Format:
    """A format of one file a person.

    Attributes:
        ending: of the file's name.
        write: writes the file.
        write_seen: writes the file with the camera of the sidecar in it; None if the format has no room for it.
    """

    ending: str
    write: Callable[[Path, Motion], None]
    write_seen: Callable[[Path, Motion, Mapping[str, Any]], None] | None = None


FORMATS = {
    "trc": Format(".trc", write_trc),
    "mot": Format(".mot", write_angles_mot),
    "c3d": Format(".c3d", write_c3d),
    "bvh": Format(".bvh", write_bvh),
    "angles": Format(".angles.csv", write_angles_csv),
    "csv": Format(".csv", write_csv),
    "parquet": Format(".parquet", write_parquet),
    "netcdf": Format(".nc", write_netcdf),
    "rerun": Format(".rrd", write_rerun, write_rerun),
}
"""Each format by its name on the command line."""
