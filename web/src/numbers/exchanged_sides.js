// Left and right exchanged in frames of a track, found by continuity (poselift.lifting.prepare.exchanged_sides).

import { followCourses, weighCourses } from "./exchanges_by_courses.js";
import { findFlips, unclearRows } from "./exchanges_by_frames.js";
import { otherSide } from "./open.js";
import { measureDifferences } from "./side_differences.js";
import { runsOf, searchSorted } from "./times.js";

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
  const chosen = new Uint8Array(track.scores.length);
  for (let frame = 0; frame < frames.length; frame++) for (const joint of group) chosen[frame * track.joints.length + joint] = frames[frame];
  return exchangeJoints(track, chosen);
}

/** The track with the sides of the chosen joints (t, j) exchanged; both sides of a pair are chosen together. */
export function exchangeJoints(track, chosen) {
  const [pixels, scores, j] = [track.pixels.slice(), track.scores.slice(), track.joints.length];
  const others = track.joints.map((joint) => track.joints.indexOf(otherSide(joint)));
  chosen.forEach((flag, to) => {
    if (!flag) return;
    const from = to - (to % j) + others[to % j];
    scores[to] = track.scores[from];
    pixels.set(track.pixels.subarray(2 * from, 2 * from + 2), 2 * to);
  });
  return { ...track, pixels, scores };
}

/**
 * Frames with exchanged sides, and the stretches where this is known.
 * @param track of one person
 * @param {number[]} group both sides of each pair
 * @param {number} threshold least score of a keypoint that counts
 * @returns {{rarer: Uint8Array, stretches: Int32Array}} the rarer frames of each stretch, and the stretch of each frame
 */
export function followSides(track, group, threshold, constants) {
  const t = track.times.length;
  const rarer = new Uint8Array(t);
  const stretches = new Int32Array(t);
  const sides = measureDifferences(track, group, threshold, constants);
  if (!sides) return { rarer, stretches };
  const { rows, stretches: own } = sides;
  const n = rows.length;
  const flips = findFlips(sides, constants);
  const signs = new Uint8Array(n);
  for (let row = 0; row < n; row++) signs[row] = (row ? signs[row - 1] : 0) ^ flips[row];
  const whole = group.length === groupPairs(track.joints)[0].length;
  const { HIDDEN_BODY, HIDDEN_PART } = constants.exchanged_sides;
  followCourses(sides, signs, whole ? HIDDEN_BODY : HIDDEN_PART, constants);
  for (let first = 0, end; first < n; first = end) {
    for (end = first; end < n && own[end] === own[first]; ) end++;
    const usual = signs.subarray(first, end).reduce((sum, sign) => sum + sign, 0) > 0.5 * (end - first) ? 1 : 0;
    for (let row = first; row < end; row++) rarer[rows[row]] = signs[row] !== usual ? 1 : 0;
  }
  for (let frame = 0; frame < t; frame++) stretches[frame] = own[newestRow(sides, frame)];
  return { rarer, stretches };
}

/** Frames of stretches whose exchanges `followSides` may have wrong: the next reading is almost as likely. */
export function findUnclear(track, group, threshold, constants) {
  const sides = measureDifferences(track, group, threshold, constants);
  const unclear = sides && unclearRows(sides, constants);
  return Uint8Array.from(track.times, (_, frame) => (sides ? unclear[newestRow(sides, frame)] : 0));
}

/** Frames from which on the sides may be exchanged, because nothing before and after tells: (t). */
export function hiddenSteps(track, group, threshold, constants) {
  const hidden = new Uint8Array(track.times.length);
  const sides = measureDifferences(track, group, threshold, constants);
  if (sides) {
    const found = weighCourses(sides, new Uint8Array(sides.rows.length), constants);
    sides.rows.forEach((frame, row) => { hidden[frame] = found[row] > constants.exchanged_sides.OPEN && found[row] !== 0 ? 1 : 0; });
  }
  return hidden;
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

/** The newest row of a frame; before the first one, the first. */
const newestRow = ({ rows }, frame) => Math.max(searchSorted(rows, frame, "right") - 1, 0);
