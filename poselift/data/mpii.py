"""MPII Human Pose: people in all sorts of pictures.

Each person has 16 keypoints, in 2D only.

Andriluka et al., "2D human pose estimation: new benchmark and state of the art analysis", CVPR 2014. The official
annotation is one nested MATLAB structure. Like most of the field, this loader reads HRNet's json version of it
(https://github.com/leoxiaobin/deep-high-resolution-net.pytorch), which MMPose hosts
(https://mmpose.readthedocs.io/en/latest/dataset_zoo/2d_body_keypoint.html#mpii).
"""

from pathlib import Path

import numpy as np

from poselift.core.errors import InputError
from poselift.core.safe_parsing import read_json
from poselift.data.loading import pick_split
from poselift.data.pictures import picture_size, picture_view
from poselift.data.reading import Layout, check_shape
from poselift.data.views import View
from poselift.skeleton import MPII16

LAYOUT = Layout(
    name="MPII Human Pose",
    tree="""
ROOT/
  annotations/
    mpii_train.json     (HRNet calls it train.json)
    mpii_val.json       (HRNet calls it valid.json)
  images/
    015601864.jpg
    ...
""",
    url="http://human-pose.mpi-inf.mpg.de/#download",
    note="The annotations are https://download.openmmlab.com/mmpose/datasets/mpii_annotations.tar",
)

SPLITS = {"train": "mpii_train.json", "val": "mpii_val.json"}


def load_mpii(root: str | Path, split: str = "val") -> list[View]:
    """The views of one split of MPII.

    Args:
        root: folder that contains `annotations` and `images`.
        split: "train" or "val", HRNet's parts of the official training set; the official test set has no keypoints.

    Returns:
        A one-frame View for each person with keypoints, named by picture and position in the file, e.g.
        "015601864.jpg/0". The camera is assumed, and the 3D is NaN. The pictures are read for their size only, because
        the annotation lacks it.

    Raises:
        InputError: the split is unknown, a file is missing or malformed, or no person has keypoints.
    """
    root = Path(root)
    path = LAYOUT.require_file(root / "annotations" / pick_split(split, SPLITS, LAYOUT.name))
    content = read_json(path)
    if not isinstance(content, list):
        raise InputError(f"{path} is a {type(content).__name__}, expected a list with an entry for each person")
    sizes: dict[str, tuple[int, int]] = {}
    views = []
    for number, person in enumerate(content):
        try:
            image = str(person["image"])
            keypoints = np.array(person["joints"], np.float64) - 1  # MATLAB counts pixels from 1
            known = np.array(person["joints_vis"], np.float64) > 0
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"{path}: entry {number} needs image, joints and joints_vis") from error
        check_shape(path, f"joints of entry {number}", keypoints, (len(MPII16), 2))
        check_shape(path, f"joints_vis of entry {number}", known, (len(MPII16),))
        if not known.any():
            continue
        if image not in sizes:
            sizes[image] = picture_size(LAYOUT.require_file(root / "images" / image))
        views.append(picture_view(f"{image}/{number}", keypoints, known, sizes[image], MPII16))
    if not views:
        raise InputError(f"{path} has no person with keypoints; download it again")
    return views
