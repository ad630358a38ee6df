import torch

from poselift.data.pw3d import load_pw3d
from poselift.geometry import project
from poselift.skeleton import COCO18, SMPL24
from tests.data.formats.pw3d import ON_ITS_SIDE, write_pw3d


def test_each_person_in_the_moving_camera(tmp_path):
    truth = write_pw3d(tmp_path, {"test/downtown_cafe_00": (12, 2), "test/office_01": (6, 1)})
    views = load_pw3d(tmp_path, "test")
    assert [view.name for view in views] == ["downtown_cafe_00/0", "downtown_cafe_00/1", "office_01/0"]
    assert [view.action for view in views] == ["downtown_cafe_00"] * 2 + ["office_01"]
    for view in views:
        valid = torch.ones(len(view), dtype=torch.bool)
        valid[0] = view.name.endswith("/1")  # person 0's camera is not aligned in the first frame
        valid[-1] = view.name.endswith("/0")  # person 1 is not detected in the last frame
        assert (view.joints.isfinite().all((1, 2)) == valid).all()
        assert (view.root.isfinite().all(1) == valid).all()
        points = view.joints + view.root[:, None]
        expected = torch.tensor(truth[f"test/{view.name}"]).float()
        torch.testing.assert_close(points[valid], expected[valid], atol=1e-5, rtol=0)
        torch.testing.assert_close(view.times, torch.arange(len(view)) / 30)
        assert view.image_size.tolist() == [1080, 1920]
        assert (view.joints[valid][:, SMPL24.index("head"), 1] < 0).all(), "the head is up"


def test_projections_meet_the_detections(tmp_path):
    """The written detections are exact, joint by joint of those that both sets have."""
    write_pw3d(tmp_path, {"train/office_01": (8, 1)})
    (view,) = load_pw3d(tmp_path, "train")
    pixels = project((view.joints + view.root[:, None])[1:], view.K)
    shared = [joint for joint in COCO18.joints if joint in SMPL24.joints]
    assert len(shared) == 12
    torch.testing.assert_close(
        pixels[:, SMPL24.indices(shared)], view.keypoints[1:, COCO18.indices(shared)], atol=0.01, rtol=0
    )


def test_keypoints_that_were_not_detected(tmp_path):
    write_pw3d(tmp_path, {"test/office_01": (7, 2)})
    first, second = load_pw3d(tmp_path, "test")
    assert first.keypoints.isfinite().all()
    assert first.keypoint_skeleton == COCO18
    torch.testing.assert_close(first.scores, torch.full((7, 18), 0.8))
    assert second.keypoints[-1].isnan().all()
    assert second.keypoints[:-1].isfinite().all()
    assert second.scores[-1].max() == 0
    assert second.joints[-1].isnan().all(), "the official evaluation leaves such frames out"
    assert second.joints[:-1].isfinite().all()


def test_splits_and_a_phone_on_its_side(tmp_path):
    write_pw3d(tmp_path, {"train/a_00": (3, 1), "validation/b_00": (4, 1)}, K=ON_ITS_SIDE)
    assert [len(view) for view in load_pw3d(tmp_path, "train")] == [3]
    (view,) = load_pw3d(tmp_path, "val")
    assert len(view) == 4
    assert view.image_size.tolist() == [1920, 1080]
