"""What the list of frames to correct is worth: planted errors that it holds, and the error before and after corrections.

    python -m benchmarks.corrections [--seed 0] [--clips 5]

Plants 20 errors in the keypoints of the demo clip's two people: ten swaps of left and right (2 to 10 frames) and ten
jumps of one joint (1 to 3 frames, a quarter of the person's height on average). Lifts them with the code of the page,
in node, and prints how many of the errors the first 20 listed frames of both people hold, beside as many frames drawn
at random; and the distance of the joints from the motion of the clean keypoints, before and after the errors among the
first listed frames are corrected, ten edits in all: a swap is swapped back, a joint that jumped is hidden. Needs node
and `npm ci --prefix web`.
"""

import json
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import poselift
from benchmarks.command import command_line, errors_shown
from benchmarks.command import poselift as run_poselift
from poselift.core.errors import InputError
from poselift.export import read_motion
from poselift.samples import demo_video

WEB = Path(__file__).parents[1] / "web"
_PACKAGE = Path(poselift.__file__).parent
_FOLDERS = [str(_PACKAGE / "viz" / "site" / "numbers"), str(_PACKAGE / "weights")]
_ERRORS, _EDITS = 20, 10
_MARGIN = 5
"""Frames without errors beside each error, so that each can be found and corrected by itself."""
_JUMPING = [f"{side}_{joint}" for side in ("left", "right") for joint in ("elbow", "wrist", "knee", "ankle")]
_REACH = 0.1
"""Seconds from an error's frames within which a listed frame shows it: three frames."""


def run_page(cases: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """What the code of the page makes of each case: `tracks` with `edits`.

    Raises:
        InputError: node or onnxruntime-web is missing.
    """
    if not (WEB / "node_modules" / "onnxruntime-web").is_dir():
        raise InputError("web/node_modules lacks onnxruntime-web; run npm ci --prefix web")
    with tempfile.TemporaryDirectory() as name:
        request, answer = Path(name) / "request.json", Path(name) / "answer.json"
        request.write_text(json.dumps({"folders": _FOLDERS, "modules": str(WEB / "x.js"), "cases": cases}))
        command = ["node", str(WEB / "test" / "corrections.mjs"), str(request), str(answer)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except FileNotFoundError as error:
            raise InputError("node is not installed; install the package nodejs of your system") from error
        if done.returncode:
            raise InputError(f"node: {done.stderr}")
        found: list[list[dict[str, Any]]] = json.loads(answer.read_text())
        return found


def clean_tracks(folder: Path) -> list[dict[str, Any]]:
    """The keypoints of everybody in a folder that `poselift lift` wrote, as the page has them."""
    tracks = []
    for path in sorted(folder.glob("person_*.npz")):
        track = read_motion(path).keypoints
        values = [None if np.isnan(value) else float(value) for value in track.keypoints.ravel()]
        width, height = track.image_size
        tracks.append(
            {
                "person": track.person,
                "joints": list(track.skeleton.joints),
                "times": track.timestamps.tolist(),
                "pixels": values,
                "scores": track.scores.ravel().tolist(),
                "width": width,
                "height": height,
            }
        )
    return tracks


def plant(tracks: list[dict[str, Any]], random: np.random.Generator) -> tuple[list[list[dict[str, Any]]], list[Any]]:
    """Errors as edits, and the edit that corrects each.

    Returns:
        For each error the edits that plant it, and its correction.
    """
    taken = {track["person"]: np.zeros(len(track["times"]), bool) for track in tracks}
    errors: list[list[dict[str, Any]]] = []
    corrections: list[dict[str, Any]] = []
    while len(errors) < _ERRORS:
        track = tracks[random.integers(len(tracks))]
        swap = len(errors) % 2 == 0
        length = int(random.integers(2, 11) if swap else random.integers(1, 4))
        start = int(random.integers(_MARGIN, len(track["times"]) - length - _MARGIN))
        near = taken[track["person"]][start - _MARGIN : start + length + _MARGIN]
        frames, times = range(start, start + length), track["times"]
        pixels = np.array(track["pixels"], float).reshape(len(times), -1, 2)
        joint = str(random.choice(_JUMPING))
        place = track["joints"].index(joint)
        if near.any() or np.isnan(pixels[frames][:, [0, place] if not swap else slice(5, None)]).any():
            continue
        near[:] = True
        span = {"person": track["person"], "from": times[start], "to": times[start + length - 1]}
        if swap:
            errors.append([{"what": "swap", **span}])
            corrections.append({"what": "swap", **span})
            continue
        height = np.nanmax(np.ptp(pixels[start], axis=0))
        angle, far = random.uniform(0, 2 * np.pi), height * random.uniform(0.15, 0.35)
        moved = pixels[frames, place] + far * np.array([np.cos(angle), np.sin(angle)])
        errors.append(
            [
                {"what": "move", "person": track["person"], "joint": joint, "time": times[frame], "x": x, "y": y}
                for frame, (x, y) in zip(frames, moved.tolist(), strict=True)
            ]
        )
        corrections.append({"what": "hide", "joint": joint, **span})
    return errors, corrections


def holding(correction: dict[str, Any], entry: dict[str, Any]) -> bool:
    """Whether a listed frame shows an error."""
    near = correction["from"] - _REACH <= entry["time"] <= correction["to"] + _REACH
    return bool(near and correction["person"] == entry["person"])


def mean_distance(case: list[dict[str, Any]], clean: list[dict[str, Any]]) -> float:
    """Mean distance of the joints of all people, millimetres."""
    apart = [
        np.linalg.norm(np.subtract(*(np.array(each["joints"], float).reshape(-1, 3) for each in pair)), axis=-1)
        for pair in zip(case, clean, strict=True)
    ]
    return 1000 * float(np.nanmean(np.concatenate(apart)))


def measure(tracks: list[dict[str, Any]], seed: int) -> tuple[int, float, float, float]:
    """Errors in the first 20 frames listed, in 20 at random, and mm before and after ten corrections."""
    random = np.random.default_rng(seed)
    errors, corrections = plant(tracks, random)
    planted = [edit for error in errors for edit in error]
    clean, wrong = run_page([{"tracks": tracks, "edits": edits} for edits in ([], planted)])
    listed = sorted((entry for each in wrong for entry in each["ranked"]), key=lambda entry: -entry["worth"])
    held = [[index for index, each in enumerate(corrections) if holding(each, entry)] for entry in listed]
    found = {index for each in held[:_ERRORS] for index in each}
    everywhere = [{"person": each["person"], "time": time} for each in tracks for time in each["times"]]
    by_chance = [
        len({i for k in random.choice(len(everywhere), _ERRORS, replace=False) for i, each in enumerate(corrections)
             if holding(each, everywhere[k])})
        for _ in range(200)
    ]  # fmt: skip
    first = list(dict.fromkeys(index for each in held for index in each))[:_EDITS]
    edits = [*planted, *(corrections[index] for index in first)]
    (corrected,) = run_page([{"tracks": tracks, "edits": edits}])
    return len(found), float(np.mean(by_chance)), mean_distance(wrong, clean), mean_distance(corrected, clean)


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints a line for each seed."""
    parser = command_line(__doc__)
    parser.add_argument("--seed", type=int, default=0, help="of the first clip")
    parser.add_argument("--clips", type=int, default=5, help="how often errors are planted; default %(default)s")
    parser.add_argument("--lifted", type=Path, metavar="DIR", help="the demo clip, lifted already")
    options = parser.parse_args(arguments)
    with errors_shown(parser), tempfile.TemporaryDirectory() as name:
        folder: Path = options.lifted or Path(name) / "lifted"
        if options.lifted is None:
            run_poselift(["lift", str(demo_video()), "--no-render", "--quiet", "--out", str(folder)])
        tracks = clean_tracks(folder)
        for seed in range(options.seed, options.seed + options.clips):
            found, chance, before, after = measure(tracks, seed)
            print(
                f"seed {seed}: the first {_ERRORS} frames hold {found} of {_ERRORS} errors ({chance:.1f} by chance); "
                f"error {before:.1f} mm, {after:.1f} mm after {_EDITS} corrections",
                flush=True,
            )


if __name__ == "__main__":
    main()
