import pytest

from poselift.skeleton import CMU28, COCO17, H36M17, SKELETONS, Skeleton, get_skeleton


@pytest.mark.parametrize("skeleton", SKELETONS.values(), ids=lambda s: s.name)
def test_every_skeleton_is_a_tree_with_two_sides(skeleton):
    assert skeleton.name.rstrip("b").endswith(str(len(skeleton)))
    assert sorted(skeleton.topological_order) == list(range(len(skeleton)))
    assert len(skeleton.bones) == len(skeleton) - 1, "one root"
    flip = skeleton.flip_indices
    assert [flip[flip[j]] for j in range(len(flip))] == list(range(len(flip)))
    for joint, other in zip(skeleton.joints, flip, strict=True):
        assert joint.startswith(("left_", "right_")) == (skeleton.joints[other] != joint)


@pytest.mark.parametrize("skeleton", SKELETONS.values(), ids=lambda s: s.name)
def test_the_mirrored_tree_is_the_same_tree(skeleton):
    swapped = {tuple(skeleton.joints[skeleton.flip_indices[j]] for j in bone) for bone in skeleton.bone_indices}
    chain_apart = {"coco17"}  # its ears hang from the eyes, which is symmetric too
    assert swapped == set(skeleton.bones) or skeleton.name in chain_apart


def test_official_orders():
    """Index by index as the sources number them."""
    assert COCO17.joints[5:7] == ("left_shoulder", "right_shoulder")
    assert COCO17.joints[15:] == ("left_ankle", "right_ankle")
    assert H36M17.joints[1] == "right_hip"
    assert H36M17.joints[14] == "right_shoulder"
    assert CMU28.joints[:17] == H36M17.joints
    assert get_skeleton("halpe26").joints[17:20] == ("head_top", "neck_base", "pelvis")
    assert get_skeleton("body25").joints[8] == "pelvis"
    assert get_skeleton("body25b").joints[8] == "right_elbow"
    assert get_skeleton("body25b").joints[17:20] == ("neck_base", "head_top", "left_big_toe")
    assert get_skeleton("coco18").joints[14:] == ("right_eye", "left_eye", "right_ear", "left_ear")
    assert get_skeleton("coco_wholebody23").joints[17:20] == ("left_big_toe", "left_small_toe", "left_heel")
    assert get_skeleton("crowdpose14").joints[12:] == ("head_top", "neck_base")
    assert get_skeleton("posetrack17").joints[:3] == ("nose", "neck_base", "head_top")
    assert get_skeleton("mpii16").joints[6:10] == ("pelvis", "thorax", "neck_base", "head_top")
    assert get_skeleton("smpl24").joints[15:18] == ("head", "left_shoulder", "right_shoulder")
    assert get_skeleton("totalcapture21").joints[7:9] == ("right_collar", "right_shoulder")
    assert get_skeleton("totalcapture21").joints[15:18] == ("right_hip", "right_knee", "right_ankle")
    assert get_skeleton("jta22").joints[2:5] == ("neck", "right_clavicle", "right_shoulder")
    assert get_skeleton("jta22").joints[10:12] == ("left_wrist", "gta_spine0")


def test_bad_skeletons_are_refused():
    with pytest.raises(ValueError, match="repeats"):
        Skeleton("x", ("a", "a"), (None, "a"))
    with pytest.raises(ValueError, match="parent"):
        Skeleton("x", ("a",), ("b",))
    with pytest.raises(ValueError, match="partner"):
        Skeleton("x", ("a", "left_b"), (None, "a"))
    with pytest.raises(ValueError, match="loop"):
        _ = Skeleton("x", ("a", "b"), ("b", "a")).topological_order
    with pytest.raises(ValueError, match="2 joints but 1 parents"):
        Skeleton("x", ("a", "b"), (None,))


def test_unknown_names_list_what_there_is():
    with pytest.raises(ValueError, match="h36m17"):
        get_skeleton("nonsense")
    with pytest.raises(ValueError, match="head_top"):
        H36M17.index("tail")


def test_a_branch_is_a_joint_with_all_that_hangs_on_it():
    branch = H36M17.branch(H36M17.index("left_hip"))
    assert [H36M17.joints[joint] for joint in branch] == ["left_hip", "left_knee", "left_ankle"]
