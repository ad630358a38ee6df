from benchmarks import clips
from poselift.samples import demo_video
from poselift.video import VideoReader


def test_clips_are_made_once(tmp_path, capsys, monkeypatch):
    pictures = clips.demo()[:8]
    monkeypatch.setattr(clips, "demo", lambda: pictures)
    clips.main([str(tmp_path / "made"), "--clips", "two_people", "mirrored", "slowed"])
    made = [tmp_path / "made" / f"{name}.mp4" for name in ("mirrored", "slowed")]
    assert capsys.readouterr().out.split("\n") == [str(demo_video()), *map(str, made), ""]
    mirrored, slowed = ([(frame.image, frame.timestamp) for frame in VideoReader(path)] for path in made)
    for (image, time), (original, at) in zip(mirrored, pictures, strict=True):
        assert abs(image[:, ::-1].astype(float) - original).mean() < 5
        assert abs(time - at) < 1e-3
    assert abs(slowed[-1][1] - 2 * pictures[-1][1]) < 1e-3
    monkeypatch.setattr(clips, "demo", None)
    clips.main([str(tmp_path / "made"), "--clips", "mirrored"])
