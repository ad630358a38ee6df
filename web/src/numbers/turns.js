// Quarter turns of a camera about its axis, so that somebody who lies or stands on the head is upright to the lifter
// (poselift.lifting.prepare.quarter_turns).

import { median, rounded } from "./times.js";

/**
 * Angle by which a body is turned clockwise from upright, -pi to pi; null if shoulders or hips are not clear.
 * @param {number[][]} pairs joints left and right: shoulders, hips, ankles
 */
export function angleOf(pixels, scores, pairs, clear) {
  const [shoulders, hips, ankles] = pairs.map((pair) => {
    const seen = pair.filter((joint) => scores[joint] >= clear && Number.isFinite(pixels[2 * joint] + pixels[2 * joint + 1]));
    return seen.length ? [0, 1].map((axis) => seen.reduce((sum, joint) => sum + pixels[2 * joint + axis], 0) / seen.length) : null;
  });
  if (!shoulders || !hips) return null;
  const [x, y] = [0, 1].map((k) => shoulders[k] - hips[k] + (ankles ? shoulders[k] - ankles[k] : 0));
  return Math.atan2(x, -y);
}

/** Left and right shoulder, hip and ankle as indices. @param {string[]} joints names */
export const pairsOf = (joints) => ["shoulder", "hip", "ankle"].map((name) => ["left", "right"].map((side) => joints.indexOf(`${side}_${name}`)));

/** Quarter turns clockwise, 0 to 3, by which somebody is far from upright; else 0. */
export function findTurns(keypoints, joints, constants) {
  const frames = keypoints.scores.length / joints.length;
  const samples = Math.min(frames, constants.SAMPLES);
  const rows = new Set(Array.from({ length: samples }, (_, k) => rounded((k * (frames - 1)) / Math.max(samples - 1, 1))));
  const angles = [...rows]
    .map((row) => [2, 1].map((width) => width * joints.length * row))
    .map(([pixel, score]) => angleOf(keypoints.pixels.subarray(pixel), keypoints.scores.subarray(score), pairsOf(joints), constants.CLEAR))
    .filter((angle) => angle !== null);
  if (!angles.length || median(angles.map(Math.abs)) < constants.FAR) return 0;
  const counts = [0, 0, 0, 0];
  for (const angle of angles) counts[(rounded(angle / (Math.PI / 2)) + 4) % 4]++;
  const turns = counts.indexOf(Math.max(...counts));
  const sideways = angles.filter((angle) => Math.abs(angle) >= constants.FAR).length / angles.length;
  if (turns !== 2 && sideways < constants.SIDEWAYS) return 0;
  return counts[turns] > angles.length / 2 ? turns : 0;
}

/** Pixels (n, 2) and camera of the picture, turned anticlockwise by quarter turns. */
export function turnUpright(pixels, camera, turns) {
  for (let turn = 0; turn < turns; turn++) {
    const { width, height, K } = camera;
    pixels = pixels.map((_, k) => (k % 2 ? width - 1 - pixels[k - 1] : pixels[k + 1]));
    const [fx, , cx, , fy, cy] = K;
    camera = { ...camera, width: height, height: width, K: Float64Array.of(fy, 0, cy, 0, fx, width - 1 - cx, 0, 0, 1) };
  }
  return { pixels, camera };
}

/** Joints (n, 3) turned clockwise by quarter turns about the camera's axis, in place. */
export function turnBack(joints, turns) {
  for (let turn = 0; turn < turns; turn++)
    for (let at = 0; at < joints.length; at += 3) joints.set([-joints[at + 1], joints[at], joints[at + 2]], at);
  return joints;
}
