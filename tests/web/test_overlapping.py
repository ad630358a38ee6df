"""The page decides between people who overlap, and vouches for people, as Python does."""

import json
import shutil
import subprocess

import numpy as np
import pytest

from poselift.core.unchecked import replace_unchecked
from poselift.detection import MoveNetBlazePose
from poselift.finding.followed_person import Followed, Place
from poselift.finding.overlapping_people import (
    find_claimed_joints,
    find_doubtful_joints,
    measure_agreement,
    touch,
)
from poselift.finding.second_model import SecondModel
from poselift.skeleton import COCO17, COCO_WHOLEBODY23
from poselift.structures import Detections
from poselift.video import Frame
from tests.web.test_detector import bodies, box_of
from tests.web.test_numbers import GRAPHS, WEB, numbers

MAN = next(bodies())
WHOLE = np.concatenate([MAN, MAN[[15, 15, 15, 16, 16, 16]]])
"""The man with feet, as the second model sees him."""
WHOLE[9] = [*(MAN[7, :2] + [0, 40]), 0.8]


def moved(body, x, score, seed, noise=2.0):
    """A body beside its place, whose joints score so on the mean."""
    random = np.random.default_rng(seed)
    body = body + np.append(random.normal([x, 0], noise, (len(body), 2)), np.zeros((len(body), 1)), 1)
    body[:, 2] = np.clip(score + random.uniform(-0.3, 0.3, len(body)), 0.05, 1) * np.isfinite(body[:, 0])
    return body


PEOPLE = [moved(MAN, *each) for each in ((0, 0.7, 1), (9, 0.5, 2), (60, 0.6, 3))]
EXPECTED = [moved(MAN, 4, 0.7, 4), moved(MAN, 12, 0.7, 5), None]
UNSEEN = [moved(MAN, -14, 0.4, 6)]


def detection(people, skeleton=COCO17, present=None):
    """The people as detected; the second model's box scores are given."""
    people = np.array(people)
    boxes = np.array([box_of(body[:, :2]) for body in people])
    worth = people[..., 2].mean(-1) if present is None else np.array([present])
    return Detections(boxes, worth, people[..., :2], people[..., 2], skeleton)


CALLS = [
    # Clear ones, whose bodies are remembered; then a pose that is made up, which the second model sees better; nothing
    # that it is sure of; somebody who is not recognised; the same beside others; sides that are exchanged; and somebody
    # who is not recognised, and not seen whole: twice at the same place, and in the first of three crops only.
    ([moved(MAN, 0, 0.7, 7)], []),
    ([moved(MAN, 3, 0.7, 8)], []),
    ([moved(MAN, 45, 0.38, 9)], [(moved(WHOLE, 4, 0.6, 10), 0.9), (moved(WHOLE, 3, 0.6, 11), 0.98), (WHOLE, 0.7)]),
    ([moved(MAN, 45, 0.38, 12)], [(moved(WHOLE, 4, 0.6, 13), 0.55), (moved(WHOLE, 300, 0.6, 14), 0.9), (WHOLE, 0.3)]),
    ([moved(MAN, 80, 0.15, 15)], [(moved(WHOLE, 4, 0.8, 16), 0.99), (moved(WHOLE, 3, 0.7, 17), 0.97), (WHOLE, 0.1)]),
    ([moved(MAN, 80, 0.15, 18), moved(MAN, 20, 0.7, 19)], [(moved(WHOLE, 4, 0.8, 20), 0.75)]),
    ([moved(MAN, 80, 0.15, 21), moved(MAN, 20, 0.7, 22)], [(moved(WHOLE, 4, 0.8, 23), 0.85)]),
    ([moved(MAN, 50, 0.3, 24)], [(moved(WHOLE[list(COCO_WHOLEBODY23.flip_indices)], 4, 0.8, 25), 0.9)] * 3),
    ([moved(MAN, 80, 0.15, 26)], [(moved(WHOLE, 4, 0.8, 27), 0.9), (moved(WHOLE, 3, 0.7, 28), 0.9), (WHOLE, 0.1)]),
    ([moved(MAN, 80, 0.15, 29)], [(moved(WHOLE, 4, 0.8, 30), 0.9), (moved(WHOLE, 300, 0.6, 31), 0.9), (WHOLE, 0.1)]),
]
"""People of a frame, of whom the first two are followed, and the second model's answers with its sureness."""


def as_person(body):
    """As the page has somebody."""
    box, score = box_of(body[:, :2]).tolist(), float(body[:, 2].mean())
    return {"points": numbers(body[:, :2]), "scores": numbers(body[:, 2]), "box": box, "score": score}


def place(body):
    return Place(box_of(body[:, :2]), 0.0, body[:, :2], body[:, 2])


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """What node wrote."""
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    folder = tmp_path_factory.mktemp("overlapping")
    calls = [
        {
            "time": 0.1 * number,
            "rows": len(seen),
            "seen": [as_person(body) for body in seen],
            "again": [{**as_person(body), "present": present} for body, present in again],
        }
        for number, (seen, again) in enumerate(CALLS, 1)
    ]
    request = {
        "numbers": str(GRAPHS / "numbers.json"),
        "people": [as_person(body) for body in PEOPLE],
        "expected": [body is not None and as_person(body) for body in EXPECTED],
        "unseen": [as_person(body) for body in UNSEEN],
        "calls": calls,
    }
    (folder / "request.json").write_text(json.dumps(request))
    command = ["node", WEB / "test" / "overlapping.mjs", folder / "request.json", folder / "answer.json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads((folder / "answer.json").read_text())


def test_joints_that_two_people_claim(found):
    people, expected = detection(PEOPLE), [body if body is None else body[:, :2] for body in EXPECTED]
    lost, doubtful = find_claimed_joints(people, expected)
    assert lost.any()
    np.testing.assert_array_equal(found["lost"], lost)
    np.testing.assert_array_equal(found["doubtful"], doubtful)
    beside = find_doubtful_joints(people, expected, [place(body) for body in UNSEEN])
    assert 0 < beside.sum() < beside.size
    np.testing.assert_array_equal(found["beside"], beside)
    np.testing.assert_array_equal(
        found["touch"], [[touch(one, other) for other in people.boxes] for one in people.boxes]
    )
    fits = [measure_agreement(people, place(UNSEEN[0]), row) for row in range(len(people))]
    np.testing.assert_allclose(found["agreement"], fits)


def test_people_for_whom_the_second_model_vouches(found):
    answers = []

    class Second:
        def look_at(self, frame, keypoints, scores):
            body, present = answers.pop(0) if answers else (WHOLE, 0.0)
            found = detection([body], COCO_WHOLEBODY23, present)
            if present >= 0.5:
                return found
            return replace_unchecked(found, keypoints=np.nan * found.keypoints, scores=0 * found.scores)

    both = MoveNetBlazePose.__new__(MoveNetBlazePose)  # without networks
    both.second = Second()
    second = SecondModel(both, 7.5, wait=True)
    first = detection(PEOPLE)
    followed = [Followed.start(first, row, float(first.box_scores[row]), 0.0, False) for row in range(2)]
    outcomes, unused = set(), []
    for number, (seen, again) in enumerate(CALLS, 1):
        answers[:] = again
        frame = Frame(np.zeros((8, 8, 3), np.uint8), 0.1 * number, number)
        people, vouched = second.vouch(frame, detection(seen), followed[: len(seen)])
        answer = found["vouched"][number - 1]
        assert (answer["vouched"], answer["left"]) == (vouched, len(answers)), number
        outcomes.add(tuple(vouched))
        unused.append(len(answers))
        np.testing.assert_allclose(np.array(answer["points"], float).reshape(people.keypoints.shape), people.keypoints)
        np.testing.assert_allclose(answer["scores"], people.scores)
        np.testing.assert_allclose(answer["worth"], people.box_scores)
        np.testing.assert_allclose(answer["boxes"], people.boxes)
        assert answer["asked"] == [id(person) in second._asked for person in followed], number
    assert outcomes == {(), (0,)}
    assert unused == [0, 0, 1, 2, 2, 0, 0, 1, 1, 0], "no crop more than it needs"
