// Left and right exchanged in frames of a track, found by continuity (poselift.lifting.prepare.exchanged_sides).

import { otherSide } from "./open.js";
import { usedKeypoints } from "./prepare.js";
import { median, runsOf, searchSorted } from "./times.js";

const ARMS = /^(shoulder|elbow|wrist)/;
const HEAD = /^(eye|ear)/;

/** Joints that detectors exchange together, by index: the whole body, legs, arms, head; each with both sides. */
export function groupPairs(joints) {
  const groups = { all: [], legs: [], arms: [], head: [] };
  joints.forEach((joint, index) => {
    if (otherSide(joint) === joint) return;
    const name = joint.slice(joint.indexOf("_") + 1);
    groups.all.push(index);
    groups[ARMS.test(name) ? "arms" : HEAD.test(name) ? "head" : "legs"].push(index);
  });
  return Object.values(groups).filter((group) => group.length);
}

/** The track with these joints' sides exchanged in the frames whose flag is set. */
export function exchange(track, frames, group) {
  const [pixels, scores, j] = [track.pixels.slice(), track.scores.slice(), track.joints.length];
  const others = group.map((joint) => track.joints.indexOf(otherSide(track.joints[joint])));
  for (let frame = 0; frame < frames.length; frame++) {
    if (!frames[frame]) continue;
    group.forEach((joint, place) => {
      const [to, from] = [frame * j + joint, frame * j + others[place]];
      scores[to] = track.scores[from];
      pixels.set(track.pixels.subarray(2 * from, 2 * from + 2), 2 * to);
    });
  }
  return { ...track, pixels, scores };
}

/**
 * Frames with exchanged sides, and the stretches where this is known.
 * @param track of one person
 * @param {number[]} group both sides of each pair
 * @param {number} threshold least score of a keypoint that counts
 * @returns {{rarer: Uint8Array, stretches: Int32Array}} the rarer frames of each stretch, and the stretch of each frame
 */
export function followSides(track, group, threshold, { exchanged_sides: constants, structures }) {
  const { times, joints, pixels, scores } = track;
  const [t, j] = [times.length, joints.length];
  const used = usedKeypoints(track, threshold, structures);
  const lefts = group.filter((joint) => joints[joint].startsWith("left_"));
  const pairs = lefts.map((left) => [left, joints.indexOf(otherSide(joints[left]))]);
  const both = (frame, [left, right]) => used[frame * j + left] && used[frame * j + right];
  const rows = [];
  for (let frame = 0; frame < t; frame++) if (pairs.some((pair) => both(frame, pair))) rows.push(frame);
  const rarer = new Uint8Array(t);
  const stretches = new Int32Array(t);
  if (rows.length < 3) return { rarer, stretches };
  const [n, p] = [rows.length, pairs.length];
  const length = bodyLength(track, used);
  const apart = new Float64Array(2 * n * p);
  const pairScores = new Float64Array(n * p);
  rows.forEach((frame, row) =>
    pairs.forEach(([left, right], pair) => {
      const [one, other] = [frame * j + left, frame * j + right];
      if (both(frame, [left, right])) pairScores[row * p + pair] = Math.min(scores[one], scores[other], constants.SURE) / constants.SURE;
      for (const axis of [0, 1]) apart[2 * (row * p + pair) + axis] = (pixels[2 * one + axis] - pixels[2 * other + axis]) / length;
    }),
  );
  const stamps = Float64Array.from(rows, (row) => times[row]);
  const accelerations = lefts.map((left) => constants.ACCELERATIONS[joints[left].slice(5)] ?? constants.ACCELERATION);
  const flips = findFlips({ apart, scores: pairScores, times: stamps, accelerations }, constants);
  const signs = new Uint8Array(n);
  const own = new Int32Array(n);
  for (let row = 0; row < n; row++) {
    signs[row] = (row ? signs[row - 1] : 0) ^ flips[row];
    own[row] = row ? own[row - 1] + (stamps[row] - stamps[row - 1] > constants.LONGEST) : 0;
  }
  for (let first = 0, end; first < n; first = end) {
    for (end = first; end < n && own[end] === own[first]; ) end++;
    const usual = signs.subarray(first, end).reduce((sum, sign) => sum + sign, 0) > 0.5 * (end - first) ? 1 : 0;
    for (let row = first; row < end; row++) rarer[rows[row]] = signs[row] !== usual ? 1 : 0;
  }
  for (let frame = 0; frame < t; frame++) stretches[frame] = own[Math.max(searchSorted(rows, frame, "right") - 1, 0)];
  return { rarer, stretches };
}

/** Those of the frames whose run is short: between other frames of its stretch, or at an end of it. */
export function shortRuns(frames, times, stretches, longest, longestAtEnds) {
  const short = new Uint8Array(frames.length);
  for (const [first, end] of runsOf(frames)) {
    const around = [first - 1, end].filter((row) => row >= 0 && row < frames.length && stretches[row] === stretches[first]);
    if (times[end - 1] - times[first] <= (around.length === 2 ? longest : longestAtEnds)) short.fill(1, first, end);
  }
  return short;
}

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

/** 1 where the differences (n, p, 2) change sign from the frame before, else 0. `scores` is 0 where unseen. */
function findFlips({ apart, scores, times, accelerations }, constants) {
  const [n, p] = [times.length, accelerations.length];
  const { TAIL, MOST, LONGEST, NOISE, WIDER, RARE, EACH, FREQUENT, PASSES } = constants;
  // Second differences where the first, the second, or both or none of the two steps change the sign.
  const bends = [0, 1, 2, 3].map(() => new Float64Array((n - 2) * p));
  const weights = new Float64Array((n - 2) * p);
  for (let row = 0; row < n - 2; row++) {
    const [before, after] = [times[row + 1] - times[row], times[row + 2] - times[row + 1]];
    const ratio = after / before;
    for (let pair = 0; pair < p; pair++) {
      const at = row * p + pair;
      const least = Math.min(scores[at], scores[at + p], scores[at + 2 * p]);
      if (!(least > 0 && Math.max(before, after) <= LONGEST)) continue;
      weights[at] = least;
      const [a, b, c] = [at, at + p, at + 2 * p].map((place) => apart.subarray(2 * place, 2 * place + 2));
      [[1, 1], [1, -1], [-1, 1], [-1, -1]].forEach(([u, v], k) => {
        bends[k][at] = Math.hypot(...[0, 1].map((axis) => v * c[axis] - (1 + ratio) * b[axis] + ratio * u * a[axis]));
      });
    }
  }
  const least = accelerations.map((_, pair) => {
    const known = [];
    for (let at = pair; at < weights.length; at += p) if (weights[at] > 0) known.push(Math.min(...bends.map((bend) => bend[at])));
    return known.length ? median(known) : 0;
  });
  const costs = bends.map(() => new Float64Array(n - 2));
  for (let row = 0; row < n - 2; row++) {
    const steps = (times[row + 1] - times[row]) * (times[row + 2] - times[row + 1]);
    for (let pair = 0; pair < p; pair++) {
      const at = row * p + pair;
      const error = Math.max(NOISE, WIDER * least[pair]) + accelerations[pair] * steps;
      const each = bends.map((bend) => 0.5 * (TAIL + 1) * Math.log1p((bend[at] / error) ** 2 / TAIL));
      const lowest = Math.min(...each);
      each.forEach((cost, k) => { costs[k][row] += weights[at] * Math.min(cost - lowest, MOST); });
    }
  }
  const rare = RARE + EACH * p;
  let flips = new Uint8Array(n);
  if (!costs[0].some((cost) => cost > 0)) return flips;
  for (let pass = 0, price = rare; pass < PASSES; pass++) {
    flips = cheapest(costs, price);
    const share = Math.max(flips.reduce((sum, flip) => sum + flip, 0) / n, Math.exp(-rare));
    const next = Math.min(Math.max(-Math.log(share), FREQUENT), rare);
    if (next === price) break;
    price = next;
  }
  return flips;
}

/** The cheapest changes of signs, by dynamic programming; 0 in the first frame. */
function cheapest(costs, price) {
  const count = costs[0].length;
  const back = new Uint8Array(2 * count);
  let best = [0, price];
  for (let row = 0; row < count; row++) {
    // Of the step before the frame and the step after it.
    const total = (before, after) => best[before] + costs[2 * before + after][row] + (after ? price : 0);
    const chosen = [0, 1].map((after) => (total(1, after) < total(0, after) ? 1 : 0));
    back.set(chosen, 2 * row);
    best = chosen.map((before, after) => total(before, after));
  }
  const flips = new Uint8Array(count + 2);
  flips[count + 1] = best[1] < best[0] ? 1 : 0;
  for (let row = count - 1; row >= 0; row--) flips[row + 1] = back[2 * row + flips[row + 2]];
  return flips;
}
