import numpy as np

from poselift.lifting.finish.constant_bones import with_constant_bones
from poselift.skeleton import H36M17


def body(frames=12):
    rng = np.random.default_rng(0)
    joints = rng.normal(size=(frames, 17, 3)).astype(np.float32)
    joints[:, 0] = 0
    return joints


def bones(joints):
    parents, children = np.array(H36M17.bone_indices).T
    return joints[:, children] - joints[:, parents]


def test_lengths_are_the_medians_and_directions_stay():
    joints = body(11)
    steady = with_constant_bones(joints, H36M17, np.ones(11, bool))
    before, after = bones(joints), bones(steady)
    lengths = np.linalg.norm(after, axis=-1)
    median = np.median(np.linalg.norm(before, axis=-1), axis=0)
    np.testing.assert_allclose(lengths, np.broadcast_to(median, lengths.shape), rtol=1e-4)
    cosine = (before * after).sum(-1) / np.linalg.norm(before, axis=-1) / lengths
    np.testing.assert_allclose(cosine, 1, atol=1e-4)
    assert (steady[:, 0] == 0).all()


def test_only_seen_frames_are_asked_and_empty_ones_stay_empty():
    joints = body()
    joints[3:5] = np.nan
    joints[8:] *= 3
    seen = np.arange(12) < 8
    steady = with_constant_bones(joints, H36M17, seen)
    assert np.isnan(steady[3:5]).all()
    alone = with_constant_bones(joints[:8], H36M17, seen[:8])
    np.testing.assert_allclose(steady[:8], alone, atol=1e-5)
    late, early = (np.linalg.norm(bones(part), axis=-1) for part in (steady[8:], alone[:1]))
    np.testing.assert_allclose(late, np.broadcast_to(early, late.shape), rtol=1e-4)


def test_a_limb_that_was_never_seen_is_as_long_as_the_other():
    joints = body()
    steady = with_constant_bones(joints, H36M17, np.ones(12, bool), ["left_elbow", "left_wrist", "pelvis", "head_top"])
    plain = with_constant_bones(joints, H36M17, np.ones(12, bool))

    def length(motion, joint):
        parent = H36M17.parents[H36M17.index(joint)]
        return float(np.linalg.norm(motion[0, H36M17.index(joint)] - motion[0, H36M17.index(parent)]))

    for part in ("elbow", "wrist"):
        assert abs(length(steady, f"left_{part}") - length(plain, f"right_{part}")) < 1e-4
        assert abs(length(steady, f"right_{part}") - length(plain, f"right_{part}")) < 1e-4
    assert abs(length(steady, "head_top") - length(plain, "head_top")) < 1e-4
    # Neither side seen: both keep what was guessed.
    both = with_constant_bones(joints, H36M17, np.ones(12, bool), ["left_elbow", "right_elbow"])
    np.testing.assert_allclose(both, plain, atol=1e-6)
