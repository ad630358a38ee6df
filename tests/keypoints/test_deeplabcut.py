"""The files in `files` were written by pandas 3.1.1 and PyTables 3.11.1 as DeepLabCut writes its own: `to_csv`, and
`to_hdf` with the key "df_with_missing" in the layouts "table" and "fixed". Of n columns, that with number c has in row
r the value 100 + (r n + c) / 4; the likelihood of joint k is 0.5 + k / 1000."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.keypoints import read_keypoints
from poselift.skeleton import COCO17

FILES = Path(__file__).parent / "files"
JOINTS = ["nose", "left_shoulder", "right_shoulder", "left_hip", "right_hip", "left_knee", "right_knee"]


@pytest.fixture
def unpacked(tmp_path):
    def unpack(name):
        if name.endswith(".csv"):
            return FILES / name
        path = tmp_path / name.removesuffix(".gz")
        path.write_bytes(gzip.decompress((FILES / name).read_bytes()))
        return path

    return unpack


def expected(row, joint, columns, first=0):
    """x, y and likelihood that the file has for a joint."""
    k = first + 3 * joint
    x, y = (100 + (row * columns + k + axis) / 4 for axis in (0, 1))
    return x, y, 0.5 + k / 3 / 1000


@pytest.mark.parametrize(
    "name", ["deeplabcut_single.csv", "deeplabcut_single_table.h5.gz", "deeplabcut_single_fixed.h5.gz"]
)
def test_one_individual(unpacked, name):
    file = read_keypoints(unpacked(name))
    assert (file.format, file.skeleton, sorted(file.frames), file.people) == (
        "deeplabcut",
        COCO17,
        [0, 1, 2, 3],
        {"1": 1},
    )
    for row in range(4):
        (observation,) = file.frames[row]
        for place, joint in enumerate(JOINTS):
            x, y, likelihood = expected(row, place, 24)
            at = COCO17.index(joint)
            np.testing.assert_array_equal(observation.points[at], [x, y])
            assert observation.scores[at] == pytest.approx(likelihood)
        assert observation.seen.sum() == len(JOINTS), "joints that the file lacks, and its tail, are not there"


@pytest.mark.parametrize("name", ["deeplabcut_multi.csv", "deeplabcut_multi_table.h5.gz"])
def test_several_individuals(unpacked, name):
    file = read_keypoints(unpacked(name))
    assert file.people == {"anna": 1, "ben": 2}
    assert [len(file.frames[row]) for row in (0, 1, 2)] == [2, 1, 2], "ben is NaN in row 1"
    anna, ben = file.frames[2]
    at = COCO17.index("right_knee")
    np.testing.assert_array_equal(anna.points[at], expected(2, 6, 48)[:2])
    np.testing.assert_array_equal(ben.points[at], expected(2, 6, 48, first=24)[:2])


def test_labelled_data_has_no_likelihood(write):
    """New DeepLabCut names a picture in three columns."""
    joints = [*JOINTS, "tail"]
    lines = ["scorer,,," + ",".join(["me"] * 16)]
    lines.append("bodyparts,,," + ",".join(joint for joint in joints for _ in "xy"))
    lines.append("coords,,," + ",".join("xy" * 8))
    lines.append("labeled-data,clip,img0012.png," + ",".join(f"{n}" for n in range(16)))
    lines.append("labeled-data,clip,img0015.png," + ",".join(["", "", *(f"{n}" for n in range(14))]))
    file = read_keypoints(write("labels.csv", "\n".join(lines)))
    assert sorted(file.frames) == [12, 15]
    nose = COCO17.index("nose")
    np.testing.assert_array_equal(file.frames[12][0].points[nose], [0, 1])
    assert file.frames[12][0].scores[nose] == 1
    assert not file.frames[15][0].seen[nose]


def test_joints_of_no_name_in_the_order_of_a_set(write):
    lines = ["scorer" + ",me" * 51, "bodyparts" + "".join(f",p{n}" * 3 for n in range(17))]
    lines += ["coords" + ",x,y,likelihood" * 17, "0," + ",".join(str(n) for n in range(51))]
    path = write("points.csv", "\n".join(lines))
    with pytest.raises(InputError, match=r"are not those of a person.*--keypoint-set"):
        read_keypoints(path)
    np.testing.assert_array_equal(read_keypoints(path, COCO17).frames[0][0].points[2], [6, 7])


HEAD = "scorer,m,m,m\nbodyparts,nose,nose,nose\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEAD + "coords,x,y,likelihood\n0,1,2,0.5\n1,1,2\n", "line 5 has 3 cells, the header 4"),
        (HEAD + "coords,x,y,likelihood\n0,1,abc,0.5\n", "line 4: a cell is not a number"),
        (HEAD + "coords,x,y,likelihood\n0,1,2,1\n0,1,2,1\n", "rows have no distinct frame numbers"),
        (HEAD + "coords,x,y,x\n0,1,2,1\n", "it has two columns of nose x; give the table of one scorer"),
    ],
)
def test_broken_tables(write, text, message):
    path = write("clip.csv", text)
    with pytest.raises(InputError, match=message) as raised:
        read_keypoints(path)
    assert str(path) in str(raised.value)
