"""Average precision of a detector's keypoints on COCO.

python tools/evaluate_detector.py --annotations FILE --images DIR
"""

import argparse
import contextlib
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from poselift.cli.detector import add_detector_options, make_detector_request
from poselift.core.device import DEVICE_HELP
from poselift.core.errors import InputError
from poselift.core.optional import require
from poselift.core.progress_text import track
from poselift.detection import Detector
from poselift.finding.people_finder import build_finder
from poselift.skeleton import COCO17, convert
from poselift.structures import Detections
from poselift.video import Frame

_FIGURES = ("AP", "AP .5", "AP .75", "AP (M)", "AP (L)", "AR", "AR .5", "AR .75", "AR (M)", "AR (L)")
"""In the order of pycocotools' `stats`."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints the average precision of a detector on COCO.

    Raises:
        SystemExit: an argument or a file cannot be used; the message is one line.
    """
    parser = argparse.ArgumentParser(
        description="Measures the keypoints of a detector on COCO, or on data in its format."
    )
    parser.add_argument("--annotations", type=Path, required=True, help="person_keypoints_val2017.json")
    parser.add_argument("--images", type=Path, required=True, help="folder of the pictures, val2017")
    parser.add_argument("--limit", type=int, metavar="N", help="only the first N pictures")
    parser.add_argument("--device", default="auto", help=DEVICE_HELP)
    add_detector_options(parser)
    options = parser.parse_args(arguments)
    try:
        detector = make_detector_request(options).build(options.device)
        found = average_precision(detector, options.annotations, options.images, options.limit)
        for name, value in found.items():
            print(f"{name:<8} {100 * value:6.2f}")
    except InputError as error:
        parser.exit(2, f"error: {error}\n")


def average_precision(
    detector: Detector, annotations: Path, images: Path, limit: int | None = None
) -> dict[str, float]:
    """COCO's average precision and recall over object keypoint similarity (https://cocodataset.org/#keypoints-eval).

    People are found as `poselift lift --quality best` finds them in the first frame of a video.

    A person's score is the box score times the mean joint score, as in mmpose's evaluation. Undetected joints count as
    wrong, as in COCO's.

    Args:
        detector: a detector whose skeleton has COCO's joints.
        annotations: the JSON of the keypoints.
        images: folder of the pictures.
        limit: number of pictures, from the first one; all if None.

    Raises:
        InputError: a file is missing or unreadable, or pycocotools is not installed.
    """
    require("pycocotools", "mmpose")
    from pycocotools.coco import COCO
    from pycocotools.cocoeval import COCOeval

    if not annotations.is_file():
        raise InputError(f"annotations {annotations}: no such file; check --annotations")
    with contextlib.redirect_stdout(io.StringIO()):
        truth = COCO(str(annotations))
    chosen = sorted(truth.imgs)[:limit]
    results: list[dict[str, Any]] = []
    for number in track(chosen, description="Finding people"):
        frame = Frame(_read(images / truth.imgs[number]["file_name"]), 0.0, 0)
        # A new finder for each picture: it follows nobody from one to the next.
        found, _ = next(build_finder(detector, "best").find([frame]))
        assert found is not None  # the last frame gets a look in any case
        results += _results(number, found)
    with contextlib.redirect_stdout(io.StringIO()):
        # loadRes does not take an empty list.
        compared = COCOeval(truth, truth.loadRes(results) if results else COCO(), "keypoints")
        compared.params.imgIds = chosen
        compared.evaluate()
        compared.accumulate()
        compared.summarize()
    return dict(zip(_FIGURES, (float(value) for value in compared.stats), strict=True))


def _read(path: Path) -> np.ndarray:
    picture = cv2.imread(str(path))
    if picture is None:
        raise InputError(f"picture {path} is missing or cannot be read; check --images")
    return np.ascontiguousarray(picture[..., ::-1])


def _results(image: int, found: Detections) -> list[dict[str, Any]]:
    """The people of a frame in COCO's results format."""
    points = convert(found.keypoints, found.skeleton, COCO17).values
    scores = convert(found.scores[..., None], found.skeleton, COCO17).values[..., 0]
    people = []
    for person, box_score in enumerate(found.box_scores):
        seen = np.isfinite(points[person]).all(-1)
        joints = np.where(seen[:, None], np.column_stack([points[person], np.ones(len(COCO17))]), 0.0)
        score = float(box_score * scores[person][seen].mean()) if seen.any() else 0.0
        people.append({"image_id": image, "category_id": 1, "keypoints": joints.ravel().tolist(), "score": score})
    return people


if __name__ == "__main__":
    main()
