// People in the world where the camera turns or zooms, from the still view of each shot (poselift.lifting.world.moving_world).
// The page's world is level and has the lowest feet on the ground; unlike Python's, it plants no feet.

import { rotationToYUp } from "../numbers/upright.js";
import { applied, product } from "./matrices.js";
import { frameLenses, frameRow, shotOf } from "./still_view.js";

/** @typedef {{K: Float64Array[], R: Float64Array[], t: number[][], times: Float64Array}} MovingCamera of each frame; R x + t is the world position of the point x in the camera frame */

/**
 * The motions in the world, shot by shot, and the camera of each frame.
 * @param {import("../numbers/index.js").Motion[]} motions in the camera frames of the still views
 * @param {import("./camera_path.js").CameraPath} path @param {import("../numbers/index.js").Camera} camera the lens that it was found with
 * @returns {{motions: import("../numbers/index.js").Motion[], camera: MovingCamera}}
 */
export function placePeople(motions, path, camera, constants) {
  const placed = new Map(), R = [], t = [];
  for (const shot of path.shots) {
    const members = motions.filter((motion) => shotOf(path, motion) === shot), right = applied(path.R[shot.first], [1, 0, 0]);
    const level = Float64Array.from(rotationToYUp(members, constants, right).flat()), stays = shot.kind === "moving";
    const turned = members.map((motion) => moved(motion, level)), lows = turned.map((motion) => lowest(motion)), known = turned.flatMap(({ root }) => firstKnown(root));
    const ground = Math.min(...lows.map((low) => quantile(low, 0.05)).filter(Number.isFinite)) - constants.ground.FLESH, [x, , z] = known[0] ?? [0, 0, 0];
    const place = stays || !Number.isFinite(ground) ? [0, constants.moving_world.EYES, 0] : [-x, -ground, -z];
    turned.forEach((motion, i) => placed.set(members[i], stays ? keptInPlace(motion, lows[i], [x, z]) : moved(motion, null, place)));
    for (let row = shot.first; row < shot.end; row++) { R.push(product(level, path.R[row])); t.push(place); }
  }
  return { motions: motions.map((motion) => placed.get(motion)), camera: { K: frameLenses(path, camera.K), R, t, times: path.times } };
}

/** Warnings for people who leave the still view of their shot. @param views each person's track in the pictures and in the still view */
export function findUnseen(views, { moving_world: { UNSEEN } }) {
  const count = ({ pixels }) => pixels.reduce((sum, value, i) => sum + (i % 2 && Number.isFinite(value)), 0);
  return views.flatMap(([seen, still]) => {
    const share = 1 - count(still) / Math.max(count(seen), 1);
    return share > UNSEEN ? [`person ${seen.person}: the camera turns so far that ${(100 * share).toFixed(0)} % of the keypoints are left out`] : [];
  });
}

/** Hands in the still view: they were placed by the pictures' own camera. */
export function turnHands(hands, times, path) {
  const joints = hands.joints.slice(), width = joints.length / times.length;
  times.forEach((time, frame) => rotate(joints.subarray(width * frame, width * (frame + 1)), path.R[frameRow(path, time)]));
  return { ...hands, joints };
}

/** Turns points in place. */
function rotate(points, R) {
  for (let i = 0; i < points.length; i += 3) points.set(applied(R, points.subarray(i, i + 3)), i);
  return points;
}

/** A motion that is turned and moved, in the world frame. */
function moved(motion, R, [x, y, z] = [0, 0, 0]) {
  const turn = (values) => R ? rotate(values.slice(), R) : values, { hands } = motion;
  return { ...motion, frame: "world", joints: turn(motion.joints), root: turn(motion.root).map((value, i) => value + [x, y, z][i % 3]), ...(hands && { hands: { ...hands, joints: turn(hands.joints) } }) };
}

/** Height of the lowest joint in each frame, below or above the root's zero; NaN without a pose. */
function lowest({ joints, root, times }) {
  const width = joints.length / times.length;
  return Float64Array.from(times, (_, frame) => {
    let low = Infinity;
    for (let at = frame * width + 1; at < (frame + 1) * width; at += 3) low = Math.min(low, joints[at]);
    return low + root[3 * frame + 1];
  });
}

const firstKnown = (root) => { const at = root.findIndex((value) => !Number.isNaN(value)); return at < 0 ? [] : [[...root.subarray(at, at + 3)]]; };

/** The value below which a share of the known values lies. */
function quantile(values, share) {
  const sorted = values.filter(Number.isFinite).sort(), place = share * (sorted.length - 1), low = Math.floor(place);
  return sorted[low] + (place - low) * ((sorted[low + 1] ?? sorted[low]) - sorted[low]);
}

/** Somebody kept on the ground, where they were first seen: only the motion relative to the body is known. */
function keptInPlace(motion, low, [x, z]) {
  const [start] = firstKnown(motion.root), root = motion.root.slice();
  low.forEach((height, frame) => { if (!Number.isNaN(root[3 * frame])) root.set([start[0] - x, root[3 * frame + 1] - height, start[2] - z], 3 * frame); });
  return { ...motion, root };
}
