import pickle

import numpy as np
import pytest
import torch

from poselift.core.errors import InputError
from poselift.data.h36m import ACTIONS
from poselift.data.h36m_cameras import h36m_camera
from poselift.data.h36m_motionbert import BONES, load_h36m_motionbert
from poselift.geometry import bone_lengths
from poselift.skeleton import H36M17
from tests.data.formats.h36m import CAMERAS, FEW, MOVING, camera_frame, motion, write_h36m_motionbert

LENGTH = 8
TAKES = (*FEW, "Greeting 1", "SittingDown 1", "Waiting")
FILE = "h36m_sh_conf_cam_source_final.pkl"


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    folder = tmp_path_factory.mktemp("motionbert")
    write_h36m_motionbert(folder, LENGTH, some=TAKES)
    return folder


@pytest.fixture(scope="module")
def data(root):
    return pickle.loads((root / FILE).read_bytes())


@pytest.fixture(scope="module")
def views(root):
    return load_h36m_motionbert(root, "test")


def take_of(view):
    """The name of the take whose motion the test's files have."""
    action, subact = view.name.split("/")[1].split()
    return action if subact == "subact_01" else f"{action} 1"


def test_clips_are_cut_where_the_source_changes(views, data):
    assert len(views) == 2 * len(TAKES) * 4
    assert len({view.name for view in views}) == len(views)
    assert sum(len(view) for view in views) == len(data["test"]["source"])
    for view in views:
        assert len(view) == len(motion(LENGTH, view.subject, take_of(view)))


def test_actions_are_numbered_from_2(tmp_path, data):
    part = {key: value[: len(ACTIONS)] for key, value in data["test"].items()}
    sources = [f"s_09_act_{number:02d}_subact_01_ca_01" for number in range(2, 17)]
    rewrite(tmp_path, {"test": part}, "test", source=sources)
    assert [view.action for view in load_h36m_motionbert(tmp_path, "test")] == list(ACTIONS)


def test_only_whole_clips_count_in_the_fields_evaluation(root, views):
    for before, after in zip(views, load_h36m_motionbert(root, "test", clip=5), strict=True):
        counted = before.joints.isfinite().all((1, 2)) & (torch.arange(len(before)) < len(before) // 5 * 5)
        assert (after.joints.isfinite().all((1, 2)) == counted).all()
        torch.testing.assert_close(after.joints[counted], before.joints[counted])
    with pytest.raises(InputError, match=r"data.clip=0 must be 1 or more"):
        load_h36m_motionbert(root, "test", clip=0)


def test_2d_and_confidence_are_the_files(views, data):
    np.testing.assert_array_equal(torch.cat([view.keypoints for view in views]), data["test"]["joint_2d"])
    np.testing.assert_array_equal(torch.cat([view.scores for view in views]), data["test"]["confidence"])
    assert [view.camera for view in views[:5]] == [*CAMERAS, CAMERAS[0]]
    assert views[0].image_size.tolist() == [1000, 1002]
    camera = h36m_camera("S9", CAMERAS[0])
    torch.testing.assert_close(views[0].K, torch.from_numpy(camera.K).float())
    torch.testing.assert_close(views[0].distortion, torch.from_numpy(camera.distortion).float())


def test_errors_are_those_of_the_fields_evaluation(views, data):
    """A guess in the field's own units, scored by its steps frame by frame, and against the views."""
    test = data["test"]
    image = test["joint3d_image"].astype(np.float64)
    random = np.random.default_rng(1)
    frame = 0
    for view in views[:6]:
        width, height = view.image_size.tolist()
        for row in range(0, len(view), 3):
            index = frame + row
            guess = np.empty((17, 3))
            guess[:, :2] = image[index, :, :2] / width * 2 - [1, height / width]
            guess[:, 2] = image[index, :, 2] / width * 2
            guess += random.normal(0, 0.01, guess.shape)
            # Denormalise, times the factor, relative to the root, as MotionBERT's train.py does it; mm.
            pixels = np.empty((17, 3))
            for joint in range(17):
                pixels[joint, 0] = (guess[joint, 0] + 1) * width / 2
                pixels[joint, 1] = (guess[joint, 1] + height / width) * width / 2
                pixels[joint, 2] = guess[joint, 2] * width / 2
            posed = pixels * test["2.5d_factor"][index]
            truth = test["joints_2.5d_image"][index]
            field = np.mean([np.linalg.norm((posed[j] - posed[0]) - (truth[j] - truth[0])) for j in range(17)])
            own = 1000 * np.linalg.norm((posed - posed[0]) / 1000 - view.joints[row].double().numpy(), axis=-1).mean()
            assert 10 < field < 100
            assert own == pytest.approx(field, abs=1e-3)
        frame += len(view)


def test_the_pelvis_is_where_it_was(views):
    for view in [view for view in views if view.joints.isfinite().all()][::5]:
        world = motion(LENGTH, view.subject, take_of(view))[:, MOVING]
        truth = torch.from_numpy(camera_frame(world, view.subject, view.camera)).float()
        torch.testing.assert_close(view.root, truth[:, 0], atol=2e-4, rtol=0)
        # Weak perspective is not the camera frame, but near it.
        error = (view.joints - (truth - truth[:, :1])).norm(dim=-1)
        assert 1e-3 < error.max() < 0.25
        assert error.mean() < 0.06


def test_people_to_train_on_have_the_size_of_s1(root):
    views = load_h36m_motionbert(root, "train")
    assert len(views) == 5 * len(TAKES) * 4
    for view in views[::13]:
        world = motion(LENGTH, view.subject, take_of(view))[:, MOVING].astype(np.float64)
        size = BONES / bone_lengths(torch.from_numpy(world), H36M17.parent_indices).sum(-1)
        truth = torch.from_numpy(camera_frame(world, view.subject, view.camera))
        # What the test's factor would make of these people, were they of that size and so much farther away.
        depth = size * truth[:, 0, 2]
        image = truth / truth[..., 2:] * 1145.0
        weak = (image[..., :2] - image[:, :1, :2]) * (depth / 1145.0)[:, None, None]
        expected = torch.cat((weak, (truth - truth[:, :1])[..., 2:] * size[:, None, None]), -1)
        torch.testing.assert_close(view.joints.double(), expected, atol=6e-3, rtol=0)
        torch.testing.assert_close(view.root[:, 2].double(), depth, atol=0.02, rtol=0)


def rewrite(folder, data, split, **changes):
    part = {**data[split], **changes}
    part = {key: value for key, value in part.items() if value is not None}
    (folder / FILE).write_bytes(pickle.dumps({**data, split: part}))
