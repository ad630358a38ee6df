// Settles which side is left: exchanged sides of a track are put back, as far as the track and the lifter tell
// (poselift.lifting.settled_sides).

import { inSight } from "./contacts.js";
import { exchange, exchangeJoints, findUnclear, followSides, groupPairs, hiddenSteps, shortRuns } from "./exchanged_sides.js";
import { endsSeen } from "./ground.js";
import { liftTrack } from "./lift.js";
import { crouchOf, measureBody } from "./posture.js";
import { runsOf } from "./times.js";
import { CAMERA_UP, dot } from "./vectors.js";

/**
 * @typedef {object} Sides a track whose left and right were settled
 * @property {import("./index.js").Track} track with the sides put back
 * @property {Uint8Array} exchanged (t) 1 where joints were exchanged
 * @property {Uint8Array} unsure (t, j) 1 where it is not sure which side a joint is
 */

/**
 * The track with a detector's exchanged sides put back.
 * @param {import("./open.js").Numbers} numbers
 * @param {import("./index.js").Track} given
 * @param {import("./index.js").Camera} camera of the track's picture
 * @param {{threshold?: number, progress?: (share: number) => unknown}} options as of `liftTrack`
 * @returns {Promise<Sides>}
 */
export async function settleSides(numbers, given, camera, options = {}) {
  const { constants } = numbers.facts;
  const { SHORT, SHORT_AT_ENDS, TELLING, SURE, MOST, TOLD } = constants.settled_sides;
  const threshold = options.threshold ?? constants.structures.THRESHOLD;
  const j = given.joints.length;
  const unsure = new Uint8Array(given.times.length * j);
  const doubt = (frames, group) => frames.forEach((flag, frame) => { for (const joint of group) unsure[frame * j + joint] |= flag; });
  let track = given;
  for (const [part, group] of groupPairs(given.joints).entries()) {
    const followed = followSides(track, group, threshold, constants);
    const { stretches } = followed;
    let { rarer } = followed;
    const whole = part === 0; // detectors exchange a part for moments only
    const hidden = whole && !rarer.includes(1);
    if (hidden) rarer = await findExpected(numbers, track, group, threshold, camera, options);
    if (!rarer.includes(1)) continue;
    const brief = shortRuns(rarer, track.times, stretches, SHORT, SHORT_AT_ENDS);
    if (brief.reduce((sum, flag) => sum + flag, 0) >= TOLD * brief.length) doubt(findUnclear(track, group, threshold, constants), group);
    track = exchange(track, brief, group);
    const long = rarer.map((flag, frame) => flag & (1 - brief[frame]));
    const putBack = new Uint8Array(long.length);
    for (let first = 0, end; first < long.length; first = end) {
      for (end = first; end < long.length && stretches[end] === stretches[first]; ) end++;
      const one = long.slice(first, end);
      if (!one.includes(1)) continue;
      // What lies beyond a gap hardly tells, and would be lifted again for each stretch of a long clip.
      const other = one.map((flag) => 1 - flag);
      const near = cut(track, first, end);
      const readings = [near, exchange(near, one, group), exchange(near, other, group)];
      const { found: [asGiven, rare, usual], stands } = await surprises(numbers, readings, one, camera, options);
      const expectsGiven = asGiven < Math.min(rare, usual) + (whole ? -TELLING : TELLING);
      if (expectsGiven && !whole) continue;
      // The frames of the rarer sides are the exchanged ones, unless the lifter expects it the other way round.
      const share = one.reduce((sum, flag) => sum + flag, 0) / one.length;
      const better = usual - rare + (whole ? MOST * (1 - 2 * share) : 0);
      if (whole && limbsTurnBack(readings[1], one, threshold, constants)) continue;
      if (whole && (Math.abs(better) < SURE || !stands || expectsGiven || hidden))
        for (let frame = first; frame < end; frame++) for (const joint of group) unsure[frame * j + joint] = 1;
      putBack.set(better > -TELLING ? one : other, first);
    }
    track = exchange(track, putBack, group);
  }
  const value = (pixels, at) => pixels[at] || 0; // NaN is 0
  const exchanged = Uint8Array.from(given.times, (_, frame) => {
    for (let at = 2 * frame * j; at < 2 * (frame + 1) * j; at++)
      if (value(track.pixels, at) !== value(given.pixels, at)) return 1;
    return 0;
  });
  return { track, exchanged, unsure };
}

/** The frames of a track from one on up to another. */
function cut({ times, pixels, scores, ...track }, first, end) {
  const j = track.joints.length;
  return { ...track, times: times.slice(first, end), pixels: pixels.slice(2 * first * j, 2 * end * j), scores: scores.slice(first * j, end * j) };
}

/**
 * Whether legs and arms, each followed alone, say that a whole body's exchange was none.
 * @param {import("./index.js").Track} exchanged the stretch of a track with the sides of the whole body exchanged
 * @param {Uint8Array} one (t) 1 in frames that were exchanged
 */
function limbsTurnBack(exchanged, one, threshold, constants) {
  const { TURNS_BACK } = constants.settled_sides;
  return groupPairs(exchanged.joints).slice(1, 3).every((group) => {
    const { rarer } = followSides(exchanged, group, threshold, constants);
    const same = rarer.reduce((sum, flag, frame) => sum + (flag === one[frame] ? 1 : 0), 0) / one.length;
    return Math.max(same, 1 - same) >= TURNS_BACK;
  });
}

/** Frames in which the lifter expects exchanged sides, between steps that hide an exchange. */
async function findExpected(numbers, track, group, threshold, camera, options) {
  const { EXPECTED, EXPECTED_S } = numbers.facts.constants.settled_sides;
  const expected = new Uint8Array(track.times.length);
  const hidden = hiddenSteps(track, group, threshold, numbers.facts.constants);
  if (!hidden.includes(1)) return expected;
  const radii = [];
  for (const each of [track, exchange(track, expected.map(() => 1), group)])
    radii.push((await liftTrack(numbers, each, camera, options)).uncertainty);
  const j = radii[0].length / expected.length;
  const meanOfKnown = (values) => {
    const known = values.filter(Number.isFinite);
    return known.reduce((sum, value) => sum + value, 0) / known.length;
  };
  const gain = Array.from(expected, (_, frame) =>
    meanOfKnown(Array.from({ length: j }, (__, k) => Math.log(radii[0][frame * j + k] + 1e-3) - Math.log(radii[1][frame * j + k] + 1e-3))),
  );
  const steps = [0, ...Array.from(hidden.keys()).filter((frame) => hidden[frame]), expected.length];
  steps.slice(1).forEach((end, k) => {
    if (meanOfKnown(gain.slice(steps[k], end)) > EXPECTED) expected.fill(1, steps[k], end);
  });
  for (const [first, end] of runsOf(expected)) if (track.times[end - 1] - track.times[first] < EXPECTED_S) expected.fill(0, first, end);
  // Of a whole clip the lifter alone does not tell.
  return expected.includes(0) ? expected : expected.fill(0);
}

/** Mean log uncertainty of the lifter for each reading of a stretch, around their first change, and whether the person stands. */
async function surprises(numbers, readings, doubtful, camera, options) {
  const { constants } = numbers.facts;
  const { LOOK, BENT } = constants.settled_sides;
  let stands = true;
  const change = Math.max(doubtful.findIndex((flag, frame) => frame > 0 && flag !== doubtful[frame - 1]), 0);
  const [first, end] = [Math.max(0, change - LOOK), change + LOOK];
  const found = [];
  for (const reading of readings) {
    const motion = await liftTrack(numbers, cut(reading, first, end), camera, options);
    const known = motion.uncertainty.filter(Number.isFinite);
    found.push(known.reduce((sum, radius) => sum + Math.log(radius + 1e-3), 0) / known.length);
    const frames = measureBody(motion, endsSeen(motion, inSight(motion, constants)));
    if (!frames.length) continue;
    const upright = frames.filter(({ axis }) => dot(axis, CAMERA_UP) > constants.up.UPRIGHT).length;
    stands &&= crouchOf(frames) < BENT && 2 * upright > frames.length;
  }
  return { found, stands };
}

/** What the user is told of a track's sides; empty where little was exchanged. */
export function sidesCautions({ track, exchanged, unsure }, { settled_sides: { TOLD } }) {
  const { person, times } = track;
  const share = exchanged.reduce((sum, flag) => sum + flag, 0) / exchanged.length;
  const span = (flags) => [flags.indexOf(1), flags.lastIndexOf(1)].map((frame) => times[frame].toFixed(2)).join(" to ");
  if (unsure.includes(1))
    return [`person ${person}: left and right${unsurePart(track, unsure)} are exchanged in a part of the frames from ${span(anyOf(track, unsure))} s, and it is not sure in which: the uncertainty there covers both sides`];
  if (share < TOLD) return [];
  return [`person ${person}: left and right were exchanged in ${(100 * share).toFixed(0)}% of the frames, from ${span(exchanged)} s, and were put back`];
}

/** 1 in the frames in which any joint is unsure: (t). */
const anyOf = ({ times, joints: { length: j } }, unsure) => Uint8Array.from(times, (_, frame) => (unsure.subarray(frame * j, (frame + 1) * j).includes(1) ? 1 : 0));

/** The part of the body that is unsure; empty if it is all of it. */
function unsurePart({ times, joints }, unsure) {
  const found = new Set(joints.filter((_, joint) => times.some((__, frame) => unsure[frame * joints.length + joint])));
  if (found.size === groupPairs(joints)[0].length) return "";
  const ends = [["arms", "left_wrist"], ["legs", "left_ankle"], ["head", "left_ear"]];
  return ` of the ${ends.filter(([, joint]) => found.has(joint)).map(([part]) => part).join(" and ")}`;
}

/**
 * Lifts a track, with an uncertainty that covers both readings of unsure sides.
 * @param {Sides} sides
 * @param {(track: object, other: boolean) => Promise<import("./index.js").Motion>} lift `other` is true of the second
 *   reading
 */
export async function liftSides({ track, unsure }, lift) {
  const motion = await lift(track, false);
  if (!unsure.includes(1)) return motion;
  const { joints } = await lift(exchangeJoints(track, unsure), true);
  const { uncertainty } = motion;
  const [j, frames] = [motion.skeleton.joints.length, anyOf(track, unsure)];
  for (let at = 0; at < uncertainty.length; at++) {
    if (!frames[Math.floor(at / j)]) continue;
    uncertainty[at] = Math.hypot(uncertainty[at], ...[0, 1, 2].map((axis) => motion.joints[3 * at + axis] - joints[3 * at + axis]));
  }
  return motion;
}
