import pytest
import torch

from benchmarks.anatomy import Anatomy, figures
from poselift.data.synthetic import synthetic_corpus
from poselift.skeleton import H36M17


@pytest.fixture(scope="module")
def corpus():
    return synthetic_corpus(2, 100, seed=1).converted(H36M17)


@pytest.fixture(scope="module")
def anatomy(corpus):
    return Anatomy.of(corpus)


def test_what_the_corpus_does_is_possible(corpus, anatomy):
    assert not anatomy.impossible(corpus.joints, H36M17).any()
    assert not anatomy.impossible(1.3 * corpus.joints, H36M17).any(), "size does not matter"


def test_a_knee_bent_by_90_degrees_is_90_degrees_and_forwards_is_negative(corpus):
    # Y up, facing +z: the person's left is +x.
    pose = corpus.joints[:1].clone()
    put = {
        "left_hip": (0.1, 0, 0),
        "right_hip": (-0.1, 0, 0),
        "left_knee": (0.1, -0.4, 0),
        "right_knee": (-0.1, -0.4, 0),
    }
    put |= {"left_ankle": (0.1, -0.4, -0.4), "right_ankle": (-0.1, -0.4, 0.4)}
    for joint, place in put.items():
        pose[0, H36M17.index(joint)] = torch.tensor([float(value) for value in place])
    angles, _ = figures(pose, H36M17)
    torch.testing.assert_close(torch.rad2deg(angles[0, -2:]), torch.tensor([90.0, -90.0]))


def test_a_knee_bent_forwards_and_a_long_arm_are_impossible(corpus, anatomy):
    pose = corpus.joints[:5].clone()
    hip, knee, ankle = (pose[:, H36M17.index(f"left_{joint}")] for joint in ("hip", "knee", "ankle"))
    across = torch.nn.functional.normalize(hip - pose[:, H36M17.index("right_hip")], dim=-1)
    back = torch.nn.functional.normalize(torch.linalg.cross(across, knee - hip), dim=-1)
    bent = pose.clone()
    bent[:, H36M17.index("left_ankle")] = knee - (ankle - knee).norm(dim=-1, keepdim=True) * back
    angles, _ = figures(bent, H36M17)
    torch.testing.assert_close(torch.rad2deg(angles[:, -2]), torch.full((5,), -90.0), atol=0.1, rtol=0)
    assert anatomy.impossible(bent, H36M17).all()
    long = pose.clone()
    elbow, wrist = H36M17.index("left_elbow"), H36M17.index("left_wrist")
    long[:, wrist] = long[:, elbow] + 2 * (long[:, wrist] - long[:, elbow])
    assert anatomy.impossible(long, H36M17).all()


def test_what_is_not_known_is_not_impossible(corpus, anatomy):
    assert not anatomy.impossible(torch.full_like(corpus.joints[:3], torch.nan), H36M17).any()
