from benchmarks import quantized


def test_eight_bits_are_near_float32(short_clip, table):
    quantized.main([str(short_clip), "--frames", "1"])
    _, *rows = table()
    assert {row[0].split(",")[0] for row in rows} == {"movenet_multipose", "movenet_thunder"}
    people = [row for row in rows if int(row[4])]
    assert people
    assert all(0 < float(row[7]) < 10 for row in people)
