"""Scores of our tracker on synthetic scenes, beside ByteTrack, OC-SORT and SORT.

    pip install "poselift[bench,train]"
    python -m benchmarks.tracking --corpus cmu50.npz [--split test] [--people 2 3 4 6 8] [--scenes 20] [--seed 0]

The scenes are those of `benchmarks.scenes`. All trackers get the same detections, after the detectors' own removal
of double detections. The other trackers are those of Roboflow's `trackers`, with the settings that were best for them
on the train split (see `RIVALS`). The scores are TrackEval's over boxes: HOTA (Luiten et al. 2021,
https://doi.org/10.1007/s11263-020-01375-2), IDF1 (Ristani et al. 2016) and identity switches (Bernardin and
Stiefelhagen 2008). "live" numbers each frame at once; "ours" also looks back over the whole clip, as `poselift lift`
does. "every second frame" is scored on the frames at which the detector looks.
"""

import contextlib
import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.command import command_line, errors_shown, print_table
from benchmarks.scenes import Scene, make_scene
from poselift.core.optional import require
from poselift.data.cmu import load_cmu
from poselift.detection.duplicates import intersection_over_union, pose_nms
from poselift.structures import Detections
from poselift.tracking import Tracker

Numbers = list[np.ndarray]
"""For each frame the person number of each detection; 0 where the tracker gives none."""

COLUMNS = ("HOTA", "AssA", "DetA", "IDF1", "MOTA", "IDSW")


def ours_live(scene: Scene) -> Numbers:
    """The numbers that our tracker gives at once."""
    tracker = Tracker(scene.image_size)
    return [
        np.array(tracker.update(found, float(time)), dtype=int)
        for time, found in zip(scene.times, scene.detections, strict=True)
    ]


def ours(scene: Scene) -> Numbers:
    """The numbers that our tracker gives after the whole clip."""
    tracker = Tracker(scene.image_size)
    for time, found in zip(scene.times, scene.detections, strict=True):
        tracker.update(found, float(time))
    numbers = [np.zeros(len(found), dtype=int) for found in scene.detections]
    for track in tracker.tracks():
        first = int(np.searchsorted(scene.times, track.timestamps[0]))
        for row in np.flatnonzero(track.seen):
            same = [
                np.array_equal(pose, track.keypoints[row], True) for pose in scene.detections[first + row].keypoints
            ]
            numbers[first + row][same.index(True)] = track.person
    return numbers


def theirs(name: str, **settings: Any) -> Callable[[Scene], Numbers]:
    """The numbers that a tracker of Roboflow's library gives."""

    def follow(scene: Scene) -> Numbers:
        import supervision
        import trackers

        tracker = getattr(trackers, name)(frame_rate=1 / float(np.diff(scene.times).mean()), **settings)
        numbers = []
        for found in scene.detections:
            given = supervision.Detections(
                found.boxes.reshape(-1, 4), confidence=found.box_scores, data={"place": np.arange(len(found))}
            )
            followed = tracker.update(given)
            own = np.zeros(len(found), dtype=int)
            if len(followed):
                own[followed.data["place"]] = followed.tracker_id + 1
            numbers.append(own)
        return numbers

    return follow


RIVALS: dict[str, Callable[[Scene], Numbers]] = {
    "SORT": theirs("SORTTracker", minimum_iou_threshold=0.05),
    "ByteTrack": theirs("ByteTrackTracker", minimum_iou_threshold=0.05, lost_track_buffer=60),
    "OC-SORT": theirs("OCSORTTracker", minimum_iou_threshold=0.05, high_conf_det_threshold=0.3),
}
"""With the settings of the highest IDF1 in a search on the train split; all others are the library's defaults."""

TRACKERS = RIVALS | {"ours, live": ours_live, "ours": ours}


def without_doubles(scene: Scene) -> Scene:
    """The scene without double detections, as detectors return it."""
    detections, owners = [], []
    for found, whose in zip(scene.detections, scene.owners, strict=True):
        kept = pose_nms(found.keypoints, found.scores, found.boxes, found.box_scores)
        detections.append(
            Detections(
                found.boxes[kept], found.box_scores[kept], found.keypoints[kept], found.scores[kept], found.skeleton
            )
        )
        owners.append(whose[kept])
    return replace(scene, detections=tuple(detections), owners=tuple(owners))


def every_second_frame(scene: Scene) -> Scene:
    """The scene for a detector that looks at every second frame."""
    return replace(
        scene,
        times=scene.times[::2],
        detections=scene.detections[::2],
        owners=scene.owners[::2],
        boxes=scene.boxes[:, ::2],
    )


def evaluation_data(scene: Scene, numbers: Numbers) -> dict[str, Any]:
    """A scene as TrackEval's metrics take it, without detections of people who are not counted."""
    truth, followed, similarity = [], [], []
    for t, found in enumerate(scene.detections):
        there = np.flatnonzero(np.isfinite(scene.boxes[:, t, 0]))
        owner = scene.owners[t]
        taken = (numbers[t] > 0) & ((owner < 0) | np.isin(owner, there))
        truth.append(there)
        followed.append(numbers[t][taken])
        similarity.append(intersection_over_union(scene.boxes[there, t], found.boxes[taken]))
    known = np.unique(np.concatenate(followed)) if followed else np.zeros(0, int)
    return {
        "num_gt_ids": len(scene.boxes),
        "num_tracker_ids": len(known),
        "num_gt_dets": sum(map(len, truth)),
        "num_tracker_dets": sum(map(len, followed)),
        "num_timesteps": len(truth),
        "gt_ids": truth,
        "tracker_ids": [np.searchsorted(known, frame) for frame in followed],
        "similarity_scores": similarity,
    }


def score(scenes: Sequence[Scene], follow: Callable[[Scene], Numbers]) -> dict[str, float]:
    """TrackEval's scores over all scenes, in percent; switches as a count."""
    from trackeval.metrics import CLEAR, HOTA, Identity

    with contextlib.redirect_stdout(io.StringIO()):
        metrics = [HOTA(), Identity(), CLEAR()]
        data = [evaluation_data(scene, follow(scene)) for scene in scenes]
        totals: dict[str, Any] = {}
        for metric in metrics:
            totals |= metric.combine_sequences({str(k): metric.eval_sequence(one) for k, one in enumerate(data)})
    return {
        column: float(totals[column]) if column == "IDSW" else 100 * float(np.mean(totals[column]))
        for column in COLUMNS
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints a row for each number of people and each tracker."""
    parser = command_line(__doc__)
    parser.add_argument("--corpus", type=Path, required=True, metavar="FILE", help="cmu50.npz")
    parser.add_argument("--split", default="test", help="train, val or test; default test")
    parser.add_argument("--people", type=int, nargs="+", default=[2, 3, 4, 6, 8], help="in a scene; default 2 3 4 6 8")
    parser.add_argument("--scenes", type=int, default=20, help="for each number of people; default 20")
    parser.add_argument("--seed", type=int, default=0, help="of the first scene; default 0")
    options = parser.parse_args(arguments)
    with errors_shown(parser):
        require("trackers", "bench")
        require("trackeval", "bench")
        corpus = load_cmu(options.corpus, options.split)

    def rows() -> Iterator[list[str]]:
        for people in options.people:
            scenes = [without_doubles(make_scene(corpus, people, options.seed + k)) for k in range(options.scenes)]
            half = [every_second_frame(scene) for scene in scenes]
            for name, follow in (TRACKERS | {"ours, every second frame": ours}).items():
                row = score(half if "second" in name else scenes, follow)
                cells = [f"{row[column]:.0f}" if column == "IDSW" else f"{row[column]:.1f}" for column in COLUMNS]
                yield [str(people), name, *cells]

    print_table(["people", "tracker", *COLUMNS], rows())


if __name__ == "__main__":
    main()
