"""The page of `poselift web` as people use it, in headless Chromium."""

import base64
import io
import shutil
import zipfile

import av
import numpy as np
import pygltflib
import pytest

from benchmarks.clips import demo
from benchmarks.warped_clips import Move, Warp
from benchmarks.web import LIKE_THE_PAGE, distances, kept_bytes, lift_in_page, page_models, reload_site
from poselift.camera_path.found_camera import find_camera
from poselift.camera_path.still_view import see_still
from poselift.cli.main import main
from poselift.core.errors import InputError
from poselift.geometry import matrix_to_quaternion, project
from poselift.lifting import camera_for, lift
from poselift.models import load_weights
from poselift.recordings import read_motion, read_sidecar
from poselift.recordings.camera_json import cameras_from_json
from poselift.skeleton import H36M17
from poselift.video import Frame, VideoReader, VideoWriter
from tests.camera_path.scenes import angle

pytestmark = pytest.mark.slow

_REACH_OF_HANDS = """
import("/app.js").then(({session}) => session.content().people.flatMap(({fingers, joints, names, hand_scores}) =>
  [...hand_scores ?? []].map((score, i) => {
    const name = i % 2 ? "right_wrist" : "left_wrist", tip = 3 * (21 * i + 12);
    const wrist = 3 * (names.length * (i >> 1) + names.indexOf(name));
    return score > 0 ? Math.hypot(...[0, 1, 2].map((axis) => fingers[tip + axis] - joints[wrist + axis])) : 0;
  })))
"""
"""Metres from the wrist to the middle finger's tip, of each hand in each frame; 0 where none is seen."""


def test_the_demo_clip_is_that_of_the_command(opened, site, video, tmp_path):
    """Its first 1.5 seconds; `python -m benchmarks.web --compare` takes all of it."""
    page, clip = opened(site), video("clip.mp4", "libx264", 45)
    assert page("crossOriginIsolated"), "the service worker adds the headers"
    page("document.getElementById('hands').click()")
    people, seconds = lift_in_page(page.browser, clip)
    stages = {"load", "decode", "pixels", "search", "look", "lookAgain", "lookAtHands", "camera", "lift", "angles"}
    assert set(seconds) == stages
    assert kept_bytes(page.browser) < 60e6
    seen = [far for far in page(_REACH_OF_HANDS) if far > 0]
    assert len(seen) >= 5
    assert all(far < 0.25 for far in seen)
    with page_models(hands=True):
        main(["lift", str(clip), *LIKE_THE_PAGE, "--no-render", "--quiet", "--out", str(tmp_path / "lifted")])
    found = distances(people, tmp_path / "lifted")
    assert len(found) == len(people) == 2
    for joints, root in found.values():
        assert len(joints) == len(root) == 45
        assert np.percentile(joints, 95) < 2
        assert np.percentile(root, 95) < 2


_MOVING = """
import("/app.js").then(async ({session}) => {
  const {moving, people} = session, shown = session.content(), [{files}] = shown.people;
  const numbers = (values) => [...values].map((value) => Number.isNaN(value) ? null : value);
  const base64 = (bytes) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return {
    R: moving.R.map(numbers), t: moving.t, world: shown.world, pixels: numbers(shown.people[0].pixels),
    people: people.map(({placed}) => ({joints: numbers(placed.joints), root: numbers(placed.root)})),
    zip: base64(await session.corrected([])), glb: base64(await files.glb()),
  };
})
"""
"""What the page finds of a camera that moves: its pose, everybody in the world and in the pictures, and files."""


def test_a_camera_that_pans_is_that_of_the_command(opened, site, tmp_path):
    """The demo clip's first 1.2 seconds, panned by 8 degrees: the camera, and people as a still one sees them."""
    lens, path = camera_for((960, 540)), tmp_path / "panned.mp4"
    frames = [Frame(image, time, number) for number, (image, time) in enumerate(demo()[:36])]
    warp = Warp(Move(lambda share: (0.0, 8 * share, 0.0)), lens, frames[-1].timestamp)
    with VideoWriter(path, 960, 540) as writer:
        for frame in frames:
            writer.write(warp.picture(frame).image, frame.timestamp)
    page = opened(site)
    lift_in_page(page.browser, path, angles=False)
    found = page(_MOVING)
    with page_models():
        main(["lift", str(path), *LIKE_THE_PAGE, "--no-render", "--quiet", "--out", str(tmp_path / "lifted")])
    tracks = [read_motion(each).keypoints for each in sorted((tmp_path / "lifted").glob("person_*.npz"))]
    camera = find_camera(lambda: VideoReader(path), (0.0, frames[-1].timestamp), tracks, lens)
    assert camera.path is not None
    assert page.text("note") == f"{camera.describe().capitalize()}."
    R, t = np.reshape(found["R"], (-1, 3, 3)), np.reshape(found["t"], (-1, 3))
    assert angle(camera.path.R[0].T @ camera.path.R, R[0].T @ R).max() < 0.05
    # Both in the frame of the first picture's camera.
    placed = []
    for person in found["people"]:
        root, joints = (np.array(person[name], float).reshape(len(R), -1, 3) for name in ("root", "joints"))
        placed.append(((root[:, 0] - t) @ R[0], joints @ R[0]))
    assert len(placed) == len(tracks) == 2
    for track in tracks:
        view = see_still(track, camera.path, lens)
        motion = lift(view.keypoints, load_weights("small"), view.camera).restrict(H36M17)
        wanted = motion.root @ camera.path.R[0], motion.joints @ camera.path.R[0]
        root, joints = min(placed, key=lambda each: np.linalg.norm(each[0] - wanted[0], axis=-1).mean())
        assert np.percentile(np.linalg.norm(joints - wanted[1], axis=-1), 95) < 2e-3
        assert np.percentile(np.linalg.norm(root - wanted[0], axis=-1), 95) < 5e-3
    lowest = min((root @ R[0].T + t)[:, 1].min() + (joints @ R[0].T)[..., 1].min() for root, joints in placed)
    assert -0.3 < lowest < 0.2, "the lowest feet are on the ground"
    _check_files(found, tmp_path)


def _check_files(found, folder):
    """The zip of corrections is a result in the world that poselift reads, and the GLB has the same camera."""
    with zipfile.ZipFile(io.BytesIO(base64.b64decode(found["zip"]))) as corrected:
        corrected.extractall(folder / "corrected")
    first = folder / "corrected" / "person_1.npz"
    saved, (seen,) = read_motion(first), cameras_from_json(read_sidecar(first.with_suffix(".json")), first)
    R, count = np.reshape(found["R"], (-1, 3, 3)), len(saved)
    assert saved.frame == "world"
    assert found["world"]
    np.testing.assert_allclose(seen.R, R, atol=1e-9)
    np.testing.assert_allclose(np.load(first)["camera_R"], R, atol=1e-9)
    pixels = np.array(found["pixels"], float).reshape(count, -1, 2) - 0.5
    there = saved.joints + saved.root[:, None]
    own = np.einsum("tyx,tjy->tjx", seen.R, there - seen.t[:, None])
    np.testing.assert_allclose(project(own, np.broadcast_to(seen.K, (count, 3, 3))), pixels, atol=0.02)
    used = saved.keypoints.scores[:, 5] > 0.5  # the left shoulder
    joint, seen_at = saved.skeleton.joints.index("left_shoulder"), saved.keypoints.keypoints[:, 5]
    assert np.linalg.norm(pixels[used, joint] - seen_at[used], axis=-1).max() < 25
    (folder / "person.glb").write_bytes(base64.b64decode(found["glb"]))
    file = pygltflib.GLTF2().load(str(folder / "person.glb"))
    (node,) = [node for node in file.nodes if node.camera is not None]
    turned = matrix_to_quaternion(R[0] @ np.diag([1.0, -1.0, -1.0]))[[1, 2, 3, 0]]
    assert abs(np.dot(node.rotation, turned)) == pytest.approx(1, abs=1e-6)
    assert file.cameras[0].perspective.yfov == pytest.approx(2 * np.arctan(540 / 2 / seen.K[1, 1]), rel=1e-6)


def test_it_works_without_a_network_the_second_time_and_saves(opened, site, video, tmp_path):
    folder = tmp_path / "site"
    shutil.copytree(site, folder)
    page = opened(folder)
    clip = video("clip.webm", "libvpx", 12)
    first, _ = lift_in_page(page.browser, clip, angles=False)
    shutil.rmtree(folder)  # the server finds nothing any more
    reload_site(page.browser)
    again, _ = lift_in_page(page.browser, clip)
    np.testing.assert_array_equal(first[0].joints, again[0].joints)
    page(
        "globalThis.saved = {}; HTMLAnchorElement.prototype.click = function () { saved[this.download] = this.href; };"
        "document.querySelectorAll('#saving button').forEach((button) => button.click())"
    )
    endings = ["csv", "json", "trc", "angles.csv", "bvh", "glb"]
    page.browser.wait(f"Object.keys(saved).length === {len(endings)}")
    assert set(page("Object.keys(saved)")) == {f"person_1.{ending}" for ending in endings}
    assert page("document.querySelectorAll('#people > span').length") == len(again)


def test_without_webcodecs_and_threads_it_seeks_and_says_so(opened, site, video, tmp_path):
    folder = tmp_path / "site"
    shutil.copytree(site, folder)
    for name, missing in (("worker.js", "self.VideoDecoder"), ("app.js", "Navigator.prototype.serviceWorker")):
        path = folder / name
        path.write_text(f"delete {missing};\n{path.read_text('utf-8')}", "utf-8")
    page = opened(folder)
    people, _ = lift_in_page(page.browser, video("clip.mov", "libx264", 9), angles=False)
    assert "with one thread. More threads need this page from an https:// address" in page.text("machine")
    assert len(people[0].times) == 5  # 15 pictures a second
    assert people[0].joints.shape[1:] == (17, 3)


def test_what_cannot_be_lifted_gets_a_clear_word(opened, site, tmp_path):
    page = opened(site)
    page("localStorage.setItem('poselift.unfinished.1', 'walk.mp4')")
    reload_site(page.browser)
    assert "The page was closed while walk.mp4 was lifted" in page.text("problem")
    (tmp_path / "broken.mp4").write_bytes(b"\0" * 50_000)
    with pytest.raises(InputError, match=r"broken\.mp4 cannot be played by this browser"):
        lift_in_page(page.browser, tmp_path / "broken.mp4")
    with VideoWriter(tmp_path / "empty.mp4", 640, 360) as writer:
        for frame in range(200):
            writer.write(np.full((360, 640, 3), 120, np.uint8), frame / 30)
    with pytest.raises(InputError, match=r"Nobody was found in the 200 frames of empty\.mp4"):
        lift_in_page(page.browser, tmp_path / "empty.mp4")
    assert "No WebGPU in this browser: runs on the processor" in page.text("machine")
    # A damaged video is shown up to the damage.
    with VideoWriter(tmp_path / "whole.mp4", 960, 540) as writer:
        for image, time in demo()[:18]:
            writer.write(image, time)
    content = (tmp_path / "whole.mp4").read_bytes()
    (tmp_path / "cut.mp4").write_bytes(content[: int(0.8 * len(content))])
    lift_in_page(page.browser, tmp_path / "cut.mp4", angles=False)
    assert "The video breaks off at 0." in page.text("note")


CAMERA = """
    const canvas = Object.assign(document.createElement("canvas"), {width: 320, height: 240});
    const pen = canvas.getContext("2d");
    globalThis.drawn = 0;
    setInterval(() => { pen.fillStyle = `hsl(${9 * drawn++} 80% 50%)`; pen.fillRect(0, 0, 320, 240); }, 33);
    navigator.mediaDevices.getUserMedia = async () => canvas.captureStream(30);
"""
"""A camera that shows changing colours."""


def test_a_recording_of_the_camera_can_be_saved(opened, site, tmp_path):
    page = opened(site)
    page(CAMERA)
    assert page("document.getElementById('keep').offsetHeight") == 0
    page("document.getElementById('record').click()")
    page.browser.wait("document.body.dataset.stage === 'camera'")
    page("document.getElementById('shoot').click()")
    assert page.text("shoot") == "Stop"
    page("globalThis.begun = drawn")
    page.browser.wait("drawn > begun + 45")
    page("document.getElementById('shoot').click()")
    # Nobody is in the picture; the recording stays, so that it can be saved all the same.
    page.browser.wait("['problem', 'keep'].every((name) => document.getElementById(name).offsetHeight > 0)")
    page(
        "globalThis.saved = null; URL.createObjectURL = (blob) => { saved = blob; return '#'; };"
        "HTMLAnchorElement.prototype.click = function () { globalThis.named = this.download; };"
        "document.getElementById('keep').click()"
    )
    content = page(
        "saved.arrayBuffer().then((bytes) =>"
        "btoa([...new Uint8Array(bytes)].map((byte) => String.fromCharCode(byte)).join('')))"
    )
    path = tmp_path / page("named")
    assert path.stem == "recording"
    path.write_bytes(base64.b64decode(content))
    with av.open(str(path)) as recording:
        pictures = [frame.to_ndarray(format="rgb24") for frame in recording.decode(video=0)]
    assert pictures[0].shape == (240, 320, 3)
    assert len(pictures) >= 10
    assert len({tuple((picture[120, 160] // 32).tolist()) for picture in pictures}) > 3
