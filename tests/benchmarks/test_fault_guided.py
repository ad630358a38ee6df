import importlib.util

import pytest

from benchmarks import fault_guided

PRINTING = "import sys; print('[2, 1, \"KeyError\"]'); print('[{0}, 2, \"\"]'); sys.exit({1})"


def test_lost_tries_and_dead_processes_are_counted(tmp_path, monkeypatch):
    monkeypatch.setattr(fault_guided, "_WORK", PRINTING.format(5, 0))
    row = fault_guided.row("any", 5, 0, tmp_path)
    assert row == ("any", 5, 4, 1, "2: KeyError")
    monkeypatch.setattr(fault_guided, "_WORK", PRINTING.format(2, 77))
    row = fault_guided.row("any", 6, 0, tmp_path)
    assert row == ("any", 6, 2, 4, "2: KeyError; 3: the process ended with 77")


def test_without_atheris(monkeypatch, capsys):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(SystemExit):
        fault_guided.main([])
    assert "atheris is not installed; run: pip install atheris" in capsys.readouterr().err


@pytest.mark.slow
def test_a_parser_is_fuzzed(tmp_path, capsys):
    pytest.importorskip("atheris", reason="pip install atheris")
    lost = tmp_path / "lost"
    fault_guided.main(["--tries", "200", "--seed", "1", "--parsers", "training log: csv", "--lost", str(lost)])
    assert "| training log: csv | 200 | 200 | 0 |" in capsys.readouterr().out
    assert not list(lost.iterdir())
