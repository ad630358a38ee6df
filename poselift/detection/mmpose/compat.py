"""What lets mmpose run where some of its dependencies cannot be installed.

mmpose 1.3.2 and its kin were released for older versions of everything beneath them. Three modules that they import
may be missing or broken: mmcv's compiled operators (the package without them, mmcv-lite, is the only one with a
wheel), xtcocotools (its wheel does not load under numpy 2) and torchvision (each release is for one release of
PyTorch). Where one of them does not import, a stand-in takes its place while mmpose is imported and its models are
built; where it does import, it is used.
"""

import contextlib
import importlib
import io
import sys
import warnings
from collections.abc import Iterator
from functools import cache
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, NoReturn

import numpy as np
import torch
from jaxtyping import Float, Int
from PIL import Image
from torch import Tensor

from poselift.core.errors import InputError

INSTALL = "bash tools/install_mmpose.sh"
"""The command that installs mmpose, from the root of a checkout."""


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """Keeps warnings of mmpose and its packages off the terminal."""
    # Recorded as well as ignored: OpenMMLab's code sets filters of its own before it warns.
    with warnings.catch_warnings(record=True):
        warnings.simplefilter("ignore")
        yield


@contextlib.contextmanager
def mmpose_imports() -> Iterator[None]:
    """Makes mmpose, mmdet and mmpretrain importable, and quiet.

    Both hold inside the block. The stand-ins leave `sys.modules` at the end of the block, so that no other package
    takes them for the real ones.

    Raises:
        InputError: mmpose or a package that it needs is not installed; the message has the command that installs it.
    """
    with silence(), contextlib.redirect_stdout(io.StringIO()):
        stand_ins = _stand_ins()
        before = {name: sys.modules.get(name) for name in stand_ins}
        sys.modules.update(stand_ins)
        try:
            for package in ("mmpose.apis", "mmdet.apis"):
                try:
                    importlib.import_module(package)
                except ImportError as error:
                    raise InputError(f"{package} cannot be imported ({error}); run: {INSTALL}") from error
            yield
        finally:
            for name, module in before.items():
                if module is None:
                    sys.modules.pop(name, None)
                else:
                    sys.modules[name] = module


@cache
def _stand_ins() -> dict[str, ModuleType]:
    """Stand-ins for modules that cannot be imported, by name."""
    modules: dict[str, ModuleType] = {}
    if not _imports("mmcv._ext"):
        modules["mmcv._ext"] = _StandIn("mmcv._ext", nms=nms)
    if not _imports("torchvision"):
        # mmpose wants ToPILImage; mmpretrain, whose backbones ViTPose takes, names the others without using them.
        functional, boxes = _StandIn("torchvision.transforms.functional"), _StandIn("torchvision.ops.boxes")
        inner = _StandIn("torchvision.transforms.transforms")
        transforms = _StandIn("torchvision.transforms", functional=functional, transforms=inner, ToPILImage=ToPILImage)
        ops = _StandIn("torchvision.ops", boxes=boxes)
        whole = _StandIn("torchvision", transforms=transforms, ops=ops)
        modules.update({module.__name__: module for module in (whole, transforms, functional, inner, ops, boxes)})
    if not _imports("xtcocotools.mask"):
        with contextlib.suppress(ImportError):
            modules["xtcocotools"] = importlib.import_module("pycocotools")
            for part in ("coco", "cocoeval", "mask"):
                modules[f"xtcocotools.{part}"] = importlib.import_module(f"pycocotools.{part}")
    return modules


def _imports(module: str) -> bool:
    """Whether a module can be imported. One that was compiled for other versions may raise anything."""
    try:
        importlib.import_module(module)
    except Exception:
        return False
    return True


class _StandIn(ModuleType):
    """A module with any name; missing ones raise when called."""

    def __init__(self, name: str, **contents: Any) -> None:
        super().__init__(name)
        self.__spec__ = ModuleSpec(name, None, is_package=True)
        self.__path__: list[str] = []
        self.__dict__.update(contents)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)

        def unavailable(*arguments: Any, **options: Any) -> NoReturn:
            raise InputError(
                f"this model needs {self.__name__}.{name}, which is not installed; "
                f"install a {self.__name__.partition('.')[0]} that was built for PyTorch {torch.__version__}"
            )

        return unavailable


class ToPILImage:
    """torchvision's transform of this name, for mmpose's pictures. The pictures have one or three channels."""

    def __call__(self, picture: Float[Tensor, "c h w"]) -> Image.Image:
        """A picture of values from 0 to 1."""
        pixels = picture.mul(255).byte().cpu().numpy()
        return Image.fromarray(pixels[0] if len(pixels) == 1 else np.moveaxis(pixels, 0, -1))


def nms(
    boxes: Float[Tensor, "n 4"], scores: Float[Tensor, " n"], iou_threshold: float, offset: int = 0
) -> Int[Tensor, " kept"]:
    """Greedy non-maximum suppression, as mmcv's operator of this name does it.

    Args:
        boxes: x0, y0, x1, y1.
        scores: the best box is kept first.
        iou_threshold: a box that shares more than this with a better one, intersection over union, is dropped.
        offset: 1 where a box from 3 to 5 is three pixels wide, 0 where it is two.

    Returns:
        Indices of the boxes to keep, best first.
    """
    remaining = scores.argsort(descending=True, stable=True).cpu()
    place, areas = boxes.detach().cpu(), (boxes[:, 2:] - boxes[:, :2] + offset).prod(-1).cpu()
    kept = []
    while len(remaining):
        best, remaining = remaining[0], remaining[1:]
        kept.append(best)
        low = torch.maximum(place[best, :2], place[remaining, :2])
        high = torch.minimum(place[best, 2:], place[remaining, 2:])
        shared = (high - low + offset).clamp(min=0).prod(-1)
        remaining = remaining[shared <= iou_threshold * (areas[best] + areas[remaining] - shared)]
    return torch.stack(kept).to(boxes.device) if kept else remaining.to(boxes.device)
