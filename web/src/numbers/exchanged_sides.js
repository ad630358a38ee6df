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
  const { times } = track;
  const t = times.length;
  const rarer = new Uint8Array(t);
  const stretches = new Int32Array(t);
  const sides = measureDifferences(track, group, threshold, constants, structures);
  if (!sides) return { rarer, stretches };
  const { rows, times: stamps } = sides;
  const n = rows.length;
  const flips = findFlips(sides, constants);
  const signs = new Uint8Array(n);
  const own = new Int32Array(n);
  for (let row = 0; row < n; row++) {
    signs[row] = (row ? signs[row - 1] : 0) ^ flips[row];
    own[row] = row ? own[row - 1] + (stamps[row] - stamps[row - 1] > constants.LONGEST) : 0;
  }
  const whole = group.length === groupPairs(track.joints)[0].length;
  followCourses(sides, signs, whole ? constants.HIDDEN_BODY : constants.HIDDEN_PART, constants);
  for (let first = 0, end; first < n; first = end) {
    for (end = first; end < n && own[end] === own[first]; ) end++;
    const usual = signs.subarray(first, end).reduce((sum, sign) => sum + sign, 0) > 0.5 * (end - first) ? 1 : 0;
    for (let row = first; row < end; row++) rarer[rows[row]] = signs[row] !== usual ? 1 : 0;
  }
  for (let frame = 0; frame < t; frame++) stretches[frame] = own[Math.max(searchSorted(rows, frame, "right") - 1, 0)];
  return { rarer, stretches };
}

/** Frames from which on the sides may be exchanged, because nothing before and after tells: (t). */
export function hiddenSteps(track, group, threshold, { exchanged_sides: constants, structures }) {
  const hidden = new Uint8Array(track.times.length);
  const sides = measureDifferences(track, group, threshold, constants, structures);
  if (sides) {
    const found = evidenceOf(sides, sides.apart, constants);
    sides.rows.forEach((frame, row) => { hidden[frame] = found[row] > constants.OPEN && found[row] !== 0 ? 1 : 0; });
  }
  return hidden;
}

/** The left joint of each pair from its right one, (n, p, 2) body lengths, in the frames in which any pair is seen. */
function measureDifferences(track, group, threshold, constants, structures) {
  const { times, joints, pixels, scores } = track;
  const j = joints.length;
  const used = usedKeypoints(track, threshold, structures);
  const lefts = group.filter((joint) => joints[joint].startsWith("left_"));
  const pairs = lefts.map((left) => [left, joints.indexOf(otherSide(joints[left]))]);
  const both = (frame, [left, right]) => used[frame * j + left] && used[frame * j + right];
  const rows = [];
  for (let frame = 0; frame < times.length; frame++) if (pairs.some((pair) => both(frame, pair))) rows.push(frame);
  if (rows.length < 3) return null;
  const [n, p] = [rows.length, pairs.length];
  const length = bodyLength(track, used);
  const apart = new Float64Array(2 * n * p);
  const pairScores = new Float64Array(n * p);
  rows.forEach((frame, row) =>
    pairs.forEach(([left, right], pair) => {
      if (!both(frame, [left, right])) return;
      const [one, other] = [frame * j + left, frame * j + right];
      pairScores[row * p + pair] = Math.min(scores[one], scores[other], constants.SURE) / constants.SURE;
      for (const axis of [0, 1]) apart[2 * (row * p + pair) + axis] = (pixels[2 * one + axis] - pixels[2 * other + axis]) / length;
    }),
  );
  const accelerations = lefts.map((left) => constants.ACCELERATIONS[joints[left].slice(5)] ?? constants.ACCELERATION);
  return { rows, apart, scores: pairScores, times: Float64Array.from(rows, (row) => times[row]), accelerations };
}

/** Changes the signs where the courses before and after a step tell of an exchange. */
function followCourses(sides, signs, least, constants) {
  const { apart, times, accelerations } = sides;
  const { PASSES, COURSE } = constants;
  const p = accelerations.length;
  for (let pass = 0; pass < PASSES; pass++) {
    const signed = apart.map((value, at) => (signs[Math.floor(at / (2 * p))] ? -value : value));
    const evidence = evidenceOf(sides, signed, constants);
    const peaks = [];
    const likely = Array.from(evidence.keys()).filter((row) => evidence[row] > least / 2).sort((a, b) => evidence[b] - evidence[a] || a - b);
    for (const step of likely) if (peaks.every((other) => Math.abs(times[step] - times[other]) > COURSE / 2)) peaks.push(step);
    // Between two that are nearer there is no course of its own: who spins looks like this.
    const steps = peaks.filter(
      (step) => evidence[step] > least && peaks.filter((other) => Math.abs(times[step] - times[other]) <= 2 * COURSE).length === 1,
    );
    for (const step of steps) for (let row = step; row < signs.length; row++) signs[row] ^= 1;
    if (!steps.length) break;
  }
}

/** Log-likelihood ratio of an exchange in the step to each frame against none; 0 in the first frame and after a gap. */
function evidenceOf({ scores, times, accelerations }, apart, constants) {
  const { TAIL, MOST, LONGEST, COURSE, USUAL, LEAST } = constants;
  const [n, p] = [times.length, accelerations.length];
  const noise = accelerations.map((_, pair) => {
    const bends = [];
    for (let row = 0; row < n - 2; row++) {
      const [a, b, c] = [row, row + 1, row + 2].map((each) => each * p + pair);
      if (!(scores[a] > 0 && scores[b] > 0 && scores[c] > 0)) continue;
      bends.push(Math.hypot(...[0, 1].map((axis) => apart[2 * c + axis] - 2 * apart[2 * b + axis] + apart[2 * a + axis])));
    }
    // The second difference of two axes of white noise is sqrt(6) times its spread, and the median 1.2 times.
    return Math.max(LEAST, bends.length ? median(Float64Array.from(bends)) / (1.2 * Math.sqrt(6)) : 0);
  });
  const intervals = Float64Array.from({ length: n - 1 }, (_, row) => times[row + 1] - times[row]);
  const count = Math.ceil(COURSE / Math.max(median(intervals), 1e-3)) + 1;
  const found = new Float64Array(n);
  for (let step = 1; step < n; step++) {
    if (intervals[step - 1] > LONGEST) continue;
    const middle = (times[step] + times[step - 1]) / 2;
    const reach = COURSE + intervals[step - 1] / 2;
    for (let pair = 0; pair < p; pair++) {
      const course = (from, to) => {
        const rows = [];
        for (let row = Math.max(from, 0); row < Math.min(to, n); row++) if (Math.abs(times[row] - middle) <= reach) rows.push(row);
        return fitLine(rows, middle, { apart, scores, times }, pair, p);
      };
      const [first, second] = [course(step - count, step), course(step, step + count)];
      const usual = accelerations[pair] * USUAL;
      // Where a course is no line, as that of somebody who spins, its ends are known less well.
      const errors = [first, second].map((each) => Math.max(noise[pair], each.noise) ** 2);
      const places = errors[0] * first.place + errors[1] * second.place + 2 * ((usual * COURSE ** 2) / 12) ** 2;
      if (!(places < 1)) continue;
      const speeds = errors[0] * first.speed + errors[1] * second.speed + 2 * ((usual * COURSE) / 2) ** 2;
      const off = (sign) =>
        [0, 1].reduce((sum, axis) => sum + (second.value[axis] - sign * first.value[axis]) ** 2, 0) / places +
        [0, 1].reduce((sum, axis) => sum + (second.slope[axis] - sign * first.slope[axis]) ** 2, 0) / speeds;
      const ratio = 0.5 * (TAIL + 1) * (Math.log1p(off(1) / TAIL) - Math.log1p(off(-1) / TAIL));
      found[step] += Math.min(first.score, second.score) * Math.min(Math.max(ratio, -MOST), MOST);
    }
  }
  return found;
}

/** Value and slope of the line through weighted differences at a time, the variances of both for noise of 1, and the noise. */
function fitLine(rows, middle, { apart, scores, times }, pair, p) {
  const sums = [0, 0, 0];
  const [y0, y1] = [[0, 0], [0, 0]];
  let seen = 0;
  let most = 0;
  for (const row of rows) {
    const [weight, after] = [scores[row * p + pair], times[row] - middle];
    seen += weight > 0 ? 1 : 0;
    most = Math.max(most, weight);
    for (const power of [0, 1, 2]) sums[power] += weight * after ** power;
    for (const axis of [0, 1]) {
      y0[axis] += weight * apart[2 * (row * p + pair) + axis];
      y1[axis] += weight * after * apart[2 * (row * p + pair) + axis];
    }
  }
  const [s0, s1, s2] = sums;
  const known = s0 * s2 - s1 ** 2 > 1e-9 && seen >= 2;
  const flat = known ? s0 * s2 - s1 ** 2 : 1;
  const value = [0, 1].map((axis) => (s2 * y0[axis] - s1 * y1[axis]) / flat);
  const slope = [0, 1].map((axis) => (s0 * y1[axis] - s1 * y0[axis]) / flat);
  let off = 0;
  for (const row of rows) {
    if (!(scores[row * p + pair] > 0)) continue;
    for (const axis of [0, 1]) off += (apart[2 * (row * p + pair) + axis] - value[axis] - slope[axis] * (times[row] - middle)) ** 2;
  }
  const noise = Math.sqrt(off / Math.max(2 * seen - 4, 1));
  return { value, slope, place: known ? s2 / flat : 1e9, speed: known ? s0 / flat : 1e9, noise, score: most };
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
