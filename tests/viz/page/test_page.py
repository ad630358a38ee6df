"""The page as people use it, in headless Chromium."""

import csv
import io
import json
from dataclasses import replace

import numpy as np
import pytest

from poselift.export import write_csv
from poselift.export.trc_markers import write_trc
from poselift.skeleton import H36M17
from poselift.viz.page import PageContent, PageView, write_page
from tests.export.conftest import recording_of
from tests.recordings.conftest import with_hands
from tests.viz.page.conftest import CAMERA, DEGREES, FILES

pytestmark = pytest.mark.slow


def values(page, expression):
    """Numbers of the page; NaN passes the pipe as null."""
    found = page(f"Array.from({expression}, (value) => Number.isNaN(value) ? null : value)")
    return np.array([np.nan if value is None else value for value in found], np.float64)


def test_it_loads_in_two_seconds_without_any_request(page, written):
    page.open(written)
    assert page.seconds < 2
    page.wait("video.readyState >= 2")
    assert page("video.error") is None
    assert page("performance.getEntriesByType('resource').every(({name}) => name.startsWith('blob:'))")
    assert page("document.title") == "clip.mp4"
    assert page("[...document.querySelectorAll('#people span')].map((chip) => chip.textContent)") == [
        "Person 1 · 1.72 m",
        "Person 2",
    ]


def test_all_videos_are_under_one_cursor(page, tmp_path, people, clip):
    world = [replace(motion, frame="world") for motion in people]
    first, second = ({**CAMERA, "R": np.eye(3), "t": [x, 0.0, 0.0]} for x in (0.0, 0.3))
    # The second video started 0.4 s after the first one.
    own = np.full((50, 17, 3), [100.0, 50.0, 0.9])
    view = PageContent("two", first, views=[PageView("left", second, clip, 0.4, keypoints={1: own})])
    write_page(tmp_path / "page.html", world, view, clip)
    page.open(tmp_path / "page.html")
    page.wait("video.readyState >= 2 && others[0].video.readyState >= 2")
    page("seek(1.0)")
    page.wait("Math.abs(state.picture - 1.0) < 0.03 && Math.abs(others[0].picture - 1.0) < 0.03")
    # 0.6 s after the start of the second video, whose bar is then 0.4 s behind that of the first one.
    assert page("others[0].video.currentTime") == pytest.approx(0.602, abs=0.002)
    ours, theirs = (
        values(page, f"{each}.people[0].pixels").reshape(50, -1, 2)[25] for each in ("content", "others[0].content")
    )
    depth = people[0].joints[25, :, 2] + people[0].root[25, 2]
    np.testing.assert_allclose(ours[:, 0] - theirs[:, 0], CAMERA["K"][0][0] * 0.3 / depth, atol=0.01)
    assert page(
        "(({ width, height }, pen) => pen.getImageData(0, 0, width, height).data.some(Boolean))"
        "(others[0].canvas, others[0].canvas.getContext('2d'))"
    )
    # What the detector saw is that of each video; none is known of the second person in the second video.
    assert set(values(page, "others[0].content.people[0].keypoints")) == {100.0, 50.0}
    assert page("others[0].content.people[1].points.length") == 0
    white = (
        "(({ canvas }) => [...canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data]"
        ".filter((value, i, all) => i % 4 === 0 && value > 240 && all[i + 1] > 240 && all[i + 2] > 240).length)"
        "(others[0])"
    )
    assert page(white) == 0
    page("document.querySelector('[data-show=detections]').click()")
    page.wait(f"{white} > 5")


def test_ten_minutes_load_in_two_seconds_and_show_every_extreme(page, tmp_path, make_motion):
    motion = make_motion(frames=15_000)
    joints = motion.joints.copy()
    joints[7000, H36M17.index("left_wrist"), 1] -= 0.5  # one frame among the 40 of a pixel
    write_page(tmp_path / "long.html", [replace(motion, joints=joints)], PageContent("long", CAMERA))
    page.open(tmp_path / "long.html")
    assert page.seconds < 2
    columns = page(
        "(() => { const {value} = charts.shown.find(({title}) => title === 'wrist').series[0]; const columns = "
        "charts.columns(0, 15000, (time) => time * 0.6, value, value); return [columns.length, "
        "Math.max(...columns.map((column) => column[2])), value(7000)]; })()"
    )
    assert 200 < columns[0] < 400
    assert columns[1] == columns[2]


def test_its_numbers_are_those_of_the_motion(page, written, people):
    page.open(written)
    for place, motion in enumerate(people):
        person = f"content.people[{place}]"
        for name in ("joints", "root", "uncertainty"):
            np.testing.assert_allclose(
                values(page, f"{person}.{name}"), getattr(motion, name).ravel(), atol=5.1e-6, rtol=0
            )
        np.testing.assert_allclose(values(page, f"{person}.times"), motion.timestamps, atol=1e-6)
        np.testing.assert_array_equal(values(page, f"{person}.interpolated"), motion.interpolated)
        np.testing.assert_allclose(values(page, f"{person}.keypoints"), motion.keypoints.keypoints.ravel(), atol=0.051)
    page("seek(1.0)")
    page.wait("byId('clock').textContent.startsWith('1.00')")
    left, right, trunk = (f"{value:.1f}°".replace("-", "\N{MINUS SIGN}") for value in DEGREES[25].round(2))
    shown = page("[...document.querySelectorAll('figcaption')].map((caption) => caption.textContent)")
    assert shown == [f"Knee flexionL {left}R {right}", f"Trunk lean{trunk}"]
    wrists = people[0].joints[25, people[0].skeleton.indices(["left_wrist", "right_wrist"]), 1] + people[0].root[25, 1]
    page("[...document.querySelectorAll('#tabs button')].find((tab) => tab.textContent === 'Heights').click()")
    shown = page("[...charts.shown.find(({title}) => title === 'wrist').outputs].map((output) => output.textContent)")
    floor = page("content.people[0].floor")
    up = np.array(page("content.up"))
    assert up[1] @ [0, -1, 0] > 0.99
    for text, wrist in zip(shown, wrists, strict=True):
        assert abs(float(text.split()[1]) - (-wrist - floor)) < 0.03  # up leans a little
    assert all(" ± 0.0" in text or " ± 0.1" in text for text in shown)


def test_the_skeleton_lies_on_the_keypoints(page, written, people):
    """The keypoints of this clip are the projected joints."""
    page.open(written)
    pixels = values(page, "content.people[0].pixels")
    np.testing.assert_allclose(pixels, people[0].keypoints.keypoints.ravel() + 0.5, atol=0.01)


def test_it_plays_in_step_and_ends(page, written):
    page.open(written)
    page.wait("video.readyState >= 3")
    page.press(" ")
    page.wait("state.time > 0.5")
    time, picture, film = page("[state.time, state.picture, video.currentTime + content.video.start]")
    assert abs(time - picture) < 0.05
    assert abs(time - film) < 0.12
    page.wait("!state.playing")
    assert page("state.time") == pytest.approx(1.96, abs=0.001)
    page("state.speed = 0.1")  # so that the end does not come before the pause, however slow the machine
    page.press(" ")
    page.wait("state.playing && state.time > 0 && state.time < 1.9 && !video.paused")
    page.press(" ")
    page.wait("!state.playing && video.paused")
    assert page("state.time") < 1.9


def test_it_scrubs_by_pointer_and_keys(page, written):
    page.open(written)
    page.wait("video.readyState >= 2")
    before = page.picture("overlay")
    page.drag("line", (60, 0))
    time = page("state.time")
    assert 1.0 < time < 1.3
    page.wait("!video.seeking && wanted === null && Math.abs(state.picture - state.time) < 0.05")
    # The bar of the clip moves by 12 pixels a frame: the picture is that of the frame.
    bar = page(
        "(() => { const c = document.createElement('canvas'); c.width = 640; c.height = 480; const p = "
        "c.getContext('2d'); p.drawImage(video, 0, 0, 640, 480); const row = p.getImageData(0, 240, 640, 1).data; "
        "return Array.from({length: 640}, (_, x) => row[4 * x] > 160 ? x : -1).filter((x) => x >= 0)[0]; })()"
    )
    assert round((bar - 1) / 12) == int(time * 25 + 1e-3)
    assert page.picture("overlay") != before
    frame = page("lastBefore(content.times, state.time)")
    page.press("ArrowRight")
    page.press("ArrowRight")
    page.press("ArrowLeft")
    assert page("lastBefore(content.times, state.time)") == frame + 1
    page.press("Home")
    assert page("state.time") == 0
    page.press("ArrowRight", modifiers=8)
    assert page("state.time") == pytest.approx(1.0, abs=0.05)
    page.press("End")
    assert page("state.time") == pytest.approx(1.96)


def test_the_view_turns_and_zooms(page, written):
    page.open(written)
    page("seek(1.0)")
    pictures = [page.picture("scene")]
    page.drag("scene", (90, 20))
    pictures.append(page.picture("scene"))
    x, y = page.middle("scene")
    page.browser.call("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=0, deltaY=-300)
    page.wait("scene.zoom > 1.2")
    pictures.append(page.picture("scene"))
    page("document.querySelectorAll('[data-view]')[2].click()")
    pictures.append(page.picture("scene"))
    page("document.querySelectorAll('#people button')[1].click()")
    pictures.append(page.picture("scene"))
    page("document.querySelector('[data-show=uncertainty]').click()")
    pictures.append(page.picture("scene"))
    assert len(set(pictures)) == len(pictures)


def test_markers_out_of_sight_are_left_out_and_pale(page, tmp_path, clip, people):
    first = people[0]
    wrist, scores = first.skeleton.index("left_wrist"), first.keypoints.scores.copy()
    scores[:, first.keypoints.skeleton.index("left_wrist")] = 0
    hidden = replace(first, keypoints=replace(first.keypoints, scores=scores))
    write_page(tmp_path / "page.html", [hidden], PageContent("clip.mp4", CAMERA, {}, {}), clip)
    page.open(tmp_path / "page.html")
    names = page("trcOf(content.people[0], content, 'a.trc')").splitlines()[3].split("\t")[2::3]
    assert names == [joint for joint in first.skeleton.joints if joint != "left_wrist"]
    guessed = values(page, "content.people[0].guessed").reshape(len(first), -1)
    assert (guessed[:, wrist] == 2).all()
    assert not np.delete(guessed, wrist, 1).any()


def test_it_saves_what_poselift_writes(page, written, people, tmp_path):
    page.open(written)
    for place, motion in enumerate(people):
        write_csv(tmp_path / "person.csv", recording_of([motion]))
        assert page(f"csvOf(content.people[{place}])") == (tmp_path / "person.csv").read_text("utf-8")
    content = json.loads(page("jsonOf(content.people[0])"))
    assert content["height"]["metres"] == 1.72
    np.testing.assert_allclose(content["arrays"]["joints"], people[0].joints, atol=5.1e-6)
    for number, person in enumerate(people):
        name = f"person_{number + 1}.trc"
        write_trc(tmp_path / name, recording_of([person]))
        ours = page(f"trcOf(content.people[{number}], content, '{name}')").splitlines()
        theirs = (tmp_path / name).read_text().splitlines()
        assert ours[:6] == theirs[:6]
        rows, expected = (np.array([line.split("\t") for line in lines[6:]], np.float64) for lines in (ours, theirs))
        np.testing.assert_allclose(rows, expected, atol=0.011)
    table = list(csv.reader(io.StringIO(page("anglesOf(content.people[0])"))))
    assert table[0] == ["time_s", "left_knee_flexion_deg", "right_knee_flexion_deg", "trunk_lean_deg"]
    saved = np.array([[cell or "nan" for cell in row] for row in table[1:]], np.float64)
    np.testing.assert_allclose(saved[:, 1:], DEGREES, atol=0.0051)
    page(
        "globalThis.saved = []; HTMLAnchorElement.prototype.click = function () { saved.push(this.download); };"
        "document.querySelectorAll('#saving button').forEach((button) => button.click())"
    )
    endings = ["csv", "json", "trc", "angles.csv", "bvh", "glb"]
    assert page("saved") == [f"person_1.{ending}" for ending in endings]
    for number, files in FILES.items():
        for ending, content in files.items():
            assert page(f"Array.from(content.people[{number - 1}].files.{ending}())") == list(content)


def test_hands_are_drawn_and_saved(page, tmp_path, make_motion):
    motion = with_hands(make_motion(frames=30))
    bare = replace(motion, hands=None)
    pictures = []
    for name, shown in (("bare", bare), ("hands", motion)):
        write_page(tmp_path / f"{name}.html", [shown], PageContent(name, CAMERA))
        page.open(tmp_path / f"{name}.html")
        page("seek(content.times[3])")
        pictures.append([page.picture(canvas) for canvas in ("scene", "overlay")])
    assert all(before != after for before, after in zip(*pictures, strict=True))
    write_csv(tmp_path / "person.csv", recording_of([motion]))
    assert page("csvOf(content.people[0])") == (tmp_path / "person.csv").read_text("utf-8")
    arrays = json.loads(page("jsonOf(content.people[0])"))["arrays"]
    for name in ("joints", "keypoints", "scores"):
        found = np.array(arrays[f"hand_{name}"], float)  # null becomes NaN
        np.testing.assert_allclose(found, getattr(motion.hands, name), atol=0.051 if name == "keypoints" else 2e-5)
    write_trc(tmp_path / "a.trc", recording_of([motion]))
    ours, theirs = (
        page("trcOf(content.people[0], content, 'a.trc')").splitlines(),
        (tmp_path / "a.trc").read_text().splitlines(),
    )
    assert ours[:6] == theirs[:6]
    rows, expected = (np.array([line.split("\t") for line in lines[6:]], np.float64) for lines in (ours, theirs))
    np.testing.assert_allclose(rows, expected, atol=0.021)


def test_hostile_names_stay_text(page, tmp_path, people):
    evil = (
        "</script></title><script>globalThis.hacked = 1</script><img src=x onerror='globalThis.hacked = 2'>$style.mp4"
    )
    about = {1: {"height": {"metres": 1.7, "origin": evil}, "video": evil}}
    write_page(tmp_path / "evil.html", people, PageContent(evil, CAMERA, about))
    page.open(tmp_path / "evil.html")
    assert page("typeof hacked") == "undefined"
    assert page("document.title") == evil
    assert page("document.querySelector('h1').textContent") == evil
    assert evil in page("byId('facts').textContent")
    assert page("document.querySelectorAll('img').length") == 0


def test_without_a_video_it_plays_by_its_own_clock(page, tmp_path, people):
    write_page(tmp_path / "page.html", people, PageContent("keypoints", CAMERA))
    page.open(tmp_path / "page.html")
    page.press(" ")
    page.wait("state.time > 0.3")
    assert page("state.picture === state.time")


def test_a_large_video_stays_beside(page, tmp_path, clip, people, monkeypatch):
    monkeypatch.setattr("poselift.viz.page.page_video.EMBEDDED", 1000)
    files = write_page(tmp_path / "large #1.html", people, PageContent("clip", CAMERA), clip)
    assert [path.name for path in files] == ["large #1.html", "large #1_video.mp4"]
    page.open(files[0])
    page.wait("video.readyState >= 2")
    files[1].unlink()
    page.open(files[0])
    page.wait("!byId('note').hidden")
    assert "keep large #1_video.mp4 beside this page" in page("byId('note').textContent")
    page.press(" ")
    page.wait("state.time > 0.2")


def test_a_world_motion_is_seen_by_its_camera(page, tmp_path, people):
    """R x + t is the world position of x: the pixels are the same as in the camera frame."""
    R = np.diag([1.0, -1, -1])
    t = np.array([0.3, 1.5, 2.0])
    turned = [
        replace(
            motion,
            frame="world",
            joints=(motion.joints @ R.T).astype(np.float32),
            root=(motion.root @ R.T + t).astype(np.float32),
        )
        for motion in people
    ]
    write_page(tmp_path / "world.html", turned, PageContent("world", {**CAMERA, "R": R, "t": t}))
    page.open(tmp_path / "world.html")
    np.testing.assert_allclose(
        values(page, "content.people[0].pixels"), people[0].keypoints.keypoints.ravel() + 0.5, atol=0.02
    )


def test_a_camera_that_turns_is_shown_where_it_looks(page, tmp_path, people, clip):
    world = [replace(motion, frame="world") for motion in people]
    times = people[0].timestamps
    turn = np.linspace(0, 0.8, len(times))
    R = np.tile(np.eye(3), (len(times), 1, 1))
    R[:, 0, 0] = R[:, 2, 2] = np.cos(turn)
    R[:, 0, 2], R[:, 2, 0] = np.sin(turn), -np.sin(turn)
    pictures = []
    for changes in ({"R": R, "t": np.zeros((len(times), 3)), "times": times}, {"R": np.eye(3), "t": [0.0, 0.0, 0.0]}):
        write_page(tmp_path / "page.html", world, PageContent("turns", {**CAMERA, **changes}), clip)
        page.open(tmp_path / "page.html")
        # Nobody and no ground that follows anybody: only the camera may change.
        page("state.show.follow = false, content.people.forEach(({ id }) => state.hidden.add(id))")
        for time in (times[2], times[-2]):
            drawn = f"scene.draw({time}, {{ sky: '#fff', ground: '#fff', grid: '#fff', ink: '#000' }})"
            pictures.append(page(f"({drawn}, scene.canvas.toDataURL())"))
    assert len({*pictures[:2]}) == 2
    assert len({*pictures[2:]}) == 1
