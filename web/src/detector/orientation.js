// How far a body in a picture is turned from upright, as poselift/detection/orientation.py has it.

import { angleOf, pairsOf } from "../numbers/turns.js";

/** Angle by which a body is turned clockwise, -pi to pi; null if shoulders or hips are not clear. */
export const bodyAngle = ({ points, scores }, { skeletons, constants }) => angleOf(points, scores, pairsOf(skeletons.coco17.joints), constants.orientation.CLEAR);

/** The box around joints. */
export function boxAround(points) {
  const box = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i < points.length; i += 2) {
    if (Number.isNaN(points[i])) continue;
    box[0] = Math.min(box[0], points[i]); box[1] = Math.min(box[1], points[i + 1]);
    box[2] = Math.max(box[2], points[i]); box[3] = Math.max(box[3], points[i + 1]);
  }
  return box;
}

/** The box around joints whose sides run along a body turned by an angle, before it is turned about its middle. */
export function boxAlong(points, angle) {
  const c = Math.cos(angle), s = Math.sin(angle), low = [Infinity, Infinity], high = [-Infinity, -Infinity];
  for (let i = 0; i < points.length; i += 2) {
    if (Number.isNaN(points[i])) continue;
    for (const [axis, value] of [c * points[i] + s * points[i + 1], c * points[i + 1] - s * points[i]].entries()) {
      low[axis] = Math.min(low[axis], value); high[axis] = Math.max(high[axis], value);
    }
  }
  const [x, y] = [0, 1].map((axis) => (low[axis] + high[axis]) / 2), [wide, tall] = [0, 1].map((axis) => (high[axis] - low[axis]) / 2);
  const middle = [c * x - s * y, s * x + c * y];
  return [middle[0] - wide, middle[1] - tall, middle[0] + wide, middle[1] + tall];
}

/** Angles at which a body may be looked at beside the one at which it was: as measured, and quarter turns. */
export function otherAngles(used, measured, { orientation }) {
  const others = [];
  for (const angle of [measured, 0, Math.PI / 2, Math.PI, 1.5 * Math.PI])
    if ([used, ...others].every((known) => apart(angle, known) > orientation.LEANING)) others.push(angle);
  return others;
}

/** Difference of two angles, 0 to pi. */
export const apart = (one, other) => Math.abs(wrapped(one - other));

/** The angle from -pi to pi. */
export const wrapped = (angle) => angle - 2 * Math.PI * Math.floor((angle + Math.PI) / (2 * Math.PI));
