"""Keypoints beside the people of their video: what a look at a few pictures tells."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.keypoints import KeypointClip, KeypointFile, Observation, video_check
from poselift.keypoints.in_memory import TrackClip
from poselift.keypoints.picture_fit import turn_points
from poselift.keypoints.video_check import check_on_video
from poselift.samples import demo_video
from poselift.skeleton import COCO17
from poselift.structures import Detections, Keypoints2D

SIZE = WIDTH, HEIGHT = 960, 540
MIRROR = list(COCO17.flip_indices)


def man():
    """Keypoints of the man of the demo clip as MoveNet finds him: (frames, joints, x y score)."""
    frames = json.loads((Path(__file__).parents[1] / "web" / "man.json").read_text())["frames"]
    nobody = [np.nan, np.nan, 0.0]
    return np.array([[point or nobody for point in frame or [nobody] * 17] for frame in frames])


def woman():
    """Somebody smaller who walks on the left, 200 pixels from the man."""
    other = man()[::-1].copy()
    other[..., :2] = 0.8 * other[..., :2] + [-200, 60]
    return other


def people(*poses, read=lambda points: points):
    """Each frame of the first second, with everybody's points read in another way."""
    frames = []
    for row in range(30):
        there = np.stack([pose[row] for pose in poses])
        points, scores = read(there[..., :2]), there[..., 2]
        frames.append((Detections(np.zeros((len(there), 4)), scores.mean(1), points, scores, COCO17), row / 30))
    return frames


@pytest.fixture
def seen(monkeypatch):
    """`seen(poses, ...)`: MoveNet finds these people, 2 % of their height off."""

    def set_(*poses):
        rng = np.random.default_rng(0)

        def look(video, times, fps, mirrored):
            for time in times:
                there = [pose[round(30 * time)] for pose in poses]
                yield time, [np.nan_to_num(pose + [*rng.normal(0, 0.02 * 180, 2), 0.0]) for pose in there]

        monkeypatch.setattr(video_check, "_look", look)

    return set_


def check(*poses, read=lambda points: points):
    return [str(caution) for caution in check_on_video(people(*poses, read=read), Path("clip.mp4"), SIZE)]


@pytest.mark.parametrize(
    ("read", "said"),
    [
        (lambda points: 1.15 * points, "if multiplied by 0.87: they are of a picture of about 110"),
        (lambda points: points / 1.5, "if multiplied by 1."),
        (lambda points: points * [640 / WIDTH, 640 / HEIGHT], "across and 0.8"),
        (lambda points: points - [150, 40], "and moved by 1"),
        (lambda points: points * 640 / WIDTH + [0, 140], "multiplied by 1."),
        (lambda points: turn_points(points, 1, (HEIGHT, WIDTH)), "if turned clockwise by 270 degrees"),
        (lambda points: [WIDTH - 1, HEIGHT - 1] - points, "if turned clockwise by 180 degrees"),
        (lambda points: (points * [-1, 1] + [WIDTH - 1, 0])[:, MIRROR], "mirror image"),
    ],
)
def test_another_picture_is_said_with_what_fits(read, said, seen):
    seen(man(), woman())
    (text,) = check(man(), woman(), read=read)
    assert "do not lie on the people of the video" in text
    assert said in text


def test_keypoints_on_their_people_pass_without_a_word(seen):
    rng = np.random.default_rng(1)
    seen(man(), woman())
    assert check(man(), woman()) == []
    assert check(man(), woman(), read=lambda points: points + rng.normal(0, 0.03 * 180, points.shape)) == []
    # One chosen person, somebody whom MoveNet does not see, left and right exchanged: not a matter of the picture.
    assert check(woman()) == []
    assert check(man(), woman(), read=lambda points: points[:, MIRROR]) == []
    seen(man())
    assert check(man(), woman()) == []
    assert check(woman()) == []


def test_without_people_nothing_is_said(seen):
    seen()
    assert check(man(), read=lambda points: 1.15 * points) == []
    assert check_on_video([], Path("clip.mp4"), SIZE) == []


@pytest.mark.slow
def test_the_clip_of_a_file_asks_the_video():
    """MoveNet itself, on the demo clip."""
    for scale, warned in ((1.0, False), (1.15, True)):
        frames = {
            row: [Observation(np.nan_to_num(scale * pose[:, :2]), np.nan_to_num(pose[:, 2]))]
            for row, pose in enumerate(man())
            if pose[:, 2].any()
        }
        clip = KeypointClip(KeypointFile(Path("man.json"), "coco", COCO17, frames), video=demo_video())
        for _ in clip.people():
            pass
        found = [str(caution) for caution in clip.warnings if "do not lie on" in str(caution)]
        assert len(found) == warned
        assert all("multiplied by 0.87: they are of a picture of about 110" in text for text in found)


@pytest.mark.slow
def test_tracks_ask_the_video_too():
    pose = man()
    times = np.arange(len(pose)) / 30
    track = Keypoints2D(0.87 * pose[..., :2], pose[..., 2], times, COCO17, SIZE, 1)
    clip = TrackClip([track], demo_video())
    for _ in clip.people():
        pass
    assert ["multiplied by 1.15" in str(caution) for caution in clip.warnings] == [True]
    with pytest.raises(InputError, match="the tracks say 640 x 360; give the video"):
        TrackClip([replace(track, image_size=(640, 360))], demo_video())
