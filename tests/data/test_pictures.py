import math

import numpy as np
import pytest
import torch

from poselift.data.pictures import ASSUMED_FOV, PictureData, picture_view
from poselift.geometry.camera import camera_for
from poselift.skeleton import CMU28, COCO17
from tests.data.formats.pictures import SIZE, standing_person


def person(known=None, **options):
    known = np.ones(17, bool) if known is None else known
    return picture_view("a", standing_person(COCO17.joints, 0), known, SIZE, COCO17, **options)


def test_a_picture_is_one_frame_without_3d():
    known = np.arange(17) != 4
    view = person(known)
    assert view.times.tolist() == [0.0]
    assert view.scores[0].tolist() == known.tolist()
    assert view.keypoints.isfinite().all(-1)[0].tolist() == known.tolist()
    assert view.joints.shape == (1, 17, 3)
    assert view.joints.isnan().all()
    assert view.root.isnan().all()


def test_the_camera_is_the_one_that_lifting_assumes():
    """So that what was learnt from pictures holds in use."""
    K = person().K
    torch.testing.assert_close(K, torch.from_numpy(camera_for(SIZE).K))
    assert 2 * math.degrees(math.atan(320 / float(K[0, 0]))) == pytest.approx(ASSUMED_FOV)


def pictures(**options):
    def load(root, split):
        assert (root, split) == ("DIR", "train")
        return [person()] * 5

    return PictureData("DIR", load, {"split": "train"}, frames=8, batch_size=16, batches=1, **options)


def test_windows_of_one_frame_masked_to_the_joints_that_there_are():
    data = pictures(reprojection=0.5, mirror=0.0)
    data.setup("fit")
    (batch,) = data.train_dataloader()
    assert batch.valid.tolist() == [[True] + [False] * 7] * 16
    assert batch.joints.isnan().all()
    assert batch.root.isnan().all()
    seen = batch.scores[:, 0] > 0
    assert torch.equal(seen, torch.tensor([joint in COCO17.joints for joint in CMU28.joints]).expand(16, -1))
    left = batch.keypoints[:, 0, CMU28.index("left_wrist")]
    assert torch.equal(left, person().keypoints[:, COCO17.index("left_wrist")].expand(16, 2))
