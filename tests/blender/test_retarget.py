import json
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

import poselift
from poselift.export.bvh import write_bvh
from poselift.export.character import make_character
from poselift.export.export_options import ExportOptions, Rigging
from poselift.export.glb import write_glb
from poselift.skeleton.hand import HAND21
from tests.blender.conftest import ADD_ON
from tests.export.conftest import recording_of
from tests.export.test_character import RIGS, moving, placed
from tests.kinematics.conftest import turn
from tests.kinematics.test_fingers import with_made_hands

pytestmark = pytest.mark.blender
_TO_BLENDER = np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])


@pytest.mark.parametrize(("kind", "form"), [("mixamo", "bvh"), ("mixamo", "glb"), ("rigify", "bvh")])
def test_limbs_point_as_in_the_motion(blender, tmp_path, kind, form):
    motion, path = moving(frames=8), tmp_path / f"walk.{form}"
    if form == "bvh":
        write_bvh(path, recording_of([motion]), ExportOptions(rigging=Rigging(kind)))
    else:
        write_glb(path, recording_of([motion]), ExportOptions(rigging=Rigging(kind)))
    script = Path(__file__).parents[2] / "benchmarks" / "reading" / "with_retarget.py"
    blender.script(script, kind, path, tmp_path / "out.json")
    note = json.loads((tmp_path / "out.json").read_text())["note"]
    assert float(note.split("at most ")[1].split()[0]) < 3
    assert int(note.split()[0]) >= 20
    assert (tmp_path / "out.png").stat().st_size > 1000


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["mixamo", "rigify"])
def test_feet_that_stand_in_the_motion_stand_on_the_character(kind, blender, shared, tmp_path):
    """A made walker with locked feet, as docs/characters.md has it. Both characters have other legs and feet."""
    walk, script = shared / "cases" / "world" / "sw_walk_s_ok.json", "benchmarks/reading/with_retarget.py"
    seen = {"image_size": (1280, 720), "fps": 30.0, "world": True, "skeleton": "cmu28"}
    recording = poselift.lift(keypoints=walk, **seen)
    write_bvh(tmp_path / "walk.bvh", recording, ExportOptions(rigging=Rigging(kind, lock_feet=True)))
    blender.script(Path(__file__).parents[2] / script, kind, tmp_path / "walk.bvh", tmp_path / "out.json")
    note = json.loads((tmp_path / "out.json").read_text())["note"]

    def number(pattern):
        return float(re.search(pattern.replace("#", r"(\d+\.?\d*)"), note)[1])

    assert number("slide by # cm/s on the mean") < 0.2
    assert number("on the mean, # at most") < 1
    assert number("in # steps of frames") > 200
    assert number("stand still in the motion go by at most # cm/s") < 1
    assert number("at most # degrees from one frame to the next") < 1.25 * number("next, # in the motion; knees")


def test_fingers_point_as_in_the_motion_on_a_character_of_another_rest_pose(blender, tmp_path):
    palms = {"left": turn("x", 40.0), "right": turn("y", -30.0)}
    motion = with_made_hands(moving(frames=4), palms)
    other = with_made_hands(moving(frames=4), palms)
    write_bvh(tmp_path / "motion.bvh", recording_of([motion]), ExportOptions(rigging=Rigging("mixamo")))
    write_glb(tmp_path / "character.glb", recording_of([other]), ExportOptions(rigging=Rigging("mixamo", "a")))
    script = ADD_ON / "poselift_blender" / "retarget.py"
    ran = blender.script(
        script, tmp_path / "motion.bvh", "--character", tmp_path / "character.glb", "--out", tmp_path / "out.glb"
    )
    assert "52 bones follow" in ran
    (back,) = blender("rest_pose.py", tmp_path / "out.glb")
    names, played = list(back["rest"]), np.array(back["motion"])
    for name, row, ends in (
        ("LeftHandIndex", 0, ("index_mcp", "index_pip", "index_dip")),
        ("RightHandPinky", 1, ("pinky_mcp", "pinky_pip", "pinky_dip")),
        ("LeftHandThumb", 0, ("thumb_cmc", "thumb_mcp", "thumb_ip")),
    ):
        places = [names.index(f"mixamorig:{name}{number}") for number in (1, 2, 3)]
        joints = motion.hands.joints[:, row, HAND21.indices(list(ends))] @ _TO_BLENDER
        for part in (0, 1):
            bone = played[-1, places[part + 1]] - played[-1, places[part]]
            expected = joints[-1, part + 1] - joints[-1, part]
            cosine = bone @ expected / np.linalg.norm(bone) / np.linalg.norm(expected)
            assert np.degrees(np.arccos(min(cosine, 1.0))) < 1.0, (name, part)


def test_blender_reads_every_rig_standing_and_facing_minus_y(blender, tmp_path):
    motion, files = moving(frames=4), []
    for rig in RIGS:
        files += [tmp_path / f"{rig}.bvh", tmp_path / f"{rig}.glb"]
        write_bvh(files[-2], recording_of([motion]), ExportOptions(rigging=Rigging(rig)))
        write_glb(files[-1], recording_of([motion]), ExportOptions(rigging=Rigging(rig)))
    for path, seen in zip(files, blender("rest_pose.py", *files), strict=True):
        figure = make_character(motion, Rigging(path.stem))
        rest = np.array([seen["rest"][name] for name in figure.names])
        np.testing.assert_allclose(rest, figure.rest @ _TO_BLENDER, atol=1e-4, err_msg=path.name)
        names = ("", *figure.names)
        assert [seen["parents"][name] for name in figure.names] == [names[parent + 1] for parent in figure.parents]
        hips, toes = (figure.slots.index(slot) for slot in ("hips", "left_toes"))
        assert rest[hips, 2] > 0.9
        assert rest[toes, 1] < rest[hips, 1] - 0.05
        order = [list(seen["rest"]).index(name) for name in figure.names]
        played = np.array(seen["motion"])[:, order]
        np.testing.assert_allclose(played, placed(figure) @ _TO_BLENDER, atol=2e-3, err_msg=path.name)


def test_the_script_writes_the_character_and_refuses_in_one_line(blender, tmp_path):
    write_bvh(tmp_path / "motion.bvh", recording_of([moving(frames=4)]), ExportOptions(rigging=Rigging("mixamo")))
    write_bvh(tmp_path / "other.bvh", recording_of([moving(frames=4)]), ExportOptions(rigging=Rigging("unreal")))
    write_glb(
        tmp_path / "character.glb", recording_of([moving(frames=1)]), ExportOptions(rigging=Rigging("mixamo", "a"))
    )

    def run(*arguments):
        script = ADD_ON / "poselift_blender" / "retarget.py"
        return subprocess.run([blender.python, script, *arguments], capture_output=True, text=True, cwd=tmp_path)

    for out in ("out.fbx", "out.glb", "out.blend"):
        ran = run("motion.bvh", "--character", "character.glb", "--out", out)
        assert ran.returncode == 0, ran.stderr
        assert "22 bones follow motion.bvh" in ran.stdout
        assert (tmp_path / out).stat().st_size > 10_000
    (back,) = blender("rest_pose.py", tmp_path / "out.glb")
    assert len(back["motion"]) >= 4
    for arguments, message in (
        (["other.bvh", "--character", "character.glb"], "bones of the same names; export with the --rig"),
        (["motion.bvh", "--character", "motion.txt"], "no such file: motion.txt; check the path"),
        (["motion.bvh", "--character", "out.blend"], "give a .bvh, .glb, .vrm or .fbx"),
        (["motion.bvh"], "0 armatures fit"),
    ):
        ran = run(*arguments, "--out", "new.blend")
        assert ran.returncode == 2
        assert message in ran.stderr.splitlines()[-1]


def test_fbx_in_one_command(blender, tmp_path):
    """The command of docs/characters.md."""
    page = (Path(__file__).parents[2] / "docs" / "characters.md").read_text()
    code = page.split('--python-expr "')[1].split('"')[0]
    write_bvh(tmp_path / "person_1.bvh", recording_of([moving(frames=4)]), ExportOptions(rigging=Rigging("mixamo")))
    ran = subprocess.run([blender.python, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    (back,) = blender("rest_pose.py", tmp_path / "person_1.fbx")
    assert "mixamorig:LeftArm" in back["rest"]
    assert back["rest"]["mixamorig:Hips"][2] == pytest.approx(0.955, abs=0.03)
