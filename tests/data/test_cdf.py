import contextlib
import random
import struct

import pytest

from poselift.core.errors import InputError
from poselift.data.cdf import check_counts
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


def test_the_counts_of_an_intact_file(cdf):
    check_counts(cdf)
    assert read_cdf(cdf).shape[1:] == (32, 3)


@pytest.mark.parametrize(("at", "what"), [(44, "variables"), (48, "variables"), (56, "dimensions"), (60, "variables")])
def test_counts_over_which_a_reader_would_loop_for_hours(cdf, tmp_path, at, what):
    content = bytearray(cdf.read_bytes())
    assert struct.unpack_from(">i", content, GDR + 8) == (2,), "type of the GDR"
    content[GDR + at : GDR + at + 4] = BILLION
    (tmp_path / "a.cdf").write_bytes(content)
    with pytest.raises(InputError, match=rf"a.cdf cannot be read as a CDF .*more {what}"):
        read_cdf(tmp_path / "a.cdf")


@pytest.mark.parametrize(("at", "what"), [(24, "values"), (64, "values"), (340, "dimensions"), (344, "values")])
def test_counts_of_a_variable(cdf, tmp_path, at, what):
    content = bytearray(cdf.read_bytes())
    variable = struct.unpack_from(">q", content, GDR + 20)[0]
    content[variable + at : variable + at + 4] = BILLION
    (tmp_path / "a.cdf").write_bytes(content)
    with pytest.raises(InputError, match=rf"more {what}"):
        read_cdf(tmp_path / "a.cdf")


def test_a_list_of_values_that_names_itself(cdf, tmp_path):
    content = bytearray(cdf.read_bytes())
    variable = struct.unpack_from(">q", content, GDR + 20)[0]
    index = struct.unpack_from(">q", content, variable + 28)[0]
    content[index + 12 : index + 20] = struct.pack(">q", index)
    (tmp_path / "a.cdf").write_bytes(content)
    with pytest.raises(InputError, match="more parts"):
        read_cdf(tmp_path / "a.cdf")


def test_other_damage(cdf, tmp_path):
    draw = random.Random(0)
    for _ in range(100):
        content = bytearray(cdf.read_bytes())
        at = draw.randrange(len(content) - 4)
        content[at : at + draw.choice((1, 4))] = draw.choice((b"\xff" * 4, b"\x7f\xff\xff\xff", b"", b"\x01"))
        (tmp_path / "a.cdf").write_bytes(content)
        with contextlib.suppress(InputError):
            read_cdf(tmp_path / "a.cdf")


def test_a_second_record_that_does_not_follow_the_first(cdf, tmp_path):
    """cdflib reads it there, whatever the first says, so that the numbers checked would not be the numbers used."""
    content = bytearray(cdf.read_bytes())
    content[8:16] = struct.pack(">q", 300)
    (tmp_path / "a.cdf").write_bytes(content)
    with pytest.raises(InputError, match="second record does not follow"):
        read_cdf(tmp_path / "a.cdf")
