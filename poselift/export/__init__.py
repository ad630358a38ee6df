"""Files of a person's 3D motion, one format per module: npz with its JSON sidecar, csv."""

from poselift.export.csv import write_csv
from poselift.export.npz import read_npz, write_npz
from poselift.export.reading import read_motion
from poselift.export.sidecar import read_sidecar, write_sidecar

__all__ = ["read_motion", "read_npz", "read_sidecar", "write_csv", "write_npz", "write_sidecar"]
