import re

import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.data.asf_amc import pose_bones, read_amc, read_asf
from poselift.data.cmu import load_cmu
from poselift.data.cmu_asf import HEEL
from poselift.skeleton import CMU28
from tests.data.formats.asf_amc import ARM, BONES, LEG, UNIT, moving_bones, pose, write_amc, write_asf


@pytest.fixture
def files(tmp_path):
    """An ASF and an AMC file of three frames; their paths and the angles."""
    angles = moving_bones(3)
    write_asf(tmp_path / "01.asf")
    write_amc(tmp_path / "01_01.amc", angles)
    return tmp_path / "01.asf", tmp_path / "01_01.amc", angles


def posed(asf, amc):
    """The end of each bone by name."""
    skeleton = read_asf(asf)
    ends, orientations = pose_bones(skeleton, read_amc(amc, skeleton))
    names = skeleton.tree.joints
    return {name: (ends[:, i].numpy(), orientations[:, i].numpy()) for i, name in enumerate(names)}


def test_every_bone_ends_and_turns_where_the_formats_text_says(files):
    asf, amc, angles = files
    found = posed(asf, amc)
    ends, turned = pose(angles)
    assert list(found) == ["root", *BONES]
    for name, (end, orientation) in found.items():
        np.testing.assert_allclose(end, ends[name], atol=1e-6, err_msg=name)
        np.testing.assert_allclose(orientation, turned[name].as_matrix().reshape(-1, 3, 3), atol=1e-6, err_msg=name)


def test_a_skeleton_at_rest(files):
    skeleton = read_asf(files[0])
    assert skeleton.metre == pytest.approx(0.056444, abs=1e-6), "as the database's page says"
    femur = skeleton.bones[skeleton.tree.index("lfemur")]
    assert femur.channels == ("rx", "ry", "rz")
    assert femur.vector.norm() == pytest.approx(0.42)
    c, s = np.cos(np.radians(20)), np.sin(np.radians(20))
    np.testing.assert_allclose(femur.axis, [[c, -s, 0], [s, c, 0], [0, 0, 1]], atol=1e-12)
    assert skeleton.bones[skeleton.tree.index("lhipjoint")].channels == ()
    assert skeleton.tree.parents[skeleton.tree.index("lthumb")] == "lwrist"


def test_the_first_letter_turns_first(tmp_path):
    """One bone along x, 1 unit long, by hand: 90 degrees about x leave it, then 90 about z make it point up."""
    asf = tmp_path / "a.asf"
    write_asf(asf, {"bone": ("root", (1.0, 0.0, 0.0), UNIT, (0, 0, 0), "rx rz")})
    write_amc(tmp_path / "a.amc", {"root": np.zeros((1, 6)), "bone": np.array([[90.0, 90.0]])})
    np.testing.assert_allclose(posed(asf, tmp_path / "a.amc")["bone"][0], [[0, UNIT, 0]], atol=1e-9)
    asf.write_text(asf.read_text().replace("dof rx rz", "dof rz rx"))
    np.testing.assert_allclose(posed(asf, tmp_path / "a.amc")["bone"][0], [[0, 0, UNIT]], atol=1e-9)


def test_the_order_of_axes(tmp_path):
    """A bone along x that turns by 90 degrees about its x axis, which `axis` has put elsewhere."""
    asf, amc = tmp_path / "a.asf", tmp_path / "a.amc"
    write_asf(asf, {"bone": ("root", (1.0, 0.0, 0.0), UNIT, (90, 0, 90), "rx")})
    write_amc(amc, {"root": np.zeros((1, 6)), "bone": np.array([[90.0]])})
    # x first, z then: the bone's x axis is the world's y.
    np.testing.assert_allclose(posed(asf, amc)["bone"][0], [[0, 0, -UNIT]], atol=1e-9)
    # z first, x then: it is the world's z. The angles stand in the order of their letters.
    asf.write_text(asf.read_text().replace("axis 90 0 90  XYZ", "axis 90 0 90  ZYX"))
    np.testing.assert_allclose(posed(asf, amc)["bone"][0], [[0, UNIT, 0]], atol=1e-9)


def test_the_roots_own_order_and_place(tmp_path):
    asf, amc = tmp_path / "a.asf", tmp_path / "a.amc"
    bones = {"bone": ("root", (1.0, 0.0, 0.0), UNIT, (0, 0, 0), "")}
    write_asf(asf, bones)
    asf.write_text(
        asf.read_text().replace("TX TY TZ RX RY RZ", "RZ RX TZ TX TY RY").replace("position 0", "position 5")
    )
    amc.write_text(":DEGREES\n1\nroot 90 90 3 1 2 0\n")
    found = posed(asf, amc)
    np.testing.assert_allclose(found["root"][0], [[6 * UNIT, 2 * UNIT, 3 * UNIT]], atol=1e-9)
    # x to y about z, then y to z about x.
    np.testing.assert_allclose(found["bone"][0] - found["root"][0], [[0, 0, UNIT]], atol=1e-9)


@pytest.mark.parametrize("where", ["asf", "amc"])
def test_radians(files, where):
    asf, amc, angles = files
    inside = {name: np.radians(values) for name, values in angles.items()}
    inside["root"] = np.concatenate([angles["root"][:, :3], np.radians(angles["root"][:, 3:])], 1)
    write_amc(amc, inside)
    if where == "amc":
        amc.write_text(amc.read_text().replace(":DEGREES", ":RADIANS"))
    else:
        amc.write_text(amc.read_text().replace(":DEGREES\n", ""))
        text = asf.read_text().replace("angle deg", "angle rad")
        for degrees in ("180", "90", "45", "30", "20"):
            text = re.sub(rf"(axis.*?\s-?){degrees}(?=\s)", rf"\g<1>{np.radians(float(degrees)):.12f}", text)
            text = re.sub(rf"(axis.*?\s-?){degrees}(?=\s)", rf"\g<1>{np.radians(float(degrees)):.12f}", text)
        asf.write_text(text)
    ends, _ = pose(angles)
    for name, (end, _) in posed(asf, amc).items():
        np.testing.assert_allclose(end, ends[name], atol=1e-5, err_msg=name)


@pytest.mark.slow
def test_limbs_of_the_real_corpus(shared, tmp_path):
    """The first frame of trial 01_01 as the database has it, against the joints of cmu50.npz.

    The rest pose of limbs is the same in all of the database's skeletons; their lengths are taken from the corpus.
    """
    corpus = load_cmu(shared / "data/cmu/cmu50.npz", "train")
    assert corpus.names[0] == "01_01"
    place = {joint: corpus.joints[0, CMU28.index(joint)].double().numpy() for joint in CMU28.joints}
    frame = """
        root 9.37216 17.8693 -17.3198 -2.01677 -7.59696 -3.23164
        lowerback 2.30193 -0.395121 1.17299
        upperback 0.0030495 -0.462657 2.70388
        thorax -1.27453 -0.231833 2.13151
        rclavicle 3.64024e-015 -6.75868e-015
        rhumerus -29.5133 -11.7797 -80.4307
        rradius 21.1829
        lclavicle 3.64024e-015 -6.75868e-015
        lhumerus 17.2039 -14.515 62.7889
        lradius 136.231
        rfemur -0.629535 4.65229 22.5467
        rtibia 26.4457
        rfoot -15.2124 -9.97437
        lfemur 4.00236 1.20472 -13.8412
        ltibia 20.088
        lfoot -16.1868 6.57726
    """
    rows = frame.strip().splitlines()
    bones = {name: BONES[name] for name in BONES if any(row.split()[0] == name for row in rows) or "hipj" in name}
    write_asf(tmp_path / "01.asf", bones)
    (tmp_path / "01_01.amc").write_text("\n".join([":DEGREES", "1", *rows]))
    found = posed(tmp_path / "01.asf", tmp_path / "01_01.amc")
    np.testing.assert_allclose(found["root"][0][0], corpus.root[0], atol=1e-5)
    for side, sign in (("left", 1), ("right", -1)):
        for bone, start, end, rest in (
            ("femur", "hip", "knee", LEG),
            ("tibia", "knee", "ankle", LEG),
            ("humerus", "shoulder", "elbow", ARM),
            ("radius", "elbow", "wrist", ARM),
        ):
            vector = place[f"{side}_{end}"] - place[f"{side}_{start}"]
            turned = found[side[0] + bone][1][0] @ (np.array(rest) * [sign, 1, 1])
            # The corpus is rounded to a tenth of a millimetre.
            np.testing.assert_allclose(turned * np.linalg.norm(vector), vector, atol=1.5e-4, err_msg=f"{side} {bone}")
        heel = place[f"{side}_heel"] - place[f"{side}_ankle"]
        np.testing.assert_allclose(found[f"{side[0]}foot"][1][0] @ HEEL, heel, atol=1.5e-4)


def rewritten(path, old, new):
    """The file with one place changed, and the number of that line."""
    text = path.read_text()
    assert old in text
    before, _, after = text.partition(old)
    path.write_text(before + new + after)
    return before.count("\n") + 1


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("length 0.45", "length 0", "expected a number above 0"),
        ("TX TY TZ RX RY RZ", "TX TY TZ RX RY L", "'order TX TY TZ RX RY L', expected tx, ty, tz, rx, ry, rz or some"),
        ("    ltibia lfoot", "    ltibia lfeet", "'lfeet' is not one"),
    ],
)
def test_malformed_skeletons_are_named_with_the_line(files, old, new, message):
    asf, *_ = files
    line = rewritten(asf, old, new)
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        read_asf(asf)
    assert str(caught.value).startswith(f"{asf}, line {line}: ")
