// The frames that most need a look.

import { median } from "../numbers/times.js";

/** Seconds around a listed frame in which no other one is listed: one look sees them all. */
const APART = 0.1;
const PARTS = /_(eye|ear)$/; // of a head, which the nose shows

/**
 * The frames of a motion, worst first.
 *
 * Worst is where a keypoint and the joint that the lifter made of it are farthest apart (their misfit), or where the
 * lifter's uncertainty is largest, each as a multiple of what is usual for that joint in this motion.
 * @param {import("../numbers/index.js").Motion} motion
 * @param {import("../numbers/index.js").Camera} camera
 * @returns {{person: number, frame: number, time: number, worth: number, joint: string, why: "misfit"|"uncertainty"}[]}
 */
export function rankFrames(motion, camera) {
  const { times, person, skeleton } = motion, names = skeleton.joints, measured = [];
  for (const [joint, name] of names.entries()) {
    if (PARTS.test(name)) continue;
    const radii = Float64Array.from(times, (_, frame) => motion.uncertainty[frame * names.length + joint]);
    measured.push({ name, why: "uncertainty", values: radii }, { name, why: "misfit", values: misfitsOf(motion, camera, joint) });
  }
  const frames = Array.from(times, (time, frame) => ({ person, frame, time, worth: 0 }));
  for (const { name, why, values } of measured) {
    const usual = median(values.filter(Number.isFinite));
    if (!(usual > 0)) continue;
    for (const entry of frames) {
      const worth = values[entry.frame] / usual;
      if (worth > entry.worth) Object.assign(entry, { worth, joint: name, why });
    }
  }
  const listed = [];
  for (const entry of frames.sort((a, b) => b.worth - a.worth))
    if (entry.worth > 0 && listed.every(({ time }) => Math.abs(time - entry.time) > APART)) listed.push(entry);
  return listed;
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
