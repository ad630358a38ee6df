import torch

from poselift.data.surreal import load_surreal
from poselift.geometry import project
from poselift.skeleton import SMPL24
from tests.data.formats.surreal import write_surreal


def test_joints_in_the_camera_frame_with_the_pictures_left_and_right(tmp_path):
    truth = write_surreal(tmp_path, {"train/run0/01_01/1": 12, "train/run1/ung_07_04/2": 5})
    views = load_surreal(tmp_path, "train", runs=[0, 1])
    assert [view.name for view in views] == ["run0/01_01_c0001", "run1/ung_07_04_c0002"]
    assert [view.subject for view in views] == ["01", "ung_07"]
    for view in views:
        expected = torch.tensor(truth[f"train/{view.name}"], dtype=torch.float32)
        torch.testing.assert_close(view.joints + view.root[:, None], expected, atol=2e-6, rtol=0)
        assert view.joints[:, SMPL24.index("pelvis")].abs().max() == 0
    # A person who faces the camera has the left at the picture's right, as one sees people.
    view = views[0]
    assert (view.joints[:, SMPL24.index("left_hip"), 0] > view.joints[:, SMPL24.index("right_hip"), 0]).all()
    assert (view.joints[:, SMPL24.index("head"), 1] < 0).all(), "y points down"
    assert (view.joints[:, SMPL24.index("left_foot"), 2] < 0).all(), "toes point to the camera"


def test_projections_are_the_files_own_pixels(tmp_path):
    write_surreal(tmp_path)
    view = load_surreal(tmp_path, "train", runs=[0])[0]
    seen = project(view.joints + view.root[:, None], view.K)
    assert (view.keypoints == view.keypoints.round()).all()
    torch.testing.assert_close(seen.round(), view.keypoints, atol=0, rtol=0)
    assert view.image_size.tolist() == [320, 240]
    assert view.scores.min() == 1


def test_splits_runs_and_frame_rates(tmp_path):
    write_surreal(
        tmp_path,
        {"train/run0/01_01/1": 3, "train/run1/01_01/1": 4, "train/run2/01_01/1": 5, "val/run0/02_01/1": 6},
    )
    assert [len(view) for view in load_surreal(tmp_path, "train")] == [3, 4, 5]
    (view,) = load_surreal(tmp_path, "val", runs=[0])
    torch.testing.assert_close(view.times, torch.arange(6) / 25)
    (view,) = load_surreal(tmp_path, "val", runs=[0], fps=30.0)
    torch.testing.assert_close(view.times, torch.arange(6) / 30)
