"""Reads a C3D file with py-c3d: FILE OUT."""

import sys
from importlib.metadata import version

import c3d
import numpy as np
from found import save

with open(sys.argv[1], "rb") as file:
    reader = c3d.Reader(file)
    positions = np.stack([points[:, :3] for _, points, _ in reader.read_frames()]) / 1000
    names = [label.strip() for label in reader.point_labels]
    units = reader.get("POINT:UNITS").string_value.strip()
save(version("c3d"), names, positions, float(reader.point_rate), units)
