import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.keypoints import KeypointClip, read_keypoints
from poselift.skeleton import HALPE26

NAMES = ["Hip", "RHip", "RKnee", "RAnkle", "LHip", "LKnee", "LAnkle", "Neck", "Head", "LBigToe", "RSmallToe"]
OURS = ["pelvis", "right_hip", "right_knee", "right_ankle", "left_hip", "left_knee", "left_ankle", "neck_base"]
OURS += ["head_top", "left_big_toe", "right_small_toe"]


def trc(rows, names=NAMES, times=None):
    """As Sports2D writes it: a cell of nothing behind the names, and units m although these are pixels."""
    times = [index / 25 for index in range(len(rows))] if times is None else times
    lines = [
        "PathFileType\t4\t(X/Y/Z)\tclip_px_person00.trc",
        "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames",
        f"25\t25\t{len(rows)}\t{len(names)}\tm\t25\t0\t{len(rows)}",
        "Frame#\tTime\t" + "\t\t\t".join(names) + "\t\t\t",
        "\t\t" + "\t".join(f"X{i + 1}\tY{i + 1}\tZ{i + 1}" for i in range(len(names))),
        *("\t".join([str(i), str(time), *row]) for i, (time, row) in enumerate(zip(times, rows, strict=True))),
    ]
    return "\n".join(lines) + "\n"


def cells(points):
    return [cell for x, y in points for cell in (str(x), str(y), "0.0")]


def test_points_times_and_names_are_those_of_the_file(write, body):
    points = [body(11, seed)[:, :2] for seed in range(3)]
    file = read_keypoints(write("clip_px_person00.trc", trc([cells(p) for p in points])))
    assert (file.format, file.skeleton, file.people) == ("trc", HALPE26, {"1": 1})
    assert file.timestamps == {0: 0.0, 1: 0.04, 2: 0.08}
    (observation,) = file.frames[2]
    np.testing.assert_array_equal(observation.points[HALPE26.indices(OURS)], points[2])
    assert observation.seen.sum() == 11
    np.testing.assert_array_equal(observation.scores[observation.seen], 1)


@pytest.mark.parametrize("missing", [("", "", ""), ("nan", "nan", "nan"), ("0.0", "0.0", "0.0")])
def test_gaps_are_empty_nan_or_zeros(write, body, missing):
    row = cells(body(11)[:, :2])
    row[6:9] = missing  # RKnee
    file = read_keypoints(write("a_px.trc", trc([row])))
    assert not file.frames[0][0].seen[HALPE26.index("right_knee")]
    assert file.frames[0][0].seen.sum() == 10


def test_a_folder_has_a_file_a_person(write, body):
    row = [cells(body(11, seed)[:, :2]) for seed in range(4)]
    write("out/clip_px_person00.trc", trc(row[:2]))
    write("out/clip_px_person01.trc", trc(row[2:], times=[0.04, 0.08]))
    folder = write("out/clip_m_person00.trc", trc([["0.1"] * 33])).parent
    file = read_keypoints(folder)
    assert file.people == {"1": 1, "2": 2}
    assert [[observation.person for observation in file.frames[number]] for number in (0, 1, 2)] == [
        ["1"],
        ["1", "2"],
        ["2"],
    ]
    clip = KeypointClip(file, image_size=(640, 480))
    assert clip.fps == pytest.approx(25)


def test_places_in_3d_are_refused(write):
    millimetres = np.random.default_rng(0).uniform(200, 1700, (11, 3))
    path = write("markers.trc", trc([[str(value) for value in millimetres.ravel()]]))
    with pytest.raises(InputError, match=r"markers\.trc: its markers have a z, so they are not pixels.*_px_"):
        read_keypoints(path)


def test_metres_are_refused(write):
    metres = np.random.default_rng(0).uniform(3, 4.8, (11, 2))
    file = read_keypoints(write("clip_m_person00.trc", trc([cells(metres)])))
    with pytest.raises(InputError, match=r"are not pixels.*_px_"):
        file.detections(file.fit((640, 480)))


GOOD = ["1.0", "2.0", "0.0"] * 11


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (trc([GOOD])[:-30], r"line 6: has \d+ cells, expected 35"),
        (trc([GOOD, GOOD], times=[0.1, 0.1]), "'Time' does not increase"),
        (trc([GOOD[:9]], names=["Tail", "Paw", "Ear"]), "joints Tail, Paw, Ear are not those of a person"),
    ],
)
def test_broken_files(write, text, message):
    with pytest.raises(InputError, match=message) as raised:
        read_keypoints(write("clip_px.trc", text))
    assert "clip_px.trc" in str(raised.value)
