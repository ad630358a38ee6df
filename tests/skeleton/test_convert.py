import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from poselift.skeleton import COCO17, COMBINATIONS, H36M17, HALPE26, MPII16, SKELETONS, SMPL24, convert


def points(skeleton, *leading):
    return np.random.default_rng(0).normal(size=(*leading, len(skeleton), 3))


def test_joints_of_the_same_name_are_copied():
    values = points(HALPE26, 4)
    out = convert(values, HALPE26, H36M17)
    for joint in ("left_wrist", "pelvis", "head_top", "right_ankle"):
        np.testing.assert_array_equal(out.values[:, H36M17.index(joint)], values[:, HALPE26.index(joint)])
        assert not out.derived[H36M17.index(joint)]


def test_the_pelvis_is_the_middle_of_the_hips_and_said_to_be_derived():
    values = points(COCO17, 2, 3)
    out = convert(values, COCO17, H36M17)
    middle = values[..., COCO17.indices(["left_hip", "right_hip"]), :].mean(-2)
    np.testing.assert_allclose(out.values[..., H36M17.index("pelvis"), :], middle)
    assert out.derived[H36M17.index("pelvis")]
    assert out.mask[..., H36M17.index("pelvis")].all()


def test_whole_numbers_are_not_cut_and_have_nan_too():
    values = np.arange(34).reshape(17, 2)
    mask = np.ones(17, bool)
    mask[COCO17.index("left_shoulder")] = False
    out, same = (convert(given, COCO17, H36M17, mask) for given in (values, values.astype(float)))
    np.testing.assert_array_equal(out.values, same.values)
    assert np.isnan(out.values[H36M17.index("left_shoulder")]).all()


def test_a_combination_needs_all_its_parts():
    values = points(COCO17, 2)
    values[0, COCO17.index("left_hip")] = np.nan
    out = convert(values, COCO17, H36M17)
    assert not out.mask[0, H36M17.index("pelvis")]
    assert out.mask[1, H36M17.index("pelvis")]
    assert not out.mask[0, H36M17.index("left_hip")]


def test_a_mask_counts_like_nan():
    values = points(MPII16, 1)
    mask = np.ones((1, 16), bool)
    mask[0, MPII16.index("thorax")] = False
    out = convert(values, MPII16, H36M17, mask)
    assert not out.mask[0, H36M17.index("thorax")]
    assert not out.mask[0, H36M17.index("spine")]  # would be the middle of pelvis and thorax


def test_smpl_has_a_spine_and_a_thorax():
    values = points(SMPL24, 1)
    out = convert(values, SMPL24, H36M17)
    np.testing.assert_array_equal(out.values[:, H36M17.index("thorax")], values[:, SMPL24.index("neck")])
    np.testing.assert_array_equal(out.values[:, H36M17.index("spine")], values[:, SMPL24.index("spine2")])


def test_weights_of_combinations_sum_to_one():
    for alternatives in COMBINATIONS.values():
        for combination in alternatives:
            assert sum(combination.values()) == pytest.approx(1)


@given(st.sampled_from(list(SKELETONS.values())), st.sampled_from(list(SKELETONS.values())))
def test_conversion_commutes_with_moving_and_mirroring(source, target):
    values = points(source, 2)
    out = convert(values, source, target)
    moved = convert(values + [1.0, -2.0, 0.5], source, target)
    np.testing.assert_allclose(moved.values, out.values + [1.0, -2.0, 0.5])
    sign = np.array([-1.0, 1.0, 1.0])
    mirrored = convert(values[:, list(source.flip_indices)] * sign, source, target)
    np.testing.assert_allclose(mirrored.values, (out.values * sign)[:, list(target.flip_indices)])
    np.testing.assert_array_equal(np.isfinite(out.values).all(-1), out.mask)
