import pytest

from benchmarks import fault_inputs, fault_parsers
from benchmarks.fault_parsers import Row, rows
from poselift.core.errors import InputError

QUICK = ["keypoints: alphapose", "data: pickle"]


def test_nothing_is_lost(table):
    fault_parsers.main(["--tries", "8", "--seed", "3", "--parsers", *QUICK])
    _, *found = table()
    assert [row[:4] for row in found] == [[name, "8", "8", "0"] for name in QUICK]


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
