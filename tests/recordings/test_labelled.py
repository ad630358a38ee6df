"""Recordings as datasets with named axes."""

import dataclasses

import numpy as np
import pytest

from poselift.skeleton.hand import HAND21
from tests.export.conftest import later, recording_of
from tests.recordings.conftest import with_hands


def test_joints_of_hands_come_last_and_are_unknown_for_people_without(world_motion):
    pytest.importorskip("xarray", reason="pip install 'poselift[tables]'")
    hands = with_hands(dataclasses.replace(world_motion, keypoints=later(world_motion, 0, 4).keypoints))
    labelled = recording_of([world_motion, hands]).to_xarray()
    joints = labelled.joint.values.tolist()
    assert joints[: len(hands.skeleton)] == list(hands.skeleton.joints)
    assert len(joints) == len(hands.skeleton) + 40
    tips = labelled.position.sel(joint="left_hand_index_tip")
    wrist = (hands.joints + hands.root[:, None])[:, hands.skeleton.index("left_wrist")]
    wanted = wrist + hands.hands.joints[:, 0, HAND21.index("index_tip")]
    np.testing.assert_allclose(tips.sel(person=4).values, wanted, atol=1e-6)
    assert tips.sel(person=3).isnull().all()
    assert labelled.uncertainty.sel(joint="left_hand_index_tip").isnull().all()
    body = labelled.position.sel(joint="left_wrist")
    np.testing.assert_array_equal(body.sel(person=3).values, body.sel(person=4).values)
