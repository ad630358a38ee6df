from benchmarks import exports


def test_both_skeletons_are_timed(short_demo, table):
    exports.main(["--only", "trc", "--frames", "20"])
    _, (name, *cells) = table()
    assert name == "trc"
    assert len(cells) == 4
