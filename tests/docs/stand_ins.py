"""What stands in for the files, cameras, buckets and networks that the commands of the documentation name."""

import functools
import inspect
import itertools
import shutil
import time

import av
import numpy as np
import pytest
import torch
from fsspec.implementations.memory import MemoryFileSystem

from poselift.detection import DETECTORS, MMPose, build_detector
from poselift.export import read_motion
from poselift.models import LifterConfig, SpatioTemporalLifter, save_weights
from poselift.samples import demo_video
from poselift.video import VideoReader, VideoWriter
from tests.cli.batch.conftest import OneProcess
from tests.detection.onnx_files import box_finder, pose_finder
from tests.keypoints import writers

END = 0.3
"""Seconds of the demo clip that are lifted."""

KEYPOINTS = {
    "output_json": ("openpose", ""),
    "pose/cam1_json": ("openpose", ""),
    "dwpose.json": ("dwpose", "dwpose.json"),
    "alphapose-results.json": ("alphapose", "alphapose-results.json"),
    "labels.json": ("coco_annotations", "annotations.json"),
    "results.json": ("coco_results", "results.json"),
    "predictions/clip.json": ("mmpose", "clip.json"),
    "labels": ("ultralytics", ""),
    "landmarks.json": ("mediapipe", "landmarks.json"),
    "clip.analysis.h5": ("sleap", "clip.analysis.h5"),
    "poses.nc": ("movement", "poses.nc"),
    "clipDLC.csv": ("deeplabcut_csv", "clipDLC_resnet50.csv"),
    "clipDLC.h5": ("deeplabcut_h5", "clipDLC_resnet50.h5"),
    "clip.mp4.npz": ("detectron", "clip.mp4.npz"),
    "data_2d_custom_x.npz": ("videopose3d_custom", "data_2d_custom_clip.npz"),
    "clip_Sports2D": ("trc", ""),
}
"""Files of docs/keypoints.md -> their format in tests/keypoints/writers.py, and the name that it gives them."""

NEEDS = {"--rerun": "rerun", "tools/evaluate_detector.py": "pycocotools"}
"""Commands whose package is no part of poselift[dev]."""


def skip_without_package(text):
    """Skips the test of a command whose package is missing."""
    for part, package in NEEDS.items():
        if part in text:
            pytest.importorskip(package)


def write_files(folder):
    """The files of commands that take a clip; `walk` is there already."""
    clip = folder / "clip.mp4"
    reader = VideoReader(demo_video(), end=END)
    with VideoWriter(clip, reader.info.width, reader.info.height) as writer:
        for frame in reader:
            writer.write(frame.image, frame.timestamp)
    for place in ("cam1.mp4", "videos/monday/camera1_walk.mp4", *(f"data/videos/{n}.mp4" for n in range(3))):
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(clip, folder / place)
    (folder / "list.csv").write_text(f"path,start,end\nclip.mp4,0,{END}\n", encoding="utf-8")
    write_lifter(folder / "mine.safetensors")
    write_transport_stream(clip, folder / "live.ts")
    write_keypoints(folder)
    (folder / "rtmdet_m").mkdir()
    box_finder(folder / "rtmdet_m" / "end2end.onnx", [[20, 10, 50, 60, 0.9]], [0])
    points = np.random.default_rng(0).uniform([10, 10], [38, 54], (26, 2))
    pose_finder(folder / "rtmpose-m_halpe26.onnx", points)


def write_lifter(path):
    """A lifter of the smallest size with random weights."""
    torch.manual_seed(0)
    config = LifterConfig(joint_dim=8, joint_heads=2, frame_dim=16, dim=16, heads=2, depth=1)
    save_weights(path, SpatioTemporalLifter(config), 40, {})


def write_transport_stream(video, path):
    """The pictures as a camera of a network sends them."""
    reader = VideoReader(video)
    with av.open(str(path), "w", format="mpegts") as target:
        stream = target.add_stream("libx264", 30, width=reader.info.width, height=reader.info.height)
        for frame in reader:
            target.mux(stream.encode(av.VideoFrame.from_ndarray(frame.image)))
        target.mux(stream.encode())


def write_keypoints(folder):
    """The 2D of person 1 in every format that a page names."""
    keypoints = read_motion(folder / "walk" / "person_1.npz").keypoints
    frames = [
        [writers.Person(points, scores, 1)] if np.isfinite(points).any() else []
        for points, scores in zip(keypoints.keypoints, keypoints.scores, strict=True)
    ]
    size = tuple(keypoints.image_size)
    for path, (name, file) in KEYPOINTS.items():
        made = writers.FORMATS[name].write(folder / f"by_{name}", frames, keypoints.skeleton, size, 30.0)
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        assert not file or made.name == file
        made.rename(folder / path)
        shutil.rmtree(folder / f"by_{name}", ignore_errors=True)


class Camera:
    """In place of cv2.VideoCapture: sees `clip.mp4` again and again, 30 frames a second."""

    def __init__(self, index):
        self._pictures = itertools.cycle([frame.image[..., ::-1].copy() for frame in VideoReader("clip.mp4")])

    def isOpened(self):
        return True

    def set(self, name, value):
        pass

    def read(self):
        time.sleep(1 / 30)
        return True, next(self._pictures)

    def release(self):
        pass


class Bucket(MemoryFileSystem):
    """Files of s3://, in memory."""

    protocol = "s3"
    store, pseudo_dirs = {}, [""]

    @classmethod
    def _strip_protocol(cls, path):
        return "/" + path.removeprefix("s3://").strip("/")


class RayInOneProcess(OneProcess):
    """Lifts in this process, because a cluster takes seconds to start; tests/cli/batch/test_cluster.py has one."""

    def __init__(self, options, device, timeout):
        super().__init__(options, ["cpu"], 1, timeout)


@functools.cache
def detector(name, device, **options):
    """The detector, loaded once; in place of mmpose, which would download its models, the default one."""
    if name != "mmpose":
        return build_detector(name, device, **options)
    inspect.signature(MMPose if name == "mmpose" else DETECTORS[name]).bind(device, **options)
    return detector("movenet", "cpu")


def export(weights, path, flip):
    """A file without a graph: torch takes 11 s for a graph, and tests/models/test_onnx_export.py has one."""
    path.write_bytes(b"graph")
    return 0.0
