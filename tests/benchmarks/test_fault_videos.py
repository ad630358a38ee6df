from benchmarks import fault_videos
from benchmarks.fault_videos import Read, _damaged, _unusable, read
from benchmarks.made_videos import CONTAINERS, make

WHOLE = Read(("a", "b", "c"))


class Here:
    """Reads in this process, which starts no other."""

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

    def read(self, path):
        return read(path)


def test_what_is_short_without_a_word_is_lost():
    copies = [WHOLE, Read(("a", "b")), Read(("a", "b"), ("told",)), Read(refused="no"), Read(failed="hang")]
    row = _damaged("cut", [*copies, Read(("a", "b", "x"))], WHOLE)
    assert (row.tries, row.survived, row.lost) == (6, 4, 2)
    assert "1 with a warning, 1 refused, 1 with other pictures and no warning; lost: 2 of 3 frames, hang" in row.note


def test_wrong_headers_and_files_without_frames(tmp_path):
    rows = list(_unusable(Here(), tmp_path))
    assert len(rows) == 8
    assert [row.fault for row in rows if row.lost] == []


def test_all_rows(monkeypatch, table):
    monkeypatch.setattr(fault_videos, "Patient", Here)
    monkeypatch.setattr(fault_videos, "_PLACES", 1)
    fault_videos.main(["--tries", "1"])
    _, *rows = table()
    assert rows[-1][0] == "flipped bits"
    assert [row[0] for row in rows if row[3] != "0"] == []


def test_a_sound_video_is_read(tmp_path):
    found = read(make(tmp_path, CONTAINERS[0]))
    assert (len(found.pictures), found.warnings, found.refused, found.failed) == (10, (), "", "")
