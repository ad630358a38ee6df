"""What the list of frames to correct is worth: the planted errors that it holds, and the error before and after edits.

    python -m benchmarks.corrections [--seed 0] [--clips 5]

Plants 20 errors in the keypoints of the demo clip's two people: ten swaps of left and right (2 to 6 frames) and ten
jumps of one joint (1 to 3 frames, a quarter of the person's height on average). Lifts them, and lists the frames with
the code of the page, in node. Prints how many errors the first 20 listed frames hold, beside as many frames drawn at
random. Then corrects the first ten errors of the list, with one edit each: swaps a swap back, hides a joint that
jumped. Prints the mean distance of the joints from the motion of the clean keypoints before and after. Needs node.
"""

import json
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.command import command_line, errors_shown
from benchmarks.command import poselift as run_poselift
from poselift.cli.editable import track_for_page
from poselift.core.errors import InputError
from poselift.export import read_motion
from poselift.lifting import camera_for, lift
from poselift.models import load_weights
from poselift.samples import demo_video
from poselift.skeleton import COCO17, H36M17
from poselift.structures import Keypoints2D, Motion

WEB = Path(__file__).parents[1] / "web"

Track = dict[str, Any]
"""One person's keypoints, and below a correction, as in `web/src/editor/edits.js`."""
Edit = dict[str, Any]

_ERRORS, _EDITS = 20, 10
_MARGIN = 3
"""Frames without errors beside each error, so that each can be found and corrected by itself."""
_JUMPING = [f"{side}_{joint}" for side in ("left", "right") for joint in ("elbow", "wrist", "knee", "ankle")]
_REACH = 0.034
"""Seconds from an error within which a listed frame shows it: one frame."""


def run_page(
    tracks: list[Track], edits: Sequence[Edit] = (), motions: Sequence[Motion] = ()
) -> tuple[list[Track], list[dict[str, Any]]]:
    """The tracks after edits, and the frames of their motions as the page lists them.

    Raises:
        InputError: node is missing.
    """
    given = [
        {
            "person": motion.keypoints.person,
            "skeleton": {"joints": motion.skeleton.joints},
            "threshold": motion.threshold,
            "times": motion.timestamps.tolist(),
            "joints": _numbers(motion.joints),
            "root": _numbers(motion.root),
            "uncertainty": _numbers(motion.uncertainty),
        }
        for motion in motions
    ]
    with tempfile.TemporaryDirectory() as name:
        request, answer = Path(name) / "request.json", Path(name) / "answer.json"
        request.write_text(json.dumps({"tracks": tracks, "edits": list(edits), "motions": given}))
        command = ["node", str(WEB / "test" / "corrections.mjs"), str(request), str(answer)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except FileNotFoundError as error:
            raise InputError("node is not installed; install the package nodejs of your system") from error
        if done.returncode:
            raise InputError(f"node: {done.stderr}")
        found = json.loads(answer.read_text())
        return found["tracks"], found["ranked"]


def _numbers(values: Any) -> list[float | None]:
    """Numbers as JSON has them: null for NaN."""
    return [None if value != value else float(value) for value in np.asarray(values, float).ravel()]


def lift_tracks(tracks: list[Track]) -> list[Motion]:
    """The motions of tracks, as `poselift lift` writes them."""
    weights, motions = load_weights("small"), []
    for track in tracks:
        points = np.array(track["pixels"], float).reshape(len(track["times"]), -1, 2)
        scores = np.array(track["scores"], float).reshape(points.shape[:2])
        size = (track["width"], track["height"])
        keypoints = Keypoints2D(points, scores, np.array(track["times"]), COCO17, size, track["person"])
        motions.append(lift(keypoints, weights, camera_for(size)).restrict(H36M17))
    return motions


def plant(tracks: list[Track], random: np.random.Generator) -> tuple[list[list[Edit]], list[Edit]]:
    """Errors as edits, and the edit that corrects each.

    Returns:
        For each error the edits that plant it, and its correction.
    """
    taken = {track["person"]: np.zeros(len(track["times"]), bool) for track in tracks}
    errors: list[list[Edit]] = []
    corrections: list[Edit] = []
    while len(errors) < _ERRORS:
        track = tracks[random.integers(len(tracks))]
        swap = len(errors) % 2 == 0
        length = int(random.integers(2, 7) if swap else random.integers(1, 4))
        start = int(random.integers(_MARGIN, len(track["times"]) - length - _MARGIN))
        near = taken[track["person"]][start - _MARGIN : start + length + _MARGIN]
        frames, times = range(start, start + length), track["times"]
        pixels = np.array(track["pixels"], float).reshape(len(times), -1, 2)
        joint = str(random.choice(_JUMPING))
        place = track["joints"].index(joint)
        if near.any() or np.isnan(pixels[frames][:, [0, place] if not swap else slice(5, None)]).any():
            continue
        near[_MARGIN : _MARGIN + length] = True
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


def holding(correction: Edit, entry: dict[str, Any]) -> bool:
    """Whether a listed frame shows an error."""
    near = correction["from"] - _REACH <= entry["time"] <= correction["to"] + _REACH
    return bool(near and correction["person"] == entry["person"])


def mean_distance(motions: Sequence[Motion], clean: Sequence[Motion]) -> float:
    """Mean distance of the joints of all people, millimetres."""
    pairs = zip(motions, clean, strict=True)
    apart = [np.linalg.norm(motion.joints - other.joints, axis=-1).ravel() for motion, other in pairs]
    return 1000 * float(np.nanmean(np.concatenate(apart)))


def measure(tracks: list[Track], seed: int) -> tuple[int, float, float, float]:
    """Errors in the first 20 frames listed and in 20 at random, and mm before and after ten corrections."""
    random = np.random.default_rng(seed)
    errors, corrections = plant(tracks, random)
    wrong, _ = run_page(tracks, [edit for error in errors for edit in error])
    clean, before = lift_tracks(tracks), lift_tracks(wrong)
    _, listed = run_page(wrong, motions=before)
    held = [[index for index, each in enumerate(corrections) if holding(each, entry)] for entry in listed]
    found = {index for each in held[:_ERRORS] for index in each}
    everywhere = [{"person": track["person"], "time": time} for track in tracks for time in track["times"]]
    chance = []
    for _ in range(200):
        drawn = [everywhere[k] for k in random.choice(len(everywhere), _ERRORS, replace=False)]
        chance.append(sum(any(holding(each, entry) for entry in drawn) for each in corrections))
    first = list(dict.fromkeys(index for each in held for index in each))[:_EDITS]
    corrected, _ = run_page(wrong, [corrections[index] for index in first])
    after = mean_distance(lift_tracks(corrected), clean)
    return len(found), float(np.mean(chance)), mean_distance(before, clean), after


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
        paths = sorted(folder.glob("person_*.npz"))
        tracks = [track_for_page(read_motion(path).keypoints) for path in paths]
        for seed in range(options.seed, options.seed + options.clips):
            found, chance, before, after = measure(tracks, seed)
            print(
                f"seed {seed}: the first {_ERRORS} frames hold {found} of {_ERRORS} errors ({chance:.1f} by chance); "
                f"error {before:.1f} mm, {after:.1f} mm after {_EDITS} corrections",
                flush=True,
            )


if __name__ == "__main__":
    main()
