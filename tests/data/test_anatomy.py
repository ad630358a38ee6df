import numpy as np
import pytest
import torch

from poselift.data.anatomy import change_anatomy
from poselift.data.cmu import load_cmu, load_corpora
from poselift.data.corpus import MotionCorpus
from poselift.data.synthetic import rest_offsets
from poselift.skeleton import CMU28

LEG = ("hip", "knee", "ankle")


def angle(joints, start, middle, end):
    """Flexion at `middle`, degrees."""
    a, b, c = (joints[:, CMU28.index(name)] for name in (start, middle, end))
    one, two = torch.nn.functional.normalize(b - a, dim=-1), torch.nn.functional.normalize(c - b, dim=-1)
    return torch.rad2deg(torch.acos((one * two).sum(-1).clamp(-1, 1)))


def span(joints, start, end):
    return (joints[:, CMU28.index(start)] - joints[:, CMU28.index(end)]).norm(dim=-1)


@pytest.fixture
def bent():
    """One person in five frames, the knees bent forward by 0, 20, 55, 90 and 120 degrees."""
    offsets = rest_offsets()
    frames = []
    for degrees in (0.0, 20.0, 55.0, 90.0, 120.0):
        turn = torch.deg2rad(torch.tensor(degrees))
        joints = torch.zeros(28, 3)
        for joint in CMU28.topological_order[1:]:
            joints[joint] = joints[CMU28.parent_indices[joint]] + offsets[joint]
        for side in ("left", "right"):
            hip, knee, ankle = (CMU28.index(f"{side}_{joint}") for joint in LEG)
            thigh, shank = offsets[knee].norm(), offsets[ankle].norm()
            joints[knee] = joints[hip] + thigh * torch.stack((turn * 0, -turn.cos(), turn.sin()))
            joints[ankle] = joints[knee] + shank * torch.tensor([0.0, -1.0, 0.0])
        frames.append(joints)
    return MotionCorpus(torch.stack(frames), torch.zeros(5, 3), torch.tensor([0, 5]), ("a",), ("01",), 50.0, CMU28)


def test_standing_knees_straighten_and_bent_ones_stay(bent):
    moved = change_anatomy(bent, {"01"}).joints
    assert angle(moved, "left_hip", "left_knee", "left_ankle").tolist() == pytest.approx([0, 8, 49, 90, 120], abs=0.1)
    for joint in ("hip", "ankle", "big_toe"):
        assert torch.equal(moved[:, CMU28.index(f"left_{joint}")], bent.joints[:, CMU28.index(f"left_{joint}")])


def test_thighs_are_longer_for_shorter_shanks(bent):
    before, after = (
        (span(joints, "right_hip", "right_knee") / span(joints, "right_knee", "right_ankle"))
        for joints in (bent.joints, change_anatomy(bent, {"01"}).joints)
    )
    torch.testing.assert_close(after, 1.07 * before)


def test_knees_stay_in_the_plane_of_the_leg(bent):
    moved = change_anatomy(bent, {"01"}).joints
    hip, knee, ankle = (moved[:, CMU28.index(f"left_{joint}")] for joint in LEG)
    old = bent.joints[:, CMU28.index("left_knee")]
    normal = torch.linalg.cross(old - hip, ankle - hip)
    assert float(((knee - hip) * normal).sum(-1).abs().max()) < 1e-6


def test_forearms_and_shoulders_have_the_proportions_of_people(bent):
    joints = bent.joints.clone()
    for side in ("left", "right"):
        elbow, wrist = CMU28.index(f"{side}_elbow"), CMU28.index(f"{side}_wrist")
        joints[:, wrist] = joints[:, elbow] + 0.5 * (joints[:, wrist] - joints[:, elbow])
    moved = change_anatomy(MotionCorpus(joints, *(vars(bent)[key] for key in list(vars(bent))[1:])), {"01"}).joints
    upper, fore = span(moved, "left_shoulder", "left_elbow"), span(moved, "left_elbow", "left_wrist")
    torch.testing.assert_close(fore, 0.86 * upper)
    wider = span(moved, "left_shoulder", "right_shoulder") / span(joints, "left_shoulder", "right_shoulder")
    assert float(wider.min()) >= 1.08 - 1e-5
    elbows = [span(part, "left_shoulder", "left_elbow") for part in (moved, joints)]
    torch.testing.assert_close(*elbows)


def test_files_are_joined_and_joints_of_cmu_alone_are_moved(cmu_files, tmp_path):
    arrays = dict(np.load(cmu_files[0]))
    arrays["subject"] = np.array([f"other_{subject}" for subject in arrays["subject"]])
    arrays["source"] = np.array(["cmu_bvh"] * 6)
    np.savez(tmp_path / "extra50.npz", **arrays)
    own, other = (load_cmu(path, "train") for path in (cmu_files[0], tmp_path / "extra50.npz"))
    both = load_corpora([cmu_files[0], tmp_path / "extra50.npz"], "train")
    assert both.names == own.names + other.names
    torch.testing.assert_close(both.joints[: len(own.joints)], own.joints, equal_nan=True)  # its source is not CMU
    first = len(own.joints)
    assert not torch.allclose(both.joints[first:].nan_to_num(), other.joints.nan_to_num())
    assert torch.equal(both.clip(4)[1], other.clip(1)[1])
