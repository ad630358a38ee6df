import pytest

from benchmarks import page


@pytest.mark.slow
@pytest.mark.usefixtures("needs_chromium")
def test_sizes_and_times(short_demo, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(page, "_TIMES", 1)
    page.main(["--seconds", "0.3", "--out", str(tmp_path)])
    printed = capsys.readouterr().out
    assert "page.html: 0." in printed
    assert "loading, 1 times: median " in printed
