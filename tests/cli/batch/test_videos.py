import re
from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from poselift.cli.batch.videos import find_videos, take_shard
from poselift.cli.lift_request import CommandRequest
from poselift.core.errors import InputError
from poselift.lifting import LiftOptions


@pytest.fixture
def request_for_all():
    return CommandRequest(fov=60.0, world=True)


@pytest.fixture
def source(tmp_path):
    for name in ("b.MP4", "a/walk.mov", "a/b/walk.mov", "notes.txt", ".hidden/c.mp4", "a/.d.mp4", "out/e.mp4"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")
    return tmp_path


def names(videos):
    return [video.name for video in videos]


def test_a_folder(source, request_for_all):
    videos = find_videos(str(source), str(source / "out"), request_for_all)
    assert names(videos) == ["a/b/walk.mov", "a/walk.mov", "b.MP4"]
    assert all(re.fullmatch(r"(walk|b)-[0-9a-f]{12}", video.folder) for video in videos)
    assert len({video.folder for video in videos}) == 3
    assert [video.path for video in videos] == [str(source / name) for name in names(videos)]
    assert names(take_shard(videos, (2, 2))) == ["a/walk.mov"]


def test_a_link_is_followed_to_a_file_only(source, request_for_all):
    (source / "link.mp4").symlink_to(source / "b.MP4")
    (source / "a" / "loop").symlink_to(source)
    assert names(find_videos(str(source), "out", request_for_all))[-1] == "out/e.mp4"
    assert "link.mp4" in names(find_videos(str(source), "out", request_for_all))


def test_a_glob(source, request_for_all):
    assert names(find_videos(f"{source}/a/*.mov", "out", request_for_all)) == ["walk.mov"]
    assert names(find_videos(f"{source}/**/walk.*", "out", request_for_all)) == ["a/b/walk.mov", "a/walk.mov"]


@pytest.mark.parametrize(
    ("given", "message"),
    [("gone", "no such folder"), ("b.MP4", "use poselift lift"), ("*.avi", "no video"), ("a/.x", "no such folder")],
)
def test_sources_without_videos(given, message, source, request_for_all):
    with pytest.raises(InputError, match=message):
        find_videos(f"{source}/{given}", "out", request_for_all)


def test_a_row_may_turn_off_what_is_on_for_all(source):
    text = "path,world,no-flip,no-constant-bones\na/walk.mov,no,false,0\nb.MP4,,,\n"
    request = replace(CommandRequest(world=True), options=LiftOptions(flip=False, constant_bones=False))
    first, second = find_videos(manifest(source, text), "out", request)
    assert first.request == CommandRequest()
    assert second.request == request


def manifest(source, text, name="list.csv"):
    (source / name).write_text(text)
    return str(source / name)


def test_a_manifest(source, request_for_all):
    text = (
        "path,start,end,person,height,intrinsics,world,formats\n"
        'a/walk.mov,1.5,2,"1,3",1:1.8,"500,500,320,240",no,"trc, bvh"\n'
        "a/walk.mov,,,,,,,\n"
        f"{source}/b.MP4,,,,1.7,,TRUE,\n"
        "gone.mp4,,,,,,,\n"
    )
    first, second, third, gone = find_videos(manifest(source, text), "out", request_for_all)
    assert (first.request.detection.start, first.request.detection.end, first.request.people) == (1.5, 2.0, (1, 3))
    assert (first.request.height, first.request.intrinsics) == ({1: 1.8}, (500.0, 500.0, 320.0, 240.0))
    assert (first.request.fov, first.request.world) == (None, False), "of the row, not of all"
    assert (second.request.fov, second.request.world, second.request.detection.start) == (60.0, True, None)
    assert (first.request.formats, second.request.formats) == (("trc", "bvh"), ())
    assert first.folder != second.folder, "two spans of one video"
    assert (third.name, third.request.height, third.request.world) == ("b.MP4", 1.7, True)
    assert gone.stamp is None


def test_a_manifest_in_parquet_means_the_same(source, request_for_all):
    rows = [
        {"path": "a/walk.mov", "start": 1.5, "person": [1, 3], "no_flip": True},
        {"path": "b.MP4", "start": None, "person": None, "no_flip": False},
    ]
    pq.write_table(pa.Table.from_pylist(rows), source / "list.parquet")
    first, second = find_videos(f"{source}/list.parquet", "out", request_for_all)
    assert (first.request.detection.start, first.request.people, first.request.options.flip) == (1.5, (1, 3), False)
    assert second.request == request_for_all
    csv = manifest(source, 'path,start,person,no-flip\na/walk.mov,1.5,"1,3",1\nb.MP4,,,0\n')
    assert [video.folder for video in find_videos(csv, "out", request_for_all)] == [first.folder, second.folder]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("path,fovv\na.mp4,3\n", "no column 'fovv'; did you mean 'fov'"),
        ("path,fov\na.mp4,wide\n", "line 2: argument --fov: 'wide' is not a number, such as 1.5"),
        ("path,height\na.mp4,182\n", "line 2: a height of 182 m is not a person's"),
        ("path,world\na.mp4,maybe\n", "world is 'maybe'; write true or false"),
        ("path\na.mp4\n./a.mp4\n", "a.mp4 is in it twice"),
        ('path\n"a.mp4\n', "not readable as CSV"),
        ("path,fov\na.mp4\n", "line 2: it has fewer cells"),
        ("path,formats\na.mp4,trx\n", "line 2: argument --formats: no format is called 'trx'"),
        ("path,start, start\na.mp4,1,2\n", "list.csv: the column 'start' is there twice"),
    ],
)
def test_bad_manifests(text, message, source, request_for_all):
    with pytest.raises(InputError, match=re.escape(message)):
        find_videos(manifest(source, text), "out", request_for_all)


def test_a_damaged_parquet_file(source, request_for_all):
    with pytest.raises(InputError, match="not readable as Parquet"):
        find_videos(manifest(source, "PAR1", "list.parquet"), "out", request_for_all)
    ends, text = (pa.py_buffer(content) for content in (b"\0\0\0\0\2\0\0\0", b"\xff\xfe"))
    pq.write_table(pa.table({"path": pa.StringArray.from_buffers(1, ends, text)}), source / "list.parquet")
    with pytest.raises(InputError, match=r"not readable as Parquet .*utf-8"):
        find_videos(f"{source}/list.parquet", "out", request_for_all)


@pytest.mark.parametrize("path", ["../../etc/passwd", "a" * 240 + ".mp4", "ü\x1b[31m\n.mp4"])
def test_no_name_leaves_the_folder_of_the_results(path, source, request_for_all):
    pq.write_table(pa.table({"path": [path]}), source / "list.parquet")
    [video] = find_videos(f"{source}/list.parquet", "out", request_for_all)
    assert re.fullmatch(r"[\w .()+,=@~-]+", video.folder)
    assert not video.folder.startswith(".")
    assert len(video.folder.encode()) < 200


def test_manifests_that_hide_or_declare_too_much(source, request_for_all, monkeypatch):
    pq.write_table(pa.table([["b.MP4"], ["1"], ["2"]], names=["path", "start", "start"]), source / "list.parquet")
    with pytest.raises(InputError, match=r"list.parquet: the column 'start' is there twice"):
        find_videos(str(source / "list.parquet"), "out", request_for_all)
    pq.write_table(pa.table({"path": ["b.MP4"] * 1000}), source / "list.parquet")
    monkeypatch.setattr("poselift.cli.batch.manifest._MOST_ROWS", 999)
    with pytest.raises(InputError, match=r"list.parquet: it declares more than can be read, 1000 rows"):
        find_videos(str(source / "list.parquet"), "out", request_for_all)
    monkeypatch.setattr("poselift.cli.batch.manifest.MOST_TEXT", 10)
    with pytest.raises(InputError, match=r"list.csv: it is too large to read \(\d+ bytes, at most 10\)"):
        find_videos(manifest(source, "path\nwalk.mp4\n"), "out", request_for_all)
