"""The JavaScript of web/src/detector finds whom Python finds."""

import json
import math
import subprocess
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from benchmarks.clips import demo
from benchmarks.web import page_models
from poselift.core.registry import published
from poselift.detection import MoveNetBlazePose
from poselift.detection.blazepose import BlazePose
from poselift.detection.crop import Crop
from poselift.detection.detector_protocol import Search
from poselift.detection.duplicates import join_passes, pose_nms, pose_similarity
from poselift.detection.joining import FULL_FACTORS, compare, join
from poselift.detection.movenet import MoveNet
from poselift.detection.orientation import body_angle, box_along, other_angles
from poselift.finding import VideoClip
from poselift.finding.followed_person import Followed, Place
from poselift.finding.overlapping_people import draw_silhouette, paint_out_others
from poselift.lifting.run import lift_clip
from poselift.models import load_weights
from poselift.samples import demo_video
from poselift.skeleton import COCO17, COCO_WHOLEBODY23
from poselift.structures import Detections
from tests.web.test_numbers import GRAPHS, WEB, WEIGHTS, needs_modules, numbers

pytestmark = pytest.mark.slow

NETWORKS = ("movenet_thunder", "blazepose_full")
ANGLES = [0.0, 0.4, 1.2, -1.7, 3.0, -2.9]
CLIP = 9
"""Frames of the demo clip."""
SEARCHES = [Search(fine=False), Search(turns=(0, 1, 2, 3))]
CUTS = [
    {"longer": 256},
    {"longer": 768},
    {"longer": 480},
    {"side": 180, "size": 256},
    {"side": 400.7, "size": 256},
    {"side": 512, "size": 256},
    {"side": 260, "size": 52},
    {"side": 210, "size": 256, "angle": 0.03},
    {"side": 700, "size": 256, "angle": -2.0},
    {"side": 330, "size": 256, "angle": 0.0019},
    {"side": 330, "size": 256, "angle": -0.0021},
]
"""Inputs of networks: enlarged, shrunk by any factor and by whole ones, turned; some reach beyond the picture."""


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


def cuts():
    """The cuts with their boxes, each at another place."""
    for number, cut in enumerate(CUTS):
        if "side" in cut:
            middle = np.array([[120.0, 400], [500, 250], [800, 90]][number % 3])
            cut = {
                "angle": 0.0,
                **cut,
                "margin": 1.2,
                "box": [*(middle - cut["side"] / 2.4), *(middle + cut["side"] / 2.4)],
            }
        yield cut


def painted():
    """A place with others beside it, of whom one is partly outside the picture and one has joints that are unseen."""
    bodies_ = [body + [dx, dy, 0] for body, dx, dy in zip(bodies(), (0, 40, 330, -250), (0, 10, -90, 60), strict=False)]
    people = [
        Place(box_of(body[:, :2]), 0.0, body[:, :2], np.clip(body[:, 2] + shift, 0, 1))
        for body, shift in zip(bodies_, (0, 0.2, -0.2, 0), strict=True)
    ]
    return [(people[0], people[1:], True), (people[1], people[:1], True), (people[2], [people[0], people[3]], False)]


def as_body(place):
    """As the page has a place."""
    return {"points": numbers(place.points), "scores": numbers(place.scores), "box": place.box.tolist(), "score": 1}


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
        "folders": [str(GRAPHS), str(WEIGHTS), *(str(published(name).path.parent) for name in NETWORKS)],
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
        "cuts": list(cuts()),
        "painted": [
            {"place": as_body(place), "others": [as_body(other) for other in others], "shared": shared}
            for place, others, shared in painted()
        ],
        "searches": [{"fine": how.fine, "turns": how.turns} for how in SEARCHES],
        "pairs": [[person(first), person(second)] for first, second in pairs()],
        "known": [person(each) for each in known_people(pictures[0][0])],
        "clip": [{"time": time, "picture": file} for file, (_, time) in zip(files, pictures, strict=True)],
    }
    (folder / "request.json").write_text(json.dumps(request))
    command = ["node", WEB / "test" / "detector.mjs", folder / "request.json", folder / "answer.json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads((folder / "answer.json").read_text()) | {"path": str(folder / "answer.json")}, pictures


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


def pixels_of(found, name, shape):
    """Bytes that node wrote."""
    return np.fromfile(f"{found['path']}.{name}", np.uint8).reshape(shape)


def test_inputs_of_networks_are_those_of_opencv_to_the_last_bit(ran):
    found, pictures = ran
    for number, cut in enumerate(cuts()):
        if "longer" in cut:
            wanted = Crop.whole(pictures[0][0], (cut["longer"], cut["longer"]), multiple=32)
        else:
            wanted = Crop.square(pictures[0][0], np.array(cut["box"]), cut["size"], cut["margin"], cut["angle"])
        np.testing.assert_array_equal(pixels_of(found, f"cut{number}", wanted.image.shape), wanted.image, str(cut))


def test_people_are_painted_out_to_the_last_bit(ran):
    found, pictures = ran
    picture = pictures[0][0]
    for number, (place, others, shared) in enumerate(painted()):
        mask = draw_silhouette(place.points, COCO17, picture.shape)
        np.testing.assert_array_equal(pixels_of(found, f"body{number}", mask.shape), mask)
        part, _ = paint_out_others(picture, place, others, COCO17, shared)
        assert (part == 128).all(-1).any()
        np.testing.assert_array_equal(pixels_of(found, f"painted{number}", (*part.shape[:2], 4))[..., :3], part)


def test_looks_and_searches(ran):
    found, pictures = ran
    picture, detector = pictures[0][0], MoveNet("cpu")
    for answer, (box, angle) in zip(found["crops"], places(picture), strict=True):
        wanted = detector.look(picture, box[None], np.array([angle]))
        points = np.array(answer["points"], float).reshape(-1, 2)
        np.testing.assert_allclose(points, wanted.keypoints[0], atol=0.01)
        assert answer["score"] == pytest.approx(wanted.box_scores[0], abs=1e-4)
    for answer, how in zip(found["searches"], SEARCHES, strict=True):
        parts = [replace(how, turns=turns) for turns in (how.turns[:1], how.turns[1:]) if turns]
        several = Detections.join([detector.search(picture, part) for part in parts])
        wanted = several.rows(pose_nms(several.keypoints, several.scores, several.boxes, several.box_scores))
        assert len(answer) == len(wanted)
        for person, box, score in zip(answer, wanted.boxes, wanted.box_scores, strict=True):
            np.testing.assert_allclose(person["box"], box, atol=0.01)
            assert person["score"] == pytest.approx(score, abs=1e-4)


@pytest.fixture(scope="module")
def lifted():
    """The clip in Python with the models and the pace of the page: its people in 2D by frame, and its motions."""
    with page_models():
        clip = VideoClip(demo_video(), MoveNetBlazePose("cpu"), end=CLIP / 30, quality="fast")
        return [people for people, _ in clip.people()], lift_clip(clip, load_weights("small")).people


def test_people_of_the_same_pictures_are_those_of_python(ran, lifted):
    for answer, wanted in zip(ran[0]["both"], lifted[0], strict=True):
        assert (answer is None) == (wanted is None)
        for person, keypoints, scores in zip(
            answer or [], *((wanted.keypoints, wanted.scores) if wanted else ([], [])), strict=True
        ):
            np.testing.assert_allclose(np.array(person["points"], float).reshape(-1, 2), keypoints, atol=0.2)
            np.testing.assert_allclose(person["scores"], scores, atol=0.01)


def test_motions_of_the_same_pictures_are_those_of_python(ran, lifted):
    assert len(ran[0]["motions"]) == len(lifted[1]) == 2
    for answer, wanted in zip(ran[0]["motions"], lifted[1], strict=True):
        np.testing.assert_allclose(answer["times"], wanted.timestamps)
        joints, root = (
            np.array(answer[name], float).reshape(value.shape)
            for name, value in (("joints", wanted.joints), ("root", wanted.root))
        )
        assert np.linalg.norm(joints - wanted.joints, axis=-1).max() < 0.002
        assert np.linalg.norm(root - wanted.root, axis=-1).max() < 0.002


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
