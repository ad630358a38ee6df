import pytest

from benchmarks import pipeline


@pytest.mark.slow
def test_what_a_quality_costs(short_demo, table):
    pipeline.main(["--errors", "--clips", "two_people", "--qualities", "best", "fast", "--weights", "tiny"])
    _, fast, mirrored = table()
    assert [fast[:3], mirrored[:2]] == [["two_people", "fast", "2 of 2, 2 in all"], ["two_people", "best, mirrored"]]
    assert all(0 < float(row[3]) < 300 for row in (fast, mirrored)), "mm"
