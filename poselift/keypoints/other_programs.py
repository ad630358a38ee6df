"""Unreadable files: which program wrote them, and what to do."""

from collections.abc import Callable
from typing import Any

from poselift.core.safe_parsing import read_lenient_text
from poselift.data.hdf5_file import member_names
from poselift.keypoints import openpose
from poselift.keypoints.input_file import KeypointInput

_BY_SUFFIX = {
    ".slp": "it is a project of SLEAP; export it: File > Export Analysis HDF5",
    ".c3d": "it is C3D, which is 3D motion; give 2D keypoints",
    ".bvh": "it is BVH, which is 3D motion; give 2D keypoints",
    ".pkl": "it is a Python pickle, which may run code; write JSON, for example COCO's results",
    ".pickle": "it is a Python pickle, which may run code; write JSON, for example COCO's results",
    ".npy": "it is an array without names, times and scores; write an npz or JSON of a supported format",
    ".yml": "it is YAML, as of OpenPose's --write_keypoint; write JSON with --write_json",
    ".xml": "it is XML, as of CVAT or OpenPose's --write_keypoint; export COCO keypoints, or use --write_json",
    ".nwb": "it is NWB; load it with movement, and save it with to_netcdf",
    ".mp4": "it is a video; give it without --keypoints, or as --video",
}
"""What a file is by its suffix, and what to do."""
_BY_KEYS: tuple[tuple[Callable[[Any], bool], str], ...] = (
    (openpose.is_frame, "it is one frame of OpenPose; give its folder"),
    (
        lambda content: "predictions" in content and ("frame" in content or "file_name" in content),
        "it is OpenPifPaf's JSON; write the predictions as a list of COCO's results with the frame as image_id",
    ),
    (
        lambda content: isinstance(content.get("keypoints"), list) and isinstance(content.get("skeleton"), dict),
        "it is easy_ViTPose's JSON, whose points are y, x, score; write them as COCO's results, as x, y, score",
    ),
    (
        lambda content: "annotations" in content or "data" in content,
        "it is labels without COCO's 'images', as of Label Studio; export COCO keypoints",
    ),
)
"""Test of an object in JSON, and what to say."""


def advise(file: KeypointInput) -> str:
    """What a file is, and what to do; empty if unknown."""
    path = file.path
    if path.is_dir():
        return "" if any(path.iterdir()) else "the folder is empty; check the path"
    if path.suffix.lower() in _BY_SUFFIX:
        return _BY_SUFFIX[path.suffix.lower()]
    if "metadata" in member_names(path):
        return _BY_SUFFIX[".slp"]
    if path.suffix == ".csv" and "instance.score" in read_lenient_text(path)[:200]:
        return "it is SLEAP's analysis as CSV; export it as HDF5: File > Export Analysis HDF5"
    if path.suffix == ".json":
        if not file.json:
            return "there is nobody in it; give a file with detections"
        first = file.json[0] if isinstance(file.json, list) else file.json
        for fits, said in _BY_KEYS:
            if isinstance(first, dict) and fits(first):
                return said
    return ""
