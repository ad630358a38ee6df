"""The JavaScript of web/src/detector finds whom Python finds."""

import json
import math
import subprocess
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from benchmarks.clips import demo
from poselift.core.registry import published
from poselift.detection.blazepose import BlazePose
from poselift.detection.detector_protocol import Search
from poselift.detection.duplicates import join_passes, pose_nms, pose_similarity
from poselift.detection.joining import FULL_FACTORS, compare, join
from poselift.detection.movenet import MoveNet
from poselift.detection.orientation import body_angle, box_along, other_angles
from poselift.finding.followed_person import Followed
from poselift.skeleton import COCO17, COCO_WHOLEBODY23
from poselift.structures import Detections
from tests.web.test_numbers import GRAPHS, WEB, needs_modules, numbers

pytestmark = pytest.mark.slow

NETWORKS = ("movenet_thunder", "blazepose_full")
ANGLES = [0.0, 0.4, 1.2, -1.7, 3.0, -2.9]
CLIP = 9
"""Frames of the demo clip."""


def bodies():
    """A man of the demo clip from frame to frame, turned more and more, with joints that are unseen or unclear."""
    frames = json.loads((Path(__file__).parent / "man.json").read_text())["frames"]
    for angle, frame in zip(ANGLES, frames, strict=False):
        man = np.array([point or [np.nan, np.nan, 0] for point in frame])
        c, s = math.cos(angle), math.sin(angle)
        man[:, :2] = (man[:, :2] - [480, 270]) @ np.array([[c, s], [-s, c]]) + [480, 270]
        man[9] = [np.nan, np.nan, 0]
        man[12, 2] = 0.1
        yield man


def box_of(points):
    """The box around joints."""
    return np.concatenate([np.nanmin(points, 0), np.nanmax(points, 0)])


def places(picture):
    """Places in a picture: of its two people, beyond its edge, and turned."""
    height = len(picture)
    found = MoveNet("cpu").search(picture, Search())
    upright = [(box, 0.0) for box in found.boxes]
    return [*upright, (np.array([-60.0, 100, 200, height + 40.0]), 0.0), (found.boxes[0], 0.5), (found.boxes[1], -2.0)]


def to_file(picture, path):
    """A picture as the page has it: RGBA."""
    path.write_bytes(np.dstack([picture, np.full(picture.shape[:2], 255, np.uint8)]).tobytes())
    return {"file": str(path), "width": picture.shape[1], "height": picture.shape[0]}


def pairs():
    """Joints of a man from two models: nearly alike, with sides exchanged, and with some far apart or unseen."""
    random = np.random.default_rng(1)
    man = next(bodies())
    for number in range(4):
        first = man.copy()
        first[:, :2] += random.normal(0, 3, (17, 2))
        again = np.concatenate([man, man[[15, 15, 15, 16, 16, 16]] + [5, 9, 0]])
        again[:, :2] += random.normal(0, 3, (23, 2))
        again[:, 2] = random.uniform(0.3, 1, 23)
        again[[18, 21]] = [np.nan, np.nan, 0]
        if number == 1:
            again = again[list(COCO_WHOLEBODY23.flip_indices)]
        if number == 2:
            again[[7, 10, 16], :2] += [[40, 0], [22, 0], [0, 60]]
            again[[9, 17]] = [np.nan, np.nan, 0]  # outside the picture
        if number == 3:
            first[[15, 5]] = [np.nan, np.nan, 0]
        yield first, again


def person(points):
    """As the page has somebody; columns x, y, score."""
    return {"points": numbers(points[:, :2]), "scores": numbers(points[:, 2]), "box": [0, 0, 1, 1], "score": 1}


def known_people(picture):
    """The people of a picture with MoveNet's joints."""
    detector = MoveNet("cpu")
    found = detector.look(picture, detector.search(picture, Search()).boxes, np.zeros(2), quick=True)
    return np.concatenate([found.keypoints, found.scores[..., None]], -1)


BOXES = np.random.default_rng(0).uniform(0, 300, (2, 12, 2))
PASSES = [np.concatenate([low, low + np.linspace(20, 500, 12)[:, None]], -1) for low in BOXES]
"""Boxes of a coarse and a fine pass: small and large ones, some inside of others."""


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """What node wrote, and the pictures."""
    needs_modules()
    folder = tmp_path_factory.mktemp("detector")
    pictures = demo()[:CLIP]
    files = [to_file(picture, folder / f"{frame}.rgba") for frame, (picture, _) in enumerate(pictures)]
    request = {
        "folders": [str(GRAPHS), *(str(published(name).path.parent) for name in NETWORKS)],
        "modules": str(WEB / "x.js"),
        "bodies": [
            {
                "points": numbers(body[:, :2]),
                "scores": numbers(body[:, 2]),
                "box": box_of(body[:, :2]).tolist(),
                "score": float(body[:, 2].mean()),
            }
            for body in bodies()
        ],
        "angles": ANGLES,
        "passes": {"boxes": [boxes.tolist() for boxes in PASSES], "longer": 960},
        "crops": {
            "picture": files[0],
            "places": [{"box": box.tolist(), "angle": angle} for box, angle in places(pictures[0][0])],
        },
        "pairs": [[person(first), person(second)] for first, second in pairs()],
        "known": [person(each) for each in known_people(pictures[0][0])],
        "clip": [{"time": time, "picture": file} for file, (_, time) in zip(files, pictures, strict=True)],
    }
    (folder / "request.json").write_text(json.dumps(request))
    command = ["node", WEB / "test" / "detector.mjs", folder / "request.json", folder / "answer.json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads((folder / "answer.json").read_text()), pictures


def test_how_bodies_are_turned(ran):
    found, _ = ran
    wanted = [body_angle(body[:, :2], body[:, 2], COCO17) for body in bodies()]
    assert None not in wanted
    np.testing.assert_allclose(found["angles"], wanted)
    seen = [body[np.isfinite(body[:, 0]), :2] for body in bodies()]
    np.testing.assert_allclose(
        found["boxes"], [box_along(points, angle) for points, angle in zip(seen, ANGLES, strict=True)]
    )
    for others, used, measured in zip(found["others"], ANGLES, ANGLES[::-1], strict=True):
        wanted = other_angles(used, measured)
        assert len(others) == len(wanted)
        np.testing.assert_allclose(np.exp(1j * np.array(others)), np.exp(1j * np.array(wanted)), atol=1e-9)


def test_duplicates(ran):
    found, _ = ran
    people = np.array(list(bodies()))
    points, scores = people[..., :2], people[..., 2]
    boxes = np.array([box_of(body) for body in points])
    np.testing.assert_allclose(found["similarity"], pose_similarity(points, scores, boxes), atol=1e-9)
    assert found["kept"] == sorted(pose_nms(points, scores, boxes, scores.mean(1)))
    kept = join_passes(*PASSES, 960)
    for mine, other in zip(found["joined"], kept, strict=True):
        np.testing.assert_array_equal(mine, other)
        assert 0 < np.sum(other) < len(other)


def test_somebody_who_is_followed(ran):
    found, _ = ran
    first, *later = [
        Detections(
            box_of(body[:, :2])[None], np.array([body[:, 2].mean()]), body[None, :, :2], body[None, :, 2], COCO17
        )
        for body in bodies()
    ]
    person = Followed.start(first, 0, float(first.box_scores[0]), 0.0, False)
    for count, look in enumerate(later, 1):
        person.update(look, 0, 0.1 * count, False, np.zeros(17, bool))
    wanted = {"score": person.score, "surprise": person.surprise, "angle": person.angle}
    assert {name: found["followed"][name] for name in wanted} == pytest.approx(wanted, abs=1e-6)
    np.testing.assert_allclose(found["followed"]["box"], person.expected(0.1 * len(ANGLES)).box, atol=1e-3)


def test_looks_and_searches(ran):
    found, pictures = ran
    picture, detector = pictures[0][0], MoveNet("cpu")
    for answer, (box, angle) in zip(found["crops"], places(picture), strict=True):
        wanted = detector.look(picture, box[None], np.array([angle]), quick=True)
        clear = wanted.scores[0] > 0.4
        points = np.array(answer["points"], float).reshape(-1, 2)
        assert np.median(np.linalg.norm(points - wanted.keypoints[0], axis=-1)[clear]) < 2
        assert answer["score"] == pytest.approx(wanted.box_scores[0], abs=0.05)
    for answer, fine in zip(found["searches"], (False, True), strict=True):
        wanted = detector.search(picture, Search(fine=fine))
        assert len(answer) == len(wanted)
        for person in answer:
            apart = np.abs(wanted.boxes - person["box"]).max(1)
            assert apart.min() < 3
            assert person["score"] == pytest.approx(wanted.box_scores[apart.argmin()], abs=0.02)


def test_both_people_of_the_clip_are_followed(ran):
    found, pictures = ran
    detector = MoveNet("cpu")
    looked = [frame for frame, people in enumerate(found["clip"]) if people]
    assert len(looked) == 5  # 15 crop detections a second
    for frame in looked:
        people = found["clip"][frame]
        wanted = detector.search(pictures[frame][0], Search())
        middles = [np.nanmean(np.array(person["points"], float).reshape(-1, 2), 0) for person in people]
        assert len(people) == 2
        for box in wanted.boxes:
            assert min(np.linalg.norm((box[:2] + box[2:]) / 2 - middle) for middle in middles) < 60


def equals(found, wanted):
    """Whether two lists of numbers are the same; JSON has null for NaN."""
    np.testing.assert_allclose(np.array(found, float).reshape(np.shape(wanted)), wanted, atol=1e-3)


def test_joints_of_two_models_are_joined(ran):
    found, _ = ran
    wanted = [compare(first[:, :2], first[:, 2], again[:, :2], again[:, 2], FULL_FACTORS) for first, again in pairs()]
    mixed = [one.towards(other, 0.25) for one, other in pairwise(wanted)]
    decided = [
        one.decide([((j - i) / 8, other) for j, other in enumerate(wanted) if j != i]) for i, one in enumerate(wanted)
    ]
    assert np.abs(decided[2].score_factors - wanted[2].score_factors).max() > 0.1
    for answers, differences in (
        (found["differences"], wanted),
        (found["between"], mixed),
        (found["decided"], decided),
    ):
        for answer, difference in zip(answers, differences, strict=True):
            equals(answer["offsets"], difference.offsets)
            equals(answer["scoreFactors"], difference.score_factors)
    for answer, (first, _), difference in zip(found["pairs"], pairs(), wanted, strict=True):
        points, scores = join(first[:, :2], first[:, 2], difference)
        equals(answer["points"], points)
        equals(answer["scores"], scores)


def test_the_second_model_sees_what_it_sees_in_python(ran):
    found, pictures = ran
    model = BlazePose("cpu", published("blazepose_full").get())
    for answer, known in zip(found["again"], known_people(pictures[0][0]), strict=True):
        wanted = model.look_at(pictures[0][0], known[:, :2], known[:, 2])
        apart = np.linalg.norm(np.array(answer["points"], float).reshape(-1, 2) - wanted.keypoints[0], axis=-1)
        clear = wanted.scores[0] > 0.5
        assert clear.sum() > 15
        assert np.median(apart[clear]) < 1
        np.testing.assert_allclose(np.array(answer["scores"])[clear], wanted.scores[0][clear], atol=0.1)


def test_nobody_is_in_a_grey_picture(ran):
    assert ran[0]["nobody"] is None


def test_people_of_the_clip_have_feet(ran):
    found, _ = ran
    feet = COCO_WHOLEBODY23.indices(["left_heel", "right_heel", "left_big_toe", "right_big_toe"])
    for plain, both in zip(found["clip"], found["both"], strict=True):
        assert (plain is None) == (both is None)
        for person, joined in zip(plain or [], both or [], strict=True):
            points = np.array(joined["points"], float).reshape(-1, 2)
            assert np.isfinite(points[feet]).all()
            moved = np.linalg.norm(points[:17] - np.array(person["points"], float).reshape(-1, 2), axis=-1)
            assert 0 < np.nanmedian(moved) < 10


def test_the_picture_meanwhile_has_the_joints_of_both_models(ran):
    """Those of the last detection so far; where the second model ran they are final, but for its later doubts."""
    found, _ = ran
    for meanwhile, final in zip(found["newest"], found["both"], strict=True):
        assert (meanwhile is None) == (final is None)
        for person, joined in zip(meanwhile or [], final or [], strict=False):
            now, then = (np.array(each["points"], float).reshape(-1, 2) for each in (person, joined))
            assert np.isfinite(now[17:]).any(), "feet"
            assert np.nanmedian(np.linalg.norm(now - then, axis=-1)) < 3
    for person, joined in zip(found["newest"][0], found["both"][0], strict=True):
        equals(person["points"], np.array(joined["points"], float))
