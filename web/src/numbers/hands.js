// The hands of a person over time: placed in the camera frame and made steady (poselift.structures.hands).

import { searchSorted } from "./times.js";

/**
 * @typedef {object} Hands left and right of a person, in each frame of the track
 * @property {Float32Array} pixels (t, 2, 21, 2), NaN where no hand is seen
 * @property {Float32Array} joints (t, 2, 21, 3) metres from the wrist, NaN likewise
 * @property {Float32Array} scores (t, 2), 0 likewise
 * @property {boolean} placed whether joints are in the camera frame and steady; else as of a hand in the middle of the picture
 */

/** Joints of a hand, and numbers of both hands in each frame. */
export const JOINTS = 21;
const SIDES = 2, WIDTHS = { pixels: 2 * SIDES * JOINTS, joints: 3 * SIDES * JOINTS, scores: SIDES };

/** Whether a hand is seen in 3D; and whether any is. @param at twice the frame, and one more for the right hand */
export const isSeen = ({ joints }, at) => joints.subarray(3 * JOINTS * at, 3 * JOINTS * (at + 1)).every(Number.isFinite);
export const inSpace = (hands) => hands.scores.some((_, at) => isSeen(hands, at));

/** Hands in no frame. */
export const unseenHands = (frames, placed = false) => ({ placed, pixels: new Float32Array(WIDTHS.pixels * frames).fill(NaN),
  joints: new Float32Array(WIDTHS.joints * frames).fill(NaN), scores: new Float32Array(WIDTHS.scores * frames) });

/** The hands of some frames. @param rows hands and frame of each, which may be of several people; null for unseen ones */
export function gatherHands(rows, placed) {
  const made = unseenHands(rows.length, placed);
  rows.forEach((row, to) => {
    for (const [name, width] of Object.entries(WIDTHS)) if (row) made[name].set(row.hands[name].subarray(width * row.frame, width * (row.frame + 1)), width * to);
  });
  return made;
}

const copied = (hands) => gatherHands(Array.from({ length: hands.scores.length / SIDES }, (_, frame) => ({ hands, frame })), hands.placed);

/** The hands with left and right exchanged in some frames. */
export function swapHands(hands, frames) {
  const made = copied(hands);
  for (const [name, both] of Object.entries(WIDTHS)) for (const frame of frames) for (const side of [0, 1]) {
    const width = both / SIDES, at = SIDES * frame;
    made[name].set(hands[name].subarray(width * (at + 1 - side), width * (at + 2 - side)), width * (at + side));
  }
  return made;
}

/** The hands of a track after its sides were settled: exchanged where its wrists are. */
export function settleHands(hands, { joints, times, pixels }, settled) {
  const at = (track, name, frame) => track[2 * (frame * joints.length + joints.indexOf(name))];
  return swapHands(hands, [...times.keys()].filter((frame) => {
    const [left, right] = ["left_wrist", "right_wrist"].map((name) => at(pixels, name, frame));
    return !Object.is(left, right) && Object.is(at(settled.pixels, "left_wrist", frame), right) && Object.is(at(settled.pixels, "right_wrist", frame), left);
  }));
}

/** The hands that were found with the people of frames, by the keypoints of a track; null without any. */
export function handsOfTrack(track, frames) {
  const rows = track.times.length, j = track.joints.length, hands = unseenHands(rows), byTime = new Map(frames.map((frame) => [frame.time, frame.people ?? []]));
  track.times.forEach((time, row) => {
    const own = track.pixels.subarray(2 * j * row, 2 * j * (row + 1));
    const person = byTime.get(time)?.find(({ pixels, hands: found }) => found && pixels.every((value, i) => Object.is(Math.fround(value), own[i])));
    person?.hands.forEach((hand, side) => {
      if (!hand) return;
      const at = SIDES * row + side;
      hands.pixels.set(hand.points, 2 * JOINTS * at);
      hands.joints.set(hand.joints, 3 * JOINTS * at);
      hands.scores[at] = hand.score;
    });
  });
  return hands;
}

/** The hands in the camera frame, made steady. @param times of the frames @param camera of the picture */
export function placeHands(hands, times, camera, { hands: constants }) {
  if (hands.placed) return hands;
  const turned = copied(hands);
  for (let at = 0; at < SIDES * times.length; at++) {
    if (!(hands.scores[at] > 0)) continue;
    const turn = turnToRay(hands.pixels.subarray(2 * JOINTS * at, 2 * JOINTS * at + 2), camera);
    for (let joint = JOINTS * at; joint < JOINTS * (at + 1); joint++)
      turned.joints.set(turn.map((row) => row.reduce((sum, value, axis) => sum + value * hands.joints[3 * joint + axis], 0)), 3 * joint);
  }
  return { ...steadyHands(turned, times, constants), placed: true };
}

/** The smallest rotation from the optical axis to a pixel's ray, rows. */
function turnToRay([u, v], { K: [fx, skew, cx, , fy, cy] }) {
  const down = (v - cy) / fy, across = (u - cx - skew * down) / fx, far = Math.hypot(across, down, 1);
  const [x, y, z] = [across / far, down / far, 1 / far], c = 1 / (1 + z);
  return [[1 - c * x * x, -c * x * y, x], [-c * x * y, 1 - c * y * y, y], [-x, -y, 1 - c * (x * x + y * y)]];
}

/** Hands smoothed over time, without those that fit to no pose before or after (Hands.steady). */
export function steadyHands(hands, times, constants) {
  const made = copied(hands);
  for (const side of [0, 1]) {
    const pose = (row) => Float64Array.from(hands.joints.subarray(3 * JOINTS * (SIDES * row + side), 3 * JOINTS * (SIDES * row + side + 1)));
    const poses = Array.from(times, (_, row) => pose(row)), agreement = agreementOf(poses, times, constants);
    const kept = withoutFlips(poses, agreement, times, constants);
    times.forEach((_, row) => {
      const at = SIDES * row + side;
      made.scores[at] *= agreement[row];
      if (kept[row]) return;
      made.scores[at] = 0;
      for (const [name, width] of [["pixels", 2], ["joints", 3]]) made[name].fill(NaN, width * JOINTS * at, width * JOINTS * (at + 1));
    });
    const scores = Float64Array.from(times, (_, row) => hands.scores[SIDES * row + side] * agreement[row]);
    for (const run of runs(poses, kept, times, constants)) {
      const stamps = run.map((row) => times[row]), between = Array.from({ length: run.at(-1) - run[0] + 1 }, (_, i) => run[0] + i);
      for (const [name, width] of [["pixels", 2 * JOINTS], ["joints", 3 * JOINTS]]) {
        const known = run.map((row) => hands[name].subarray(width * (SIDES * row + side), width * (SIDES * row + side + 1)));
        const wanted = between.map((row) => times[row]), smooth = meanOverTime(spline(stamps, known, wanted), wanted, constants);
        between.forEach((row, i) => made[name].set(smooth[i], width * (SIDES * row + side)));
      }
      for (const row of between) {
        const after = Math.max(1, searchSorted(stamps, times[row])), share = (times[row] - stamps[after - 1]) / (stamps[after] - stamps[after - 1]);
        made.scores[SIDES * row + side] = (1 - share) * scores[run[after - 1]] + share * scores[run[after]];
      }
    }
  }
  return made;
}

const there = (pose) => pose.every(Number.isFinite);
const place = (pose, joint) => [0, 1, 2].map((axis) => pose[3 * joint + axis]);
const cross = ([a, b, c], [x, y, z]) => [b * z - c * y, c * x - a * z, a * y - b * x];
const dot = (one, other) => one.reduce((sum, value, i) => sum + value * other[i], 0);

/** Distance of two poses of a hand, in hand sizes; infinite where they do not fit. */
function apart(one, other, seconds, { JUMP, NEAR, INDEX, PINKY }) {
  if (!(seconds <= NEAR)) return Infinity;
  let [size, far] = [1e-6, 0];
  for (let joint = 0; joint < JOINTS; joint++) {
    size = Math.max(size, Math.hypot(...place(other, joint)));
    far = Math.max(far, Math.hypot(...place(other, joint).map((value, axis) => value - one[3 * joint + axis])));
  }
  const [before, after] = [one, other].map((pose) => cross(place(pose, INDEX), place(pose, PINKY)));
  return far / size <= JUMP && !(dot(before, after) < 0) ? far / size : Infinity;
}

/** How well each pose fits its neighbours in time: 1 for the same, 0 for a jump and for short runs. */
function agreementOf(poses, times, constants) {
  const rows = [...poses.keys()].filter((row) => there(poses[row])), agreement = new Float64Array(times.length);
  if (rows.length < 2) return agreement;
  const steps = rows.slice(1).map((row, i) => apart(poses[rows[i]], poses[row], times[row] - times[rows[i]], constants));
  const nearer = rows.map((_, i) => Math.min(steps[i - 1] ?? Infinity, steps[i] ?? Infinity));
  for (const group of split([...rows.keys()], (i) => steps[i] === Infinity)) {
    if (group.length >= constants.LEAST) for (const i of group) agreement[rows[i]] = Math.max(1 - nearer[i] / constants.JUMP, 1e-3);
  }
  return agreement;
}

/** Parts of a list. @param ends whether a part ends with the element of a number */
function split(list, ends) {
  const parts = [[]];
  list.forEach((each, i) => { parts.at(-1).push(each); if (ends(i) && i + 1 < list.length) parts.push([]); });
  return parts;
}

/** The kept frames in runs without jumps and long gaps. */
function runs(poses, kept, times, constants) {
  const rows = [...kept.keys()].filter((row) => kept[row]);
  return rows.length ? split(rows, (i) => i + 1 < rows.length && apart(poses[rows[i]], poses[rows[i + 1]], times[rows[i + 1]] - times[rows[i]], constants) === Infinity) : [];
}

/** Flags of poses without those between which the palm turns faster than hands do. */
function withoutFlips(poses, agreement, times, constants) {
  const kept = Uint8Array.from(agreement, (value) => value > 0 ? 1 : 0), { FASTEST, LEAST } = constants;
  for (let changed = true; changed;) {
    changed = false;
    const parts = runs(poses, kept, times, constants);
    for (const [i, before] of parts.slice(0, -1).entries()) {
      const after = parts[i + 1], last = before.at(-1), first = after[0];
      if (!kept[last]) continue; // it is no longer the neighbour
      const needed = angleBetween(palm(poses[last], constants), palm(poses[first], constants)) / FASTEST;
      if (times[first] - times[last] >= needed - 1e-6) continue;
      const [shorter, end] = before.length < after.length ? [before, times[first]] : [after, times[last]];
      const left = shorter.filter((row) => Math.abs(times[row] - end) >= needed - 1e-6);
      for (const row of shorter) kept[row] = 0;
      if (left.length >= LEAST) for (const row of left) kept[row] = 1;
      changed = true;
    }
  }
  return kept;
}

/** Axes of a palm: towards the fingers, across to the index finger, and their normal. */
function palm(pose, { INDEX, PINKY }) {
  const index = place(pose, INDEX), pinky = place(pose, PINKY), wrist = place(pose, 0);
  const unit = (vector) => { const length = Math.max(Math.hypot(...vector), 1e-9); return vector.map((value) => value / length); };
  const raw = index.map((value, axis) => (value + pinky[axis]) / 2 - wrist[axis]);
  const normal = unit(cross(raw, index.map((value, axis) => value - pinky[axis]))), along = unit(raw);
  return [along, cross(normal, along), normal];
}

/** Angle of the rotation from one to the other, radians. */
const angleBetween = (one, other) => Math.acos(Math.min(1, Math.max(-1, (one.reduce((sum, axis, i) => sum + dot(axis, other[i]), 0) - 1) / 2)));

/** Rows at other times on a cubic spline whose first two and last two pieces are one polynomial each. */
export function spline(times, rows, wanted) {
  const n = times.length, columns = rows[0].length, steps = times.slice(1).map((time, i) => time - times[i]);
  const rise = (i, column) => (rows[i + 1][column] - rows[i][column]) / steps[i], slopes = Array.from({ length: n }, () => new Float64Array(columns));
  for (let column = 0; column < columns; column++) {
    if (n < 4) {
      const bend = n === 3 ? (rise(1, column) - rise(0, column)) / (times[2] - times[0]) : 0;
      times.forEach((time, i) => { slopes[i][column] = rise(0, column) + bend * (2 * time - times[0] - times[1]); });
      continue;
    }
    // The equations of slopes: below, on and above the diagonal, and the right side.
    const equations = times.map((_, i) => i > 0 && i < n - 1 ? [steps[i], 2 * (steps[i - 1] + steps[i]), steps[i - 1], 3 * (steps[i] * rise(i - 1, column) + steps[i - 1] * rise(i, column))] : null);
    for (const [row, end, inner] of [[0, 0, 1], [n - 1, n - 2, n - 3]]) {
      const whole = steps[end] + steps[inner], right = ((steps[end] + 2 * whole) * steps[inner] * rise(end, column) + steps[end] ** 2 * rise(inner, column)) / whole;
      equations[row] = row ? [whole, steps[inner], 0, right] : [0, steps[inner], whole, right];
    }
    for (let i = 1; i < n; i++) {
      const by = equations[i][0] / equations[i - 1][1];
      equations[i][1] -= by * equations[i - 1][2];
      equations[i][3] -= by * equations[i - 1][3];
    }
    for (let i = n - 1; i >= 0; i--) slopes[i][column] = (equations[i][3] - (i < n - 1 ? equations[i][2] * slopes[i + 1][column] : 0)) / equations[i][1];
  }
  return wanted.map((time) => {
    const piece = Math.min(n - 2, Math.max(0, searchSorted(times, time, "right") - 1)), step = steps[piece], share = (time - times[piece]) / step;
    return Float64Array.from({ length: columns }, (_, column) => {
      const first = rows[piece][column], up = rows[piece + 1][column] - first;
      const left = step * slopes[piece][column] - up, right = step * slopes[piece + 1][column] - up;
      return first + share * (up + (1 - share) * ((1 - share) * left - share * right));
    });
  });
}

/** Gaussian means over time. */
function meanOverTime(rows, times, { SMOOTHING }) {
  return rows.map((row, at) => {
    const sums = new Float64Array(row.length);
    let total = 0;
    for (let i = searchSorted(times, times[at] - 5 * SMOOTHING); i < times.length && times[i] < times[at] + 5 * SMOOTHING; i++) {
      const weight = Math.exp(-((times[i] - times[at]) ** 2) / (2 * SMOOTHING ** 2));
      total += weight;
      for (let column = 0; column < row.length; column++) sums[column] += weight * rows[i][column];
    }
    return sums.map((sum) => sum / total);
  });
}
