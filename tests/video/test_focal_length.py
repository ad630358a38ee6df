import av
import cv2
import numpy as np
import pytest

from poselift.video import probe

KEY = "com.apple.quicktime.camera.focal_length.35mm_equivalent"


def write_with_metadata(path, **metadata):
    """A video of three pictures with metadata as a phone writes them."""
    with av.open(str(path), "w", options={"movflags": "use_metadata_tags"}) as container:
        container.metadata.update(metadata)
        track = container.add_stream("libx264", rate=30)
        track.width, track.height, track.pix_fmt = 64, 48, "yuv420p"
        for _ in range(3):
            container.mux(track.encode(av.VideoFrame.from_ndarray(np.zeros((48, 64, 3), np.uint8))))
        container.mux(track.encode(None))
    return path


@pytest.mark.parametrize(("text", "degrees"), [("26", 67.3), ("13.00mm", 106.2), ("77 mm", 25.3)])
def test_a_phone_s_focal_length(tmp_path, text, degrees):
    # 2 atan(34.6 / 2 / focal length): the wide, the ultra-wide and the long lens of a phone.
    path = write_with_metadata(tmp_path / "phone.mov", **{KEY: text})
    info = probe(path)
    assert (info.frames, info.fov) == (3, pytest.approx(degrees, abs=0.05))


@pytest.mark.parametrize("text", ["", "wide", "0", "-26", "9999", "nan"])
def test_no_number_of_a_lens_is_none(tmp_path, text):
    assert probe(write_with_metadata(tmp_path / "other.mov", **{KEY: text})).fov is None


def test_a_file_without_it(tmp_path):
    assert probe(write_with_metadata(tmp_path / "plain.mp4")).fov is None
    cv2.imwrite(str(tmp_path / "photo.png"), np.zeros((48, 64, 3), np.uint8))
    assert probe(tmp_path / "photo.png").fov is None
