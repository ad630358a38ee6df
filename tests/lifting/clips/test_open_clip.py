from functools import partial

import pytest

from poselift.core.errors import InputError
from poselift.detection import build_detector
from poselift.finding import VideoClip
from poselift.keypoints import KeypointClip
from poselift.keypoints.in_memory import TrackClip
from poselift.lifting.clips.open_clip import open_clip
from poselift.lifting.request import DetectionRequest
from poselift.samples import demo_video
from tests.kinematics.conftest import pose


def no_detector():
    raise AssertionError("keypoints need no detector")


def test_a_video_needs_the_detector_and_keypoints_do_not():
    wanted = DetectionRequest(start=1.0, end=2.0)
    clip = open_clip(demo_video(), None, wanted, partial(build_detector, "movenet-fast"))
    assert (type(clip), clip.span) == (VideoClip, (1.0, 2.0))
    track = pose(frames=4).keypoints
    clip = open_clip(None, track, wanted, no_detector)
    assert type(clip) is TrackClip
    with pytest.raises(InputError, match="there is nothing to lift; give a video, or keypoints"):
        open_clip(None, None, wanted, no_detector)


def test_keypoints_in_a_file_take_the_span_and_the_size(tmp_path):
    path = tmp_path / "a_000000000000_keypoints.json"
    people = [{"person_id": [-1], "pose_keypoints_2d": [100.0, 200.0, 0.9] * 25}]
    path.write_text('{"version": 1.3, "people": ' + str(people).replace("'", '"') + "}")
    clip = open_clip(None, tmp_path, DetectionRequest(end=5.0, fps=25.0), no_detector, image_size=(640, 480))
    assert isinstance(clip, KeypointClip)
    assert (clip.fps, clip.image_size, clip.span[1]) == (25.0, (640, 480), 5.0)
