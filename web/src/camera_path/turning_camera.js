// Rotation, zoom and focal length of a camera on one spot (poselift.camera_path.turning_camera).

import { interpolate, median } from "../numbers/times.js";
import { angleOf, nearestRotation } from "./matrices.js";
import { keyErrors, solveFrames, solveKeys } from "./rotation_bundle.js";

/**
 * @typedef {object} Turns what a camera does that turns on one spot
 * @property {Float64Array[]} R rotation from the camera of each frame to that of the first one
 * @property {Float64Array} zoom focal length of each frame over that of the widest one
 * @property {Uint8Array} known 1 for frames whose background was seen; the others are interpolated
 * @property {number} focal focal length of the widest frame over that of the assumed lens; 1 unless it was found
 * @property {boolean} zooms @property {number} degrees largest rotation between two frames
 * @property {number} error median distance of the background's points from their places by rotation, reduced pixels; of key
 *   frames' links too, as of water nearly every frame is one; infinite if several frames have no link
 */

/** The camera's rotation in each frame of a shot. @param times of its frames, seconds @param assumed whether the focal length is a guess, and may be found @returns {Turns} */
export function solveTurns(shot, times, lens, assumed, constants) {
  const { ZOOMS, ROUNDS, SPREAD, OTHER, SURE, TURNS } = constants.turning_camera, solved = (zooms, first = 0) => {
    const keys = solveKeys(shot, lens, zooms, constants, first);
    return { keys, frames: solveFrames(shot, keys, lens, zooms, constants) };
  };
  let zooms = true, { keys, frames } = solved(zooms);
  const used = withoutOutliers(frames);
  if (Math.max(...used) - Math.min(...used) < ZOOMS) {
    zooms = false;
    ({ keys, frames } = solved(zooms));
  }
  for (let round = 1, first = 0; round < ROUNDS && widest(frames) <= -ZOOMS; round++) {
    first -= widest(frames);
    ({ keys, frames } = solved(zooms, first));
  }
  let focal = 1;
  const seen = frames.R.filter((_, row) => frames.known[row]);
  if (assumed && shot.loops.length && largestAngle(seen) > TURNS) {
    // The lens of the widest frame, not of the first one, is the assumed one.
    const wide = widest(frames), start = { R: keys.R, zoom: keys.zoom.map((each) => each - wide) };
    const free = solveKeys(shot, lens, zooms, constants, start, true), spread = SPREAD * Math.sqrt(Math.max(free.cost, 1e-4) / Math.max(free.curvature, 1e-12));
    const changed = free.zoom.reduce((sum, each, k) => sum + each - start.zoom[k], 0) / free.zoom.length;
    if (spread < SURE && Math.abs(changed) > Math.max(OTHER, 3 * spread)) {
      focal = Math.exp(changed);
      keys = free;
      frames = solveFrames(shot, free, lens, zooms, constants);
    }
  }
  const { known } = frames, rows = Array.from(known.keys()).filter((row) => known[row]), at = rows.map((row) => times[row]), wide = widest(frames);
  const zoom = interpolate(Float64Array.from(rows, (row) => frames.zoom[row]), at, times, 1).map((each) => Math.exp(each - wide));
  const R = interpolateRotations(rows.map((row) => frames.R[row]), at, times);
  const errors = [...frames.errors, ...keyErrors(shot, keys, lens)];
  return { R, zoom, known, focal, zooms, degrees: largestAngle(R) * 180 / Math.PI, error: errors.length ? median(errors) : times.length > 1 ? Infinity : 0 };
}

/** The log zoom of the known frames without single outliers; its ends stay. */
function withoutOutliers({ zoom, known }) {
  const own = zoom.filter((_, row) => known[row]);
  return own.map((each, k) => median([own[k - 1] ?? each, each, own[k + 1] ?? each]));
}

/** The log zoom of the widest frame. */
const widest = (frames) => Math.min(...withoutOutliers(frames));

/** The largest rotation between frames, radians. From the frame that is furthest from the first one. */
function largestAngle(R) {
  const furthest = R.reduce((best, each) => angleOf(R[0], each) > angleOf(R[0], best) ? each : best, R[0]);
  return R.reduce((most, each) => Math.max(most, angleOf(furthest, each)), 0);
}

/** Rotations at other times: the nearest to a weighted mean of the two around each. */
export function interpolateRotations(R, at, times) {
  const flat = new Float64Array(9 * R.length);
  R.forEach((each, row) => flat.set(each, 9 * row));
  const means = interpolate(flat, at, times, 9);
  return Array.from(times, (_, row) => nearestRotation(means.slice(9 * row, 9 * row + 9)));
}
