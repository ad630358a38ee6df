"""Dark and heavily compressed pictures have warnings, also where scores stay high; cut ones tell the unsure share."""

import av
import numpy as np
import pytest

import poselift
from poselift.samples import demo_video

pytestmark = pytest.mark.slow


def write_copy(path, light=1.0, crf=18, end=1.0, rows=540):
    """The begin of the demo clip with less light, and a sensor's noise then, compressed, or without its lower rows."""
    random = np.random.default_rng(0)
    with av.open(str(demo_video())) as video, av.open(str(path), "w") as out:
        source = video.streams.video[0]
        options = {"preset": "ultrafast", "crf": str(crf)}
        stream = out.add_stream("libx264", rate=source.average_rate, options=options)
        stream.width, stream.height, stream.pix_fmt = source.width, rows, "yuv420p"
        stream.codec_context.time_base = source.time_base
        for given in video.decode(source):
            if given.time > end:
                break
            image = np.ascontiguousarray(given.to_ndarray(format="rgb24")[:rows])
            if light < 1:
                darker = image * light ** (1 / 2.2)
                image = (darker + random.normal(0, 2, image.shape)).clip(0, 255).astype(np.uint8)
            frame = av.VideoFrame.from_ndarray(image, format="rgb24")
            frame.pts, frame.time_base = given.pts, source.time_base
            out.mux(stream.encode(frame))
        out.mux(stream.encode(None))
    return path


@pytest.fixture(scope="module")
def clear(tmp_path_factory):
    found = poselift.lift(write_copy(tmp_path_factory.mktemp("clear") / "a.mp4"))
    assert not found.warnings
    return found


def same_person(motion, others):
    """The person of another recording who is at the same place in the picture, and the frames of both."""
    pairs = []
    for other in others:
        common = np.intersect1d(motion.timestamps.round(4), other.timestamps.round(4))
        rows = [np.isin(each.timestamps.round(4), common) for each in (motion, other)]
        places = [each.keypoints.keypoints[own] for each, own in zip((motion, other), rows, strict=True)]
        pairs.append((np.nanmedian(np.linalg.norm(places[0] - places[1], axis=-1)), rows, other))
    return min(pairs, key=lambda pair: pair[0])[1:]


@pytest.mark.parametrize(
    ("how", "told", "most_mm"),
    [
        ({"light": 1 / 32}, "people are in the dark in 100% of the pictures", 100),
        ({"crf": 38}, "the video is heavily compressed (quantizer 35 of 51", 60),
    ],
)
def test_what_is_wrong_is_told(how, told, most_mm, clear, tmp_path):
    """Distances from the motion of the clear pictures: 64 and 19, 35 and 24 mm. Where it begins, units' tests hold."""
    bad = poselift.lift(write_copy(tmp_path / "bad.mp4", **how))
    assert any(text.startswith(told) for text in bad.warnings), bad.warnings
    for motion in clear.people:
        (ours, theirs), other = same_person(motion, bad.people)
        apart = 1000 * np.linalg.norm(motion.joints[ours] - other.joints[theirs], axis=-1)
        assert np.nanmean(apart) < most_mm
        # The uncertainty holds 90 % of clear pictures' errors; it is not blind to bad ones.
        assert np.nanmean(other.uncertainty[theirs]) > 1.03 * np.nanmean(motion.uncertainty[ours])


def test_a_man_cut_at_the_hips_is_one_person_whose_legs_are_told(tmp_path):
    """The picture ends at the hips of the man; the woman, who is lower, is not in it."""
    (motion,) = (found := poselift.lift(write_copy(tmp_path / "cut.mp4", end=0.6, rows=146), weights="tiny")).people
    assert motion.keypoints.seen.all()
    assert any("% of the keypoints are unsure" in warning for warning in found.warnings)
    legs = motion.skeleton.indices(["left_ankle", "right_ankle"])
    arms = motion.skeleton.indices(["left_elbow", "right_elbow"])
    assert np.nanmean(motion.uncertainty[:, legs]) > 1.5 * np.nanmean(motion.uncertainty[:, arms])
