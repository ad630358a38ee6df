from dataclasses import replace

import numpy as np
import pytest

from poselift.lifting.prepare.exchanged_sides import exchange, group_pairs
from poselift.lifting.prepare.side_differences import cost, measure_differences
from poselift.skeleton import COCO17


def test_an_exchange_turns_differences_and_keeps_middles(keypoints):
    joints = group_pairs(COCO17)[1]
    frames = np.arange(len(keypoints)) >= 50
    given, changed = (
        measure_differences(each, joints, 0.2) for each in (keypoints, exchange(keypoints, frames, joints))
    )
    np.testing.assert_allclose(changed.apart, given.apart * (1 - 2 * frames)[:, None, None])
    np.testing.assert_allclose(changed.middles, given.middles)
    hips = keypoints.keypoints[:, 11] - keypoints.keypoints[:, 12]
    scale = hips[0, 0] / given.apart[0, 0, 0]
    np.testing.assert_allclose(given.apart[:, 0] * scale, hips, atol=1e-6)
    box = np.ptp(keypoints.keypoints, axis=1).max(-1)
    assert scale == pytest.approx(np.median(box), rel=1e-6)


def test_stretches_and_unseen_frames(keypoints):
    scores = keypoints.scores.copy()
    scores[40:70] = 0
    sides = measure_differences(replace(keypoints, scores=scores), group_pairs(COCO17)[0], 0.2)
    assert not set(range(40, 70)) & set(sides.rows.tolist())
    assert sides.stretches.tolist() == (sides.rows >= 70).astype(int).tolist()
    scores[2:] = 0
    assert measure_differences(replace(keypoints, scores=scores), group_pairs(COCO17)[0], 0.2) is None


def test_costs_grow_slowly():
    """Student's t of three degrees of freedom."""
    np.testing.assert_allclose(cost(np.array([0.0, 3.0, 300.0])), [0, 2 * np.log(2), 2 * np.log(101)])
