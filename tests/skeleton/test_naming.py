import pytest

from poselift.skeleton import BODY25, COCO17, COCO18, HALPE26, SKELETONS, closest_skeleton, translate_name

AS_OTHERS_WRITE = {
    "RShoulder": "right_shoulder",
    "LBigToe": "left_big_toe",
    "left_bigtoe": "left_big_toe",
    "big toe L": "left_big_toe",
    "Left-Wrist": "left_wrist",
    "leftWrist": "left_wrist",
    "wrist_right": "right_wrist",
    "r_hip": "right_hip",
    "Lknee": "left_knee",
    "Rknee": "right_knee",
    "Lbigtoe": "left_big_toe",
    "leftelbow": "left_elbow",
    "lumbar": "lumbar",
    "Root": "root",
    "Hip": "pelvis",
    "CHip": "pelvis",
    "MidHip": "pelvis",
    "Head": "head_top",
    "Neck": "neck_base",
    "nose": "nose",
    "Tail Tip": "tail_tip",
}


@pytest.mark.parametrize("name", AS_OTHERS_WRITE)
def test_joints_as_others_write_them(name):
    assert translate_name(name) == AS_OTHERS_WRITE[name]


@pytest.mark.parametrize("skeleton", SKELETONS.values(), ids=lambda s: s.name)
def test_our_own_names_stay(skeleton):
    # SMPL's `head` and `neck` are other joints than those that people call so.
    assert all(translate_name(joint) == joint for joint in skeleton.joints if joint not in ("head", "neck"))


@pytest.mark.parametrize("skeleton", [COCO17, COCO18, BODY25, HALPE26], ids=lambda s: s.name)
def test_a_whole_set_is_itself_in_any_order(skeleton):
    found, places = closest_skeleton(skeleton.joints[::-1])
    assert found == skeleton
    assert places == list(range(len(skeleton)))[::-1]


def test_a_part_of_a_set_leaves_places_open():
    names = ["LKnee", "RKnee", "LAnkle", "RAnkle", "LHip", "RHip", "LHeel", "RHeel", "Hip", "marker"]
    found, places = closest_skeleton(names)
    by_joint = dict(zip(found.joints, places, strict=True))
    assert by_joint["right_heel"] == 7
    assert by_joint["pelvis"] == 8
    assert by_joint["nose"] is None
    assert sum(place is not None for place in places) == 9


def test_our_own_name_wins_over_another_of_the_same_joint():
    names = ["head", *HALPE26.joints]
    found, places = closest_skeleton(names)
    assert (found, places[found.index("head_top")]) == (HALPE26, names.index("head_top"))
