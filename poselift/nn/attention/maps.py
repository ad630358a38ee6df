"""The attention of one layer, as it is shown."""

from dataclasses import dataclass

from jaxtyping import Float
from torch import Tensor


@dataclass(frozen=True)
class AttentionMap:
    """The attention of one layer in one window.

    Attributes:
        layer: its place in the model, such as "time_blocks.0.attention".
        weights: how much each query takes from each key; over joints, the mean over the window's frames.
        queries: labels of the rows: names of joints, or seconds.
        keys: labels of the columns.
    """

    layer: str
    weights: Float[Tensor, "h n m"]
    queries: tuple[str, ...] | tuple[float, ...]
    keys: tuple[str, ...] | tuple[float, ...]

    @property
    def over_joints(self) -> bool:
        """True for attention among a frame's joints, False for time."""
        return isinstance(self.keys[0], str)
