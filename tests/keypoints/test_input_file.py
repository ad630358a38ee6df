import pytest

from poselift.core.errors import InputError
from poselift.keypoints import READERS, read_keypoints
from poselift.keypoints.input_file import number_in


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("clip_000000000012_keypoints.json", 12),
        ("cam1_000007.json", 7),
        ("v2/img0042.jpg", 42),
        ("12.jpg", 12),
        ("take3/cover.png", None),
    ],
)
def test_the_number_of_a_frame_in_a_name(name, number):
    assert number_in(name) == number


@pytest.mark.parametrize("name", ["notes.txt", "data.json", "table.csv", "empty"])
def test_what_is_not_recognised_is_told_what_is(write, tmp_path, name):
    path = write(name, {"hello": 1}) if "." in name else tmp_path / name
    path.mkdir() if name == "empty" else None
    with pytest.raises(InputError, match=f"{name}: the format is unknown.*; supported are") as raised:
        read_keypoints(path)
    for reader in READERS.values():
        assert reader.WHAT in str(raised.value)


WHY = {
    "folder": (None, r"folder: the format is unknown \(there are no .json, .npz or .trc files in this folder\)"),
    "frame.json": ({"people": []}, "it is one frame of OpenPose; give its folder"),
    "nobody.json": ([], "there is nobody in it"),
}
"""Content by name, and what the message says."""


@pytest.mark.parametrize("name", WHY)
def test_what_is_easily_told_is_said(write, tmp_path, name):
    content, message = WHY[name]
    path = tmp_path / name
    path.mkdir() if content is None else write(name, content)
    with pytest.raises(InputError, match=message):
        read_keypoints(path)
