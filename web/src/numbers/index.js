// From keypoints to motions and their files, for a page or a worker; no DOM.

/** @typedef {{K: Float64Array, width: number, height: number, origin: "given"|"assumed", fov: number}} Camera */
/**
 * @typedef {object} Track one person's keypoints
 * @property {number} person from 1
 * @property {string[]} joints names
 * @property {Float64Array} times (t) seconds, increasing
 * @property {Float32Array} pixels (t, j, 2), NaN where unseen
 * @property {Float32Array} scores (t, j), 0 where unseen
 * @property {number} width of the upright picture, pixels
 * @property {number} height
 * @property {import("./hands.js").Hands} [hands] where somebody looked for them
 */
/**
 * @typedef {object} Motion one person's motion in the camera frame: x right, y down, z forward
 * @property {number} person
 * @property {{name: string, joints: string[], parents: (string|null)[]}} skeleton
 * @property {"camera"|"world"} frame the world has Y up
 * @property {Float64Array} times (t) seconds
 * @property {Float32Array} joints (t, j, 3) relative to the pelvis, metres; NaN in empty frames
 * @property {Float32Array} root (t, 3) metres
 * @property {Float32Array} uncertainty (t, j) radius that holds the joint in 90 % of cases, metres
 * @property {Uint8Array} interpolated (t) 1 where nobody was detected
 * @property {Float32Array} misfit (t) mean distance of the joints from their rays, metres; NaN without keypoints
 * @property {{metres: number, spread: number, origin: "estimated"|"given"}|null} height
 * @property {string} pelvis where the pelvis lies
 * @property {number} threshold keypoints with a lower score were not lifted
 * @property {Track} keypoints
 * @property {import("./hands.js").Hands|null} hands in the camera frame, steady
 */

export { writeBvh } from "./bvh.js";
export { jointAngles } from "./character.js";
export { writeGlb } from "./glb.js";
export { handsOfTrack, placeHands, settleHands } from "./hands.js";
export { liftAgain, liftTrack } from "./lift.js";
export { writeNpz, zip } from "./npz.js";
export { openNumbers } from "./open.js";
export { cameraFor } from "./prepare.js";
export { restrict } from "./restrict.js";
export { liftSides, settleSides, sidesCautions } from "./settled_sides.js";
export { guessedJoints, shownJoints } from "./sight.js";
export { writeJson } from "./sidecar.js";
export { followPeople } from "./tracker.js";
