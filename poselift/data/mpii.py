"""MPII Human Pose: people in all sorts of pictures, with 16 keypoints each. 2D alone.

Andriluka et al., "2D human pose estimation: new benchmark and state of the art analysis", CVPR 2014. The official
annotation is one nested MATLAB structure; the field trains on the json that was made of it for HRNet
(https://github.com/leoxiaobin/deep-high-resolution-net.pytorch) and that MMPose carries on
(https://mmpose.readthedocs.io/en/latest/dataset_zoo/2d_body_keypoint.html#mpii), and so does this.
"""

from pathlib import Path

import numpy as np

from poselift.core.errors import InputError
from poselift.data.loading import pick_split
from poselift.data.pictures import picture_size, picture_view
from poselift.data.reading import Source, check_shape, load_json
from poselift.data.views import View
from poselift.skeleton import MPII16

SOURCE = Source(
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
    """Reads one split of MPII.

    Args:
        root: the folder that holds `annotations` and `images`.
        split: "train" or "val", as HRNet divides the official training set; the official test set has no keypoints.

    Returns:
        A View of one frame for each person with keypoints, named "015601864.jpg/0" by picture and place in the file.
        The camera is assumed, and the 3D is NaN. The pictures are asked for their size alone, which the annotation
        does not have.

    Raises:
        InputError: there is no such split, a file is missing or malformed, or nobody has keypoints.
    """
    root = Path(root)
    path = SOURCE.require_file(root / "annotations" / pick_split(split, SPLITS, SOURCE.name))
    content = load_json(path)
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
            raise InputError(f"{path}: entry {number} has no image, joints and joints_vis as it should") from error
        check_shape(path, f"joints of entry {number}", keypoints, (len(MPII16), 2))
        check_shape(path, f"joints_vis of entry {number}", known, (len(MPII16),))
        if not known.any():
            continue
        if image not in sizes:
            sizes[image] = picture_size(SOURCE.require_file(root / "images" / image))
        views.append(picture_view(f"{image}/{number}", keypoints, known, sizes[image], MPII16))
    if not views:
        raise InputError(f"{path} has nobody with keypoints")
    return views
