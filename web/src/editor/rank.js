// The frames that most need a look.

import { median } from "../numbers/times.js";

/** Seconds around a listed frame in which no other one is listed: one look sees them all. */
const APART = 0.1;
const PARTS = /_(eye|ear)$/; // of a head, which the nose shows

/** Longest time between two frames with a keypoint, seconds, for it to be missing between them. */
const GAP = 1.0;

/**
 * The frames of a motion, worst first: the worst of each kind, then the second of each, and so on.
 *
 * A kind is where a joint is far from its keypoint or unsure, as a multiple of what is usual for that joint ("misfit",
 * "uncertainty"); where a keypoint leaves the way between its neighbours most ("jump"); and where one is missing for
 * longest between frames that have it ("missing").
 * @param {import("../numbers/index.js").Motion} motion
 * @param {import("../numbers/index.js").Camera} camera
 * @returns {{person: number, frame: number, time: number, worth: number, joint: string, says: string}[]} worth: 1 of the
 *   worst of a kind, 1/2 of the second
 */
export function rankFrames(motion, camera) {
  const { times, person } = motion;
  const kinds = [unusual(motion, camera), jumps(motion), missing(motion)].map((found) => {
    const listed = [];
    for (const entry of found.sort((a, b) => b.size - a.size))
      if (listed.every(({ frame }) => Math.abs(times[frame] - times[entry.frame]) > APART)) listed.push(entry);
    return listed.map((entry, place) => ({ ...entry, worth: 1 / (place + 1) }));
  });
  const listed = [];
  for (const { frame, joint, worth, says } of kinds.flat().sort((a, b) => b.worth - a.worth))
    if (listed.every(({ time }) => Math.abs(time - times[frame]) > APART)) listed.push({ person, frame, time: times[frame], worth, joint, says });
  return listed;
}

/** Joints that are far from their keypoints, or unsure, by the median of each joint. */
function unusual(motion, camera) {
  const { times, skeleton } = motion, names = skeleton.joints, found = [];
  for (const [joint, name] of names.entries()) {
    if (PARTS.test(name)) continue;
    const radii = Float64Array.from(times, (_, frame) => motion.uncertainty[frame * names.length + joint]);
    for (const [why, values] of [["uncertainty", radii], ["misfit", misfitsOf(motion, camera, joint)]]) {
      const usual = median(values.filter(Number.isFinite));
      values.forEach((value, frame) => { if (value / usual > 0) found.push({ frame, joint: name, size: value / usual, says: `${(value / usual).toFixed(1)} × ${why}` }); });
    }
  }
  return found;
}

/** Keypoints that leave the way between their neighbours, by the usual of the clip's slowest nine tenths. */
function jumps({ times, keypoints: { joints, pixels } }) {
  const found = [], at = (frame, joint, axis) => pixels[2 * (frame * joints.length + joint) + axis];
  for (const [joint, name] of joints.entries()) {
    if (PARTS.test(name)) continue;
    const seen = [...times.keys()].filter((frame) => Number.isFinite(at(frame, joint, 0))), own = [];
    for (let row = 1; row < seen.length - 1; row++) {
      const [before, frame, after] = seen.slice(row - 1, row + 2), share = (times[frame] - times[before]) / (times[after] - times[before]);
      if (times[after] - times[before] > GAP) continue;
      const size = Math.hypot(...[0, 1].map((axis) => at(frame, joint, axis) - (1 - share) * at(before, joint, axis) - share * at(after, joint, axis)));
      if (size > 0) own.push({ frame, joint: name, size, says: `jumps by ${size.toFixed(0)} px` });
    }
    found.push(...own);
  }
  return found;
}

/** Keypoints that are missing between frames that have them; the frame in the middle stands for all. */
function missing({ times, keypoints: { joints, pixels } }) {
  const found = [];
  for (const [joint, name] of joints.entries()) {
    if (PARTS.test(name)) continue;
    const seen = [...times.keys()].filter((frame) => Number.isFinite(pixels[2 * (frame * joints.length + joint)]));
    for (let row = 1; row < seen.length; row++) {
      const [before, after] = [seen[row - 1], seen[row]], lasts = times[after] - times[before];
      if (after - before > 1 && lasts <= GAP) found.push({ frame: (before + after) >> 1, joint: name, size: lasts, says: `missing for ${lasts.toFixed(2)} s` });
    }
  }
  return found;
}

/** Distance of a joint from the ray of its keypoint in each frame, metres; NaN where it has none. */
function misfitsOf({ joints, root, keypoints, skeleton, threshold, times }, { K }, joint) {
  const given = keypoints.joints.indexOf(skeleton.joints[joint]), j = skeleton.joints.length, g = keypoints.joints.length;
  return Float64Array.from(times, (_, frame) => {
    const at = frame * g + given;
    if (given < 0 || !(keypoints.scores[at] >= threshold)) return NaN;
    const [x, y, z] = [0, 1, 2].map((axis) => joints[3 * (frame * j + joint) + axis] + root[3 * frame + axis]);
    const [u, v] = [K[0] * x / z + K[2], K[4] * y / z + K[5]];
    return Math.hypot(u - keypoints.pixels[2 * at], v - keypoints.pixels[2 * at + 1]) * z / K[0];
  });
}
