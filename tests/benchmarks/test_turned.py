import pytest

from benchmarks import turned


@pytest.mark.slow
def test_a_row_for_each_angle(short_demo, short_clip, table):
    """By calls alone, as the page has it."""
    turned.main([str(short_clip), "--qualities", "--every", "4", "--frames", "5", "--angles", "0", "90", "--spin", "0"])
    head, upright, side = table()
    assert head == ["turned", "call, %", "call, % left and right"]
    assert [upright[0], side[0]] == ["0", "90"]
    assert float(upright[1]) > 50
