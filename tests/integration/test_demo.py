"""The demo clip through the default command, judged by what is in the video."""

import json
from dataclasses import replace

import numpy as np
import pytest

from poselift.cli.main import main
from poselift.geometry.camera import camera_for
from poselift.lifting import lift
from poselift.lifting.prepare.pelvis import pelvis_offset
from poselift.models import load_weights
from poselift.recordings import read_motion
from poselift.samples import demo_video
from poselift.skeleton import H36M17, HALPE26
from poselift.video import VideoReader, VideoWriter

EVERY = 5
"""Every fifth frame is lifted: six frames a second are enough, and the default detector takes 0.6 s a frame."""

# One worker lifts the clip for all tests of this file.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("demo")]


@pytest.fixture(scope="module")
def motions(tmp_path_factory):
    """The people of the demo clip: the man on the roof and the woman who walks past."""
    out = tmp_path_factory.mktemp("demo")
    video, reader = out / "clip.mp4", VideoReader(demo_video())
    with VideoWriter(video, reader.info.width, reader.info.height) as writer:
        for index, frame in enumerate(reader):
            if index % EVERY == 0:
                writer.write(frame.image, frame.timestamp)
    main(["lift", str(video), "--out", str(out), "--no-render", "--quiet"])
    people = json.loads((out / "summary.json").read_text())["people"]
    found = [read_motion(out / f"person_{person['id']}.npz") for person in people]
    return sorted(found, key=lambda motion: np.nanmean(motion.keypoints.keypoints[..., 1]))


def test_two_people_one_id_each(motions):
    assert len(motions) == 2
    man, woman = motions
    for motion in (man, woman):
        assert np.ptp(motion.timestamps) > 3.0
        assert np.isfinite(motion.joints).all()


def test_bones_keep_their_length(motions):
    """Median over bones of the standard deviation over time, as a share of the bone."""
    parents, children = np.array(H36M17.bone_indices).T
    for motion in motions:
        lengths = np.linalg.norm(motion.joints[:, children] - motion.joints[:, parents], axis=-1)
        assert np.median(lengths.std(0) / lengths.mean(0)) < 0.05


def test_both_people_are_upright(motions):
    """The camera is nearly level, so up is -y."""
    thorax = H36M17.index("thorax")
    for motion in motions:
        spine = motion.joints[:, thorax]
        lean = np.degrees(np.arccos(-spine[:, 1] / np.linalg.norm(spine, axis=-1)))
        assert np.median(lean) < 20


def test_the_womans_legs_alternate_and_are_the_right_ones(motions):
    woman = motions[1]
    left, right = (woman.joints[:, H36M17.index(f"{side}_ankle")] for side in ("left", "right"))
    # She walks to the left of the picture: -x. Steps: the leading foot changes.
    lead = left[:, 0] - right[:, 0]
    assert lead.max() > 0.25
    assert lead.min() < -0.25
    assert 2 <= np.sum(np.diff(np.sign(lead)) != 0) <= 12
    # Someone who walks to the left of the picture shows the camera their left side.
    left_hip, right_hip = (woman.joints[:, H36M17.index(f"{side}_hip")] for side in ("left", "right"))
    assert np.median(left_hip[:, 2] - right_hip[:, 2]) < 0
    assert woman.root[-1, 0] < woman.root[0, 0] - 1.0, "she walks metres, to the left"


def test_a_pelvis_between_the_hips_changes_nothing(motions):
    """Halpe-26 has it there. The shipped lifters have it at the base of the spine, so they do not use Halpe's."""
    for motion in motions:
        assert 0.15 < pelvis_offset(motion.joints, H36M17) < 0.3
        seen = motion.keypoints
        hips = seen.keypoints[:, seen.skeleton.indices(["left_hip", "right_hip"])].mean(1)
        points, scores = np.zeros((len(seen), 26, 2)), np.zeros((len(seen), 26))
        both = [joint for joint in seen.skeleton.joints if joint in HALPE26.joints]
        ours, theirs = seen.skeleton.indices(both), HALPE26.indices(both)
        points[:, theirs], scores[:, theirs] = seen.keypoints[:, ours], seen.scores[:, ours]
        points[:, HALPE26.index("pelvis")], scores[:, HALPE26.index("pelvis")] = hips, 0.9
        halpe = replace(seen, keypoints=points, scores=scores, skeleton=HALPE26)
        weights, camera = load_weights("small"), camera_for(seen.image_size)
        np.testing.assert_array_equal(lift(halpe, weights, camera).joints, lift(seen, weights, camera).joints)
