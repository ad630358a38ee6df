"""The field's evaluation protocols as data: joints, groups and headline metric.

In all of them, both sides are relative to the root joint. Frames that the dataset excludes (NaN joints in its views)
do not count. Every joint of every frame that counts has the same weight within a group.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Literal

from poselift.core.choices import choose
from poselift.core.errors import InputError
from poselift.data.h36m import ACTIONS, FRAMES
from poselift.data.made import MOVEMENTS
from poselift.skeleton import H36M17, HUMANEVA15, MPI_INF_3DHP17, SMPL24, Skeleton

GroupBy = Literal["action", "subject", "sequence", "setting"]
"""The meaning of a row of a table."""

LIMB_JOINTS = tuple(
    f"{side}_{joint}" for side in ("right", "left") for joint in ("hip", "knee", "ankle", "shoulder", "elbow", "wrist")
)
"""The twelve joints that all skeletons of the field place alike."""

H36M_ACTIONS = tuple(sorted(ACTIONS, key=str.lower))
"""In the order of papers' tables."""

_SAME_FRAMES = 0.1
"""Share of a benchmark's frames that two evaluations of it may differ by: MotionBERT's file has 4 % more, and three of
its takes are left out."""


@dataclass(frozen=True)
class Protocol:
    """How predictions are scored.

    Attributes:
        name: the value of `protocol=`.
        title: in tables.
        skeleton: in which errors are measured. Predictions in another skeleton are converted by joint name.
        joints: of the skeleton, those that count.
        pck_joints: those that count in PCK and AUC.
        headline: the metric by which papers compare.
        group_by: the meaning of a row of the table.
        row: a template of the name of a view's row, with {subject} and {action}.
        average: whether the mean of every metric is over the groups' means or over all frames.
        groups: of the benchmark, in the order of its tables. If empty, the groups of the views.
        frames: that the benchmark counts, of all its views together; 0 where papers do not agree on them.
        citation: of its definition.
        note: the choices on which the field differs.
        root: the joint at the origin of both sides, or "hips" for the middle of the hips.
    """

    name: str
    title: str
    skeleton: Skeleton
    joints: tuple[str, ...]
    headline: str
    group_by: GroupBy
    row: str
    average: Literal["groups", "frames"]
    citation: str
    note: str
    groups: tuple[str, ...] = ()
    frames: int = 0
    root: str = "pelvis"
    pck_joints: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Counts all joints in PCK and AUC unless told otherwise."""
        object.__setattr__(self, "pck_joints", self.pck_joints or self.joints)

    def group(self, subject: str, action: str) -> str:
        """The row that a view belongs to.

        Args:
            subject: of the view.
            action: of the view. The number of the take at its end ("Walking 1", "Jog 1 chunk0") does not matter.

        Raises:
            InputError: the benchmark has no such group.
        """
        group = self.row.format(subject=subject, action=re.sub(r"( \d+)?( chunk\d+)?$", "", action))
        if self.groups and group not in self.groups:
            raise InputError(
                f"{group!r} is no {self.group_by} of protocol {self.name}; there are {', '.join(self.groups)}"
            )
        return group

    def has_frames(self, frames: int) -> bool:
        """Whether so many evaluated frames may be all of the benchmark's."""
        return abs(frames - self.frames) <= _SAME_FRAMES * self.frames or not self.frames

    def gaps(self, skeleton: Skeleton, groups: Collection[str], frames: int) -> list[str]:
        """What of the protocol an evaluation lacks, a line each.

        It compares joints, root, groups and frames.

        With a gap, the table does not compare with those of the field.

        Args:
            skeleton: of the predictions.
            groups: of the views.
            frames: that count, of all views together.
        """
        joints = [joint for joint in self.joints if joint not in skeleton.joints]
        rows = [group for group in self.groups if group not in groups]
        found = []
        if joints:
            found.append(
                f"{skeleton.name} has no {', '.join(joints)}: measured on {len(self.joints) - len(joints)} of the "
                f"{len(self.joints)} joints of protocol {self.name}"
            )
        if self.root != "hips" and self.root not in skeleton.joints:  # even if the root does not count
            found.append(
                f"{skeleton.name} has no {self.root}, which is the root of protocol {self.name}: both sides are "
                "relative to the middle of the hips"
            )
        if rows:
            found.append(
                f"no view of {', '.join(rows)}: measured on {len(self.groups) - len(rows)} of the {len(self.groups)} "
                f"{self.group_by}s of protocol {self.name}"
            )
        if not self.has_frames(frames):
            found.append(
                f"measured on {frames:,} frames, protocol {self.name} has {self.frames:,}: a part of its subjects, "
                "takes, cameras or frames; published rows do not compare"
            )
        return found


def _h36m(number: int, title: str, headline: str, alignment: str) -> Protocol:
    return Protocol(
        name=f"h36m_p{number}",
        title=f"Human3.6M, protocol {number} ({title})",
        skeleton=H36M17,
        joints=H36M17.joints,
        headline=headline,
        group_by="action",
        row="{action}",
        average="groups",
        groups=H36M_ACTIONS,
        frames=FRAMES["test"],
        citation="Ionescu et al., 'Human3.6M', PAMI 2014; Pavllo et al., CVPR 2019, for the three protocols of today",
        note=f"Subjects 9 and 11, every frame, four cameras; {alignment}. All 17 joints, the root's zero among them; "
        "a predicted root is subtracted here, but not in VideoPose3D. The mean of the 15 actions' means.",
    )


_MPI_INF_3DHP14 = ("head_top", "neck_base", *LIMB_JOINTS)
_MPI_INF_3DHP = Protocol(
    name="mpi_inf_3dhp",
    title="MPI-INF-3DHP",
    skeleton=MPI_INF_3DHP17,
    joints=MPI_INF_3DHP17.joints,
    pck_joints=_MPI_INF_3DHP14,
    headline="pck150",
    group_by="setting",
    row="{action}",
    groups=("green screen", "no green screen", "outdoor"),
    average="frames",
    citation="Mehta et al., 'Monocular 3D human pose estimation in the wild', 3DV 2017, and the evaluation scripts "
    "of its test set",
    note="Valid frames of TS1 to TS6. As in the official scripts, MPJPE is over all 17 joints, the pelvis's zero among "
    "them, PCK and AUC over 14, without pelvis, spine and head, and joints are the universal ones, with people of one "
    "height. The mean is over all frames, as in the official row 'All'.",
)

_PROTOCOLS = (
    _h36m(1, "MPJPE", "mpjpe", "aligned at the root only"),
    _h36m(2, "P-MPJPE", "p_mpjpe", "each pose aligned by a similarity transform"),
    _h36m(3, "N-MPJPE", "n_mpjpe", "each pose scaled about the root"),
    _MPI_INF_3DHP,
    replace(
        _MPI_INF_3DHP,
        name="mpi_inf_3dhp_14",
        title="MPI-INF-3DHP, 14 joints",
        joints=_MPI_INF_3DHP14,
        note="As protocol mpi_inf_3dhp, but every metric is over the 14 joints of the official PCK and AUC. MPJPE does "
        "not compare with papers, which count the pelvis's zero.",
    ),
    Protocol(
        name="humaneva",
        title="HumanEva-I",
        skeleton=HUMANEVA15,
        joints=HUMANEVA15.joints,
        headline="p_mpjpe",
        group_by="sequence",
        row="{subject} {action}",
        average="groups",
        citation="Sigal et al., 'HumanEva', IJCV 2010; Pavllo et al., CVPR 2019, for the split and the joints",
        note="The validation split's Walking, Jog and Box of S1, S2 and S3, all cameras; 15 joints, relative to the "
        "pelvis. A row is one action of one subject, which is a cell of the usual table; the mean is over these cells.",
    ),
    Protocol(
        name="pw3d",
        title="3DPW",
        skeleton=SMPL24,
        joints=LIMB_JOINTS,
        headline="p_mpjpe",
        group_by="sequence",
        row="{action}",
        average="frames",
        citation="von Marcard et al., 'Recovering accurate 3D human pose in the wild', ECCV 2018",
        note="Test split, frames with a valid camera pose and a 2D pose, as in the official evaluation. The field uses "
        "14 joints regressed from the mesh, with neck and head, which need the body model; these are the 12 limb "
        "joints among the dataset's SMPL joints, relative to the pelvis. The mean is over all frames.",
    ),
    Protocol(
        name="surreal",
        title="SURREAL",
        skeleton=SMPL24,
        joints=LIMB_JOINTS,
        headline="mpjpe",
        group_by="subject",
        row="{subject}",
        average="frames",
        citation="Varol et al., 'Learning from synthetic humans', CVPR 2017; Varol et al., 'BodyNet', ECCV 2018",
        note="The test split's clips. Papers use SMPL's 24 joints; these are its 12 limb joints, which other skeletons "
        "have too, relative to the pelvis. The mean is over all frames.",
    ),
    Protocol(
        name="cmu_bench",
        title="CMU benchmark",
        skeleton=H36M17,
        joints=H36M17.joints,
        headline="mpjpe",
        group_by="subject",
        row="{subject}",
        average="groups",
        citation="the frozen lifting benchmark on the CMU Graphics Lab Motion Capture Database (mocap.cs.cmu.edu)",
        note="Every frame of every view, 17 joints relative to the pelvis. The mean of the subjects' means, as one "
        "subject has most of the frames. Not comparable with errors on Human3.6M.",
    ),
    Protocol(
        name="made_people",
        title="Made people",
        skeleton=H36M17,
        joints=LIMB_JOINTS,
        root="hips",
        headline="mpjpe",
        group_by="action",
        row="{action}",
        average="groups",
        groups=tuple(MOVEMENTS),
        citation="poselift, poselift/data/made.py",
        note="Stick figures with fixed bodies, movements, cameras and detections; 12 limb joints, relative to the "
        "middle of the hips. The mean of the movements' means. It shows that a lifter works; it does not compare with "
        "errors on people.",
    ),
    Protocol(
        name="all_views",
        title="All views",
        skeleton=H36M17,
        joints=LIMB_JOINTS,
        root="hips",
        headline="mpjpe",
        group_by="subject",
        row="{subject}",
        average="frames",
        citation="of no paper: every view of the chosen data",
        note="Every frame of every view of the data, the 12 limb joints that all skeletons place alike, relative to "
        "the middle of the hips. The mean is over all frames. No paper uses this protocol.",
    ),
)

PROTOCOLS = {protocol.name: protocol for protocol in _PROTOCOLS}
"""All protocols by name."""


def get_protocol(name: str) -> Protocol:
    """A protocol by name.

    Raises:
        InputError: there is no such protocol.
    """
    return choose("protocol", name, PROTOCOLS)
