import cv2
import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.video import VideoReader, probe, source_opener
from poselift.video.pictures import find_pictures
from tests.video.conftest import numbered_picture
from tests.video.test_reader import number_of, times_of


def write(path, number=0, size=(96, 64)):
    path.parent.mkdir(exist_ok=True)
    cv2.imwrite(str(path), numbered_picture(number, *size)[..., ::-1])
    return path


@pytest.fixture
def folder(tmp_path):
    """Pictures 0 to 11, whose numbers are not padded: by letters, 10 comes before 2."""
    for number in range(12):
        write(tmp_path / "walk" / f"frame_{number}.png", number)
    return tmp_path / "walk"


def test_a_folder_is_read_in_natural_order(folder):
    reader = VideoReader(folder, fps=25)
    frames = list(reader)
    assert [number_of(frame.image) for frame in frames] == list(range(12))
    assert times_of(frames) == [number / 25 for number in range(12)]
    assert frames[0].image[5, 5].tolist() == [230, 20, 20]
    assert (reader.info.width, reader.info.height, reader.info.frames, reader.info.fps) == (96, 64, 12, 25)
    assert reader.info.duration == pytest.approx(12 / 25)
    assert reader.warnings == []


def test_without_a_rate_one_is_assumed_and_told(folder):
    reader = VideoReader(folder)
    assert times_of(reader)[1] == 1 / 30
    assert reader.warnings == ["pictures have no times: 30 a second are assumed; give their rate with --fps"]


def test_a_span_of_pictures(folder):
    frames = list(VideoReader(folder, 0.2, 0.3, fps=25))
    assert [number_of(frame.image) for frame in frames] == [5, 6, 7]
    assert [frame.index for frame in frames] == [0, 1, 2]
    assert times_of(frames) == [0.2, 0.24, 0.28]
    with pytest.raises(InputError, match=r"has no frame from 3 s on; it ends at 0.48 s"):
        VideoReader(folder, 3, fps=25)


def test_numbers_that_are_missing_are_missing_frames(folder):
    for number in (3, 4, 8):
        (folder / f"frame_{number}.png").unlink()
    reader = VideoReader(folder, fps=25)
    assert times_of(reader) == [number / 25 for number in (0, 1, 2, 5, 6, 7, 9, 10, 11)]
    assert reader.warnings == [
        "3 pictures are missing: the timestamps jump, as the numbers do from 2 to 5 and at 1 other place"
    ]


def test_every_tenth_frame_is_a_series_without_gaps(tmp_path):
    for number in range(100, 200, 10):
        write(tmp_path / f"{number:06d}.jpg", number // 10)
    assert find_pictures(tmp_path).places == list(range(10))
    assert not find_pictures(tmp_path).gap


def test_times_in_names_are_no_frame_numbers(tmp_path):
    for number, time in enumerate((1_000_000, 1_033_337, 1_066_671, 1_100_003)):
        write(tmp_path / f"{time}.png", number)
    assert list(find_pictures(tmp_path).places) == [0, 1, 2, 3]


def test_a_pattern_chooses_among_other_files(folder):
    for number in range(20):
        write(folder / f"depth_{number:04d}.png", 30)
    with pytest.raises(InputError, match=r"holds several series of pictures; .*depth_%d.png or .*frame_%d.png"):
        VideoReader(folder)
    frames = list(VideoReader(folder / "frame_%d.png", fps=25))
    assert [number_of(frame.image) for frame in frames] == list(range(12))
    assert len(list(VideoReader(folder / "depth_%04d.png", fps=25))) == 20
    for pattern, message in {
        "depth_%06d.png": r"no file in .* fits this pattern",
        "%d_%d.png": "has several numbers",
        "none/%d.png": "there is no such folder",
    }.items():
        with pytest.raises(InputError, match=message):
            VideoReader(folder / pattern)


def test_a_photo_is_a_video_of_one_frame(tmp_path):
    photo = write(tmp_path / "photo.JPG", 7)
    for fps in (None, 25):
        reader = VideoReader(photo, fps=fps)
        (frame,) = reader
        assert (frame.timestamp, number_of(frame.image)) == (0, 7)
        assert reader.warnings == []
    assert probe(photo).fps is None


def test_a_photo_is_upright(tmp_path):
    """A phone stores the sensor's picture and its turn, 6 for a quarter clockwise (Exif 2.32, 4.6.4, tag 274)."""
    turned = np.ascontiguousarray(np.rot90(numbered_picture(5, 96, 64)))
    content = cv2.imencode(".jpg", turned[..., ::-1])[1].tobytes()
    tiff = b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0"
    block = b"Exif\0\0" + tiff
    photo = tmp_path / "photo.jpg"
    photo.write_bytes(content[:2] + b"\xff\xe1" + (len(block) + 2).to_bytes(2, "big") + block + content[2:])
    (frame,) = VideoReader(photo)
    assert frame.image.shape == (64, 96, 3)
    assert frame.image[5, 5, 0] > 200 > frame.image[60, 5, 0]


def test_damaged_pictures_and_other_sizes_are_told(folder):
    (folder / "frame_4.png").write_bytes((folder / "frame_4.png").read_bytes()[:60])
    write(folder / "frame_6.png", 6, size=(192, 128))
    reader = VideoReader(folder, fps=25)
    frames = list(reader)
    assert [number_of(frame.image) for frame in frames] == [0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11]
    assert {frame.image.shape for frame in frames} == {(64, 96, 3)}
    assert times_of(frames)[4] == 5 / 25
    assert reader.warnings == [
        "1 picture is damaged and left out, such as frame_4.png; write them again",
        "the size of the pictures changes from 96 x 64 to 192 x 128; all are scaled to the first",
    ]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("photo.png", "no picture can be decoded"),
        ("photo.heic", "a kind that poselift does not read; save it as .jpg or .png"),
    ],
)
def test_a_photo_that_cannot_be_read(tmp_path, name, message):
    (tmp_path / name).write_bytes(b"nonsense")
    with pytest.raises(InputError, match=message):
        VideoReader(tmp_path / name)


def test_folders_that_are_no_series(tmp_path, make_video):
    with pytest.raises(InputError, match=r"is a folder without pictures; give one video, or a folder of"):
        VideoReader(tmp_path)
    make_video("clip.mp4", frames=2)
    write(tmp_path / "clip.png")
    with pytest.raises(InputError, match=r"holds pictures, such as clip.png, and videos, such as clip.mp4"):
        VideoReader(tmp_path)


def test_an_animation_stays_a_video(make_video):
    path = make_video("clip.png", frames=5, codec="apng", pix_fmt="rgb24", container_format="apng")
    assert find_pictures(path) is None
    assert len(list(VideoReader(path))) == 5


def test_hidden_files_do_not_count(folder):
    (folder / "._frame_1.png").write_bytes(b"made by macOS")
    assert len(find_pictures(folder).files) == 12


def test_pictures_are_a_source_of_live_pictures(folder):
    name, opener = source_opener(str(folder))
    source = opener()
    read = [(picture.seconds, number_of(picture.image())) for picture in source.pictures()]
    source.close()
    assert name == str(folder)
    assert (source.own_pace, source.image_size) == (True, (96, 64))
    assert read == [(number / 30, number) for number in range(12)]
