/**
 * The part of the uncertainty that moves a whole body: its size and its tilt (poselift/kinematics/whole_body.py).
 */

/** Adds size and tilt to uncertainties that are relative to the body: a share of each joint's distance from the root.
 *  @param sizeKnown whether the motion has the person's own height */
export function addBodyUncertainty(motion, sizeKnown, { SIZE, TILT, TO_90 }) {
  const share = TO_90 * Math.hypot(sizeKnown ? 0 : SIZE, TILT);
  const far = (at) => Math.hypot(...motion.joints.subarray(3 * at, 3 * at + 3));
  const uncertainty = motion.uncertainty.map((radius, at) => Math.hypot(radius, share * far(at)));
  return Object.assign(motion, { uncertainty, bodyShare: share });
}
