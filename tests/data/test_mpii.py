import numpy as np
import pytest
import torch

from poselift.data.mpii import load_mpii
from poselift.skeleton import MPII16
from tests.data.formats.pictures import write_mpii


@pytest.mark.parametrize("split", ["train", "val"])
def test_keypoints_counted_from_pixel_0(tmp_path, split):
    truth = {name: people for name, people in write_mpii(tmp_path).items() if name.startswith(split)}
    views = load_mpii(tmp_path, split)
    assert [f"{split}/{view.name}" for view in views] == list(truth), "nobody without keypoints"
    for view, pixels in zip(views, truth.values(), strict=True):
        torch.testing.assert_close(
            view.keypoints[0], torch.from_numpy(pixels).float(), atol=1e-4, rtol=0, equal_nan=True
        )
        assert torch.equal(view.scores[0], torch.from_numpy(np.isfinite(pixels).all(-1)).float())
        assert (view.keypoint_skeleton, len(view)) == (MPII16, 1)
        assert view.joints.isnan().all()
    assert views[1].scores[0, MPII16.index("left_wrist")] == 0
