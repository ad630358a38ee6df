# SPDX-License-Identifier: Apache-2.0
"""Blender's add-on of poselift: opens a result folder, and puts a motion onto a character.

It needs nothing but Blender, and nothing of the package `poselift` imports it.
"""

from pathlib import Path

import bpy
from bpy.props import StringProperty

from . import results, retarget


class ImportPoselift(bpy.types.Operator):
    """Open a folder of `poselift lift`: people, camera and video"""

    bl_idname = "import_scene.poselift"
    bl_label = "Open poselift results"
    bl_options = {"REGISTER", "UNDO"}

    directory: StringProperty(subtype="DIR_PATH")
    filter_folder: bpy.props.BoolProperty(default=True, options={"HIDDEN"})

    def invoke(self, context, event):
        """Asks for the folder."""
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context):
        """Opens it."""
        try:
            people, notes = results.open_folder(Path(self.directory), context.scene)
        except (OSError, ValueError, KeyError) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        for note in notes:
            self.report({"WARNING"}, note)
        self.report({"INFO"}, f"{len(people)} people")
        return {"FINISHED"}


class RetargetPoselift(bpy.types.Operator):
    """Put the motion of the active armature onto the other selected one, whose bones have the same names"""

    bl_idname = "pose.poselift_retarget"
    bl_label = "Put poselift motion onto character"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        """Puts the motion onto the character."""
        source = context.active_object
        others = [thing for thing in context.selected_objects if thing != source and thing.type == "ARMATURE"]
        if source is None or source.type != "ARMATURE" or len(others) != 1:
            self.report({"ERROR"}, "select the character's armature, then the motion's, so that the motion is active")
            return {"CANCELLED"}
        try:
            count = retarget.retarget(source, others[0], context.scene)
        except ValueError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, f"{count} bones follow the motion")
        return {"FINISHED"}


def _menu(self, context):
    self.layout.operator(ImportPoselift.bl_idname, text="poselift results (folder)")


def _object_menu(self, context):
    self.layout.operator(RetargetPoselift.bl_idname)


def register():
    """Adds the operators and their places in the menus."""
    for kind in (ImportPoselift, RetargetPoselift):
        bpy.utils.register_class(kind)
    bpy.types.TOPBAR_MT_file_import.append(_menu)
    bpy.types.VIEW3D_MT_object_animation.append(_object_menu)


def unregister():
    """Takes them away."""
    bpy.types.VIEW3D_MT_object_animation.remove(_object_menu)
    bpy.types.TOPBAR_MT_file_import.remove(_menu)
    for kind in (RetargetPoselift, ImportPoselift):
        bpy.utils.unregister_class(kind)
