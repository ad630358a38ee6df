import json

import h5py
import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.keypoints import read_keypoints
from poselift.skeleton import COCO17


@pytest.fixture
def points(body):
    """Two people in five frames; (tracks, frames, nodes, 3)."""
    found = np.array([[body(17, 10 * track + frame) for frame in range(5)] for track in range(2)])
    found[1, 3] = np.nan
    return found


def analysis(path, points, dims=None, names=COCO17.joints, tracks=("ann", "bob")):
    """An analysis file with the axes of SLEAP, or others that it names."""
    axes = dims or ["track", "xy", "node", "frame"]
    order = [("track", "frame", "node", "xy").index(axis) for axis in axes]
    with h5py.File(path, "w") as file:
        file["tracks"] = points[..., :2].transpose(order)
        file["point_scores"] = points[..., 2].transpose([place for place in order if place < 3])
        file["node_names"] = np.array(names, "S")
        file["track_names"] = np.array(tracks, "S")
        file["track_occupancy"] = np.ones((5, 2), np.uint8)
        if dims:
            file["tracks"].attrs["dims"] = json.dumps(dims)
            file["point_scores"].attrs["dims"] = json.dumps([axis for axis in dims if axis != "xy"])
    return path


@pytest.mark.parametrize("dims", [None, ["frame", "track", "node", "xy"]], ids=["as SLEAP", "named axes"])
def test_points_and_scores_are_those_of_the_file(tmp_path, points, dims):
    file = read_keypoints(analysis(tmp_path / "a.analysis.h5", points, dims))
    assert (file.format, file.skeleton, file.people) == ("sleap", COCO17, {"ann": 1, "bob": 2})
    assert [len(there) for there in file.frames.values()] == [2, 2, 2, 1, 2]
    np.testing.assert_array_equal(file.frames[4][1].points, points[1, 4, :, :2])
    np.testing.assert_array_equal(file.frames[4][0].scores, points[0, 4, :, 2])


def test_one_animal_without_tracks(tmp_path, points):
    file = read_keypoints(analysis(tmp_path / "a.h5", points[:1], tracks=()))
    assert file.people == {"1": 1}


def test_broken_files(tmp_path, points):
    with pytest.raises(InputError, match="its joints ear, tail are not those of a person"):
        read_keypoints(analysis(tmp_path / "a.h5", points[:, :, :2], names=("ear", "tail")))
    path = analysis(tmp_path / "b.h5", points, names=COCO17.joints[:9])
    with pytest.raises(InputError, match=r"points have the shape \(5, 2, 17, 2\).* names 2 people and 9 joints"):
        read_keypoints(path)
    for values, said in ((points[:, 0], r"the shape \(2, 17, 3\) and the axes"), (points.astype("S"), "object, not")):
        path = analysis(tmp_path / "d.h5", points)
        with h5py.File(path, "a") as file:
            del file["tracks"]
            file["tracks"] = values
        with pytest.raises(InputError, match=f"'tracks' (has|is) {said} .*export it again"):
            read_keypoints(path)
    path = analysis(tmp_path / "c.h5", points)
    with h5py.File(path, "a") as file:
        file["tracks"].attrs["dims"] = "no list"
    with pytest.raises(InputError, match=r"c\.h5: cannot be read as HDF5"):
        read_keypoints(path)
