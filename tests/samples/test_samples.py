from pathlib import Path

import poselift.samples
from poselift.samples import demo_video
from poselift.video import VideoReader


def test_the_demo_video_is_what_its_readme_says():
    reader = VideoReader(demo_video())
    frames = list(reader)
    assert (reader.info.width, reader.info.height, len(frames)) == (960, 540, 120)
    assert [frame.timestamp for frame in frames] == [n / 30 for n in range(120)]
    assert reader.warnings == []


def test_it_is_small_and_its_licence_lies_beside_it():
    assert demo_video().stat().st_size < 500_000
    licence = Path(poselift.samples.__file__).with_name("two_people.LICENSE.txt").read_text(encoding="utf-8")
    assert "BSD 3-Clause" in licence
    assert "perfanalytics" in licence
