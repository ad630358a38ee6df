from dataclasses import replace

import numpy as np
import pytest
import torch

from poselift.export.body_mesh import make_body_mesh
from poselift.export.glb import write_glb
from poselift.geometry import quaternion_to_matrix
from poselift.geometry.camera import Camera
from poselift.kinematics import solve
from poselift.skeleton import CMU28, H36M17
from poselift.skeleton.hand import SIDES
from tests.export.conftest import emptied, later, recording_of
from tests.kinematics.conftest import pose, turn
from tests.kinematics.test_fingers import with_made_hands

pytestmark = pytest.mark.many_calls

gltf = pytest.importorskip("pygltflib")
both_skeletons = pytest.mark.parametrize("skeleton", [CMU28, H36M17], ids=lambda skeleton: skeleton.name)

_DTYPES = {5126: np.float32, 5123: np.uint16, 5121: np.uint8}
_WIDTHS = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}


class Scene:
    """What a viewer shows of a GLB file, by the specification of glTF."""

    def __init__(self, path):
        self.file = gltf.GLTF2().load_binary(str(path))
        self.blob = self.file.binary_blob()
        self.names = [node.name for node in self.file.nodes]

    def data(self, index):
        accessor = self.file.accessors[index]
        view = self.file.bufferViews[accessor.bufferView]
        width = _WIDTHS[accessor.type]
        values = np.frombuffer(self.blob, _DTYPES[accessor.componentType], accessor.count * width, view.byteOffset)
        return values.reshape(accessor.count, width)

    def times(self):
        return self.data(self.file.animations[0].samplers[0].input)[:, 0]

    def channel(self, node, path):
        """Values of a node's channel; None without one."""
        (animation,) = self.file.animations
        for channel in animation.channels:
            if channel.target.node is not None and (self.names[channel.target.node], channel.target.path) == (
                node,
                path,
            ):
                return self.data(animation.samplers[channel.sampler].output)
        return None

    def posed(self, frame):
        """Transforms of all nodes at a key frame of the first animation; those at rest for None."""
        local = [[node.translation or [0, 0, 0], node.rotation or [0, 0, 0, 1]] for node in self.file.nodes]
        for channel in self.file.animations[0].channels if frame is not None else ():
            values = self.data(self.file.animations[0].samplers[channel.sampler].output)
            local[channel.target.node][channel.target.path == "rotation"] = values[frame]
        placed = {}

        def place(index, parent):
            (x, y, z, w), matrix = local[index][1], np.eye(4)
            matrix[:3, :3] = quaternion_to_matrix(torch.tensor([w, x, y, z], dtype=torch.float64)).numpy()
            matrix[:3, 3] = local[index][0]
            placed[index] = parent @ matrix
            for child in self.file.nodes[index].children or ():
                place(child, placed[index])

        for index in self.file.scenes[0].nodes:
            place(index, np.eye(4))
        return [placed[index] for index in range(len(self.names))]

    def skinned(self, frame, skin=0):
        """Vertices of a skin's mesh."""
        chosen, placed = self.file.skins[skin], self.posed(frame)
        inverse = self.data(chosen.inverseBindMatrices).reshape(-1, 4, 4).swapaxes(1, 2)
        turned = np.stack([placed[joint] @ bind for joint, bind in zip(chosen.joints, inverse, strict=True)])
        attributes = self.file.meshes[skin].primitives[0].attributes
        points = np.insert(self.data(attributes.POSITION), 3, 1, axis=1)
        weights, joints = self.data(attributes.WEIGHTS_0), self.data(attributes.JOINTS_0)
        return np.einsum("vk,vkab,vb->va", weights, turned[joints], points)[:, :3]


def walking(skeleton=CMU28, frames=40, **about):
    turns = {
        "left_knee": turn("x", np.linspace(0, 100, frames)),
        "right_shoulder": turn("z", np.linspace(0, 120, frames)),
        "pelvis": turn("y", np.linspace(0, 700, frames)),
    }
    root = np.stack([np.linspace(0, 2, frames), np.full(frames, 0.97), np.zeros(frames)], 1)
    return pose(turns, frames, skeleton, root=root, **about)


@pytest.mark.slow
@both_skeletons
def test_joints_are_where_the_rig_has_them(tmp_path, skeleton):
    motion = walking(skeleton)
    write_glb(tmp_path / "a.glb", recording_of([motion]))
    scene, rigged = Scene(tmp_path / "a.glb"), solve(motion)
    np.testing.assert_allclose(scene.times(), motion.timestamps, atol=1e-6)
    assert [scene.names[joint] for joint in scene.file.skins[0].joints] == list(rigged.rig.names)
    for frame in (0, 17, 39):
        placed = np.array([scene.posed(frame)[joint][:3, 3] for joint in scene.file.skins[0].joints])
        np.testing.assert_allclose(placed, rigged.positions()[frame], atol=1e-4)
    steps = np.diff(scene.channel("pelvis", "rotation"), axis=0)
    assert np.linalg.norm(steps, axis=1).max() < 0.3  # 18 degrees a frame, without a change of sign


@both_skeletons
def test_the_body_stands_on_the_floor_around_its_joints(tmp_path, skeleton):
    motion = pose({"left_knee": turn("x", np.linspace(0, 90, 10))}, 10, skeleton, root=np.tile([0.0, 0.97, 0], (10, 1)))
    write_glb(tmp_path / "a.glb", recording_of([motion]))
    scene = Scene(tmp_path / "a.glb")
    for frame in (None, 0, 9):
        points = scene.skinned(frame)
        assert abs(points[:, 1].min()) < 0.03
        if frame is None:
            continue
        assert points[:, 1].max() == pytest.approx(1.75, abs=0.02)  # the top of the head
        knee = scene.posed(frame)[scene.names.index("left_knee")][:3, 3]
        assert np.linalg.norm(points - knee, axis=1).min() < 0.08
    calf = scene.posed(9)[scene.names.index("left_ankle")][:3, 3]
    assert calf[2] < -0.3  # a bent knee takes the foot back, so the person faces +Z


def test_a_mesh_is_closed_and_faces_outward():
    mesh = make_body_mesh(solve(pose()).rig)
    edges = np.sort(np.concatenate([mesh.triangles[:, [0, 1]], mesh.triangles[:, [1, 2]], mesh.triangles[:, [2, 0]]]))
    assert (np.unique(edges, axis=0, return_counts=True)[1] == 2).all()
    a, b, c = mesh.points[mesh.triangles].swapaxes(0, 1)
    volume = (a * np.cross(b, c)).sum() / 6
    assert 0.04 < volume < 0.12  # cubic metres; parts overlap
    np.testing.assert_allclose(mesh.weights.sum(1), 1)
    assert ((mesh.weights[:, 1] > 0) | (mesh.segments[:, 1] == 0)).all()


def test_people_have_an_armature_each_and_keep_their_times(tmp_path):
    first, second = walking(frames=12), later(walking(frames=8), 3.0, person=2)
    write_glb(tmp_path / "a.glb", recording_of([first, second]))
    scene = Scene(tmp_path / "a.glb")
    assert [scene.names[skin.skeleton] for skin in scene.file.skins] == ["person_1", "person_2"]
    inputs = {sampler.input for sampler in scene.file.animations[0].samplers}
    starts = sorted((float(scene.data(index)[0, 0]), scene.file.accessors[index].min) for index in inputs)
    assert [start for start, _ in starts] == pytest.approx([0.0, 3.0])
    assert [low for _, (low,) in starts] == pytest.approx([0.0, 3.0])


def test_an_empty_frame_repeats_the_pose_before_it(tmp_path):
    write_glb(tmp_path / "a.glb", recording_of([emptied(walking(frames=10), [0, 4, 5])]))
    scene = Scene(tmp_path / "a.glb")
    place = scene.channel("pelvis", "translation")
    assert np.isfinite(place).all()
    np.testing.assert_array_equal(place[[0, 4, 5]], place[[1, 3, 3]])


@both_skeletons
def test_the_skin_of_fingers_is_around_the_joints_of_the_hands(skeleton, tmp_path):
    motion = with_made_hands(pose({"left_elbow": turn("y", -50.0)}, 3, skeleton), dict.fromkeys(SIDES, turn("x", 30.0)))
    write_glb(tmp_path / "a.glb", recording_of([motion]))
    points = Scene(tmp_path / "a.glb").skinned(1)
    joints, bones = motion.with_fingers()
    for joint in ("left_hand_index_tip", "right_hand_pinky_tip", "right_hand_thumb_ip"):
        place = joints[1, bones.index(joint)] + motion.root[1]
        assert 0.003 < np.linalg.norm(points - place, axis=1).min() < 0.012, joint


def test_spans_without_a_hand_are_in_the_extras(tmp_path):
    seen = np.ones((4, 2), bool)
    seen[2:, 1] = False
    motion = with_made_hands(pose(frames=4), dict.fromkeys(SIDES, turn("x", 0.0)), seen)
    write_glb(tmp_path / "a.glb", recording_of([motion]))
    extras = Scene(tmp_path / "a.glb").file.nodes[0].extras
    assert extras["unseen_s"] == {"right_fingers": [[0.0667, 0.1]]}


def test_a_camera_that_turns_and_zooms_is_animated(tmp_path):
    motion = replace(walking(frames=10), frame="world")
    angles = np.radians(np.linspace(0, 30, 5))
    zero, one = np.zeros(5), np.ones(5)
    # Level, along -Z, then turned to the left about Y.
    about_y = np.stack(
        [np.cos(angles), zero, np.sin(angles), zero, one, zero, -np.sin(angles), zero, np.cos(angles)], 1
    )
    R = about_y.reshape(5, 3, 3) @ np.diag([1.0, -1.0, -1.0])
    t = np.stack([np.linspace(0, 1, 5), 1.5 * one, 4 * one], 1)
    K = np.tile([[500.0, 0, 320], [0, 500, 240], [0, 0, 1]], (5, 1, 1))
    K[:, :2, :2] *= np.linspace(1, 1.4, 5)[:, None, None]
    camera = Camera(K, (640, 480), R=R, t=t, times=np.array([-0.1, 0.0, 0.1, 0.2, 0.3]))
    write_glb(tmp_path / "walk.glb", recording_of([motion], cameras=[camera]))
    scene = Scene(tmp_path / "walk.glb")
    (lens,) = scene.file.cameras
    assert lens.perspective.yfov == pytest.approx(2 * np.arctan(240 / (500 * 1.25)))
    assert lens.perspective.aspectRatio == pytest.approx(640 / 480)
    node = scene.file.nodes[scene.names.index("camera")]
    np.testing.assert_allclose(node.extras["focal_px"], K[1:, 1, 1])
    np.testing.assert_allclose(scene.channel("camera", "translation"), t[1:], atol=1e-6)
    # glTF has x, y, z, w; a camera looks along its -Z, with Y up.
    x, y, z, w = scene.channel("camera", "rotation").T
    turned = quaternion_to_matrix(torch.tensor(np.stack([w, x, y, z], 1), dtype=torch.float64)).numpy()
    np.testing.assert_allclose(turned, about_y.reshape(5, 3, 3)[1:], atol=1e-6)
    (animation,) = scene.file.animations
    zoom = animation.channels[-1]
    assert (zoom.target.node, zoom.target.path) == (None, "pointer")
    assert zoom.target.extensions == {"KHR_animation_pointer": {"pointer": "/cameras/0/perspective/yfov"}}
    assert scene.file.extensionsUsed == ["KHR_animation_pointer"]
    assert not scene.file.extensionsRequired
    yfov = scene.data(animation.samplers[zoom.sampler].output)[:, 0]
    np.testing.assert_allclose(yfov, 2 * np.arctan(240 / K[1:, 1, 1]), atol=1e-6)
    moved = [each for each in animation.channels if each.target.node is not None]
    times = {scene.names[each.target.node]: animation.samplers[each.sampler].input for each in moved}
    np.testing.assert_allclose(scene.data(times["camera"])[:, 0], [0, 0.1, 0.2, 0.3], atol=1e-6)
    write_glb(tmp_path / "still.glb", recording_of([motion], cameras=[Camera(K[0], (640, 480), R=R[0], t=t[0])]))
    assert not Scene(tmp_path / "still.glb").file.cameras
