"""What is measured of one motion."""

from dataclasses import dataclass
from pathlib import Path

from poselift.cli.measure.floor_angle import FloorAngle
from poselift.kinematics import (
    Angles,
    Cycles,
    Gait,
    add_uncertainty,
    as_plug_in_gait,
    cut_gait_cycles,
    measure_gait,
    measure_joint_angles,
    measure_segment_angles,
    steps_with,
)
from poselift.kinematics.measures import explain_no_gait
from poselift.structures import Height, Motion


@dataclass(frozen=True)
class Trial:
    """One motion and its measurements.

    Attributes:
        name: of the file without its ending, after that of its folder.
        joints: joint angles, with their uncertainty.
        segments: angles of segments in space, likewise.
        gait: None without steps.
        why: says why there are no steps.
        cycles: joint and segment angles over the strides.
        height: of the person; None if unknown.
        seen: share of the frames in which the person was seen, from 0 to 1.
        unused_belt: speed of a belt that was given for somebody who walks over ground, m/s; None otherwise.
        floors: how each camera stands to the floor; empty if unknown.
        cameras: number of the cameras that saw it.
        plug_in_gait: whether the angles are as Plug-in Gait has them.
    """

    name: str
    joints: Angles
    segments: Angles
    gait: Gait | None
    why: str
    cycles: list[Cycles]
    height: Height | None
    seen: float = 1.0
    unused_belt: float | None = None
    floors: tuple[FloorAngle, ...] = ()
    cameras: int = 1
    plug_in_gait: bool = False


def measure_trial(
    path: Path,
    motion: Motion,
    belt: float | None = None,
    floors: tuple[FloorAngle, ...] = (),
    cameras: int = 1,
    seen: Motion | None = None,
    plug_in_gait: bool = False,
) -> Trial:
    """The measurements of a motion.

    Args:
        path: of the motion.
        motion: of one person; all times are by its clock.
        belt: speed of a treadmill's belt, m/s.
        floors: how each camera stands to the floor, if known.
        cameras: number of the cameras that saw it.
        seen: the motion as `legs_as_seen` turns its legs, of which the angles are then measured.
        plug_in_gait: whether angles become those of Plug-in Gait (`as_plug_in_gait`), and those it lacks are left out.

    Raises:
        InputError: the skeleton lacks joints, or no frame has a pose.
    """
    found, why = None, ""
    if motion.frame == "world" and steps_with(motion.skeleton):
        found = measure_gait(motion, belt)
    if found is None or not found.steps:
        why, found = explain_no_gait(motion, steps=True), None
    seen = motion if seen is None else seen
    measures = measure_joint_angles, measure_segment_angles
    joints, segments = (add_uncertainty(angles, seen, cameras) for angles in measures)
    if plug_in_gait:
        joints, segments = (as_plug_in_gait(angles, seen) for angles in (joints, segments))
    cycles = [] if found is None else [*cut_gait_cycles(joints, found), *cut_gait_cycles(segments, found)]
    name = f"{path.parent.name}/{path.stem}" if path.parent.name else path.stem
    unused = belt if found is not None and found.belt is None else None
    share = float((motion.posed & ~motion.interpolated).mean())
    height = motion.height
    return Trial(name, joints, segments, found, why, cycles, height, share, unused, floors, cameras, plug_in_gait)
