"""The field's skeletons, with joints in the order of their arrays.

Equal joints of two skeletons have equal names, so that conversion is by name. Joints at slightly different places have
different names: Human3.6M's `thorax` is between the shoulders, and its `neck_base` is above it (called neck/nose in its
papers).
"""

from poselift.core.choices import choose
from poselift.skeleton.skeleton import Skeleton


def _skeleton(name: str, tree: str) -> Skeleton:
    """The skeleton of a text of "joint<parent" words.

    A root has no parent.
    """
    words = [word.partition("<") for word in tree.split()]
    return Skeleton(name, tuple(joint for joint, _, _ in words), tuple(parent or None for _, _, parent in words))


H36M17 = _skeleton(
    "h36m17",
    """pelvis right_hip<pelvis right_knee<right_hip right_ankle<right_knee left_hip<pelvis left_knee<left_hip
    left_ankle<left_knee spine<pelvis thorax<spine neck_base<thorax head_top<neck_base left_shoulder<thorax
    left_elbow<left_shoulder left_wrist<left_elbow right_shoulder<thorax right_elbow<right_shoulder
    right_wrist<right_elbow""",
)
"""Human3.6M as the field uses it (VideoPose3D's reduction of its 32 joints)."""

H36M32 = _skeleton(
    "h36m32",
    """pelvis right_hip<pelvis right_knee<right_hip right_ankle<right_knee right_toes<right_ankle
    right_toes_end<right_toes left_hip<pelvis left_knee<left_hip left_ankle<left_knee left_toes<left_ankle
    left_toes_end<left_toes spine_base<pelvis spine<spine_base thorax<spine neck_base<thorax head_top<neck_base
    left_collar<thorax left_shoulder<left_collar left_elbow<left_shoulder left_wrist<left_elbow
    left_thumb<left_wrist left_thumb_end<left_thumb left_wrist_end<left_wrist left_wrist_end_site<left_wrist_end
    right_collar<thorax right_shoulder<right_collar right_elbow<right_shoulder right_wrist<right_elbow
    right_thumb<right_wrist right_thumb_end<right_thumb right_wrist_end<right_wrist
    right_wrist_end_site<right_wrist_end""",
)
"""All joints of Human3.6M's files. Thumbs and wrist ends are not measured; the collars and the base of the spine
coincide with other joints."""

CMU28 = Skeleton(
    "cmu28",
    H36M17.joints
    + ("right_big_toe", "left_big_toe", "right_heel", "left_heel", "right_hand", "left_hand")
    + ("nose", "right_eye", "left_eye", "right_ear", "left_ear"),
    H36M17.parents
    + ("right_ankle", "left_ankle", "right_ankle", "left_ankle", "right_wrist", "left_wrist")
    + ("neck_base",) * 5,
)
"""Human3.6M-17 followed by toes, heels, hand tips and the face: the joints of the CMU corpus."""

COCO17 = _skeleton(
    "coco17",
    """nose left_eye<nose right_eye<nose left_ear<left_eye right_ear<right_eye left_shoulder<nose
    right_shoulder<nose left_elbow<left_shoulder right_elbow<right_shoulder left_wrist<left_elbow
    right_wrist<right_elbow left_hip<left_shoulder right_hip<right_shoulder left_knee<left_hip
    right_knee<right_hip left_ankle<left_knee right_ankle<right_knee""",
)
"""COCO person keypoints (https://cocodataset.org/#format-data). COCO defines no tree; poselift's is for drawing."""

HALPE26 = _skeleton(
    "halpe26",
    """nose<neck_base left_eye<nose right_eye<nose left_ear<left_eye right_ear<right_eye left_shoulder<neck_base
    right_shoulder<neck_base left_elbow<left_shoulder right_elbow<right_shoulder left_wrist<left_elbow
    right_wrist<right_elbow left_hip<pelvis right_hip<pelvis left_knee<left_hip right_knee<right_hip
    left_ankle<left_knee right_ankle<right_knee head_top<neck_base neck_base<pelvis pelvis
    left_big_toe<left_ankle right_big_toe<right_ankle left_small_toe<left_ankle right_small_toe<right_ankle
    left_heel<left_ankle right_heel<right_ankle""",
)
"""Halpe body keypoints with feet (https://github.com/Fang-Haoshu/Halpe-FullBody)."""

BODY25 = _skeleton(
    "body25",
    """nose<mid_shoulders mid_shoulders<pelvis right_shoulder<mid_shoulders right_elbow<right_shoulder
    right_wrist<right_elbow left_shoulder<mid_shoulders left_elbow<left_shoulder left_wrist<left_elbow pelvis
    right_hip<pelvis right_knee<right_hip right_ankle<right_knee left_hip<pelvis left_knee<left_hip
    left_ankle<left_knee right_eye<nose left_eye<nose right_ear<right_eye left_ear<left_eye
    left_big_toe<left_ankle left_small_toe<left_ankle left_heel<left_ankle right_big_toe<right_ankle
    right_small_toe<right_ankle right_heel<right_ankle""",
)
"""OpenPose BODY_25. It defines "Neck" as the middle of the shoulders; its "MidHip" is `pelvis`."""

BODY25B = Skeleton(
    "body25b",
    COCO17.joints
    + ("neck_base", "head_top")
    + ("left_big_toe", "left_small_toe", "left_heel", "right_big_toe", "right_small_toe", "right_heel"),
    COCO17.parents + ("nose", "neck_base") + ("left_ankle",) * 3 + ("right_ankle",) * 3,
)
"""OpenPose BODY_25B (https://github.com/CMU-Perceptual-Computing-Lab/openpose_train): COCO's joints, MPII's upper
neck and head top, and feet. It has as many joints as BODY_25, in another order."""

COCO_WHOLEBODY23 = Skeleton(
    "coco_wholebody23",
    COCO17.joints + ("left_big_toe", "left_small_toe", "left_heel", "right_big_toe", "right_small_toe", "right_heel"),
    COCO17.parents + ("left_ankle",) * 3 + ("right_ankle",) * 3,
)
"""Body and feet of COCO-WholeBody (https://github.com/jin-s13/COCO-WholeBody), without its faces and hands."""

CROWDPOSE14 = _skeleton(
    "crowdpose14",
    """left_shoulder<neck_base right_shoulder<neck_base left_elbow<left_shoulder right_elbow<right_shoulder
    left_wrist<left_elbow right_wrist<right_elbow left_hip<left_shoulder right_hip<right_shoulder left_knee<left_hip
    right_knee<right_hip left_ankle<left_knee right_ankle<right_knee head_top<neck_base neck_base""",
)
"""CrowdPose (https://github.com/jeffffffli/CrowdPose); AI Challenger has the same joints in another order."""

POSETRACK17 = _skeleton(
    "posetrack17",
    """nose<neck_base neck_base head_top<nose left_ear<nose right_ear<nose left_shoulder<neck_base
    right_shoulder<neck_base left_elbow<left_shoulder right_elbow<right_shoulder left_wrist<left_elbow
    right_wrist<right_elbow left_hip<left_shoulder right_hip<right_shoulder left_knee<left_hip right_knee<right_hip
    left_ankle<left_knee right_ankle<right_knee""",
)
"""The 17 joints of PoseTrack18 (https://posetrack.net); its "head bottom" is `neck_base`."""

COCO18 = _skeleton(
    "coco18",
    """nose<mid_shoulders mid_shoulders right_shoulder<mid_shoulders right_elbow<right_shoulder
    right_wrist<right_elbow left_shoulder<mid_shoulders left_elbow<left_shoulder left_wrist<left_elbow
    right_hip<mid_shoulders right_knee<right_hip right_ankle<right_knee left_hip<mid_shoulders left_knee<left_hip
    left_ankle<left_knee right_eye<nose left_eye<nose right_ear<right_eye left_ear<left_eye""",
)
"""OpenPose COCO: COCO's joints and a "Neck" that is the middle of the shoulders, as in 3DPW's detections."""

MPII16 = _skeleton(
    "mpii16",
    """right_ankle<right_knee right_knee<right_hip right_hip<pelvis left_hip<pelvis left_knee<left_hip
    left_ankle<left_knee pelvis thorax<pelvis neck_base<thorax head_top<neck_base right_wrist<right_elbow
    right_elbow<right_shoulder right_shoulder<thorax left_shoulder<thorax left_elbow<left_shoulder
    left_wrist<left_elbow""",
)
"""MPII Human Pose (http://human-pose.mpi-inf.mpg.de); its "upper neck" is `neck_base`."""

SMPL24 = _skeleton(
    "smpl24",
    """pelvis left_hip<pelvis right_hip<pelvis spine1<pelvis left_knee<left_hip right_knee<right_hip
    spine2<spine1 left_ankle<left_knee right_ankle<right_knee spine3<spine2 left_foot<left_ankle
    right_foot<right_ankle neck<spine3 left_collar<spine3 right_collar<spine3 head<neck
    left_shoulder<left_collar right_shoulder<right_collar left_elbow<left_shoulder
    right_elbow<right_shoulder left_wrist<left_elbow right_wrist<right_elbow left_hand<left_wrist
    right_hand<right_wrist""",
)
"""The joints of the SMPL body model, as in SURREAL and 3DPW."""

MPI_INF_3DHP17 = _skeleton(
    "mpi_inf_3dhp17",
    """head_top<neck_base neck_base<spine right_shoulder<neck_base right_elbow<right_shoulder
    right_wrist<right_elbow left_shoulder<neck_base left_elbow<left_shoulder left_wrist<left_elbow
    right_hip<pelvis right_knee<right_hip right_ankle<right_knee left_hip<pelvis left_knee<left_hip
    left_ankle<left_knee pelvis spine<pelvis head<neck_base""",
)
"""The 17 joints on which MPI-INF-3DHP is evaluated."""

HUMANEVA15 = _skeleton(
    "humaneva15",
    """pelvis thorax<pelvis left_shoulder<thorax left_elbow<left_shoulder left_wrist<left_elbow
    right_shoulder<thorax right_elbow<right_shoulder right_wrist<right_elbow left_hip<pelvis
    left_knee<left_hip left_ankle<left_knee right_hip<pelvis right_knee<right_hip right_ankle<right_knee
    head<thorax""",
)
"""HumanEva-I in VideoPose3D's layout."""

TOTALCAPTURE21 = _skeleton(
    "totalcapture21",
    """pelvis vicon_spine0<pelvis vicon_spine1<vicon_spine0 spine<vicon_spine1 vicon_spine3<spine neck<vicon_spine3
    head<neck right_collar<vicon_spine3 right_shoulder<right_collar right_elbow<right_shoulder
    right_wrist<right_elbow left_collar<vicon_spine3 left_shoulder<left_collar left_elbow<left_shoulder
    left_wrist<left_elbow right_hip<pelvis right_knee<right_hip right_ankle<right_knee left_hip<pelvis
    left_knee<left_hip left_ankle<left_knee""",
)
"""TotalCapture's Vicon skeleton (https://cvssp.org/data/totalcapture); the third of its four spine joints, in the
middle of the trunk, is Human3.6M's `spine`."""

JTA22 = _skeleton(
    "jta22",
    """head_top<head head<neck neck right_clavicle<neck right_shoulder<right_clavicle right_elbow<right_shoulder
    right_wrist<right_elbow left_clavicle<neck left_shoulder<left_clavicle left_elbow<left_shoulder
    left_wrist<left_elbow gta_spine0<neck gta_spine1<gta_spine0 gta_spine2<gta_spine1 gta_spine3<gta_spine2
    gta_spine4<gta_spine3 right_hip<gta_spine4 right_knee<right_hip right_ankle<right_knee left_hip<gta_spine4
    left_knee<left_hip left_ankle<left_knee""",
)
"""JTA (https://github.com/fabbrimatteo/JTA-Dataset, joint.py); it numbers the spine from the neck down."""

MEDIAPIPE_LANDMARKS: dict[str, int] = {
    "nose": 0,
    **{
        f"{side}_{joint}": index + later
        for side, later in (("left", 0), ("right", 1))
        for joint, index in (
            ("ear", 7),
            ("shoulder", 11),
            ("elbow", 13),
            ("wrist", 15),
            ("hip", 23),
            ("knee", 25),
            ("ankle", 27),
            ("heel", 29),
            ("big_toe", 31),  # MediaPipe's foot index
        )
    },
    "left_eye": 2,
    "right_eye": 5,
}
"""Index of each joint of COCO-WholeBody among the 33 landmarks of MediaPipe's pose, which has no small toes."""

SKELETONS = {
    skeleton.name: skeleton
    for skeleton in (
        H36M17,
        H36M32,
        CMU28,
        COCO17,
        HALPE26,
        BODY25,
        BODY25B,
        COCO18,
        COCO_WHOLEBODY23,
        CROWDPOSE14,
        POSETRACK17,
        MPII16,
        SMPL24,
        MPI_INF_3DHP17,
        HUMANEVA15,
        TOTALCAPTURE21,
        JTA22,
    )
}
"""All skeletons by name."""


def get_skeleton(name: str) -> Skeleton:
    """The skeleton of this name.

    Raises:
        InputError: no skeleton has this name; the message lists all names.

    Example:
        >>> len(get_skeleton("coco17"))
        17
    """
    return choose("skeleton", name, SKELETONS)
