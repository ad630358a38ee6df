"""The joint set of a model, recognised by the names of its joints."""

from collections.abc import Sequence

from poselift.core.errors import InputError
from poselift.skeleton import SKELETONS, Skeleton, our_name


def recognised_skeleton(names: Sequence[str]) -> tuple[Skeleton, list[int]]:
    """The largest joint set of ours all of whose joints a model has.

    Args:
        names: of the model's joints, in mmpose's words and the model's order.

    Returns:
        The joint set, and for each of its joints the place among the model's. What else the model finds (faces,
        fingers) is left out.

    Raises:
        InputError: the model has no joint set of ours, e.g. because it is for hands or animals.
    """
    ours = [our_name(name) for name in names]
    fitting = [skeleton for skeleton in SKELETONS.values() if set(skeleton.joints) <= set(ours)]
    if not fitting:
        raise InputError(
            f"the mmpose model has the joints {', '.join(names[:20])}, which hold none of the joint sets "
            f"{', '.join(SKELETONS)}; choose a model for human bodies"
        )
    best = max(fitting, key=len)
    return best, [ours.index(joint) for joint in best.joints]
