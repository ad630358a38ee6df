from poselift.viz.plots.body import place


def test_the_person_faces_the_viewer_upright():
    for part in ("hip", "knee", "ankle", "shoulder", "elbow", "wrist"):
        right, left = place(f"right_{part}"), place(f"left_{part}")
        assert right[0] < 0 < left[0]
        assert right[1] == left[1]
    heights = [place(joint)[1] for joint in ("right_ankle", "right_knee", "pelvis", "spine", "thorax", "head_top")]
    assert heights == sorted(heights)
