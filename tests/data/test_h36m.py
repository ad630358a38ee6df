import re

import numpy as np
import pytest
import torch

from poselift.core.errors import InputError
from poselift.data.h36m import load_h36m, load_h36m_corpus
from poselift.data.h36m_cameras import h36m_camera
from poselift.data.reading import load_object_npz
from poselift.skeleton import CMU28, COCO17, H36M17, MPII16
from tests.data.formats.h36m import CAMERAS, FEW, MOVING, camera_frame, motion, takes, write_h36m, write_h36m_2d

LENGTH = 12


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    folder = tmp_path_factory.mktemp("h36m")
    write_h36m(folder, LENGTH, some=FEW)
    return folder


@pytest.fixture(scope="module")
def views(root):
    return {split: load_h36m(root, split, "gt") for split in ("train", "test")}


def test_the_published_splits(views):
    """Each take of a subject under four cameras; S11's first Directions is not there."""
    assert len(views["train"]) == 5 * len(FEW) * 4
    assert len(views["test"]) == (2 * len(FEW) - 1) * 4
    assert {view.subject for view in views["train"]} == {"S1", "S5", "S6", "S7", "S8"}
    assert {view.subject for view in views["test"]} == {"S9", "S11"}
    names = {view.name for view in views["test"]}
    assert "S9/Directions/54138969" in names
    assert "S11/Directions 1/60457274" in names
    assert not any(name.startswith("S11/Directions/") for name in names)
    assert len(names) == len(views["test"])
    assert {view.camera for view in views["test"]} == set(CAMERAS)
    assert {view.action for view in views["test"]} == {"Directions", "Sitting", "Photo", "WalkDog"}


def test_joints_in_the_camera_frame(views):
    for view in views["test"][::5]:
        world = motion(LENGTH, view.subject, view.name.split("/")[1])[:, MOVING]
        points = torch.from_numpy(camera_frame(world, view.subject, view.camera)).float()
        torch.testing.assert_close(view.joints + view.root[:, None], points, atol=2e-6, rtol=0)
        assert view.joints[:, H36M17.index("pelvis")].abs().max() == 0
        assert view.skeleton == view.keypoint_skeleton == H36M17
        torch.testing.assert_close(view.times, torch.arange(len(world)) / 50)
    first = views["test"][0]
    assert (first.joints[:, H36M17.index("head_top"), 1] < 0).all(), "y points down"


def test_exact_2d_is_that_of_the_fields_own_file(root, views):
    exact = load_object_npz(root / "data_2d_h36m_gt.npz", "positions_2d")
    for view in views["test"]:
        _, take, camera = view.name.split("/")
        file = torch.from_numpy(np.array(exact[view.subject][take][CAMERAS.index(camera)]))
        torch.testing.assert_close(view.keypoints, file, atol=1e-3, rtol=0)
        assert view.image_size.tolist() == [1000, 1002 if camera in ("54138969", "60457274") else 1000]
        assert view.scores.min() == 1


def test_intrinsics_and_distortion(views):
    for view in views["train"][:8]:
        camera = h36m_camera(view.subject, view.camera)
        torch.testing.assert_close(view.K, torch.from_numpy(camera.K).float())
        torch.testing.assert_close(view.distortion, torch.from_numpy(camera.distortion).float())


def test_detections_are_cut_to_the_poses(root):
    found = load_object_npz(root / "data_2d_h36m_cpn_ft_h36m_dbb.npz", "positions_2d")
    for view in load_h36m(root, "test")[::5]:
        _, take, camera = view.name.split("/")
        file = found[view.subject][take][CAMERAS.index(camera)]
        assert len(file) == len(view) + 3
        np.testing.assert_array_equal(view.keypoints, file[: len(view)])
        assert 0.5 < (view.keypoints - load_exact(root, view)).abs().mean() < 5


def load_exact(root, view):
    exact = load_object_npz(root / "data_2d_h36m_gt.npz", "positions_2d")
    return torch.from_numpy(np.array(exact[view.subject][view.name.split("/")[1]][CAMERAS.index(view.camera)]))


def test_every_fifth_frame(root, views):
    for keypoints in ("gt", "cpn_ft_h36m_dbb"):
        whole, fifth = load_h36m(root, "test", keypoints), load_h36m(root, "test", keypoints, downsample=5)
        for every, some in zip(whole[::7], fifth[::7], strict=True):
            torch.testing.assert_close(some.keypoints, every.keypoints[::5])
            torch.testing.assert_close(some.joints, every.joints[::5])
            torch.testing.assert_close(some.times, every.times[::5])
    with pytest.raises(InputError, match="downsample=0 must be 1 or more"):
        load_h36m(root, "test", "gt", downsample=0)


@pytest.mark.parametrize(("layout", "skeleton"), [("coco", COCO17), ("mpii", MPII16), (None, MPII16)])
def test_detections_in_other_skeletons(root, layout, skeleton):
    """Files without a layout, as VideoPose3D's scripts make those of the stacked hourglass, have 16 joints."""
    shape = (LENGTH + 5, len(skeleton), 2)
    positions = {
        subject: {
            take: [np.full(shape, camera, np.float32) for camera in range(4)] for take in takes(subject, some=FEW)
        }
        for subject in ("S9", "S11")
    }
    metadata = {"num_joints": len(skeleton), "keypoints_symmetry": [], **({"layout_name": layout} if layout else {})}
    write_h36m_2d(root, f"some_{layout}", positions, metadata)
    views = load_h36m(root, "test", f"some_{layout}")
    assert views[0].keypoint_skeleton == skeleton
    assert [float(view.keypoints.unique()) for view in views[:4]] == [0, 1, 2, 3], "cameras in the file's order"
    converted = views[0].convert(CMU28, CMU28)
    assert converted.keypoints[:, CMU28.index("left_wrist")].isfinite().all()


def test_motion_without_cameras(root):
    corpus = load_h36m_corpus(root, "test")
    assert corpus.names[0] == "S9/Directions"
    assert corpus.subjects.count("S11") == len(FEW) - 1
    assert corpus.fps == 50
    joints, pelvis = corpus.clip(3)
    world = torch.from_numpy(motion(LENGTH, *corpus.names[3].split("/"))[:, MOVING])
    up = (joints + pelvis[:, None])[..., 1]
    torch.testing.assert_close(up, world[..., 2], atol=1e-6, rtol=0)
    # A turn, no mirror: triple products keep their sign.
    (a, b, c), (d, e, f) = (values[0, [3, 6, 10]].double() for values in (joints + pelvis[:, None], world))
    assert torch.det(torch.stack((a - c, b - c, c))) == pytest.approx(float(torch.det(torch.stack((d - f, e - f, f)))))


def write_one(folder, positions):
    np.savez(folder / "data_3d_h36m.npz", positions_3d=np.array(positions, object))


@pytest.mark.parametrize(
    ("positions", "message"),
    [
        ([1, 2], "'positions_3d' has no clips of S9"),
        ({"S9": {"Walking": np.zeros((5, 17, 3))}, "S11": {}}, r"'positions_3d S9 Walking' has shape (5, 17, 3), "),
        ({"S9": {"Dancing": np.zeros((5, 32, 3))}, "S11": {}}, "no action 'Dancing'"),
    ],
)
def test_malformed_poses(tmp_path, positions, message):
    write_one(tmp_path, positions)
    with pytest.raises(InputError, match=re.escape(message)):
        load_h36m(tmp_path, "test", "gt")


@pytest.mark.parametrize(
    ("cameras", "layout", "message"),
    [
        ([np.zeros((9, 17, 2))] * 3, "h36m", "'positions_2d S9 Walking' is not a list of 4 cameras"),
        ([np.zeros((7, 17, 2))] * 4, "h36m", "'positions_2d S9 Walking' has 7 frames, fewer than its 8 poses"),
    ],
)
def test_malformed_detections(tmp_path, cameras, layout, message):
    write_one(tmp_path, {"S9": {"Walking": np.zeros((8, 32, 3))}, "S11": {}})
    metadata = {"num_joints" if isinstance(layout, int) else "layout_name": layout}
    write_h36m_2d(tmp_path, "cpn_ft_h36m_dbb", {"S9": {"Walking": cameras}}, metadata)
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        load_h36m(tmp_path, "test")
    assert "data_2d_h36m_cpn_ft_h36m_dbb.npz" in str(caught.value)


def test_a_training_subject_can_be_held_out(root):
    assert {view.subject for view in load_h36m(root, "train", "gt", subjects=["S8"])} == {"S8"}
    with pytest.raises(InputError, match=r"data.subjects=\[S9\]: the train split of Human3.6M .* has no 'S9'"):
        load_h36m(root, "train", "gt", subjects=["S9"])
