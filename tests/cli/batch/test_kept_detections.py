import math

import numpy as np
import pytest

from poselift.cli.batch.kept_detections import KeepingClip, KeptClip
from poselift.core.errors import InputError
from poselift.detection import build_detector
from poselift.finding import Clip
from poselift.lifting import lift_clip
from poselift.models import load_weights
from poselift.samples import demo_video


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """What lifting part of the demo clip as slow motion gives, and the file of its detections."""
    path = tmp_path_factory.mktemp("kept") / "keypoints.npz"
    span = {"start": 0.2, "end": 0.8, "fps": 60.0}
    clip = KeepingClip(demo_video(), build_detector("movenet-fast"), path, "abc", **span, mirrored=True)
    return clip, lift_clip(clip, load_weights("tiny")), path


@pytest.mark.slow
def test_lifting_again_gives_the_same_without_the_video(kept, tmp_path):
    clip, lifted, path = kept
    again = KeptClip(tmp_path / "gone.mp4", path)
    assert isinstance(again, Clip)
    facts = "image_size", "fps", "video_fps", "mirrored", "duration", "span", "fov", "detector_name"
    for name in (*facts, "detector_weights", "warnings"):
        assert getattr(again, name) == getattr(clip, name), name
    assert again.key == "abc"
    motions = lift_clip(again, load_weights("tiny")).people
    assert len(motions) == len(lifted.people) >= 1
    for one, other in zip(motions, lifted.people, strict=True):
        for name in ("joints", "root", "timestamps", "uncertainty", "interpolated"):
            assert getattr(one, name).tobytes() == getattr(other, name).tobytes(), name
        assert one.keypoints.keypoints.tobytes() == other.keypoints.keypoints.tobytes()


@pytest.mark.slow
def test_the_frames_are_those_of_the_span(kept):
    _, lifted, path = kept
    again = KeptClip(demo_video(), path)
    times = [frame.timestamp for frame in again.frames()]
    assert (len(times), times[0], times[-1]) == (lifted.clock.frames, *lifted.clock.span)


def test_nobody_and_no_detection(kept, tmp_path):
    """Frames without people, in which no detector ran, and a clip without anybody."""
    path = tmp_path / "keypoints.npz"
    detector = build_detector("movenet-fast")
    clip = KeepingClip(demo_video(), detector, path, "", quality="fast")
    blank = [frame for frame, _ in zip(clip.frames(), range(9), strict=False)]
    for frame in blank:
        frame.image[:] = 0
    clip.frames = lambda: iter(blank)
    looks = list(clip.people())
    again = KeptClip(demo_video(), path)
    assert [(None if people is None else len(people), time) for people, time in looks] == [
        (None if people is None else len(people), time) for people, time in again.people()
    ]
    assert {None, 0} == {None if people is None else len(people) for people, _ in looks}
    assert again.span == (0.0, math.inf)


@pytest.mark.parametrize("damage", ["cut", "shape", "key", "missing"])
def test_a_damaged_file(damage, kept, tmp_path):
    content = kept[2].read_bytes()
    path = tmp_path / "keypoints.npz"
    if damage == "cut":
        path.write_bytes(content[: len(content) // 2])
    elif damage != "missing":
        arrays = dict(np.load(kept[2]))
        arrays["people"] = arrays["people"] + 1
        if damage == "key":
            arrays["facts"] = np.array("{}")
        np.savez(path, **arrays)
    with pytest.raises(InputError, match=r"keypoints\.npz: not readable as kept detections"):
        KeptClip(demo_video(), path)
