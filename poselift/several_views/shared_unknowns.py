"""The shared unknowns of a bundle adjustment, and their columns. They are cameras, clocks and bodies."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from poselift.geometry import axis_angle_to_matrix


@dataclass(frozen=True)
class Shared:
    """What all samples share.

    Attributes:
        R: rotations from each camera's frame to the world.
        t: places of the cameras in the world, metres.
        zoom: log of each focal length over that of the view's first lens.
        lengths: log of the lengths of each person's rods, metres.
        late: seconds by which the keypoints of each view are later than they should be.
    """

    R: Float[np.ndarray, "v 3 3"]
    t: Float[np.ndarray, "v 3"]
    zoom: Float[np.ndarray, " v"]
    lengths: Float[np.ndarray, "p b"]
    late: Float[np.ndarray, " v"]


@dataclass(frozen=True)
class Known:
    """What is known of the shared unknowns beforehand.

    Attributes:
        lengths: log of the lengths of each person's rods in the lifter's poses.
        size: standard deviation of the log of each person's size; small where the height is given.
        zoom: standard deviation of the log of each view's focal length; 0 where it is known.
        cameras: whether rotation and place of each view are free; one that is not fixes the frame.
        late: standard deviation of what is unknown of each view's clock, seconds; 0 where it is known.
        bodies: whether the lengths of the rods are free.
    """

    lengths: Float[np.ndarray, "p b"]
    size: Float[np.ndarray, " p"]
    zoom: Float[np.ndarray, " v"]
    cameras: Bool[np.ndarray, " v"]
    late: Float[np.ndarray, " v"]
    bodies: bool = True


class UnknownColumns:
    """Columns of the shared unknowns.

    Args:
        known: says which are free.
    """

    def __init__(self, known: Known) -> None:
        self.moving = [int(view) for view in np.flatnonzero(known.cameras)]
        self.zooming = [view for view in range(len(known.zoom)) if known.zoom[view] > 0]
        self.people, self.rods = known.lengths.shape
        self.zooms = 6 * len(self.moving)
        self.lates = self.zooms + len(self.zooming)
        self.shifting = [view for view in range(len(known.late)) if known.late[view] > 0]
        self.lengths = self.lates + len(self.shifting)
        self.bodies = known.bodies
        self.count = self.lengths + (self.people * self.rods if known.bodies else 0)

    def pose(self, view: int) -> slice | None:
        """Rotation and place of a view; None if fixed."""
        if view not in self.moving:
            return None
        start = 6 * self.moving.index(view)
        return slice(start, start + 6)

    def zoom(self, view: int) -> int | None:
        """Focal length of a view; None if fixed."""
        return self.zooms + self.zooming.index(view) if view in self.zooming else None

    def late(self, view: int) -> int | None:
        """Clock of a view; None if fixed."""
        return self.lates + self.shifting.index(view) if view in self.shifting else None

    def body(self, person: int) -> slice:
        """Rods of a person."""
        start = self.lengths + person * self.rods
        return slice(start, start + self.rods)

    def step(self, shared: Shared, change: Float[np.ndarray, " g"]) -> Shared:
        """The shared unknowns after a change."""
        R, t, zoom = shared.R.copy(), shared.t.copy(), shared.zoom.copy()
        for view in self.moving:
            own = change[self.pose(view)]
            R[view] = R[view] @ axis_angle_to_matrix(own[:3])
            t[view] += own[3:]
        for view in self.zooming:
            zoom[view] += change[self.zoom(view)]
        lengths, late = shared.lengths, shared.late.copy()
        for view in self.shifting:
            late[view] += change[self.late(view)]
        if self.bodies:
            lengths = lengths + change[self.lengths :].reshape(self.people, self.rods)
        return Shared(R, t, zoom, lengths, late)
