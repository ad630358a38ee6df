import numpy as np
import pytest

from benchmarks.changed_pictures import CHANGES, Laid
from benchmarks.hard_pictures import _Clip, _seen_from, shows_back
from poselift.geometry.camera import Camera
from poselift.skeleton import COCO17


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("place", [(60, 90), (180, 150)])
def test_a_place_in_a_changed_picture_is_brought_back(name, place):
    width, height = 320, 480
    picture = np.zeros((height, width, 3), np.uint8)
    x, y = place
    picture[y - 20 : y + 21, x - 20 : x + 21] = 255
    changed = CHANGES[name].change(picture)
    light = changed[..., 0].astype(float) * (changed[..., 0] != 114)
    rows, columns = np.indices(light.shape)
    middle = np.array([[(light * columns).sum(), (light * rows).sum()]]) / light.sum()
    np.testing.assert_allclose(CHANGES[name].back(middle, width, height), [place], atol=3)


def test_a_board_hides_the_legs_and_nothing_else():
    points = np.full((23, 2), np.nan)
    points[:17] = np.stack([np.full(17, 150.0), np.linspace(50, 450, 17)], -1)
    picture = np.full((480, 320, 3), 255, np.uint8)
    changed = CHANGES["legs hidden"].change(picture, [points])
    hidden = (changed == 114).all(-1)
    knee, ankle = points[13, 1], points[16, 1]
    assert hidden[round(knee) : round(ankle), 150].all()
    assert not hidden[: round(knee) - 25].any()
    assert not hidden[:, :120].any()
    assert (picture == 255).all()
    unknown = np.full((23, 2), np.nan)
    np.testing.assert_array_equal(CHANGES["legs hidden"].change(picture, [unknown]), picture)


def test_people_keep_their_partner_in_the_other_camera():
    body = np.random.default_rng(0).uniform(0, 100, (23, 2))
    man, woman, stranger = ({0: (body + (left, 0), np.ones(23))} for left in (0, 150, 600))
    clip = _Clip([], [], [], [(man, woman), (woman, man)])
    assert clip.pairs([[stranger, woman, man], [man, woman]]) == [(2, 1), (1, 0)]
    assert clip.pairs([[stranger, man], [man, woman]]) == [(1, 1)], "nobody takes the place of somebody who is lost"
    assert clip.pairs([[], [man]]) == []


def test_somebody_is_laid_down_alone_where_they_stood_and_brought_back():
    body = np.stack([np.linspace(140, 180, 23), np.linspace(100, 400, 23)], -1)
    other = np.stack([np.full(23, 420.0), body[:, 1]], -1)
    picture = np.full((480, 640, 3), 100, np.uint8)
    picture[90:111, 130:151] = 255  # at the first joint
    picture[110:310, 410:430] = 200  # the other person
    laid = Laid.where_they_stood([body, body], 640)
    changed = laid.change(picture, body, [other])
    rows, columns = np.nonzero(changed[..., 0] > 220)
    assert abs(rows.mean() - body[16, 1]) < 40, "on the ground"
    assert np.ptp(columns) < 40
    found = laid.back(np.array([[columns.mean(), rows.mean()]]))
    np.testing.assert_allclose(found, body[:1], atol=4)
    assert (changed[130:290, 410:430] < 130).all(), "nobody else"


def test_backs_are_told_by_geometry_and_judged_against_the_mean_of_two_detectors_opposite():
    random = np.random.default_rng(0)
    joints = random.uniform(-0.1, 0.1, (23, 3))
    for name, place in {"shoulder": (0.2, -0.5, 3), "hip": (0.15, 0, 3), "ankle": (0.15, 0.8, 3)}.items():
        for side, sign in (("left", 1), ("right", -1)):  # faces the first camera
            joints[COCO17.index(f"{side}_{name}")] = np.array(place) * [sign, 1, 1]
    joints[:5] = joints[[5, 6]].mean(0) + [[0, -0.2, 0]]
    turn = np.diag([-1.0, 1, -1])  # the second camera looks back from the other side, 3 m behind
    turn = turn @ np.array([[np.cos(0.3), 0, np.sin(0.3)], [0, 1, 0], [-np.sin(0.3), 0, np.cos(0.3)]])
    K = np.array([[900.0, 0, 540], [0, 900, 960], [0, 0, 1]])
    places = [np.zeros(3), np.array([0, 0, 3.0]) + turn.T @ [0, 0, -3.0]]
    cameras = [
        Camera.from_extrinsics(K, (1080, 1920), R, -R @ place)
        for R, place in zip((np.eye(3), turn), places, strict=True)
    ]
    seen = [camera.project(joints) for camera in cameras]
    assert shows_back(*seen, cameras) == (False, True)
    assert shows_back(*seen[::-1], cameras[::-1]) == (True, False)
    scores = np.ones(23)
    front, back = ({0: (points, scores)} for points in seen)
    clip = _Clip([], [], cameras, [(front, back)])
    found = {
        "MoveNet": [[front], [{0: (seen[1] + 4, scores)}]],
        "joined": [[{0: (seen[0] + 2, scores / 2)}], [back]],
        "other": [[{0: (seen[0] + 3, scores)}], [{0: (seen[1] + 5, scores)}]],
    }
    (_, mean), (_, own) = (each for each in _seen_from(True, clip, found)["other"])
    np.testing.assert_allclose(mean[0][0], seen[0] + 1)
    np.testing.assert_array_equal(mean[0][1], scores / 2)
    assert own == {0: found["other"][1][0][0]}
    (own, _), (mean, _) = (each for each in _seen_from(False, clip, found)["other"])
    assert own == {0: found["other"][0][0][0]}
    np.testing.assert_allclose(mean[0][0], seen[1] + 2)
