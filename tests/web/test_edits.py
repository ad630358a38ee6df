"""Corrections by hand: edits and their undo, the frames that are listed first, and the page in headless Chromium."""

import base64
import json
import shutil
import subprocess
import zipfile

import numpy as np
import pytest

from benchmarks.chromium import Browser, chromium, served
from benchmarks.corrections import WEB, holding, lift_tracks, run_page
from poselift.cli.edit import add_result
from poselift.cli.editable import result_for_page, track_for_page
from poselift.cli.main import main
from poselift.keypoints import read_keypoints
from poselift.samples import demo_video
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
"""


def test_edits_are_undone_and_done_again():
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    command = ["node", "--input-type=module", "-e", EDITS]
    done = subprocess.run(command, cwd=WEB, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_swap_is_listed_first_and_its_correction_takes_it_away():
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    clean = track_for_page(next(people()))
    times = clean["times"]
    swap = {"what": "swap", "person": 1, "from": times[25], "to": times[28]}
    (wrong,), _ = run_page([clean], [swap])
    _, listed = run_page([wrong], motions=lift_tracks([wrong]))
    assert holding(swap, listed[0])
    assert min(abs(a["time"] - b["time"]) for k, a in enumerate(listed) for b in listed[:k]) > 0.1
    worth = [entry["worth"] for entry in listed]
    assert worth == sorted(worth, reverse=True)
    (again,), listed = run_page([wrong], [swap], lift_tracks([clean]))
    np.testing.assert_allclose(np.array(again["pixels"], float), np.array(clean["pixels"], float), atol=1e-4)
    assert not any(holding(swap, entry) for entry in listed[:10])


@pytest.mark.slow
def test_in_the_page_a_dragged_keypoint_moves_the_body_and_is_saved(site, tmp_path):
    lifted, folder = tmp_path / "lifted", tmp_path / "site"
    main(["lift", str(demo_video()), "--end", "1", "--quality", "fast", "--no-render", "--quiet", "--out", str(lifted)])
    shutil.copytree(site, folder)
    add_result(folder, *result_for_page(lifted, demo_video()))
    browser = Browser(chromium(), tmp_path / "profile")
    try:
        with served(folder) as address:
            browser.call("Page.enable")
            browser.call("Page.navigate", url=f"{address}/?edit")
            browser.wait(
                "document.body?.dataset.stage === 'shown' || document.getElementById('problem')?.textContent", 120
            )
            assert not browser.value("document.getElementById('problem').textContent")
            _drag_and_save(browser, tmp_path)
    finally:
        browser.close()
    corrected = tmp_path / "corrected"
    with zipfile.ZipFile(tmp_path / "corrected.zip") as archive:
        archive.extractall(corrected)
    before, after = (read_keypoints(path).frames for path in (lifted, corrected))
    changed = [
        (number, person.person, joint)
        for number, there in before.items()
        for person, other in zip(there, after[number], strict=True)
        for joint in np.flatnonzero(np.abs(np.nan_to_num(person.points - other.points)).max(-1) > 0.01)
    ]
    assert len(changed) == 1
    (edit,) = json.loads((corrected / f"person_{changed[0][1]}.json").read_text())["corrections"]
    assert (edit["what"], edit["person"]) == ("move", int(changed[0][1]))
    main(["lift", "--keypoints", str(corrected), "--no-render", "--quiet", "--out", str(tmp_path / "again")])
    assert (tmp_path / "again" / "person_1.npz").is_file()


def _drag_and_save(browser, folder):
    """Drags the keypoint of the first listed frame, takes it back, drags again, and saves."""
    pose = "import('/app.js').then(({session}) => session.people.map(({motion}) => [...motion.joints].map(Number)))"
    count = "document.getElementById('edited').textContent"
    first = browser.value(pose)
    browser.value("document.querySelector('#worst button').click()")
    browser.wait("!document.getElementById('video').seeking && !document.getElementById('handles').hidden")
    # A keypoint of the chosen person in the middle of the picture, by the colours of its handle.
    found = """(() => { const c = document.getElementById('handles'), box = c.getBoundingClientRect();
        const image = c.getContext('2d').getImageData(0, 0, c.width, c.height), at = [];
        for (let i = 0; i < image.data.length; i += 4) if (image.data[i + 3] > 150) at.push(i / 4);
        if (!at.length) return null;
        const k = at[at.length >> 1], s = box.width / c.width;
        return [box.left + s * (k % c.width), box.top + s * Math.floor(k / c.width)]; })()"""
    browser.wait(f"{found} !== null")

    def drag():
        x, y = browser.value(found)
        for kind, there in (("mousePressed", x), ("mouseMoved", x + 40), ("mouseReleased", x + 40)):
            browser.call("Input.dispatchMouseEvent", type=kind, x=there, y=y, button="left", buttons=1, clickCount=1)
        browser.wait(f"{count} === '1 correction'")
        return browser.value(pose)

    dragged = drag()
    (folder / "edit.png").write_bytes(base64.b64decode(browser.call("Page.captureScreenshot")["data"]))
    assert dragged != first
    browser.value("document.getElementById('undo').click()")
    browser.wait(f"{count} === ''")
    assert browser.value(pose) == first
    browser.value("document.getElementById('redo').click()")
    browser.wait(f"{count} === '1 correction'")
    assert browser.value(pose) == dragged
    browser.value(
        "globalThis.saved = null; URL.createObjectURL = (blob) => { saved = blob; return '#'; };"
        "document.getElementById('save-corrected').click()"
    )
    browser.wait("saved")
    content = browser.value(
        "saved.arrayBuffer().then((bytes) =>"
        "btoa([...new Uint8Array(bytes)].map((byte) => String.fromCharCode(byte)).join('')))"
    )
    (folder / "corrected.zip").write_bytes(base64.b64decode(content))
