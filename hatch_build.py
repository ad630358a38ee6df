"""Packs the wheel again at the highest level of compression, which hatchling has no setting for."""

import zipfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PackTightly(BuildHookInterface):  # type: ignore[misc]
    """The hook of `[tool.hatch.build.targets.wheel.hooks.custom]`."""

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Writes the wheel anew, with the same files in the same order.

        Args:
            version: "standard", or "editable", which stays as it is.
            build_data: not read.
            artifact_path: the wheel.
        """
        wheel = Path(artifact_path)
        if version != "standard" or wheel.suffix != ".whl":
            return
        packed = wheel.with_suffix(".packed")
        with zipfile.ZipFile(wheel) as old, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as new:
            for member in old.infolist():
                new.writestr(member, old.read(member), compresslevel=9)
        packed.replace(wheel)
