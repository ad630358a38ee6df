import numpy as np

from poselift.geometry import bone_lengths, set_bone_lengths
from poselift.lifting.finish.constant_bones import measure_clip, median_lengths
from poselift.skeleton import H36M17

PARENTS = H36M17.parent_indices


def body(frames=12):
    joints = np.random.default_rng(0).normal(size=(frames, 17, 3)).astype(np.float32)
    joints[:, 0] = 0
    return joints


def scores(frames=12, unseen=()):
    """Of joints that are seen in all frames, but for these."""
    return np.where(np.isin(H36M17.joints, unseen), 0.0, 0.9) * np.ones((frames, 1))


def constant(joints, seen):
    return set_bone_lengths(joints, measure_clip(joints, seen, H36M17, H36M17), PARENTS)


def test_lengths_are_the_medians_over_the_clip():
    joints = body(11)
    expected = np.median(bone_lengths(joints, PARENTS), axis=0)
    np.testing.assert_allclose(measure_clip(joints, scores(11), H36M17, H36M17), expected, rtol=1e-6)
    lengths = bone_lengths(constant(joints, scores(11)), PARENTS)
    np.testing.assert_allclose(lengths, np.broadcast_to(expected, lengths.shape), rtol=1e-4)


def test_of_an_even_number_of_frames_a_length_is_that_of_one_frame():
    lengths = median_lengths(np.array([[1.0] * 17, [3.0] * 17]), scores(), H36M17, H36M17)
    assert lengths.tolist() == [1.0] * 17


def test_only_seen_frames_are_measured_and_empty_ones_stay_empty():
    joints, seen = body(), scores()
    joints[3:5] = np.nan
    joints[8:] *= 3
    seen[8:] = 0
    steady = constant(joints, seen)
    assert np.isnan(steady[3:5, 1:]).all()
    alone = constant(joints[:8], seen[:8])
    np.testing.assert_allclose(steady[:8], alone, atol=1e-5)
    late, early = (bone_lengths(part, PARENTS) for part in (steady[8:], alone[:1]))
    np.testing.assert_allclose(late, np.broadcast_to(early, late.shape), rtol=1e-4)


def test_without_a_seen_frame_all_known_ones_are_measured():
    joints = body()
    joints[3:5] = np.nan
    known = np.delete(joints, [3, 4], axis=0)
    lengths = (measure_clip(given, 0 * scores(len(given)), H36M17, H36M17) for given in (joints, known))
    np.testing.assert_array_equal(*lengths)


def test_a_limb_that_was_never_seen_is_as_long_as_the_other():
    joints = body()
    plain = measure_clip(joints, scores(), H36M17, H36M17)
    unseen = ["left_elbow", "left_wrist", "pelvis", "head_top"]
    found = measure_clip(joints, scores(unseen=unseen), H36M17, H36M17)
    expected = plain.copy()
    expected[H36M17.indices(["left_elbow", "left_wrist"])] = plain[H36M17.indices(["right_elbow", "right_wrist"])]
    np.testing.assert_array_equal(found, expected)
    # Neither side seen: both keep what the lifter guessed.
    neither = measure_clip(joints, scores(unseen=["left_elbow", "right_elbow"]), H36M17, H36M17)
    np.testing.assert_array_equal(neither, plain)
