import pytest

from poselift.core.frame_numbers import frame_numbers

HASHES = ["2438340f3392ec56", "760828d1a970fad3", "e4c2445b0f2f0c97", "76d353c57cf26cdc", "99999999aaaa0001"]
"""Of pictures, as Roboflow and others add them to names."""


@pytest.mark.parametrize(
    "name",
    [
        "v2/img{n:04d}.jpg",
        "clip_{n:012d}_keypoints.json",
        "walk_mp4-{n:04d}_jpg.rf.{hash}.jpg",
        "{hash}-frame{n}-{hash}.png",
        "frame_{n:05d}_1280x720.png",
        "S01_take_{n}_of_5.jpg",
        "frame_{n:03d}_{ms}ms.png",
    ],
)
def test_it_is_the_number_that_runs_on(name):
    numbers = [4, 0, 2, 1, 3]
    names = [
        name.format(n=n, hash=hash_, ms=[0, 33, 66, 100, 133][n]) for n, hash_ in zip(numbers, HASHES, strict=True)
    ]
    assert frame_numbers(names) == numbers


@pytest.mark.parametrize(
    "names",
    [
        ["cover.png"],
        [f"{hash_}.png" for hash_ in HASHES],
        ["1_left.png", "1_right.png"],
        ["a/1.png", "b/1.png"],
        ["1_of_3.png", "2_of_2.png", "3_of_1.png"],
        [f"{10**18 + n}.png" for n in range(3)],
        [],
    ],
    ids=["none", "hashes", "sides", "folders", "both ways", "too long", "no name"],
)
def test_it_is_never_guessed(names):
    assert frame_numbers(names) is None


def test_the_only_picture_may_have_any_number():
    assert frame_numbers(["take3_0042.png"]) == [42]
