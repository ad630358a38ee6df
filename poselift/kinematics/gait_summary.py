"""A gait's means over steps and strides, and its symmetry."""

import numpy as np

from poselift.kinematics.gait import Gait, Stride
from poselift.structures import FEET

SIDES = tuple(foot.removesuffix("_foot") for foot in FEET)
"""The person's own left and right, as columns of `FEET`."""


def measure_spread(gait: Gait, stride: Stride) -> float:
    """Half-width of a stride length's 90 % interval, metres. With that of the person's size if it is known."""
    return float(np.hypot(stride.noise, np.nan_to_num(gait.stride_scale) * stride.length))


def summarise_gait(gait: Gait) -> dict[str, float | int]:
    """Means over steps and strides. Their names have units and half-widths of 90 % intervals."""
    strides, steps = gait.strides, gait.steps
    length, time = (np.array([getattr(stride, name) for stride in strides]) for name in ("length", "seconds"))
    noise = np.array([stride.noise for stride in strides])
    values: dict[str, float | int] = {"steps": len(steps), "strides": len(strides)}
    values |= {"cadence_per_min": gait.cadence, "cadence_90_per_min": gait.cadence_uncertainty}
    values |= {"stride_time_s": average_known(time), "stride_length_m": average_known(length)}
    size = np.nan_to_num(gait.stride_scale)
    # The noise of strides in a row is shared by neighbours; as if independent it would be too small by a little.
    error = np.hypot(average_known(noise) / np.sqrt(max(len(strides), 1)), size * average_known(length))
    values |= {"stride_length_90_m": float(error)}
    speed = average_known(length / time)
    spread = float(error / average_known(length) * speed) if gait.belt is None else 0.0
    values |= {"speed_m_per_s": speed, "speed_90_m_per_s": spread}
    for column, side in enumerate(SIDES):
        own = [step for step in steps if step.foot == column]
        values[f"{side}_step_length_m"] = average_known(np.array([step.length for step in own]))
        values[f"{side}_step_time_s"] = average_known(np.array([step.end - step.start for step in own]))
        stance = average_known(np.array([stride.stance for stride in strides if stride.foot == column]))
        values |= {f"{side}_stance_percent": 100 * stance, f"{side}_swing_percent": 100 - 100 * stance}
    values["step_width_m"] = average_known(np.array([step.width for step in steps]))
    double = 100 * average_known(np.array([stride.double_support for stride in strides]))
    values["double_support_percent"] = max(double, 0.0) if np.isfinite(double) else double
    values["flight_percent"] = max(-double, 0.0) if np.isfinite(double) else double
    for name, unit in (("step_length", "m"), ("step_time", "s"), ("stance", "percent")):
        pair = (values[f"{side}_{name}_{unit}"] for side in SIDES)
        values[f"{name}_symmetry_percent"] = compute_symmetry(*pair)
    values["size_90_percent"] = 100 * gait.scale
    return values


def compute_symmetry(left: float, right: float) -> float:
    """The symmetry index, percent: (left - right) / mean.

    0 for equal sides. After Robinson et al., J. Manipulative Physiol. Ther. 1987, with the sign kept. NaN where a side
    is unknown or the mean is 0.

    Example:
        >>> round(compute_symmetry(0.66, 0.60), 1)
        9.5
    """
    mean = (left + right) / 2
    return 100 * (left - right) / mean if np.isfinite(mean) and mean else float("nan")


def average_known(values: np.ndarray) -> float:
    """Mean of the known values; NaN without any."""
    known = values[np.isfinite(values)]
    return float(known.mean()) if len(known) else float("nan")
