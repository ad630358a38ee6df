import io

import pytest

from poselift.core import progress_text as progress


@pytest.fixture
def clock(monkeypatch):
    """A clock that a test sets."""
    now = [1000.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


class Terminal(io.StringIO):
    """A file that says that it is a terminal."""

    def isatty(self):
        return True


def test_a_line_a_minute_where_the_output_is_no_terminal(clock):
    out = progress.Output(io.StringIO())
    lines = progress.MinuteLines(out)
    for second in range(0, 601, 10):
        clock[0] = 1000.0 + second
        lines.report("Lifting [1/2] a long name that no line may be cut at", second / 1200)
    found = out.file.getvalue().splitlines()
    assert len(found) == 10
    assert found[0] == "Lifting [1/2] a long name that no line may be cut at: 5 % after 60 s, about 19 min left"
    assert found[-1] == "Lifting [1/2] a long name that no line may be cut at: 50 % after 10 min, about 10 min left"


@pytest.mark.parametrize("out", [progress.Output(Terminal()), progress.Output(io.StringIO(), quiet=True)])
def test_no_lines_beside_a_bar_or_in_a_quiet_process(clock, out):
    lines = progress.MinuteLines(out)
    clock[0] += 3600
    lines.report("Lifting", 0.5)
    assert out.file.getvalue() == ""


@pytest.mark.parametrize("total", [None, 4])
def test_items_are_tracked(clock, total):
    out = progress.Output(io.StringIO())
    items = [1, 2, 3, 4] if total is None else iter([1, 2, 3, 4])
    found = []
    for item in progress.track(items, "Converting", out, total=total):
        found.append(item)
        clock[0] += 90
    assert found == [1, 2, 3, 4]
    lines = [line for line in out.file.getvalue().splitlines() if " after " in line]
    assert lines == [
        f"Converting: {share} % after {since}"
        for share, since in (
            (25, "2 min, about 4 min left"),
            (50, "3 min, about 3 min left"),
            (75, "4 min, about 2 min left"),
        )
    ]


def test_a_terminal_shows_a_bar_and_lines_above_it():
    out = progress.Output(Terminal())
    for item in progress.track(["a [1/2].mp4", "b.mp4"], "Converting", out):
        out.print(f"failed: {item}")
    shown = out.file.getvalue()
    assert "failed: a [1/2].mp4\n" in shown
    assert "Converting" in shown
    assert "100%" in shown


def test_stages_have_a_bar_each():
    out = progress.Output(Terminal())
    with progress.stage_progress(out) as report:
        for stage in ("Finding people", "Lifting"):
            report(stage, 0.25)
            report(stage, 1.0)
    last = out.file.getvalue().rpartition("Lifting")[2]
    assert "100%" in last
    assert out.file.getvalue().count("Finding people") > 1
