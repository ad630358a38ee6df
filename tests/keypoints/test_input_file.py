import pytest

from poselift.core.errors import InputError
from poselift.keypoints import READERS, read_keypoints


@pytest.mark.parametrize("name", ["notes.txt", "data.json", "table.csv"])
def test_what_is_not_recognised_is_told_what_is(write, name):
    path = write(name, {"hello": 1})
    with pytest.raises(InputError, match=f"{name}: the format is unknown.*; supported are") as raised:
        read_keypoints(path)
    for reader in READERS.values():
        assert reader.WHAT in str(raised.value)


WHY = {
    "frame.json": ({"people": []}, "it is one frame of OpenPose; give its folder"),
    "pifpaf.json": ([{"frame": 1, "predictions": []}], "it is OpenPifPaf's JSON; write the predictions as a list"),
    "vitpose.json": (
        {"keypoints": [{"0": [[1.0, 2.0, 0.9]]}], "skeleton": {"0": "nose"}},
        "it is easy_ViTPose's JSON, whose points are y, x, score",
    ),
    "lines.json": (
        '{"frame": 1}\n{"frame": 2}\n',
        "cannot be read as JSON .*; write one list if it has an object a line",
    ),
    "sleap.csv": ("track,frame_idx,instance.score,nose.x\n", "it is SLEAP's analysis as CSV; export it as HDF5"),
    "poses.pkl": ("", "it is a Python pickle, which may run code; write JSON"),
    "clip.mp4": ("", "it is a video; give it without --keypoints, or as --video"),
}
"""Content by name, and what the message says."""


@pytest.mark.parametrize("name", WHY)
def test_what_is_easily_told_is_said(write, tmp_path, name):
    content, message = WHY[name]
    path = tmp_path / name
    path.mkdir() if content is None else write(name, content)
    with pytest.raises(InputError, match=message):
        read_keypoints(path)
