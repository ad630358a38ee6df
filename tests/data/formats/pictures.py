"""COCO's person keypoints and MPII in the json that HRNet and MMPose read, of people who stand before a camera."""

import json
from pathlib import Path

import av
import numpy as np

from poselift.skeleton import COCO17, MPII16
from tests.data.formats.people import moving_person, pixels_of

COCO_FILES = {"train": "person_keypoints_train2017.json", "val": "person_keypoints_val2017.json"}
MPII_FILES = {"train": "mpii_train.json", "val": "mpii_val.json"}
K = np.array([[600.0, 0, 320], [0, 600, 240], [0, 0, 1]])
SIZE = (640, 480)


def standing_person(joints: tuple[str, ...], seed: int) -> np.ndarray:
    """(joints, 2): pixels of a person who faces the camera from 4 m."""
    person = moving_person(joints, 1, seed)[0]
    return pixels_of(person * [1, -1, -1] + [0, 1, 4], K)


def write_coco(folder: Path, people: int = 6) -> dict[str, np.ndarray]:
    """Writes both splits; gives x, y and label of each person's keypoints by "split/picture/annotation".

    The first has all keypoints, the second's ears are hidden and its left ankle is not labelled. A crowd and a person
    without keypoints are in the files too.
    """
    truth = {}
    for split, file in COCO_FILES.items():
        annotations = []
        for number in range(people):
            keypoints = np.column_stack([np.rint(standing_person(COCO17.joints, number)), np.full(17, 2)])
            if number == 1:
                keypoints[COCO17.indices(("left_ear", "right_ear")), 2] = 1
                keypoints[COCO17.index("left_ankle")] = 0
            annotations.append(coco_person(100 + number, number // 2, keypoints))
            truth[f"{split}/{number // 2}/{100 + number}"] = keypoints
        annotations += [
            coco_person(200, 0, np.zeros((17, 3))),
            coco_person(900100000201, 0, np.full((17, 3), 2), crowd=1),
        ]
        content = {
            "info": {"description": "COCO 2017 Dataset", "version": "1.0"},
            "licenses": [{"id": 4, "name": "Attribution License"}],
            "images": [
                {"license": 4, "file_name": f"{id:012}.jpg", "height": SIZE[1], "width": SIZE[0], "id": id}
                for id in range(people)
            ],
            "annotations": annotations,
            "categories": [{"supercategory": "person", "id": 1, "name": "person", "keypoints": list(COCO17.joints)}],
        }
        path = folder / "annotations" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content))
    return truth


def coco_person(id: int, image: int, keypoints: np.ndarray, crowd: int = 0) -> dict:
    """One annotation."""
    return {
        "segmentation": {"counts": [0, 5], "size": SIZE[::-1]} if crowd else [[1.0, 1.0, 9.0, 1.0, 9.0, 9.0]],
        "num_keypoints": int((keypoints[:, 2] > 0).sum()),
        "area": 64.0,
        "iscrowd": crowd,
        "keypoints": keypoints.astype(int).ravel().tolist(),
        "image_id": image,
        "bbox": [1.0, 1.0, 8.0, 8.0],
        "category_id": 1,
        "id": id,
    }


def write_mpii(folder: Path, people: int = 4) -> dict[str, np.ndarray]:
    """Writes both splits and their pictures; gives (16, 2) pixels counted from 0 by "split/picture/number".

    The second person has no left wrist; one without keypoints is in the files too.
    """
    truth = {}
    for split, file in MPII_FILES.items():
        entries = []
        for number in range(people):
            image = f"{number // 2:09}.jpg"
            pixels = np.rint(standing_person(MPII16.joints, number) * 10) / 10
            known = np.ones(16, int)
            if number == 1:
                known[MPII16.index("left_wrist")] = 0
                pixels[MPII16.index("left_wrist")] = -2
            truth[f"{split}/{image}/{number}"] = np.where(known[:, None] > 0, pixels, np.nan)
            entries.append(_mpii_person(image, pixels + 1, known))
        entries.append(_mpii_person("000000000.jpg", np.full((16, 2), -1.0), np.zeros(16, int)))
        path = folder / "annotations" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(entries))
    for number in range((people + 1) // 2):
        write_picture(folder / "images" / f"{number:09}.jpg", *SIZE)
    return truth


def _mpii_person(image: str, joints: np.ndarray, known: np.ndarray) -> dict:
    return {
        "joints_vis": known.tolist(),
        "joints": joints.tolist(),
        "image": image,
        "scale": 3.021046,
        "center": [594.0, 257.0],
    }


def write_picture(path: Path, width: int, height: int) -> None:
    """Writes a grey JPEG."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with av.open(str(path), "w", format="image2", options={"update": "1"}) as container:
        stream = container.add_stream("mjpeg", rate=1)
        stream.width, stream.height, stream.pix_fmt = width, height, "yuvj420p"
        grey = av.VideoFrame.from_ndarray(np.full((height, width, 3), 128, np.uint8), format="rgb24")
        for packet in (*stream.encode(grey), *stream.encode()):
            container.mux(packet)
