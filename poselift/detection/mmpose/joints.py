"""The skeleton of a model, recognised by the names of its joints."""

from collections.abc import Sequence

from poselift.core.errors import InputError
from poselift.skeleton import SKELETONS, Skeleton, translate_name


def recognise_skeleton(names: Sequence[str]) -> tuple[Skeleton, list[int]]:
    """The largest of our skeletons whose joints the model all has.

    Args:
        names: of the model's joints, in mmpose's words and the model's order.

    Returns:
        The skeleton, and the index of each of its joints among the model's. Other joints of the model, such as those
        of the face and fingers, are left out.

    Raises:
        InputError: the model has none of our skeletons, for example because it is for hands or animals.
    """
    ours = [translate_name(name) for name in names]
    fitting = [skeleton for skeleton in SKELETONS.values() if set(skeleton.joints) <= set(ours)]
    if not fitting:
        raise InputError(
            f"the mmpose model has the joints {', '.join(names[:20])}, which contain none of the skeletons "
            f"{', '.join(SKELETONS)}; choose a model for human bodies"
        )
    best = max(fitting, key=len)
    return best, [ours.index(joint) for joint in best.joints]
