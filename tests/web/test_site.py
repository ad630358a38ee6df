"""The page of `poselift web` as people use it, in headless Chromium."""

import base64
import shutil

import av
import numpy as np
import pytest

from benchmarks.clips import demo
from benchmarks.web import LIKE_THE_PAGE, distances, kept_bytes, lift_in_page, page_models, reload_site
from poselift.cli.main import main
from poselift.core.errors import InputError
from poselift.video import VideoWriter

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
    stages = {"load", "decode", "pixels", "search", "look", "lookAgain", "lookAtHands", "lift", "angles"}
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
