"""Corrections by hand: edits and their undo, the frames that are listed first, and the page in headless Chromium."""

import base64
import io
import json
import shutil
import subprocess
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from poselift.cli.editable import track_for_page
from poselift.cli.main import main
from poselift.recordings import read_motion
from poselift.samples import demo_video
from tests.web.page_corrections import WEB, holds, lift_tracks, run_page
from tests.web.test_numbers import people

EDITS = """
import assert from "node:assert/strict";
import { History } from "./src/editor/edits.js";
const track = { person: 1, joints: ["nose", "left_hip", "right_hip"], times: Float64Array.of(0, .1, .2, .3),
  pixels: Float32Array.from({ length: 24 }, (_, k) => k), scores: new Float32Array(12).fill(.5), width: 9, height: 9 };
const row = (each) => [each.person, [...each.times], [...each.pixels], [...each.scores]];
const plain = ({ tracks, heights, fov }) => JSON.stringify([[...tracks.values()].map(row), heights, fov]);
const history = new History({ tracks: new Map([[1, track]]), heights: {} }), states = [plain(history.state)];
const split = { what: "split", person: 1, time: .2, other: 2 };
const edits = [
  { what: "move", person: 1, joint: "left_hip", time: .1, x: 70, y: 80 },
  { what: "hide", person: 1, joint: "nose", from: .1, to: .2 },
  { what: "swap", person: 1, from: .1, to: .1 },
  { what: "height", person: 1, metres: 1.8 },
  { what: "fov", degrees: 70 },
  split, { what: "join", person: 1, other: 2 }, split, { what: "delete", person: 2 },
];
for (const edit of edits) { history.add(edit); states.push(plain(history.state)); }
assert.equal(states[7], states[5]);  // joined again is as before
assert.equal(new Set(states).size, edits.length - 1);
const [, , pixels, scores] = JSON.parse(states[3])[0][0];
assert.deepEqual(pixels.slice(6, 12), [null, null, 10, 11, 70, 80]);
assert.deepEqual(scores.slice(3, 6), [0, .5, 1]);
assert.deepEqual(pixels.slice(18), [18, 19, 20, 21, 22, 23]);
for (let k = edits.length; k > 0; k--) { assert.equal(plain(history.state), states[k]); history.undo(); }
assert.equal(plain(history.state), states[0]);
history.undo();
for (let k = 1; k <= edits.length; k++) { history.redo(); assert.equal(plain(history.state), states[k]); }
assert.throws(() => history.add({ what: "hide", person: 1, joint: "tail", from: 0, to: 1 }), /no joint tail/);
assert.throws(() => history.add({ what: "swap", person: 1, from: 5, to: 6 }), /no frame from 5/);
assert.throws(() => history.add({ what: "delete", person: 9 }), /no person 9/);
assert.equal(history.done.length, edits.length);
// What cannot be lifted is taken back, and can be done again.
const sound = history.kept(), before = plain(history.state);
history.add({ what: "fov", degrees: 50 });
history.restore(sound);
assert.equal(plain(history.state), before);
assert.equal(history.done.length, edits.length);
history.redo();
assert.equal(history.state.fov, 50);
"""


def test_edits_are_undone_and_done_again():
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    command = ["node", "--input-type=module", "-e", EDITS]
    done = subprocess.run(command, cwd=WEB, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


INSIDE = """
import assert from "node:assert/strict";
const holder = { dataset: { file: "a.js" }, textContent: btoa("1 + 1"), remove() { this.removed = true; } };
globalThis.document = { querySelectorAll: () => [holder], getElementById: () => null };
const { inside } = await import("./src/app/result.js");
assert.equal(await inside["a.js"].text(), "1 + 1");
assert.equal(inside["a.js"].type, "text/javascript");
assert(holder.removed);
"""


def test_the_files_inside_a_page_are_read():
    """Without them the editor of `poselift view --correct --offline` does not start."""
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    command = ["node", "--input-type=module", "-e", INSIDE]
    done = subprocess.run(command, cwd=WEB, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_a_swap_is_listed_first_and_its_correction_takes_it_away():
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    clean = track_for_page(next(people()))
    times = clean["times"]
    swap = {"what": "swap", "person": 1, "from": times[25], "to": times[28]}
    (wrong,), _ = run_page([clean], [swap])
    _, listed = run_page([wrong], motions=lift_tracks([wrong]))
    assert holds(swap, listed[0])
    assert min(abs(a["time"] - b["time"]) for k, a in enumerate(listed) for b in listed[:k]) > 0.1
    worth = [entry["worth"] for entry in listed]
    assert worth == sorted(worth, reverse=True)
    (again,), listed = run_page([wrong], [swap], lift_tracks([clean]))
    np.testing.assert_allclose(np.array(again["pixels"], float), np.array(clean["pixels"], float), atol=1e-4)
    assert not any(holds(swap, entry) for entry in listed[:10])


def plant(track, starts):
    """Four errors in a track: left and right exchanged, ankles 80 px off, a wrist hidden, an elbow 60 px off.

    Returns:
        The edits that make each error, and its span.
    """
    times, joints = track["times"], track["joints"]
    pixels = np.array(track["pixels"], float).reshape(len(times), -1, 2)
    lasts = dict(zip(("swap", "ankles", "hidden", "elbow"), (4, 5, 9, 3), strict=True))
    spans = {
        name: {"person": 1, "from": times[start], "to": times[start + lasts[name] - 1]}
        for name, start in zip(lasts, starts, strict=True)
    }

    def move(name, joint, by):
        at = joints.index(joint)
        first = times.index(spans[name]["from"])
        for frame in range(first, first + lasts[name]):
            x, y = (pixels[frame, at] + by).tolist()
            if x == x:
                yield {"what": "move", "person": 1, "joint": joint, "time": times[frame], "x": x, "y": y}

    errors = {
        "swap": [{"what": "swap", **spans["swap"]}],
        "ankles": [*move("ankles", "left_ankle", [80, 0]), *move("ankles", "right_ankle", [80, 0])],
        "hidden": [{"what": "hide", "joint": "right_wrist", **spans["hidden"]}],
        "elbow": [*move("elbow", "left_elbow", [0, -60])],
    }
    return errors, spans


@pytest.mark.parametrize("starts", [(29, 3, 16, 42), (3, 16, 31, 44), (42, 30, 5, 17)])
@pytest.mark.slow
def test_planted_errors_are_the_first_four_of_the_list(starts):
    """What changes most for longest comes first. The distances stand in docs/web.md."""
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    clean = track_for_page(next(people())[:60])
    errors, spans = plant(clean, starts)
    (wrong,), _ = run_page([clean], [edit for edits in errors.values() for edit in edits])
    (truth,), (before,) = lift_tracks([clean]), lift_tracks([wrong])
    _, listed = run_page([wrong], motions=[before])
    ranks = {name: next(k for k, entry in enumerate(listed, 1) if holds(span, entry)) for name, span in spans.items()}
    assert sorted(ranks.values()) == [1, 2, 3, 4]
    assert (ranks["swap"], ranks["elbow"]) == (1, 4)
    own = {name: listed[rank - 1] for name, rank in ranks.items()}
    assert own["swap"]["says"] == "left and right exchanged"
    assert own["hidden"]["says"] == "missing for 0.33 s"
    assert own["ankles"]["joint"].endswith("_ankle")
    assert own["elbow"]["joint"] == "left_elbow"
    assert listed[3]["worth"] > 3 * listed[4]["worth"]
    # Corrected in the order of the list: exchanged back, and moved to where they were.
    distances = [distance_mm(before, truth)]
    names = sorted(ranks, key=ranks.__getitem__)
    for count in range(1, 5):
        (track,), _ = run_page([clean], [edit for name in names[count:] for edit in errors[name]])
        distances.append(distance_mm(lift_tracks([track])[0], truth))
    assert distances[0] > 50
    assert distances[3] < 0.25 * distances[0]
    assert distances[4] < 0.1


@pytest.mark.parametrize("starts", [(29, 3, 16, 42), (45, 20, 84, 104)])
@pytest.mark.parametrize("every", [1, 2])
@pytest.mark.slow
def test_planted_errors_beside_real_ones_come_first(starts, every):
    """In the whole clip, which has exchanges of its own; with a detector that looks at every second frame, too."""
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    clean = track_for_page(replace(list(people())[every - 1], person=1))
    errors, spans = plant(clean, starts)
    (wrong,), _ = run_page([clean], [edit for edits in errors.values() for edit in edits])
    _, listed = run_page([wrong], motions=lift_tracks([wrong]))
    ranks = {name: next(k for k, entry in enumerate(listed, 1) if holds(span, entry)) for name, span in spans.items()}
    assert ranks["swap"] == 1
    assert max(ranks["ankles"], ranks["hidden"]) <= 4
    assert ranks["elbow"] <= 7


@pytest.mark.slow
@pytest.mark.parametrize("start", [60, 81, 88, 95])
def test_an_exchange_beside_real_errors_is_the_first_of_the_list(start):
    """The demo clip has errors of its own there, and the two sides lie near each other in the picture."""
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    clean = track_for_page(next(people()))
    span = {"person": 1, "from": clean["times"][start], "to": clean["times"][start + 3]}
    (wrong,), _ = run_page([clean], [{"what": "swap", **span}])
    _, listed = run_page([wrong], motions=lift_tracks([wrong]))
    assert holds(span, listed[0])
    assert listed[0]["says"] == "left and right exchanged"


def distance_mm(motion, truth):
    """Mean distance of the joints of two motions."""
    return 1000 * np.linalg.norm(motion.joints - truth.joints, axis=-1).mean()


HANDLE = """(() => { const c = document.getElementById('handles'), box = c.getBoundingClientRect();
    const image = c.getContext('2d').getImageData(0, 0, c.width, c.height), at = [];
    for (let i = 0; i < image.data.length; i += 4) if (image.data[i + 3] > 150) at.push(i / 4);
    if (!at.length) return null;
    const k = at[at.length >> 1], s = box.width / c.width;
    return [box.left + s * (k % c.width), box.top + s * Math.floor(k / c.width)]; })()"""
"""The place of a keypoint of the chosen person in the window, by the colours of its handle."""


class Editor:
    """The editor of a page."""

    def __init__(self, browser, page):
        self.browser, self.count = browser, 0
        browser.call("Page.navigate", url=page.as_uri())
        browser.wait("document.body?.dataset.stage === 'shown' || document.getElementById('problem')?.textContent")
        assert browser.value("document.getElementById('problem').textContent") == ""

    def click(self, name, change=0):
        """Clicks a button, and waits for as many corrections more."""
        self.browser.value(f"document.getElementById('{name}').click()")
        self.wait(change)

    def wait(self, change):
        self.count += change
        text = f"{self.count} correction{'s' * (self.count > 1)}" if self.count else ""
        # The first one waits for the joint angles, too.
        self.browser.wait(f"document.getElementById('edited').textContent === '{text}'", 240)
        assert self.browser.value("document.getElementById('note').textContent") == ""

    def choose(self, index, people):
        """Chooses a person by the chips."""
        assert self.browser.value("document.querySelectorAll('#people > span').length") == people
        self.browser.value(f"document.querySelectorAll('#people > span')[{index}].firstChild.click()")

    def go(self, frame):
        """Goes to a frame of the clip; the page hears of the new picture a little after the seek."""
        self.browser.value(
            "new Promise((done) => { const scrub = document.getElementById('scrub');"
            "document.getElementById('video').addEventListener('seeked', () => setTimeout(done, 300), {once: true});"
            f"scrub.value = {frame}; scrub.dispatchEvent(new Event('input')); }})"
        )

    def drag(self, by):
        """Drags the handle of a keypoint."""
        self.browser.wait(f"{HANDLE} !== null")
        x, y = self.browser.value(HANDLE)
        for kind, there in (("mousePressed", x), ("mouseMoved", x + by), ("mouseReleased", x + by)):
            self.browser.call(
                "Input.dispatchMouseEvent", type=kind, x=there, y=y, button="left", buttons=1, clickCount=1
            )

    def zoom(self, key):
        """Presses a key of the zoom, on the page."""
        self.browser.value("document.activeElement.blur()")
        for kind in ("keyDown", "keyUp"):
            self.browser.call("Input.dispatchKeyEvent", type=kind, key=key)

    def press(self, name, key, modifiers=0):
        """Presses a key on an element."""
        self.browser.value(f"document.getElementById('{name}').focus()")
        for kind in ("keyDown", "keyUp"):
            self.browser.call("Input.dispatchKeyEvent", type=kind, key=key, modifiers=modifiers)

    def enter(self, name, text):
        """Types a number into a field after a click on it."""
        middle = f"(({{x, y, width, height}}) => [x + width / 2, y + height / 2])(document.getElementById('{name}')"
        self.browser.value(f"document.getElementById('{name}').scrollIntoView()")
        x, y = self.browser.value(f"{middle}.getBoundingClientRect())")
        for kind in ("mousePressed", "mouseReleased"):
            self.browser.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=1, clickCount=1)
        self.browser.call("Input.insertText", text=text)
        self.browser.value("document.activeElement.blur()")
        self.wait(1)

    @property
    def unsaved(self):
        return not self.browser.value("dispatchEvent(new Event('beforeunload', {cancelable: true}))")

    def save(self):
        """The bytes of the zip."""
        self.browser.value(
            "globalThis.saved = null; URL.createObjectURL = (blob) => { saved = blob; return '#'; };"
            "document.getElementById('save-corrected').click()"
        )
        self.browser.wait("saved")
        return base64.b64decode(
            self.browser.value(
                "saved.arrayBuffer().then((bytes) =>"
                "btoa([...new Uint8Array(bytes)].map((byte) => String.fromCharCode(byte)).join('')))"
            )
        )


@pytest.mark.slow
def test_each_correction_in_the_page_is_saved_and_lifted_as_by_python(site, browser, tmp_path):
    """The page of `poselift view --correct`, from disk; the fixture `site` has onnxruntime-web in the cache."""
    lifted, corrected, again, page = (tmp_path / name for name in ("lifted", "corrected", "again", "page.html"))
    frames = json.loads((Path(__file__).parent / "man.json").read_text())["frames"]
    found = [
        {
            "image_id": frame,
            "category_id": 1,
            "score": 1.0,
            "keypoints": [v for x, y, s in man or [[0, 0, 0]] * 17 for v in (x + by, y, s)],
        }
        for frame, man in enumerate(frames[:60])
        for by in (0, 400)
    ]
    (tmp_path / "coco.json").write_text(json.dumps(found))
    keypoints = ["--keypoints", str(tmp_path / "coco.json"), "--video", str(demo_video())]
    main(["lift", *keypoints, "--no-render", "--quiet", "--out", str(lifted)])
    main(["view", str(lifted), "--video", str(demo_video()), "--correct", "--offline", "--out", str(page)])
    editor = Editor(browser, page)
    shown = "document.getElementById('correcting').offsetHeight > 0"
    assert not browser.value(shown)
    browser.value("document.querySelector('#worst button').click()")
    assert browser.value(shown)
    editor.choose(1, 2)
    editor.go(10)
    editor.drag(0)
    editor.wait(0)  # a click corrects nothing
    box = browser.value(
        "(({width, height}) => [width, height])(document.getElementById('handles').getBoundingClientRect())"
    )
    editor.zoom("+")
    assert browser.value("document.getElementById('handles').style.transform").endswith("scale(1.5)")
    editor.drag(40)
    editor.wait(1)
    editor.zoom("0")
    assert browser.value("document.getElementById('video').style.transform") == ""
    assert editor.unsaved
    # Arrow keys go on from frame to frame after a drag.
    shown_frame = "Number(document.getElementById('scrub').value)"
    for kind in ("keyDown", "keyUp"):
        browser.call("Input.dispatchKeyEvent", type=kind, key="ArrowRight")
    browser.wait(f"{shown_frame} === 11")
    editor.wait(0)
    editor.click("undo", -1)
    assert not editor.unsaved
    editor.press("handles", "Z", 2 + 8)  # Ctrl and Shift
    editor.wait(1)
    editor.go(15)
    editor.click("hide-joint", 1)
    # The hidden keypoint, chosen in the list once more, goes beside another one, not that one.
    joint = browser.value("document.getElementById('joint').value")
    browser.value("document.getElementById('joint').focus()")
    browser.value("document.getElementById('joint').dispatchEvent(new PointerEvent('pointerdown'))")
    editor.drag(2)
    editor.wait(1)
    assert browser.value("document.getElementById('joint').value") == joint
    # Arrow keys are for frames after a drag, though the list had the focus.
    for kind in ("keyDown", "keyUp"):
        browser.call("Input.dispatchKeyEvent", type=kind, key="ArrowRight")
    browser.wait(f"{shown_frame} === 16")
    assert browser.value("document.getElementById('joint').value") == joint
    editor.wait(0)
    editor.click("undo", -1)
    editor.go(20)
    editor.click("mark")
    editor.go(30)
    editor.click("swap", 1)
    editor.go(45)
    editor.click("split", 1)
    editor.choose(1, 3)
    with_whom = "[...document.getElementById('other').options].map((option) => option.value).join()"
    browser.wait(f"{with_whom} === '1,3'")
    browser.value("document.getElementById('other').value = '3'")
    editor.click("join", 1)
    editor.choose(1, 2)
    editor.click("split", 1)
    editor.choose(2, 3)
    editor.click("remove", 1)
    editor.choose(0, 2)
    editor.enter("edit-height", "1.82")
    editor.enter("edit-fov", "60.5")
    content = editor.save()
    assert not editor.unsaved
    assert browser.value("globalThis.problems") == []
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        archive.extractall(corrected)
    edits = [json.loads((corrected / f"person_{person}.json").read_text())["corrections"] for person in (1, 2)]
    assert edits[0] == edits[1]
    done = ["move", "hide", "swap", "split", "join", "split", "delete", "height", "fov"]
    assert [edit["what"] for edit in edits[0]] == done
    main(
        ["lift", "--keypoints", str(corrected), "--fov", "60.5", "--height", "1:1.82"]
        + ["--no-render", "--quiet", "--out", str(again)]
    )
    for person, count in ((1, 60), (2, 45)):
        ours, theirs = (read_motion(folder / f"person_{person}.npz") for folder in (corrected, again))
        assert len(ours) == len(theirs) == count
        for name, most in (("joints", 0.002), ("root", 0.02)):
            apart = np.linalg.norm(getattr(ours, name) - getattr(theirs, name), axis=-1)
            assert apart.max() < most
    move, hide, swap = edits[0][:3]
    before = read_motion(lifted / "person_2.npz").keypoints
    at = [before.skeleton.joints.index(edit["joint"]) for edit in (move, hide)]
    after = ours.keypoints.keypoints
    moved = 40 / 1.5 / min(box[0] / 960, box[1] / 540)  # pixels of the video under the zoom
    assert after[10, at[0], 0] - before.keypoints[10, at[0], 0] == pytest.approx(moved, abs=1)
    assert np.isnan(after[15, at[1]]).all()
    assert swap["to"] - swap["from"] == pytest.approx(10 / 30, abs=1e-3)
    right, left = (before.skeleton.joints.index(f"{side}_knee") for side in ("right", "left"))
    np.testing.assert_allclose(after[22:29, right], before.keypoints[22:29, left], atol=1e-3)


@pytest.mark.slow
def test_the_page_lists_planted_errors_first(site, browser, tmp_path):
    """The page of `poselift view --correct`; `poselift lift` puts exchanged sides back itself, the others stay."""
    clean = track_for_page(next(people())[:60])
    errors, spans = plant(clean, (29, 3, 16, 42))
    (wrong,), _ = run_page([clean], [edit for edits in errors.values() for edit in edits])
    pixels, scores = np.array(wrong["pixels"], float).reshape(60, 17, 2), np.array(wrong["scores"]).reshape(60, 17)
    body = np.concatenate([np.nan_to_num(pixels), scores[..., None]], -1).reshape(60, -1)
    found = [
        {"image_id": frame, "category_id": 1, "score": 1.0, "keypoints": own.tolist()} for frame, own in enumerate(body)
    ]
    (tmp_path / "coco.json").write_text(json.dumps(found))
    lifted, page = tmp_path / "lifted", tmp_path / "page.html"
    keypoints = ["--keypoints", str(tmp_path / "coco.json"), "--video", str(demo_video())]
    main(["lift", *keypoints, "--no-render", "--no-csv", "--quiet", "--out", str(lifted)])
    main(["view", str(lifted), "--video", str(demo_video()), "--correct", "--offline", "--out", str(page)])
    Editor(browser, page)
    listed = browser.value("[...document.querySelectorAll('#worst button')].map((button) => button.textContent)")
    times = [float(text.split(" s ")[0]) for text in listed]
    zero = clean["times"][0]
    for name in ("hidden", "ankles", "elbow"):
        inside = [spans[name]["from"] - zero - 0.04 <= time <= spans[name]["to"] - zero + 0.04 for time in times]
        assert inside.index(True) < 3, listed[:6]
