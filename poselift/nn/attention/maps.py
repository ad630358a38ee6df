"""What is shown of a layer's attention."""

from dataclasses import dataclass

from jaxtyping import Float
from torch import Tensor


@dataclass(frozen=True)
class AttentionMap:
    """The attention of one layer in one window.

    Attributes:
        layer: its place in the model, as in "time_blocks.0.attention".
        weights: how much each query takes from each key. Over joints, the mean over the window's frames.
        queries: what the rows stand for: names of joints, or seconds.
        keys: what the columns stand for.
    """

    layer: str
    weights: Float[Tensor, "heads n m"]
    queries: tuple[str, ...] | tuple[float, ...]
    keys: tuple[str, ...] | tuple[float, ...]

    @property
    def over_joints(self) -> bool:
        """Whether it is among the joints of a frame, and not over time."""
        return isinstance(self.keys[0], str)
