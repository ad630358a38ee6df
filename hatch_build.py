"""Packs the wheel again as tightly as zlib can, which hatchling has no setting for."""

import zipfile
import zlib
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_WEIGHTS = 1_000_000
"""Bytes from which on a file is taken for a network's weights."""


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
                content = old.read(member)  # before `open` gives the member its new place
                with new.open(member, "w") as target:
                    # Weights repeat short runs of bytes by chance alone: without these the wheel is 160 kB smaller.
                    # Text repeats them for a reason: with these it is 70 kB smaller. zipfile has no setting for it; a
                    # Python without this attribute packs at level 9.
                    how = zlib.Z_FILTERED if len(content) > _WEIGHTS else zlib.Z_DEFAULT_STRATEGY
                    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS, 9, how)
                    target._compressor = packer  # type: ignore[attr-defined]
                    target.write(content)
        packed.replace(wheel)
