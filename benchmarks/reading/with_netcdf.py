"""Reads movement's layout of netCDF: TOOL FILE OUT, with xarray alone, or with movement's kinematics too."""

import sys
from importlib.metadata import version

import numpy as np
import xarray
from found import save

tool, path = sys.argv[1:3]
data = xarray.load_dataset(path)
note = f"{', '.join(data.data_vars)} ({', '.join(data.position.dims)})"
if tool == "movement":
    from movement.filtering import filter_by_confidence
    from movement.kinematics import compute_speed

    kept = filter_by_confidence(data.position, data.confidence.fillna(1), threshold=0.2)
    speed = float(compute_speed(kept).sel(keypoints="pelvis").median())
    note = f"filters by confidence; median speed of the pelvis {speed:.2f} m/s"
person = data.position.isel(individuals=0).transpose("time", "keypoints", "space")
save(version(tool), data.keypoints.values, np.asarray(person), float(data.fps), note)
