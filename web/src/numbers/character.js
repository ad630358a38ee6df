// A motion as rotations of bones, for BVH and GLB (poselift.export.character, with poselift's own rig), and as angles.

import { addFingers } from "./fingers.js";
import { withHandSkin } from "./hand_skin.js";
import { inSpace } from "./hands.js";
import { pointsYUp, posedFrames } from "./restrict.js";
import { shownJoints } from "./sight.js";
import { median, rounded, searchSorted, medianInterval } from "./times.js";

const known = new WeakMap(); // what the graph gave of a motion

/**
 * What the graph gives of the frames with a pose.
 * @param {import("./open.js").Numbers} numbers
 * @param {import("./index.js").Motion} motion with all joints of the lifter
 * @returns {Promise<{frames: number[], points: Float32Array, turned: Float32Array, bones: Float32Array,
 *   angles: Float32Array}>}
 */
async function rigged(numbers, motion) {
  if (known.has(motion)) return known.get(motion);
  const s = numbers.jointsOut;
  if (motion.skeleton.joints.length !== s)
    throw new Error(`bones need the ${s} joints of the lifter, not those of ${motion.skeleton.name}`);
  const posed = posedFrames(motion);
  const frames = Array.from(posed.keys()).filter((frame) => posed[frame]);
  if (!frames.length) throw new Error(`person ${motion.person} has no frame with a pose; choose another person`);
  const places = pointsYUp(motion);
  const points = new Float32Array(3 * s * frames.length);
  frames.forEach((frame, row) => points.set(places.subarray(3 * s * frame, 3 * s * (frame + 1)), 3 * s * row));
  const found = await numbers.run("rotations", {
    points: [points, [frames.length, s, 3]],
    interval: [[medianInterval(motion.times) || 1 / 30], []],
  });
  known.set(motion, { frames, points, ...found });
  return known.get(motion);
}

/**
 * @typedef {object} Character bones that turn; Y up, facing +Z at rest, with the feet on the ground
 * @property {string[]} names
 * @property {number[]} parents -1 for the first
 * @property {Float32Array} rest (s, 3) places at rest, metres
 * @property {Float64Array} way (t, 3) place of the first bone, metres
 * @property {Float64Array} rotations (t, s, 9) of each bone relative to its parent
 * @property {import("./hand_skin.js").Mesh} mesh the skin at rest
 */

/**
 * The bones of a motion, with fingers where hands are seen in 3D. An empty frame has the last pose before it, or the first of the clip.
 * @param {import("./open.js").Numbers} numbers
 * @param {import("./index.js").Motion} motion with all joints of the lifter
 * @returns {Promise<Character>}
 */
export async function character(numbers, motion) {
  const { frames, points, turned, bones } = await rigged(numbers, motion);
  const { skeleton, times, hands } = motion, { facts } = numbers;
  const { rest, skin } = await numbers.run("body", { bones: [bones, [skeleton.joints.length, 3]] });
  const parents = skeleton.parents.map((parent) => skeleton.joints.indexOf(parent));
  const body = { names: skeleton.joints, parents, rest, turned }, fingered = Boolean(hands && inSpace(hands));
  const figure = fingered ? addFingers(body, frames, motion, facts) : body, mesh = { points: skin, ...meshOf(facts.body) };
  const s = figure.names.length;
  const way = new Float64Array(3 * times.length);
  const rotations = new Float64Array(9 * s * times.length);
  times.forEach((_, frame) => {
    const row = Math.max(searchSorted(frames, frame, "right") - 1, 0);
    way.set(points.subarray(3 * skeleton.joints.length * row, 3 * skeleton.joints.length * row + 3), 3 * frame);
    rotations.set(figure.turned.subarray(9 * s * row, 9 * s * (row + 1)), 9 * s * frame);
  });
  return { names: figure.names, parents: figure.parents, rest: figure.rest, way, rotations, mesh: fingered ? withHandSkin(mesh, figure, facts.constants.hand_skin) : mesh };
}

/** Triangles, and two bones of each vertex with their weights. */
function meshOf({ triangles, segments, weights }) {
  const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return { triangles: new Uint16Array(bytes(triangles).buffer), segments: bytes(segments), weights: new Float32Array(bytes(weights).buffer) };
}

/** From each bone's parent to the bone at rest (s, 3); from the origin for the first. */
export function offsetsOf({ rest, parents }) {
  return rest.map((value, at) => {
    const parent = parents[Math.floor(at / 3)];
    return parent < 0 ? value : value - rest[3 * parent + (at % 3)];
  });
}

/**
 * Joint angles (poselift.kinematics.angles): degrees (t, a) by `names`, without steps of 360; NaN where not shown.
 * @param {import("./open.js").Numbers} numbers
 * @param {import("./index.js").Motion} motion with all joints of the lifter
 * @returns {Promise<{names: string[], degrees: Float32Array}>}
 */
export async function jointAngles(numbers, motion) {
  const { frames, angles } = await rigged(numbers, motion);
  const { joints } = motion.skeleton;
  const shown = shownJoints(numbers, motion);
  const needs = Object.entries(numbers.facts.angles);
  const degrees = new Float32Array(motion.times.length * needs.length).fill(NaN);
  needs.forEach(([, needed], angle) => {
    const rows = needed.map((joint) => joints.indexOf(joint)).filter((row) => row >= 0);
    const values = frames.map((_, row) => (180 / Math.PI) * angles[row * needs.length + angle]);
    let before = NaN;
    for (const [row, value] of values.entries()) {
      if (Number.isNaN(value)) continue;
      if (!Number.isNaN(before)) values[row] -= 360 * rounded((value - before) / 360);
      before = values[row];
    }
    const turns = 360 * rounded(median(values.filter((value) => !Number.isNaN(value))) / 360);
    frames.forEach((frame, row) => {
      if (rows.every((joint) => shown[frame * joints.length + joint])) degrees[frame * needs.length + angle] = values[row] - turns;
    });
  });
  return { names: needs.map(([name]) => name), degrees };
}
