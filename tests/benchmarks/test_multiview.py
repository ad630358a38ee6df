"""The benchmark of several virtual cameras: a row where all takes are refused."""

from argparse import Namespace
from types import SimpleNamespace

from benchmarks import multiview
from poselift.core.errors import InputError


def test_takes_that_are_all_refused_make_a_row(monkeypatch, capsys):
    def refuse(*_):
        raise InputError("nobody is shared")

    monkeypatch.setattr(multiview, "load_cmu", lambda *_, **__: None)
    monkeypatch.setattr(
        multiview, "make_scenes", lambda *_, **__: [SimpleNamespace(name="01_01", subject="01", views=[])]
    )
    monkeypatch.setattr(multiview, "measured", refuse)
    options = Namespace(
        cameras=[2], children=None, corpus="none.npz", people=1, seconds=2.0, clocks=False, seed=0, every=1,
        height=False, lens="guessed",
    )  # fmt: skip
    (row,) = multiview._rows(options, None)
    assert len(row) == len(multiview.COLUMNS)
    assert row[0] == "2"
    assert row[multiview.COLUMNS.index("refused")] == "1"
    assert set(row[1:14]) == {"-"}
    assert "01_01, 2 cameras: nobody is shared" in capsys.readouterr().out
