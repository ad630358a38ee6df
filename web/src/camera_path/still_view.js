// People of a clip as still cameras would see them, one for each shot (poselift.camera_path.still_view): a pixel p of a
// camera that turns is the pixel K R K_t⁻¹ p of a still camera in the same place.

import { searchSorted } from "../numbers/times.js";

/** @typedef {import("./camera_path.js").CameraPath} CameraPath */

/** The path's frame at a time. */
export function frameRow({ times }, time) {
  const after = Math.min(Math.max(searchSorted(times, time), 1), Math.max(times.length - 1, 1));
  return times.length === 1 || Math.abs(times[after - 1] - time) <= Math.abs(times[after] - time) ? after - 1 : after;
}

/** The shot of a track that lies in one. */
export const shotOf = (path, { times }) => path.shots.find(({ first, end }) => { const row = frameRow(path, times[0]); return first <= row && row < end; });

/** Frames of a track in which a joint is seen. */
const seenRows = ({ times, joints, scores }) => Array.from(times.keys()).filter((row) => scores.subarray(row * joints.length, (row + 1) * joints.length).some((score) => score > 0));

/** Some frames of a track. */
export function part(track, first, end) {
  const j = track.joints.length;
  return { ...track, times: track.times.slice(first, end), pixels: track.pixels.slice(2 * first * j, 2 * end * j), scores: track.scores.slice(first * j, end * j) };
}

/**
 * The people, split at the picture's cuts, and numbered anew, in order of appearance, if anybody is split.
 * @param {import("../numbers/index.js").Track[]} tracks @param {{times: Float64Array, shots: {first: number, end: number}[]}} path or its links
 */
export function splitTracks(tracks, path, { still_view: { SHORTEST_PART } }) {
  if (path.shots.length === 1) return tracks;
  const parts = tracks.flatMap((track) => {
    const seen = seenRows(track), rows = Array.from(track.times, (time) => frameRow(path, time));
    return path.shots.flatMap(({ first, end }) => {
      const inside = seen.filter((row) => first <= rows[row] && rows[row] < end);
      if (!inside.length) return [];
      const own = part(track, inside[0], inside.at(-1) + 1);
      return inside.length === seen.length || own.times.at(-1) - own.times[0] >= SHORTEST_PART ? [own] : [];
    });
  });
  parts.sort((a, b) => a.times[0] - b.times[0] || a.person - b.person);
  return parts.map((track, i) => ({ ...track, person: i + 1 }));
}

/** Intrinsics with longer focal lengths and the same principal point. */
const zoomed = (K, by) => Float64Array.of(K[0] * by, K[1] * by, K[2], K[3] * by, K[4] * by, K[5], K[6], K[7], K[8]);

/** Intrinsics of each frame, pixels. @param {CameraPath} path */
export const frameLenses = (path, K) => Array.from(path.times, (_, row) => zoomed(K, path.focal[row] * path.zoom[row]));

/**
 * A person of one shot as a still camera would see them; the track itself where the camera is still or unknown.
 * @param {import("../numbers/index.js").Track} track @param {CameraPath|null} path null for a still camera
 * @param {import("../numbers/index.js").Camera} camera the lens that the path was found with
 * @returns {{track: import("../numbers/index.js").Track, camera: import("../numbers/index.js").Camera}}
 */
export function seeStill(track, path, camera, { still_view: { WIDEST } }) {
  const shot = path && shotOf(path, track), { K } = camera, j = track.joints.length;
  if (!shot || shot.kind === "still" || shot.kind === "unknown") return { track, camera };
  const still = zoomed(K, path.focal[shot.first]).map(Math.fround), pixels = new Float32Array(track.pixels.length).fill(NaN), scores = track.scores.slice();
  track.times.forEach((time, frame) => {
    const row = frameRow(path, time), R = path.R[row], [fx, skew, cx, , fy, cy] = zoomed(K, path.focal[row] * path.zoom[row]);
    for (let at = frame * j; at < (frame + 1) * j; at++) {
      const v = (track.pixels[2 * at + 1] - cy) / fy, u = (track.pixels[2 * at] - cx - skew * v) / fx;
      const [x, y, z] = [0, 3, 6].map((k) => R[k] * u + R[k + 1] * v + R[k + 2]);
      if (z > WIDEST * Math.hypot(x, y, z)) pixels.set([(still[0] * x + still[1] * y) / z + still[2], still[4] * y / z + still[5]], 2 * at);
      else scores[at] = 0;
    }
  });
  return { track: { ...track, pixels, scores }, camera: { ...camera, K: still } };
}
