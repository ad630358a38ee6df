// Quarter turns of a camera about its axis, so that somebody who lies or stands on the head is upright to the lifter
// (poselift.lifting.prepare.quarter_turns).

import { median, rounded } from "./times.js";

/** Angle by which a body is turned clockwise from upright, radians; null if shoulders or hips are not clear. */
function bodyAngle({ pixels, scores }, frame, joints, clear) {
  const middle = (name) => {
    const pair = [`left_${name}`, `right_${name}`].map((joint) => joints.indexOf(joint));
    const seen = pair.map((joint) => frame * joints.length + joint).filter((at) => scores[at] >= clear);
    if (pair.includes(-1) || !seen.length) return null;
    return [0, 1].map((axis) => seen.reduce((sum, at) => sum + pixels[2 * at + axis], 0) / seen.length);
  };
  const [shoulders, hips, ankles] = ["shoulder", "hip", "ankle"].map(middle);
  if (!shoulders || !hips) return null;
  const [x, y] = [0, 1].map((k) => shoulders[k] - hips[k] + (ankles ? shoulders[k] - ankles[k] : 0));
  return Math.atan2(x, -y);
}

/** Quarter turns clockwise, 0 to 3, by which somebody is far from upright; else 0. */
export function findTurns(keypoints, joints, constants) {
  const frames = keypoints.scores.length / joints.length;
  const samples = Math.min(frames, constants.SAMPLES);
  const rows = new Set(Array.from({ length: samples }, (_, k) => rounded((k * (frames - 1)) / Math.max(samples - 1, 1))));
  const angles = [...rows].map((row) => bodyAngle(keypoints, row, joints, constants.CLEAR)).filter((x) => x !== null);
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
