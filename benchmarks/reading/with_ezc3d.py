"""Reads a C3D file with ezc3d: FILE OUT."""

import sys
from importlib.metadata import version

import ezc3d
import numpy as np
from found import save

file = ezc3d.c3d(sys.argv[1])
point = file["parameters"]["POINT"]
residuals = file["data"]["meta_points"]["residuals"][0]
save(
    version("ezc3d"),
    point["LABELS"]["value"],
    file["data"]["points"][:3].transpose(2, 1, 0) / 1000,
    float(point["RATE"]["value"][0]),
    f"{point['UNITS']['value'][0]}, residuals up to {np.nanmax(residuals):.0f}",
)
