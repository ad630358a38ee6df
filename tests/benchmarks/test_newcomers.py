import pytest

from benchmarks import newcomers


@pytest.mark.slow
def test_newcomers_are_found(short_demo, table):
    size = ["--people", "2", "--height", "80", "--clips", "1", "--size", "640x360"]
    newcomers.main([*size, "--qualities", "fast"])
    _, (quality, number, found, *_) = table()
    assert (quality, number) == ("fast", "2")
    assert float(found) > 0
