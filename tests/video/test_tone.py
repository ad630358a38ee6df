"""HDR videos as phones record them: HLG, 10 bits, BT.2020."""

import av
import numpy as np
import pytest

import poselift
from poselift.samples import demo_video
from poselift.video import VideoReader

TO_BT2020 = np.array([[0.6274, 0.3293, 0.0433], [0.0691, 0.9195, 0.0114], [0.0164, 0.0880, 0.8956]], np.float32)
"""Of the primaries of BT.709 (ITU-R BT.2087)."""
LUMA = np.array([0.2627, 0.6780, 0.0593], np.float32)
SCREEN = (0.203 * (np.arange(256) / 255) ** 2.4).astype(np.float32)
"""Light of each value of a usual picture whose white is paper of 203 cd/m2 (ITU-R BT.2408), of 1000."""


def to_hlg(image):
    """The values of HLG, 0 to 1, of a usual picture (ITU-R BT.2100)."""
    screen = SCREEN[image] @ TO_BT2020.T
    scene = screen * np.maximum(screen @ LUMA, 1e-9)[..., None] ** (1 / 1.2 - 1)
    bright = 0.17883277 * np.log(np.maximum(12 * scene - 0.28466892, 1e-9)) + 0.55991073
    return np.where(scene <= 1 / 12, np.sqrt(3 * scene), bright)


def to_planes(values):
    """Brightness and both colours, 10 bits in the usual range, colours in half the resolution."""
    light = values @ LUMA
    planes = [64 + 876 * light]
    for channel, width in ((2, 1.8814), (0, 1.4746)):
        colour = 512 + 896 * (values[..., channel] - light) / width
        planes.append(colour.reshape(len(colour) // 2, 2, -1, 2).mean((1, 3)))
    return [plane.round().astype("<u2") for plane in planes]


def write_hlg(path, start=0.0, end=np.inf):
    """A part of the demo clip as an HLG video."""
    with av.open(str(demo_video())) as video, av.open(str(path), "w") as out:
        source = video.streams.video[0]
        stream = out.add_stream("libx264", rate=source.average_rate, options={"preset": "ultrafast", "crf": "16"})
        stream.width, stream.height, stream.pix_fmt = source.width, source.height, "yuv420p10le"
        context = stream.codec_context
        context.time_base = source.time_base
        context.color_trc, context.color_primaries, context.colorspace, context.color_range = 18, 9, 9, 1
        for given in video.decode(source):
            if not start <= given.time <= end:
                continue
            frame = av.VideoFrame(source.width, source.height, "yuv420p10le")
            for plane, values in zip(frame.planes, to_planes(to_hlg(given.to_ndarray(format="rgb24"))), strict=True):
                rows = np.zeros((plane.height, plane.line_size // 2), "<u2")
                rows[:, : values.shape[1]] = values
                plane.update(rows.tobytes())
            frame.pts, frame.time_base = given.pts, source.time_base
            out.mux(stream.encode(frame))
        out.mux(stream.encode(None))
    return path


@pytest.mark.slow
def test_an_hlg_picture_looks_as_the_usual_one(tmp_path):
    """Without the conversion the mean difference is 21 of 255, with it 4: colours stay pale."""
    first, usual = (next(iter(VideoReader(path))).image for path in (write_hlg(tmp_path / "a.mp4", 0, 0), demo_video()))
    assert np.abs(first.astype(int) - usual).mean() < 6


@pytest.mark.slow
def test_a_jumper_in_shade_is_followed_through_an_hlg_video(tmp_path):
    """He was lost in his jump after 31 of 45 frames: MoveNet made up poses in the tree behind him."""
    found = poselift.lift(write_hlg(tmp_path / "a.mp4", 2.5), weights="tiny")
    assert [motion.keypoints.person for motion in found.people] == [1, 2]
    assert found.clock.frames == 45
    man = min(
        (motion.keypoints for motion in found.people), key=lambda keypoints: np.nanmean(keypoints.keypoints[..., 1])
    )
    assert len(man.keypoints) == 45
    assert man.seen.all()
    assert not any("is not recognised" in warning for warning in found.warnings)
    # His feet stay on the edge of the roof; at its end he bends forward.
    ankles = man.keypoints[:, man.skeleton.indices(["left_ankle", "right_ankle"])]
    assert np.nanmedian(np.linalg.norm(ankles - (408, 238), axis=-1)[20:]) < 12
    heads = man.keypoints[:, man.skeleton.index("nose")]
    np.testing.assert_allclose(np.nanmedian(heads[36:42], axis=0), (468, 95), atol=12)
