"""A view as lifters see it."""

from poselift.models import encode


def encode_view(view, keypoints=None, K=None, image_size=None, scores=None, *, frames=slice(None), valid=None):
    """One window of some frames; the arguments stand in for what the view has."""
    return encode(
        (view.keypoints if keypoints is None else keypoints)[None, frames],
        (view.scores if scores is None else scores)[None, frames],
        view.times[None, frames],
        (view.K if K is None else K)[None],
        (view.image_size if image_size is None else image_size)[None],
        valid,
    )
