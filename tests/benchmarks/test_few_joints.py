import pytest

from benchmarks import few_joints


@pytest.mark.slow
def test_a_row_for_each_choice(files, table):
    few_joints.main([*files, "--step", "2"])
    head, *rows = table()
    assert head == ["seen", "within %", "error mm", "uncertainty mm"]
    assert [row[0] for row in rows] == list(few_joints.CHOICES)
    assert all(0 <= float(within) <= 100 and float(error) > 0 for _, within, error, _ in rows)
