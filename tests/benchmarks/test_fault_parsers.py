import pytest

from benchmarks import fault_inputs, fault_parsers
from benchmarks.fault_datasets import DATASETS
from benchmarks.fault_parsers import Row, rows
from poselift.core.errors import InputError


@pytest.mark.slow
def test_nothing_is_lost():
    """Damaged files of every dataset end in a result or in an error of one line; more tries by hand."""
    found = list(rows(3, 3, ["keypoints: alphapose", "data: pickle", *DATASETS]))
    assert [row for row in found if row.lost] == []


def _breaks(path):
    text = path.read_bytes()
    if text != b"whole":
        raise {0: InputError, 1: KeyError}[len(text) % 2]("no")


@pytest.mark.parametrize("read", [_breaks, lambda path: path.read_bytes() == b"whole" or fault_parsers.os._exit(6)])
def test_what_is_lost_is_counted_with_its_reason(monkeypatch, read):
    parser = fault_inputs.Parser(
        lambda path: [path.write_bytes(b"whole"), path][1], read, lambda data, rng: b"x" * rng.choice((2, 3))
    )
    monkeypatch.setitem(fault_parsers.PARSERS, "made up", parser)
    (row,) = rows(6, 0, ["made up"])
    assert isinstance(row, Row)
    assert row.tries == row.survived + row.lost == 6
    assert row.lost > 0
    assert "KeyError: 'no'" in row.note or "the process ended with 6" in row.note
