from benchmarks import joint_limits


def test_both_tables(short_demo, cmu_files, table):
    joint_limits.main(["--corpus", str(cmu_files[0]), "--split", "test"])
    rows = {row[0]: row[1:] for row in table()}
    assert {"sample, person 1", "sample, person 2", "CMU, test", "left_knee"} <= set(rows)
    assert all(float(cell) >= 0 for cell in rows["CMU, test"])
