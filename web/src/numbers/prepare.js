// A person's keypoints, prepared for the lifter (poselift.lifting.prepare).

import { addFramesBetween, chooseFrames, fillGaps, findSegments, seenFrames, takeFrames } from "./gaps.js";
import { median, medianInterval } from "./times.js";
import { findTurns, turnUpright } from "./turns.js";

/**
 * The camera of a picture.
 * @param {{width: number, height: number, fov?: number, K?: number[][]}} request pixels; fov in degrees across the
 *   longer side. Without fov and K, a usual field of view is assumed.
 */
export function cameraFor({ width, height, fov, K }, assumed = 55) {
  if (!(width > 0 && height > 0)) throw new Error(`a picture of ${width} x ${height} pixels is empty`);
  const longer = Math.max(width, height);
  if (K) {
    const given = Float64Array.from(K.flat());
    if (given.length !== 9 || !(given[0] > 0 && given[4] > 0)) throw new Error("K has no positive focal lengths");
    const focal = width >= height ? given[0] : given[4];
    return { K: given, width, height, origin: "given", fov: (360 / Math.PI) * Math.atan(longer / 2 / focal) };
  }
  if (fov !== undefined && !(fov >= 5 && fov <= 150))
    throw new Error(`the field of view is ${fov} degrees; give 5 to 150, across the longer side`);
  const angle = fov ?? assumed;
  const focal = Math.fround(longer / 2 / Math.tan((angle * Math.PI) / 360));
  const given = Float64Array.of(focal, 0, (width - 1) / 2, 0, focal, (height - 1) / 2, 0, 0, 1);
  return { K: given, width, height, origin: fov === undefined ? "assumed" : "given", fov: angle };
}

/** Whether a keypoint is used: seen, with a score of at least the threshold, and no absurd distance away. */
export function usedKeypoints(track, threshold, { FARTHEST }) {
  const far = FARTHEST * Math.max(track.width, track.height);
  return Uint8Array.from(track.scores, (score, at) => {
    const near = Math.abs(track.pixels[2 * at]) <= far && Math.abs(track.pixels[2 * at + 1]) <= far;
    return near && score > 0 && score >= threshold ? 1 : 0;
  });
}

/** Pixels and scores of the lifter's joints; NaN and 0 for those that the track lacks. */
function lifterJoints(track, facts, threshold) {
  const names = facts.skeletons[facts.lifter.skeleton_in].joints;
  const [frames, given, wanted] = [track.times.length, track.joints.length, names.length];
  const used = usedKeypoints(track, threshold, facts.constants.structures);
  const pixels = new Float32Array(2 * frames * wanted).fill(NaN);
  const scores = new Float32Array(frames * wanted);
  names.forEach((name, place) => {
    const joint = track.joints.indexOf(name);
    for (let frame = 0; joint >= 0 && frame < frames; frame++) {
      const [from, to] = [frame * given + joint, frame * wanted + place];
      if (!used[from]) continue;
      pixels.set(track.pixels.subarray(2 * from, 2 * from + 2), 2 * to);
      scores[to] = Math.min(track.scores[from], 1);
    }
  });
  if (facts.lifter.pelvis === "spine" && pelvisOffset(pixels, frames, names) < facts.constants.pelvis.BETWEEN_HIPS)
    for (let frame = 0; frame < frames; frame++) scores[frame * wanted + names.indexOf("pelvis")] = 0;
  return { pixels, scores };
}

/** Median distance of the pelvis from the middle of the hips, in trunk lengths; NaN where it is never seen. */
function pelvisOffset(pixels, frames, names) {
  const found = [];
  for (let frame = 0; frame < frames; frame++) {
    const at = (name, axis) => pixels[2 * (frame * names.length + names.indexOf(name)) + axis];
    const middle = (joint) => [0, 1].map((axis) => (at(`left_${joint}`, axis) + at(`right_${joint}`, axis)) / 2);
    const [hips, shoulders] = [middle("hip"), middle("shoulder")];
    const trunk = Math.hypot(shoulders[0] - hips[0], shoulders[1] - hips[1]);
    const offset = Math.hypot(at("pelvis", 0) - hips[0], at("pelvis", 1) - hips[1]) / trunk;
    if (trunk > 0 && Number.isFinite(offset)) found.push(offset);
  }
  return median(found);
}

/** Rays (t, j, 3) and their scores (t, j) of the lifted joints; 0 where a joint was not seen. */
function keypointRays({ pixels, scores }, camera, facts, frames) {
  const [inputs, outputs] = ["skeleton_in", "skeleton_out"].map((key) => facts.skeletons[facts.lifter[key]].joints);
  const rays = new Float64Array(3 * frames * outputs.length);
  const rayScores = new Float64Array(frames * outputs.length);
  const [fx, skew, cx, , fy, cy] = camera.K;
  outputs.forEach((name, place) => {
    const joint = inputs.indexOf(name);
    for (let frame = 0; joint >= 0 && frame < frames; frame++) {
      const [from, to] = [frame * inputs.length + joint, frame * outputs.length + place];
      const y = (pixels[2 * from + 1] - cy) / fy;
      const x = (pixels[2 * from] - cx - skew * y) / fx;
      if (!Number.isFinite(x + y)) continue;
      rays.set([x, y, 1], 3 * to);
      rayScores[to] = scores[from];
    }
  });
  return { rays, rayScores };
}

/**
 * @typedef {object} Segment frames that are lifted together: no gap between them is too long to bridge
 * @property {number} first first frame of the track that it covers
 * @property {number} end frame after the last one
 * @property {Float64Array} times of the frames that the lifter gets
 * @property {Float32Array} pixels (n, j, 2) in the upright picture
 * @property {Float32Array} scores (n, j)
 * @property {number[]} rows their frames in the track; -1 for frames between those of a slow clip
 * @property {object} camera of the upright picture
 * @property {number} turns quarter turns that make the person upright
 * @property {number} motions number of interleaved motions that are lifted
 */

/**
 * A track of keypoints, prepared for the lifter.
 * @returns {{scores: Float32Array, seen: Uint8Array, bridged: Uint8Array, rays: Float64Array, rayScores: Float64Array,
 *   segments: Segment[]}}
 */
export function prepareTrack(facts, track, camera, options = {}) {
  const { gaps, rates } = facts.constants;
  const turning = { ...facts.constants.orientation, ...facts.constants.quarter_turns };
  const names = facts.skeletons[facts.lifter.skeleton_in].joints;
  const { times } = track;
  const given = lifterJoints(track, facts, options.threshold ?? facts.constants.structures.THRESHOLD);
  const seen = seenFrames(given.scores, names.length);
  const filled = fillGaps(given, times, names.length, gaps);
  const bridged = seenFrames(filled.scores, names.length);
  const interval = medianInterval(times);
  const slow = medianInterval(times.filter((_, frame) => seen[frame])) * rates.SLOWEST > 1 + rates.SLACK;
  // Between the frames of a slow clip, new ones are better than its own empty ones.
  const known = slow ? seen : bridged;
  const segments = findSegments(seen, times, gaps).map(([first, end]) => {
    const chosen = chooseFrames(known.subarray(first, end), times.subarray(first, end), gaps).map((row) => first + row);
    const stamps = Float64Array.from(chosen, (row) => times[row]);
    const own = takeFrames(filled, chosen, names.length);
    const lifted = slow
      ? addFramesBetween(own, stamps, names.length, gaps)
      : { ...own, times: stamps, rows: Array.from(chosen.keys()) };
    const turns = findTurns(lifted, names, turning);
    return {
      first,
      end,
      times: lifted.times,
      scores: lifted.scores,
      rows: lifted.rows.map((row) => (row < 0 ? row : chosen[row])),
      turns,
      motions: slow || !interval ? 1 : Math.max(1, Math.ceil(1 / interval / rates.FASTEST - rates.SLACK)),
      ...turnUpright(lifted.pixels, camera, turns),
    };
  });
  return { scores: given.scores, seen, bridged, ...keypointRays(given, camera, facts, times.length), segments };
}
