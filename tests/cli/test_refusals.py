"""What commands cannot use: one line that says why, exit code 2, and no file."""

import pytest

from poselift.samples import demo_video
from tests.cli.running import assert_refused
from tests.reports.results import results, write

LIFT = "lift --detector movenet-fast --weights tiny --no-flip --quiet --out OUT"
STORED = "lift --keypoints STORED --weights tiny --no-flip --no-render --quiet --out OUT"
KNOWN = f"{STORED} --fps 25 --size 640x480"
FIGURE, EXPORT = "figure PERSON --out a.pdf --kind", "export PERSON --to"

BEFORE_THE_WORK = {
    "walk.mp4 --quiet": "walk.mp4 is no command; to lift a video: poselift lift walk.mp4",
    "lfit": "lfit is no command; did you mean 'lift', 'edit'? poselift --help lists all",
    f"{LIFT} --people 9 video.mp4": "there is no --people; see poselift lift --help",
    f"{LIFT} a.mp4 b.mp4": "b.mp4 is too much; put a name with spaces into quotes, and give several videos to",
    f"{LIFT} a.png b.png c.png": "b.png, c.png is too much; give the folder of the pictures",
    f"{LIFT} walk_%04d.png": "walk_%04d.png: no file in . fits this pattern; %04d stands for a number of four digits",
    f"{LIFT} *.png": "*.png: no such file; give the folder of the pictures, or a pattern such as frame_%04d.png",
    f"{LIFT} a.mp4 --formats npz bvh": "bvh is too much; write several formats with commas, such as bvh,trc",
    f"{LIFT} --weights missing.pth": "no such file: missing.pth; check the path of the weights",
    f"{LIFT} --weights network.bin": "poselift evaluate weights=FILE takes checkpoints of ",
    f"{LIFT} --weights last.ckpt": "last.ckpt is a checkpoint of a training run, which poselift evaluate takes",
    "lift --keypoints nothing.json --out OUT": "nothing.json: there is no such file or folder; check the path of",
    f"{LIFT} https://example.org/a.mp4": "https://example.org/a.mp4 is a URL; give a file of this machine",
    f"{LIFT} nothing.mp4": "no such file",
    f"{LIFT} text.mp4": "cannot be opened as a video",
    f"{LIFT} --weights bad.safetensors": "does not describe a lifter",
    f"{LIFT} --detector nonsense": "invalid choice: 'nonsense'",
    f"{LIFT} --threshold 7": "'7' is not a score; give a number from 0 to 1",
    f"{LIFT} --intrinsics 1,2": "'1,2' is not four numbers; give FX,FY,CX,CY in pixels",
    f"{LIFT} --intrinsics 600,600,480,270 --fov 60": "a field of view and intrinsics are both given",
    f"{LIFT} --intrinsics 1000,1,480,270": "fx and fy are too different",
    f"{LIFT} --start 3 --end 2": "give an end after the start",
    f"{LIFT} --start 1e30": "start is 1e",
    f"{LIFT} --smooth 0": "cutoff 0 Hz: give more than 0",
    f"{LIFT} --smooth 500": "less than 500 Hz, half the frame rate",
    f"{LIFT} --person 0": "there is no person 0; people are numbered from 1",
    f"{LIFT} --person one": "'one' is not a list of numbers",
    f"{LIFT} --height 0:1.8": "there is no person 0; people are numbered from 1",
    f"{LIFT} --height 1:1.8,2:0.3": "0.5 to 2.5 metres",
    f"{LIFT} --height 182": "a height of 182 m is not a person's",
    f"{LIFT} --height 1:1.8,2": "is not a height",
    f"{LIFT} --height 1:1.8,1:1.7": "two heights",
    f"{LIFT} --fps nan": "--fps is nan",
    f"{STORED} --size 640x480": "has no timestamps",
    f"{STORED} --fps 25": "has no picture size",
    f"{STORED} --fps 30000 --size 640x480": "from 1 to 1000",
    f"{KNOWN} --keypoint-set halpe26": "it has 17 joints",
    f"{KNOWN} --formats gltf": "no format is called 'gltf'",
    f"{FIGURE} skeleton --out a.jpg": "ends in .pdf, .svg, .png",
    f"{FIGURE} skeleton --at 99": "the motions are from 0.00 to",
    f"{FIGURE} skeleton --joint left_knee": "--joint belongs to --kind time",
    f"{FIGURE} strip --video DEMO": "960x540, not 640x480",
    "view none": "is not a folder",
    "view .": "has no person_",
    "view . --out page.pdf": "ends in .html",
    f"{EXPORT} tcr": "did you mean 'trc'",
    f"{EXPORT} trc --out text.mp4": "not a folder",
    f"{EXPORT} trc,mot,bvh --together": "not possible in mot, bvh; choose from trc, c3d, glb",
    f"{EXPORT} trc,glb --up z": "cannot point up in glb; choose from trc, c3d, bvh",
    f"{EXPORT} trc,bvh --rig vrm --rest a": "--rig and --rest: there are no bones in trc; choose from bvh",
    f"{EXPORT} bvh --lock-feet --out .": "lift with --world",
    f"{EXPORT} html,trc --up z --fps 24": "html shows motions as they are, without --up, --fps",
    "export s3://bucket/person_1.npz --to trc": "s3://bucket/person_1.npz is a URL; give a file of this machine",
    "smooth PERSON --cutoff 4 --out PERSON": "is the input",
    "web --port 99999": "'99999' is not a port; give 1 to 65535, or 0 for a free one",
    "smooth PERSON --cutoff 6Hz": "argument --cutoff: '6Hz' is not a number, such as 1.5",
    "attention a.mp4 --frames 1.5": "argument --frames: '1.5' is not a whole number",
    "lift run --out OUT": "run is a folder without pictures. For a folder of videos: poselift batch run --out DIR",
    "train --steps 6": "there is no --steps; settings have no dashes: steps=VALUE",
    "train trainer=smoke -m --cfg job": "-m, --run, --cfg, --info and --shell-completion do not go together; give one",
    "evaluate data=synthetic": "data=synthetic: the data of an evaluation is that of its protocol; give protocol=NAME",
    "evaluate name=a --data.bench=b -m": "there is no --data.bench; settings have no dashes: data.bench=b",
    "measure .": ". has no person_*.npz; give a folder in which `poselift lift` found somebody",
    "measure PERSON --belt 20": "'20' is not the speed of a belt",
    "report nowhere/* --out OUT": "nothing matches 'nowhere/*'",
    "report run twin --out OUT": "runs of one name, settings and seed are called 'ours': ",
    "report run --out run/metrics.json": "cannot write to",
    "stream missing.mp4 --no-window": "missing.mp4: no such file; check the path of the video",
    "stream http://127.0.0.1:9/x --no-window": "http://127.0.0.1:9/x cannot be opened (Connection refused)",
    "stream --websocket 70000": "argument --websocket: '70000' is not an address",
    "stream --duration 0": "'0' is not a time; give seconds above 0",
    "stream EMPTY": "argument 0|FILE|URL: the path is empty; give one",
    f"{LIFT} --weights EMPTY": "argument --weights: the path is empty; give one",
    "batch EMPTY --out OUT": "argument SOURCE: the path is empty; give one",
    "batch . --out EMPTY": "argument --out: the path is empty; give one",
    "report EMPTY": "argument RUN: the path is empty; give one",
    "export-onnx tiny.safetensors": "FILE tiny.safetensors: give a name that ends in .onnx",
}
"""Commands and what their error says; capitals stand for files."""

LATER = {
    f"{LIFT} --start 300": "has no frame",
    f"{STORED} --fps 25 --size 20x20": "most points lie outside",
    f"{KNOWN} --height 9:1.8": "no person 9",
    f"{KNOWN} --person 9": "no person 9 in",
}
"""Those whose error is known only when people have been looked for."""


@pytest.mark.parametrize("command", [*BEFORE_THE_WORK, *LATER])
def test_a_command_that_cannot_be(command, walk, stored, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text.mp4").write_text("this is not a video")
    (tmp_path / "bad.safetensors").write_bytes(b"nonsense")
    (tmp_path / "bad.json").write_text("{}")
    for name in ("network.bin", "last.ckpt"):
        (tmp_path / name).write_bytes(b"weights")
    for run in ("run", "twin"):
        write(tmp_path / run, results())
    if command not in LATER:
        monkeypatch.setattr("poselift.lifting.run.track_people", lambda *_: pytest.fail("people were searched"))
    before = sorted(tmp_path.rglob("*"))
    places = {"PERSON": walk / "person_1.npz", "STORED": stored.path, "DEMO": demo_video(), "OUT": tmp_path / "out"} | {
        "EMPTY": ""
    }
    assert_refused({**BEFORE_THE_WORK, **LATER}[command], *(places.get(word, word) for word in command.split()))
    assert sorted(tmp_path.rglob("*")) == before
