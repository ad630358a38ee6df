import numpy as np
import pytest

from poselift.export.vrma import write_vrma
from tests.export.conftest import recording_of
from tests.export.test_character import moving
from tests.export.test_glb import Scene
from tests.kinematics.conftest import turn
from tests.kinematics.test_fingers import with_made_hands

pytest.importorskip("pygltflib")

_REQUIRED = {"hips", "spine", "head"} | {
    f"{side}{bone}"
    for side in ("left", "right")
    for bone in ("UpperArm", "LowerArm", "Hand", "UpperLeg", "LowerLeg", "Foot")
}
"""Bones that VRM 1.0 asks for."""


def test_the_extension_names_the_bones_and_only_hips_move(tmp_path):
    write_vrma(tmp_path / "a.vrma", recording_of([moving()]))
    scene = Scene(tmp_path / "a.vrma")
    assert scene.file.extensionsUsed == ["VRMC_vrm_animation"]
    about = scene.file.extensions["VRMC_vrm_animation"]
    assert about["specVersion"] == "1.0"
    bones = {name: entry["node"] for name, entry in about["humanoid"]["humanBones"].items()}
    assert set(bones) >= _REQUIRED
    assert all(scene.names[node] == name for name, node in bones.items())
    assert {channel.target.path for channel in scene.file.animations[0].channels} == {"translation", "rotation"}
    moves = [channel.target.node for channel in scene.file.animations[0].channels if channel.target.path != "rotation"]
    assert moves == [bones["hips"]]
    rest = scene.posed(None)
    assert rest[bones["hips"]][1, 3] == pytest.approx(0.955, abs=0.03)
    np.testing.assert_allclose(rest[bones["leftHand"]][1, 3], rest[bones["leftUpperArm"]][1, 3], atol=1e-6)
    assert scene.file.meshes == []


def test_hands_are_vrm_fingers(tmp_path):
    motion = with_made_hands(moving(), {"left": turn("x", 40.0), "right": turn("x", 0.0)})
    write_vrma(tmp_path / "a.vrma", recording_of([motion]))
    scene = Scene(tmp_path / "a.vrma")
    bones = scene.file.extensions["VRMC_vrm_animation"]["humanoid"]["humanBones"]
    parts = {"Thumb": ("Metacarpal", "Proximal", "Distal")}
    parts |= dict.fromkeys(("Index", "Middle", "Ring", "Little"), ("Proximal", "Intermediate", "Distal"))
    names = {f"{side}{name}{part}" for side in ("left", "right") for name, each in parts.items() for part in each}
    assert names <= set(bones)
    rest = scene.posed(None)
    # In VRM's T-pose, fingers are level and the thumb points ahead by 45 degrees.
    across = rest[bones["leftIndexDistal"]["node"]][:3, 3] - rest[bones["leftIndexProximal"]["node"]][:3, 3]
    np.testing.assert_allclose(across[1:], 0, atol=1e-6)
    thumb = rest[bones["leftThumbDistal"]["node"]][:3, 3] - rest[bones["leftThumbMetacarpal"]["node"]][:3, 3]
    np.testing.assert_allclose(thumb / np.linalg.norm(thumb), [0.5**0.5, 0, 0.5**0.5], atol=1e-6)
