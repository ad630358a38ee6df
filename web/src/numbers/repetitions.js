// Gaps filled from the person's own movement: who walks or waves does the same again before or after
// (poselift.lifting.finish.repetitions).

import { indices } from "./gaps.js";
import { interpolate, rounded, searchSorted, medianInterval } from "./times.js";

/**
 * Joints (t, j, 3) that follow the person's own repetition in gaps, as far as one matches.
 * @param {Float32Array} joints relative to the root, metres; NaN in gaps that stay empty
 * @param {Uint8Array} known (t) frames with keypoints, interpolated ones too
 * @param {Float64Array} times seconds, increasing
 */
export function fillFromRepetitions(joints, known, times, { repetitions: constants, gaps }) {
  const rows = indices(known);
  const width = joints.length / times.length;
  const filled = joints.slice();
  for (let k = 1; k < rows.length; k++) {
    const [before, after] = [rows[k - 1], rows[k]];
    const gap = times.subarray(before, after + 1);
    if (gap.length < 3 || times[after] - times[before] > constants.LONGEST) continue;
    if (!joints.subarray(before * width, (after + 1) * width).every(Number.isFinite)) continue;
    const near = rows.filter(
      (row) => times[row] >= times[before] - constants.REACH && times[row] <= times[after] + constants.REACH,
    );
    const poses = new Float64Array(near.length * width);
    near.forEach((row, place) => poses.set(joints.subarray(row * width, (row + 1) * width), place * width));
    const stamps = Float64Array.from(near, (row) => times[row]);
    const step = Math.max(medianInterval(times), constants.TICK);
    const found = repetition(poses, stamps, gap, step, width, constants, gaps.NEAR);
    for (let at = 0; found && at < gap.length * width; at++)
      filled[before * width + at] = found.weight * found.poses[at] + (1 - found.weight) * joints[before * width + at];
  }
  return filled;
}

/** Poses of a gap from the best repetition, and its weight; null if there is nothing to compare. */
function repetition(joints, times, gap, step, width, { CONTEXT, LEAST, MATCH }, near) {
  const last = gap.length - 1;
  const around = rounded(CONTEXT / step);
  const inside = rounded((gap[last] - gap[0]) / step);
  const first = Math.trunc((gap[0] - times[0]) / step);
  const count = first + Math.trunc((times.at(-1) - gap[0]) / step) + 1;
  const grid = Float64Array.from({ length: count }, (_, k) => gap[0] + step * (k - first));
  const usable = grid.map((time) => {
    const after = Math.min(Math.max(searchSorted(times, time - 1e-6), 1), times.length - 1);
    return times[after] - times[after - 1] <= near + 1e-6 ? 1 : 0;
  });
  const poses = interpolate(joints, times, grid, width);
  const ticks = [];
  for (let tick = -around; tick <= inside + around; tick++) {
    if ((tick > 0 && tick < inside) || first + tick < 0 || first + tick >= count) continue;
    if (usable[first + tick] || tick === 0 || tick === inside) ticks.push(tick);
  }
  if (ticks.length < LEAST * 2 * (around + 1)) return null;
  const [low, high] = [Math.min(ticks[0], 0), Math.max(ticks.at(-1), inside)];
  let [best, least] = [-1, Infinity];
  for (let start = -low; start < count - high; start++) {
    if (usable.subarray(start + low, start + high + 1).includes(0)) continue;
    let apart = 0;
    for (const tick of ticks) apart += distance(poses, (start + tick) * width, (first + tick) * width, width);
    if (apart < least) [best, least] = [start, apart];
  }
  if (best < 0) return null;
  const found = interpolate(joints, times, gap.map((time) => time + step * (best - first)), width);
  const ends = interpolate(joints, times, [gap[0], gap[last]], width);
  for (let k = 0; k < width; k++) [ends[k], ends[width + k]] = [ends[k] - found[k], ends[width + k] - found[last * width + k]];
  for (let row = 0; row <= last; row++) {
    const share = (gap[row] - gap[0]) / (gap[last] - gap[0]);
    for (let k = 0; k < width; k++) found[row * width + k] += (1 - share) * ends[k] + share * ends[width + k];
  }
  return { poses: found, weight: Math.exp(-((least / ticks.length / MATCH) ** 2)) };
}

/** Mean distance of the joints of two poses. */
function distance(poses, a, b, width) {
  let sum = 0;
  for (let k = 0; k < width; k += 3)
    sum += Math.hypot(poses[a + k] - poses[b + k], poses[a + k + 1] - poses[b + k + 1], poses[a + k + 2] - poses[b + k + 2]);
  return (3 * sum) / width;
}
