// The left joint of each pair from its right one, and the pair's middle (poselift.lifting.prepare.side_differences).

import { otherSide } from "./open.js";
import { usedKeypoints } from "./prepare.js";
import { median } from "./times.js";

/**
 * @typedef {object} SideDifferences in the frames in which any pair is seen
 * @property {number[]} rows the frames
 * @property {Float64Array} apart (n, p, 2) left from right, body lengths
 * @property {Float64Array} middles (n, p, 2) body lengths
 * @property {Float64Array} scores (n, p) 0 where unseen
 * @property {Float64Array} times (n) seconds
 * @property {number[]} accelerations (p) usual largest ones of the differences, body lengths per second squared
 * @property {Int32Array} stretches (n) a longer gap ends one
 */

/** The differences of both sides, or null in less than three frames. */
export function measureDifferences(track, group, threshold, { side_differences: { ACCELERATION, ACCELERATIONS, LONGEST, SURE }, structures }) {
  const { times: clock, joints, pixels, scores } = track;
  const j = joints.length;
  const used = usedKeypoints(track, threshold, structures);
  const lefts = group.filter((joint) => joints[joint].startsWith("left_"));
  const pairs = lefts.map((left) => [left, joints.indexOf(otherSide(joints[left]))]);
  const both = (frame, [left, right]) => used[frame * j + left] && used[frame * j + right];
  const rows = [];
  for (let frame = 0; frame < clock.length; frame++) if (pairs.some((pair) => both(frame, pair))) rows.push(frame);
  if (rows.length < 3) return null;
  const [n, p] = [rows.length, pairs.length];
  const length = bodyLength(track, used);
  const [apart, middles, pairScores] = [new Float64Array(2 * n * p), new Float64Array(2 * n * p), new Float64Array(n * p)];
  rows.forEach((frame, row) =>
    pairs.forEach(([left, right], pair) => {
      if (!both(frame, [left, right])) return;
      const [one, other] = [frame * j + left, frame * j + right];
      pairScores[row * p + pair] = Math.min(scores[one], scores[other], SURE) / SURE;
      for (const axis of [0, 1]) {
        const at = 2 * (row * p + pair) + axis;
        apart[at] = (pixels[2 * one + axis] - pixels[2 * other + axis]) / length;
        middles[at] = (pixels[2 * one + axis] + pixels[2 * other + axis]) / 2 / length;
      }
    }),
  );
  const times = Float64Array.from(rows, (row) => clock[row]);
  const stretches = new Int32Array(n);
  for (let row = 1; row < n; row++) stretches[row] = stretches[row - 1] + (times[row] - times[row - 1] > LONGEST);
  const accelerations = lefts.map((left) => ACCELERATIONS[joints[left].slice(5)] ?? ACCELERATION);
  return { rows, apart, middles, scores: pairScores, times, accelerations, stretches };
}

/** Negative logarithm of the likelihood of an error, over what is usual and squared, against none. */
export const cost = (squared, { side_differences: { TAIL } }) => 0.5 * (TAIL + 1) * Math.log1p(squared / TAIL);

/** Longer side of the body's box, a median over frames, pixels. */
function bodyLength({ times, joints, pixels }, used) {
  const sides = [];
  for (let frame = 0; frame < times.length; frame++) {
    const seen = joints.map((_, joint) => frame * joints.length + joint).filter((at) => used[at]);
    if (seen.length <= 3) continue;
    const extent = (axis) => Math.max(...seen.map((at) => pixels[2 * at + axis])) - Math.min(...seen.map((at) => pixels[2 * at + axis]));
    sides.push(Math.max(extent(0), extent(1)));
  }
  return sides.length ? Math.max(median(sides), 1) : 1;
}
