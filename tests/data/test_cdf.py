import contextlib
import random
import struct

import pytest

from poselift.core.errors import InputError
from poselift.data.h36m_cdf import read_cdf
from tests.data.formats.h36m import write_h36m_cdf

GDR = 8 + 312
"""Where the second record begins: behind the first 8 bytes and the CDR."""
BILLION = struct.pack(">i", 10**9)


@pytest.fixture(scope="module")
def cdf(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cdf")
    write_h36m_cdf(folder, 3)
    return next(folder.rglob("Directions.cdf"))


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr("poselift.core.apart._PATIENCE", 3.0)


def damage(cdf, folder, at, value):
    content = bytearray(cdf.read_bytes())
    content[at : at + len(value)] = value
    (folder / "a.cdf").write_bytes(content)
    return folder / "a.cdf"


def variable(cdf):
    return struct.unpack_from(">q", cdf.read_bytes(), GDR + 20)[0]


@pytest.mark.slow
@pytest.mark.parametrize("at", [44, 56])
def test_counts_over_which_a_reader_loops_for_hours(cdf, tmp_path, at, impatient):
    read_cdf(cdf)  # so that the reader has started
    with pytest.raises(InputError, match=r"a.cdf cannot be read as a CDF .*\(it is not read within 3 s\)"):
        read_cdf(damage(cdf, tmp_path, GDR + at, BILLION))


@pytest.mark.parametrize("at", [24, 344])
def test_counts_of_a_variable(cdf, tmp_path, at):
    with pytest.raises(InputError, match=r"a.cdf cannot be read as a CDF"):
        read_cdf(damage(cdf, tmp_path, variable(cdf) + at, BILLION))


def test_a_list_of_values_that_names_itself(cdf, tmp_path):
    index = struct.unpack_from(">q", cdf.read_bytes(), variable(cdf) + 28)[0]
    with pytest.raises(InputError, match="nests too deeply"):
        read_cdf(damage(cdf, tmp_path, index + 12, struct.pack(">q", index)))


@pytest.mark.slow
def test_other_damage(cdf, tmp_path, impatient):
    draw = random.Random(0)
    for _ in range(30):
        content = bytearray(cdf.read_bytes())
        at = draw.randrange(len(content) - 4)
        content[at : at + draw.choice((1, 4))] = draw.choice((b"\xff" * 4, b"\x7f\xff\xff\xff", b"", b"\x01"))
        (tmp_path / "a.cdf").write_bytes(content)
        with contextlib.suppress(InputError):
            read_cdf(tmp_path / "a.cdf")
