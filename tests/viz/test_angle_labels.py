import numpy as np
import pytest

from poselift.kinematics import Angles, measure_joint_angles
from poselift.skeleton import COCO17, H36M17
from poselift.viz import OverlayRenderer
from poselift.viz.angle_labels import columns_of, draw_angles
from poselift.viz.colors import person_colors


def _standing(hip_width):
    """Frames of a body 200 pixels high whose left hip lies so far to the right of the right hip."""
    joints = np.full((len(hip_width), len(H36M17), 2), np.nan)
    joints[:, H36M17.index("head_top")] = [300, 100]
    joints[:, H36M17.index("left_ankle")] = [300, 300]
    joints[:, H36M17.indices(["left_hip", "right_hip"])] = [300, 200]
    joints[:, H36M17.index("left_hip"), 0] += hip_width
    return joints


@pytest.mark.parametrize(
    ("hip_width", "expected"),
    [
        ([30, 10, -10, -30, -10, 10, 15, 30], [1, 1, 1, -1, -1, -1, -1, 1]),
        ([10, -30], [-1, -1]),  # before the first clear frame, as in it
        ([0, 0], [1, 1]),
        ([np.nan, -30, np.nan], [-1, -1, -1]),
        ([], []),
    ],
)
def test_columns_change_sides_only_with_a_clear_turn(hip_width, expected):
    assert columns_of(_standing(np.array(hip_width, float)), H36M17).tolist() == expected


@pytest.mark.parametrize("column", [1.0, -1.0])
def test_each_side_has_its_numbers_on_its_own_side(column, gray):
    joints = _standing(np.array([30.0]))[0]
    angles = Angles(("left_hip_flexion", "right_hip_flexion"), np.array([[35.2, np.nan]]), np.zeros(1))
    image = gray.copy()
    draw_angles(image, joints, H36M17, angles, 0, person_colors(1), column)
    changed = np.flatnonzero((image != gray).any((0, 2)))
    middle = 315.0
    assert np.sign(changed.mean() - middle) == column
    hidden = Angles(angles.names, np.full((1, 2), np.nan), angles.timestamps)
    image = gray.copy()
    draw_angles(image, joints, H36M17, hidden, 0, person_colors(1), column)
    np.testing.assert_array_equal(image, gray)


def test_the_numbers_are_those_of_the_angles_in_that_frame(make_motion, gray, monkeypatch):
    motion = make_motion()
    angles, written = measure_joint_angles(motion), []
    monkeypatch.setattr("poselift.viz.angle_labels.draw_label", lambda image, text, *_, **__: written.append(text))
    K = np.array([[500.0, 0, 319.5], [0, 500, 239.5], [0, 0, 1]])
    OverlayRenderer((640, 480), [motion], K=K, angles=[angles]).render(gray, float(motion.timestamps[3]))
    knees = [f"knee {angles.of(f'{side}_knee_flexion')[3]:z.0f}\N{DEGREE SIGN}" for side in ("left", "right")]
    assert [text for text in written if text.startswith("knee")] == knees
    assert {text.split()[0] for text in written} >= {"shoulder", "elbow", "hip", "knee"}


def test_numbers_do_not_lie_on_each_other_and_stay_in_the_picture(gray):
    joints = np.full((len(H36M17), 2), [635.0, 470.0])
    joints[H36M17.index("head_top"), 1] = 100.0
    names = tuple(f"left_{name}" for name in ("hip_flexion", "knee_flexion", "elbow_flexion"))
    many, one = gray.copy(), gray.copy()
    for image, values in ((one, [12.0, np.nan, np.nan]), (many, [12.0, 12.0, 12.0])):
        draw_angles(image, joints, H36M17, Angles(names, np.array([values]), np.zeros(1)), 0, person_colors(1), 1.0)
    count = [int((image.astype(int).max(-1) < 100).sum()) for image in (one, many)]
    assert count[1] > 2.5 * count[0]


@pytest.mark.parametrize("lifted", [True, False])
def test_an_overlay_has_numbers_with_angles_alone(make_motion, gray, lifted):
    """Without a camera, the numbers stand beside the keypoints, here without a pelvis."""
    people = [make_motion(), make_motion(2, (1.2, 0, 4), skeleton_2d="coco17")]
    assert people[1].keypoints.skeleton == COCO17
    K = np.array([[500.0, 0, 319.5], [0, 500, 239.5], [0, 0, 1]]) if lifted else None
    without = OverlayRenderer((640, 480), people, K=K).render(gray, 0.2)
    angles = [measure_joint_angles(motion) for motion in people]
    both = OverlayRenderer((640, 480), people, K=K, angles=angles).render(gray, 0.2)
    first = OverlayRenderer((640, 480), people, K=K, angles=[angles[0], None]).render(gray, 0.2)
    changed = [int((picture != without).any(-1).sum()) for picture in (first, both)]
    assert 500 < changed[0] < changed[1]
    np.testing.assert_array_equal(both[:, 640:], without[:, 640:])
