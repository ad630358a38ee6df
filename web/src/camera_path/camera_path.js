// Each frame's camera pose, and what the background says of it (poselift.camera_path.camera_path). A path through space is
// not solved here: where rotation leaves too much, the camera counts as moving, and where people go is not known.

import { interpolate } from "../numbers/times.js";
import { diagonal, identity, nearestRotation, product, transposed } from "./matrices.js";
import { interpolateRotations, solveTurns } from "./turning_camera.js";

/**
 * @typedef {object} ShotPath the camera in a shot
 * @property {number} first number of its first frame @property {number} end number of the frame after its last one
 * @property {"still"|"turning"|"moving"|"unknown"} kind "moving" where its place changes, "unknown" where too little background is seen
 * @property {boolean} lost whether the shot begins because the background was lost, and not by a cut
 * @property {number} degrees largest rotation between two frames @property {number} zoom largest focal length over the smallest one
 * @property {number} error median distance of the background's points from their places by rotation, pixels of the video
 * @property {boolean} doubtful whether it counts as turning, and rotation explains the background badly
 */
/**
 * @typedef {object} CameraPath a camera that changes, against a still view of each shot
 * @property {Float64Array} times of all frames, seconds
 * @property {Float64Array[]} R rotation from the camera of each frame to the still view of its shot
 * @property {Float64Array} zoom focal length of each frame over that of the still view
 * @property {Float64Array} focal focal length of the still view over that of the camera that was given; 1 unless it was found
 * @property {ShotPath[]} shots
 */

/** The camera's path by links. @param {import("./background_links.js").Links} links @param {import("../numbers/index.js").Camera} camera @returns {CameraPath} */
export function solvePath(links, camera, constants) {
  const { times, size } = links, scale = Math.min(1, constants.background_picture.SIDE / Math.max(...size)), lens = { K: camera.K, unit: scale * camera.K[0] };
  const R = Array.from(times, identity), zoom = new Float64Array(times.length).fill(1), focal = zoom.slice(), shots = [];
  for (const shot of joinedShots(links, constants)) {
    const own = times.subarray(shot.first, shot.end), { first, end, lost } = shot;
    const turns = isSeen(shot, constants) || times.length === 1 ? solveTurns(shot, own, lens, camera.origin === "assumed", constants) : null, kind = turns ? kindOf(turns, constants) : "unknown";
    if (kind === "unknown") { shots.push({ first, end, kind, lost, degrees: 0, zoom: 1, error: 0, doubtful: false }); continue; }
    if (kind !== "still") {
      const middle = nearestRotation(turns.R.reduce((sum, each) => sum.map((value, i) => value + each[i] / turns.R.length), diagonal(0, 0, 0)));
      turns.R.forEach((each, row) => { R[first + row] = product(transposed(middle), each); });
      zoom.set(turns.zoom, first);
      focal.fill(turns.focal, first, end);
    }
    const wide = Math.max(...turns.zoom) / Math.min(...turns.zoom), doubtful = kind === "turning" && turns.error > constants.camera_path.EXACT;
    shots.push({ first, end, kind, lost, degrees: turns.degrees, zoom: wide, error: turns.error / scale, doubtful });
  }
  return { times, R, zoom, focal, shots };
}

/** What a camera does, by how well rotation explains its background. */
function kindOf({ degrees, zoom, error }, { camera_path: { STILL, STILL_ZOOM, EXACT, DOUBTFUL, WRONG } }) {
  if (error > DOUBTFUL) return error < WRONG ? "moving" : "unknown";
  return error <= EXACT && degrees < STILL && Math.log(Math.max(...zoom) / Math.min(...zoom)) < STILL_ZOOM ? "still" : "turning";
}

/** Whether the clip is one shot of a still camera. */
export const isStill = ({ shots }) => shots.length === 1 && shots[0].kind === "still";

/** Whether people are placed by the path; without any background they are as by a still camera. */
export const isPlaced = ({ shots }) => shots.length > 1 || shots[0].kind !== "unknown";

/** Whether enough of the frames show a background. */
function isSeen({ frames, first, end }, { camera_path: { SEEN } }) {
  return new Set(frames.flatMap((link) => [link.first, link.second])).size >= SEEN * (end - first);
}

/** The shots, with neighbours without a background joined. Of water, any two pictures differ. */
export function joinedShots({ shots }, constants) {
  const joined = [];
  for (const shot of shots) {
    if (joined.length && !isSeen(shot, constants) && !isSeen(joined.at(-1), constants)) joined.push({ ...joined.pop(), end: shot.end });
    else joined.push(shot);
  }
  return joined;
}

/** The path at other times, shot by shot. @param {CameraPath} path @param {Float64Array} times of frames, with those of the path among them */
export function pathAt(path, times) {
  const rows = path.shots.map(({ first }) => first ? times.findIndex((time) => time > path.times[first] - 1e-6) : 0), out = { times, R: [], zoom: new Float64Array(times.length), focal: new Float64Array(times.length) };
  out.shots = path.shots.map((shot, k) => {
    const [first, end] = [rows[k], rows[k + 1] ?? times.length], wanted = times.subarray(first, end), own = path.times.subarray(shot.first, shot.end);
    out.R.push(...interpolateRotations(path.R.slice(shot.first, shot.end), own, wanted));
    for (const name of ["zoom", "focal"]) out[name].set(interpolate(path[name].subarray(shot.first, shot.end), own, wanted, 1), first);
    return { ...shot, first, end };
  });
  return out;
}
