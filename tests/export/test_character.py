import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.export.bvh import write_bvh
from poselift.export.character import make_character
from poselift.export.export_options import OWN, ExportOptions, Rigging, rig_names
from poselift.kinematics import solve
from poselift.skeleton import CMU28, COCO17, H36M17
from poselift.skeleton.hand import HAND21
from poselift.structures import Keypoints2D, Motion
from tests.export.conftest import emptied, read_bvh, recording_of
from tests.kinematics.conftest import pose, turn
from tests.kinematics.test_fingers import with_made_hands

pytestmark = pytest.mark.many_calls

RIGS = [name for name in rig_names() if name != OWN]


def moving(skeleton=CMU28, frames=30):
    turns = {
        "pelvis": turn("y", np.linspace(0, 200, frames)),
        "thorax": turn("x", np.linspace(0, 20, frames)),
        "left_hip": turn("x", np.linspace(0, -60, frames)),
        "left_knee": turn("x", np.linspace(0, 100, frames)),
        "right_shoulder": turn("z", np.linspace(0, 120, frames)),
        "right_elbow": turn("y", np.linspace(0, 90, frames)),
    }
    root = np.stack([np.linspace(0, 2, frames), np.full(frames, 0.97), np.zeros(frames)], 1)
    return pose(turns, frames, skeleton, root=root)


def placed(figure):
    """Places of the bones in each frame, by the definition of a hierarchy."""
    places, turned = [], []
    for row, parent in enumerate(figure.parents):
        local, offset = figure.rotations[:, row], figure.offsets[row]
        at = figure.way if row == figure.mover else np.broadcast_to(offset, figure.way.shape)
        turned.append(local if parent < 0 else turned[parent] @ local)
        places.append(at if parent < 0 else places[parent] + np.einsum("tab,tb->ta", turned[parent], at))
    return np.stack(places, 1)


@pytest.mark.parametrize("rest", [None, "a"])
@pytest.mark.parametrize("rig", rig_names())
@pytest.mark.parametrize("skeleton", [CMU28, H36M17], ids=lambda skeleton: skeleton.name)
def test_limbs_are_where_the_motion_has_them_in_any_rig_and_rest_pose(skeleton, rig, rest):
    motion = moving(skeleton)
    figure, rigged = make_character(motion, Rigging(rig, rest)), solve(motion)
    places, own = placed(figure), rigged.positions()
    segment = {slot: row for row, slot in enumerate(figure.slots)}
    pairs = {
        "left_upper_leg": "left_hip",
        "left_lower_leg": "left_knee",
        "left_foot": "left_ankle",
        "right_upper_arm": "right_shoulder",
        "right_lower_arm": "right_elbow",
        "right_hand": "right_wrist",
    }
    if rig == OWN:
        pairs = {joint: joint for joint in motion.skeleton.joints}
    for slot, joint in pairs.items():
        error = np.linalg.norm(places[:, segment[slot]] - own[:, rigged.rig.names.index(joint)], axis=-1)
        assert error.max() < (1e-9 if "leg" in slot or "foot" in slot or rig == OWN else 0.02), slot
    for start, end in (("right_upper_arm", "right_lower_arm"), ("right_lower_arm", "right_hand")):
        if rig != OWN:
            bone = places[:, segment[end]] - places[:, segment[start]]
            first, second = (rigged.rig.names.index(pairs[slot]) for slot in (start, end))
            np.testing.assert_allclose(bone, own[:, second] - own[:, first], atol=1e-9)


@pytest.mark.parametrize("rig", [rig for rig in RIGS if rig != "lafan1"])
def test_a_rig_stands_on_the_ground_and_has_spine_and_clavicles(rig):
    figure = make_character(moving(), Rigging(rig))
    assert len(set(figure.names)) == len(figure.names)
    assert all(parent < row for row, parent in enumerate(figure.parents))
    at = dict(zip(figure.slots, figure.rest, strict=True))
    assert at["hips"][1] == pytest.approx(0.955, abs=0.03)
    assert at["left_toes"][1] == pytest.approx(0.025, abs=0.01)
    assert at["left_toes"][2] > at["left_foot"][2] + 0.05  # it faces +Z
    assert {"spine", "chest", "upper_chest", "neck", "head", "left_shoulder", "right_shoulder"} <= set(figure.slots)
    assert at["left_hand"][0] > 0 > at["right_hand"][0]
    assert figure.slots[figure.mover] == "hips"
    np.testing.assert_allclose(at["left_hand"] * [-1, 1, 1], at["right_hand"], atol=1e-6)
    up = figure.turn_z_up()
    np.testing.assert_allclose(up.rest[figure.mover], [0, 0, at["hips"][1]], atol=1e-9)
    assert up.rest[list(up.slots).index("left_toes"), 1] < 0  # and -Y with Z up


def test_arms_of_rest_poses():
    def elbow(rest, rig="mixamo"):
        figure = make_character(moving(), Rigging(rig, rest))
        at = dict(zip(figure.slots, figure.rest, strict=True))
        return at["left_hand"] - at["left_upper_arm"]

    np.testing.assert_allclose(elbow("t"), [0.54, 0, 0], atol=1e-6)
    np.testing.assert_allclose(elbow("a"), 0.54 * np.array([1, -1, 0]) / np.sqrt(2), atol=1e-6)
    np.testing.assert_allclose(elbow(None, "unreal"), elbow("a"), atol=1e-6)
    first = make_character(moving(), Rigging("mixamo", "first"))
    np.testing.assert_allclose(first.rotations[0], np.broadcast_to(np.eye(3), first.rotations[0].shape), atol=1e-9)
    np.testing.assert_allclose(first.rest, placed(first)[0], atol=1e-9)


def test_unreal_has_a_root_that_stays():
    figure = make_character(moving(), Rigging("unreal"))
    assert figure.names[:2] == ("root", "pelvis")
    np.testing.assert_array_equal(figure.rotations[:, 0], np.broadcast_to(np.eye(3), (30, 3, 3)))
    assert figure.mover == 1


# Of GMR (https://github.com/YanjieZe/GMR, ik_configs/bvh_lafan1_to_h1.json): from the frame of a bone of LAFAN1 to that
# of the robot's link, whose x axis is ahead, y to the left and z up while the robot stands with hanging upper arms and
# its forearms ahead. Quaternions w, x, y, z; the feet have the frame of the toes.
GMR = {
    "Hips": (0.5, 0.5, 0.5, 0.5),
    "Spine2": (0.5, 0.5, 0.5, 0.5),
    **{f"{side}{part}": (-0.5, 0.5, 0.5, -0.5) for side in ("Left", "Right") for part in ("UpLeg", "Leg")},
    **{f"{side}Toe": (-(0.5**0.5), 0.5**0.5, 0, 0) for side in ("Left", "Right")},
    **{f"{side}Arm": (0.5, 0.5, -0.5, -0.5) for side in ("Left", "Right")},
    **{f"{side}ForeArm": (0.5**0.5, 0.5**0.5, 0, 0) for side in ("Left", "Right")},
}


def test_bones_of_lafan1_have_the_frames_that_gmr_retargets_from():
    turns = {
        "left_shoulder": turn("z", -90.0),
        "right_shoulder": turn("z", 90.0),
        "left_elbow": turn("y", -90.0),
        "right_elbow": turn("y", 90.0),
    }
    figure = make_character(pose(turns, root=np.tile([0, 0.97, 0], (5, 1))), Rigging("lafan1"))
    turned = []
    for row, parent in enumerate(figure.parents):
        local = figure.rotations[0, row]
        turned.append(local if parent < 0 else turned[parent] @ local)
    ahead_left_up = np.eye(3)[:, [2, 0, 1]]  # the columns; the person faces +Z
    for name, (w, *vector) in GMR.items():
        x, y, z = vector
        cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        to_robot = np.eye(3) + 2 * w * cross + 2 * cross @ cross
        found = turned[figure.names.index(name)] @ to_robot
        np.testing.assert_allclose(found, ahead_left_up, atol=0.02, err_msg=name)


def test_bvh_of_lafan1_has_its_hierarchy(tmp_path):
    write_bvh(tmp_path / "a.bvh", recording_of([moving()]), ExportOptions(rigging=Rigging("lafan1")))
    text = (tmp_path / "a.bvh").read_text()
    names = read_bvh(tmp_path / "a.bvh")[0]
    sides = [
        f"{side}{part}"
        for side in ("Left", "Right")
        for part in ("UpLeg", "Leg", "Foot", "Toe", "Shoulder", "Arm", "ForeArm", "Hand")
    ]
    assert sorted(names) == sorted(["Hips", "Spine", "Spine1", "Spine2", "Neck", "Head", *sides])
    assert names[0] == "Hips"
    assert "CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation" in text
    assert text.count("CHANNELS 3 Zrotation Yrotation Xrotation") == 21
    figure = make_character(moving(), Rigging("lafan1"))
    for bone in ("LeftLeg", "LeftFoot", "LeftToe", "RightForeArm"):
        along, *across = np.abs(figure.offsets[figure.names.index(bone)])
        assert along > 0.05 > 50 * max(across), bone


@pytest.mark.parametrize("rig", rig_names())
@pytest.mark.parametrize("up", ["y", "z"])
def test_bvh_plays_the_bones(tmp_path, rig, up):
    motion = emptied(moving(), [0, 7])
    write_bvh(tmp_path / "a.bvh", recording_of([motion]), ExportOptions(up, rigging=Rigging(rig)))
    names, _, places, _ = read_bvh(tmp_path / "a.bvh")
    figure = make_character(motion, Rigging(rig))
    figure = figure.turn_z_up() if up == "z" else figure
    order = [figure.names.index(name) for name in names]
    np.testing.assert_allclose(places / 100, placed(figure)[:, order], atol=1e-4)


def test_what_cannot_be_is_one_line(tmp_path):
    with pytest.raises(InputError, match="no rig is called 'mixmo'; did you mean 'mixamo'"):
        Rigging("mixmo")
    with pytest.raises(InputError, match="lift with --world"):
        make_character(moving(), Rigging("mixamo", lock_feet=True))
    times = np.arange(3) / 30
    seen = Keypoints2D(np.full((3, 17, 2), 9.0), np.ones((3, 17)), times, COCO17, (640, 480))
    other = Motion(np.zeros((3, 17, 3)), np.zeros((3, 3)), times, np.zeros(3, bool), COCO17, "camera", seen)
    with pytest.raises(InputError, match="coco17 lacks pelvis"):
        write_bvh(tmp_path / "a.bvh", recording_of([other]), ExportOptions(rigging=Rigging("mixamo")))
    assert len(make_character(moving(frames=1), Rigging("vrm")).way) == 1
    assert list(tmp_path.iterdir()) == []


FINGER_NAMES = {
    OWN: ("left_hand_thumb_cmc", "right_hand_pinky_dip"),
    "mixamo": ("mixamorig:LeftHandThumb1", "mixamorig:RightHandPinky3"),
    "unreal": ("thumb_01_l", "pinky_03_r"),
    "unity": ("LeftThumbProximal", "RightLittleDistal"),
    "vrm": ("leftThumbMetacarpal", "rightLittleDistal"),
    "rigify": ("thumb.01.L", "f_pinky.03.R"),
}


@pytest.mark.parametrize("rest", [None, "a", "first"])
@pytest.mark.parametrize("rig", FINGER_NAMES)
def test_fingers_of_every_rig_are_where_the_hands_have_them(rig, rest):
    """The wrist and the palm are exact in any rest pose, and so are the joints of the fingers."""
    motion = with_made_hands(moving(H36M17), {"left": turn("x", 40.0), "right": turn("y", -30.0)})
    figure = make_character(motion, Rigging(rig, rest))
    places, names = placed(figure), list(figure.names)
    for side, name, row, joint in (
        ("left", FINGER_NAMES[rig][0], 0, "thumb_cmc"),
        ("right", FINGER_NAMES[rig][1], 1, "pinky_dip"),
    ):
        wrist = figure.slots.index(f"{side}_{'wrist' if rig == OWN else 'hand'}")
        found = places[:, names.index(name)] - places[:, wrist]
        np.testing.assert_allclose(found, motion.hands.joints[:, row, HAND21.index(joint)], atol=1e-6)
    assert len(set(names)) == len(names) >= 15 * 2 + 17


def test_rigs_have_no_fingers_without_hands_and_lafan1_never():
    bare, hands = moving(), with_made_hands(moving(), dict.fromkeys(("left", "right"), turn("x", 0.0)))
    assert not any("Index" in name for name in make_character(bare, Rigging("mixamo")).names)
    assert make_character(hands, Rigging("lafan1")).names == make_character(bare, Rigging("lafan1")).names
