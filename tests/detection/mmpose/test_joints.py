import pytest

from poselift.detection.mmpose.joints import recognise_skeleton
from poselift.skeleton import COCO17, HALPE26

LIMBS = [
    f"{side}_{part}" for part in ("shoulder", "elbow", "wrist", "hip", "knee", "ankle") for side in ("right", "left")
]
FEET = [f"{side}_{part}" for side in ("left", "right") for part in ("big_toe", "small_toe", "heel")]

CASES = {
    "coco17": list(COCO17.joints),
    "coco_wholebody23": [*COCO17.joints, *FEET, *(f"face-{k}" for k in range(68)), "left_hand_root"],
    "halpe26": [*HALPE26.joints[:17], "head", "neck", "hip", *HALPE26.joints[20:]],
    "mpii16": ["pelvis", "thorax", "upper_neck", "head_top", *LIMBS],
    "crowdpose14": [*LIMBS, "top_head", "neck"],
    "posetrack17": ["nose", "head_bottom", "head_top", "left_ear", "right_ear", *LIMBS],
}
"""Joint sets -> the joints of a data set of mmpose's in its own words."""


@pytest.mark.parametrize("name", CASES)
def test_joint_sets_are_known_by_their_names(name):
    skeleton, places = recognise_skeleton(CASES[name])
    assert skeleton.name == name
    words = {"head": "head_top", "top_head": "head_top", "neck": "neck_base", "upper_neck": "neck_base"}
    words |= {"head_bottom": "neck_base", "hip": "pelvis"}
    assert tuple(words.get(CASES[name][place], CASES[name][place]) for place in places) == skeleton.joints


def test_jhmdb_comes_to_what_it_shares():
    skeleton, places = recognise_skeleton(["neck", "belly", "head", *LIMBS])
    assert skeleton.name == "crowdpose14"
    assert 1 not in places, "no set of ours has a belly"
