@pytest.mark.slow
def test_two_people_who_cross(table):
    crowd.main(["--crossings", "1"])
    _, row = table()
    quality, frames, front, behind, stolen, exchanged = row
    assert (quality, exchanged) == ("balanced", "0 of 1")
    assert int(frames) > 5
    assert float(front) > 60
    assert float(behind) > 20
    assert float(stolen) < 10
