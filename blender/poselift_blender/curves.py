# SPDX-License-Identifier: Apache-2.0
"""Animation curves, in Blender 4 and 5."""

import bpy
import numpy as np


def curves_of(thing):
    """The curves of an object's new action."""
    thing.animation_data_create()
    action = thing.animation_data.action = bpy.data.actions.new(thing.name)
    if not hasattr(action, "slots"):
        return action.fcurves
    slot = action.slots.new(id_type="OBJECT", name=thing.name)
    thing.animation_data.action_slot = slot
    strip = action.layers.new("Layer").strips.new(type="KEYFRAME")
    return strip.channelbag(slot, ensure=True).fcurves


def set_curve(curves, path, index, frames, values):
    """A curve with a key at each frame; what is unknown has none."""
    known = np.isfinite(values)
    curve = curves.new(path, index=index)
    curve.keyframe_points.add(int(known.sum()))
    keys = np.stack([frames[known], values[known]], 1).astype(np.float32)
    curve.keyframe_points.foreach_set("co", keys.ravel())
    curve.keyframe_points.foreach_set("interpolation", np.ones(len(keys), np.int32))  # linear
    curve.update()
