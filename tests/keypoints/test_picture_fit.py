from pathlib import Path

import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.keypoints import KeypointClip, KeypointFile, Observation, read_keypoints
from poselift.skeleton import COCO17

SIZE = (1280, 720)
STANDING = {
    "nose": (0, -170), "left_eye": (4, -175), "right_eye": (-4, -175), "left_ear": (9, -172), "right_ear": (-9, -172),
    "left_shoulder": (25, -140), "right_shoulder": (-25, -140), "left_elbow": (32, -105), "right_elbow": (-32, -105),
    "left_wrist": (34, -75), "right_wrist": (-34, -75), "left_hip": (15, -85), "right_hip": (-15, -85),
    "left_knee": (16, -45), "right_knee": (-16, -45), "left_ankle": (17, 0), "right_ankle": (-17, 0),
}  # fmt: skip
"""A body of 175 pixels, from its feet."""
BODY = np.array([STANDING[joint] for joint in COCO17.joints], float)


def across(start=(60, 620), end=(1220, 620), size=1.6, frames=40):
    """Somebody who crosses the picture: (frames, 17, 2)."""
    return size * BODY + np.linspace(start, end, frames)[:, None]


def fit(points, size=SIZE, rotation=0, scores=0.9):
    frames = {n: [Observation(body, np.broadcast_to(scores, 17))] for n, body in enumerate(points)}
    file = KeypointFile(Path("clip.json"), "coco", COCO17, frames)
    found = file.fit(size, rotation)
    return file.detections(found), found


def test_keypoints_of_the_picture_stay_as_they_are():
    points = across()
    found, how = fit(points)
    assert (how.turns, how.warnings) == (0, ())
    np.testing.assert_array_equal(found[3].keypoints[0], points[3])


@pytest.mark.parametrize("factor", [1.15, 1.3, 1.5])
def test_keypoints_of_a_larger_picture_are_refused(factor):
    with pytest.raises(InputError, match=r"clip\.json: .* lie (mostly )?outside a picture of 1280 x 720 \(they reach"):
        fit(across() * factor)


def test_somebody_who_walks_out_of_the_picture_is_lifted():
    """In ten of 180 frames most of the body is beyond the edge."""
    points = across(end=(1345, 620), frames=180)
    found, _ = fit(points)
    assert len(found) == 180
    assert sum((body[:, 0] >= SIZE[0]).mean() > 0.5 for body in points) == 10


def test_points_outside_are_a_warning_where_the_bodies_are_not():
    _, how = fit(across(end=(60, 620)) * 1.2)
    assert list(how.warnings) == [
        "12% of the points lie outside the picture (they reach to 137 x 744): if it was resized, give the video of the "
        "keypoints, or its size"
    ]
    feet = np.array(["ankle" in joint for joint in COCO17.joints])
    assert not fit(across(end=(60, 620)) * 1.2, scores=np.where(feet, 0.2, 0.9))[1].warnings, "guessed feet"


@pytest.mark.parametrize("factor", [0.5, 0.25])
def test_keypoints_of_a_smaller_copy_are_a_warning(factor):
    assert "all points lie in the upper left quarter of the picture" in fit(across() * factor)[1].warnings[0]


def test_exchanged_x_and_y_are_refused():
    with pytest.raises(InputError, match="everybody lies: x and y are exchanged, or the picture was turned"):
        fit(across()[..., ::-1])


@pytest.mark.parametrize("turned", ["exchanged", "turned"])
def test_people_who_lie_inside_the_picture_are_a_warning(turned):
    """Exchanged axes and a turned picture leave nobody outside where people are in the middle."""
    points = across(start=(330, 480), end=(390, 480), size=1.4)[..., ::-1].copy()
    if turned == "turned":
        points[..., 0] = 720 - points[..., 0]
    (warning,) = fit(points)[1].warnings
    assert warning.startswith("everybody lies in all of the clip: if they stand in the video, x and y are exchanged")
    half = np.where(np.arange(40)[:, None, None] < 20, across(), points)
    assert not fit(half)[1].warnings, "somebody who lies down"


@pytest.mark.parametrize("rotation", [90, 270])
def test_keypoints_of_the_stored_picture_are_turned_as_the_video_says(rotation):
    points = across(end=(660, 1200))
    stored = points[..., ::-1].copy()
    if rotation == 90:  # x' = height - 1 - y, y' = x
        stored[..., 1] = 719 - stored[..., 1]
    else:
        stored[..., 0] = 1279 - stored[..., 0]
    found, how = fit(stored, size=(720, 1280), rotation=rotation)
    assert how.turns == rotation // 90
    assert f"and turned by {rotation} degrees as the video says" in how.warnings[0]
    np.testing.assert_allclose(found[7].keypoints[0], points[7])
    assert not fit(points, size=(720, 1280), rotation=rotation)[1].warnings, "the upright picture's"


@pytest.mark.parametrize("rotation", [90, 180, 270])
def test_people_who_lie_in_the_middle_of_a_turned_video_are_a_warning(rotation):
    back = np.radians(-rotation)
    turn = np.array([[np.cos(back), -np.sin(back)], [np.sin(back), np.cos(back)]])
    lying = np.repeat((BODY + [0, 85]) @ turn.T + 360, 20, 0).reshape(17, 20, 2).swapaxes(0, 1)
    _, how = fit(lying, size=(720, 720), rotation=rotation)
    assert how.turns == 0
    assert f"everybody lies in a video that is turned by {rotation} degrees" in how.warnings[0]


@pytest.mark.slow
def test_the_phone_video_and_its_two_files(shared):
    folder = shared / "cases" / "turned_picture"
    bodies = {}
    for name in ("stored", "upright"):
        clip = KeypointClip(read_keypoints(folder / f"{name}.json"), video=folder / "port.mp4")
        bodies[name] = np.concatenate([found.keypoints for found, _ in clip.people()])
        assert len(clip.warnings) == (name == "stored")
    for points in bodies.values():  # upright: eyes above hips above ankles
        assert (np.diff(points[:, COCO17.indices(["left_eye", "left_hip", "left_ankle"]), 1], axis=1) > 50).all()
    assert np.median(np.abs(bodies["stored"] - bodies["upright"])) < 20
