"""Files of a person's 3D motion, one format per module: npz with its JSON sidecar, csv, joint angles."""

from poselift.export.angle_files import write_angles_csv, write_angles_mot
from poselift.export.csv_files import write_csv
from poselift.export.motion_npz import read_npz, write_npz
from poselift.export.motion_reading import read_motion
from poselift.export.sidecar import read_sidecar, write_sidecar

__all__ = [
    "read_motion",
    "read_npz",
    "read_sidecar",
    "write_angles_csv",
    "write_angles_mot",
    "write_csv",
    "write_npz",
    "write_sidecar",
]
