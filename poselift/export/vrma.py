"""VRMA: an animation for avatars of VRM. VRMC_vrm_animation 1.0, an open extension of glTF 2.0."""

import os
from dataclasses import replace

from poselift.export.character import make_character
from poselift.export.export_options import ExportOptions
from poselift.export.glb import Document
from poselift.structures import Recording

_EXTENSION = "VRMC_vrm_animation"


def write_vrma(path: str | os.PathLike[str], recording: Recording, options: ExportOptions = ExportOptions()) -> None:
    """Writes one person's motion as humanoid bones of VRM 1.0.

    Metres, Y up, facing +Z, in a T-pose at rest. The format asks for the names, the T-pose and one animation without
    scale, whose hips alone move.

    Args:
        path: the file to write.
        recording: one person's; glTF has no times below 0.
        options: whether feet are locked; the rig is VRM's.

    Raises:
        InputError: pygltflib is not installed, the file cannot be written, the skeleton lacks joints, no frame has a
            pose, the motion is too long for the times of glTF, or feet are to be locked in a motion without contacts.
    """
    [motion] = recording.people
    figure = make_character(motion, replace(options.rigging, rig="vrm", rest="t"))
    document = Document(path)
    first = document.add_bones(figure, motion)
    bones = {name: {"node": first + row} for row, name in enumerate(figure.names)}
    document.file.extensionsUsed = [_EXTENSION]
    document.file.extensions = {_EXTENSION: {"specVersion": "1.0", "humanoid": {"humanBones": bones}}}
    document.write()
