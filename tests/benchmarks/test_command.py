import numpy as np
import pytest

from benchmarks.command import command_line, errors_shown, subject_mean, table_head, table_row
from poselift.core.errors import InputError


def test_subjects_count_alike_and_nan_does_not():
    assert subject_mean([("a", 1.0), ("a", 3.0), ("b", 6.0)]) == 4.0
    assert subject_mean([("a", np.nan), ("b", np.array([[6.0, np.nan]]))]) == 6.0
    assert subject_mean([("a", np.array([1.0, 1.0, 4.0])), ("b", 8.0)]) == 5.0
    assert np.isnan(subject_mean([("a", np.nan), ("b", np.array([]))]))


def test_a_table_is_markdown():
    assert table_head(["", "a", "b"]) == "|  | a | b |\n|---|---:|---:|"
    assert table_row(["x", "1", "2"]) == "| x | 1 | 2 |"


def test_an_error_is_one_line(capsys):
    with pytest.raises(SystemExit) as stopped, errors_shown(command_line("What it does.")):
        raise InputError("x.npz: no such file")
    assert stopped.value.code == 2
    assert capsys.readouterr().err.endswith("error: x.npz: no such file\n")
