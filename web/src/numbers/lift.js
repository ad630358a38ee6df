// A person's keypoints become a motion: prepare, lifter, finish (poselift.lifting).

import { wideningFactors } from "./gaps.js";
import { findStanding } from "./ground.js";
import { placeHands } from "./hands.js";
import { estimateHeight } from "./height.js";
import { otherSide, padded } from "./open.js";
import { prepareTrack } from "./prepare.js";
import { fillFromRepetitions } from "./repetitions.js";
import { misfits, solveRoot } from "./root.js";
import { interpolate } from "./times.js";
import { turnBack } from "./turns.js";
import { addBodyUncertainty } from "./whole_body.js";
import { liftSegments } from "./windows.js";

const NEVER = 1e9; // time of rows that only fill up a block, seconds

/**
 * One person's motion in the camera frame, as `poselift.lift` gives it.
 * @param {import("./open.js").Numbers} numbers
 * @param {import("./index.js").Track} track
 * @param {import("./index.js").Camera} camera of the track's picture
 * @param {{height?: number, threshold?: number, progress?: (share: number) => unknown}} options
 *   height: of the person, metres; estimated without it. progress: awaited; it throws to stop the work
 * @returns {Promise<import("./index.js").Motion>}
 */
export function liftTrack(numbers, track, camera, options = {}) {
  return liftWith(numbers, track, camera, new Map(), options);
}

/** The same after keypoints changed; windows that did not are taken from the motion before. */
export function liftAgain(numbers, track, camera, before, options = {}) {
  return liftWith(numbers, track, camera, before.windows, options);
}

async function liftWith(numbers, track, camera, windows, options) {
  checkTrack(track, camera);
  const { facts } = numbers;
  const { times } = track;
  const skeleton = { name: facts.lifter.skeleton_out, ...facts.skeletons[facts.lifter.skeleton_out] };
  const j = skeleton.joints.length;
  const prepared = prepareTrack(facts, track, camera, options);
  const lifted = await liftSegments(numbers, prepared.segments, windows, options);
  let joints = new Float32Array(3 * times.length * j).fill(NaN);
  const uncertainty = new Float32Array(times.length * j).fill(NaN);
  const interpolated = new Uint8Array(times.length);
  for (const [index, segment] of prepared.segments.entries()) {
    const { first, end } = segment;
    const [seen, stamps] = [prepared.seen, times].map((values) => values.subarray(first, end));
    const refined = await refine(numbers, prepared, segment, lifted[index]);
    joints.set(interpolate(refined.poses, segment.times, stamps, 3 * j), 3 * first * j);
    const wider = wideningFactors(seen, stamps, facts.constants.gaps);
    const own = interpolate(refined.uncertainty, segment.times, stamps, j);
    uncertainty.set(own.map((radius, at) => wider[Math.floor(at / j)] * radius), first * j);
    interpolated.set(seen.map((flag) => 1 - flag), first);
  }
  joints = fillFromRepetitions(joints, prepared.bridged, times, facts.constants);
  const threshold = options.threshold ?? facts.constants.structures.THRESHOLD;
  const { pelvis } = facts.lifter;
  const motion = { person: track.person, skeleton, frame: "camera", times, joints, interpolated, uncertainty, keypoints: track, threshold, pelvis };
  motion.root = place(joints, prepared, times, facts.constants.root_track);
  motion.joints = joints = await finish(numbers, motion, prepared);
  motion.root = place(joints, prepared, times, facts.constants.root_track);
  motion.hands = track.hands ? placeHands(track.hands, times, camera, facts.constants) : null;
  motion.misfit = misfits(joints, motion.root, prepared.rays, prepared.rayScores);
  Object.defineProperty(motion, "windows", { value: windows, enumerable: false });
  return withHeight(motion, options.height, facts.constants);
}

/** Throws an Error that says what is wrong with a track. */
function checkTrack({ times, joints, pixels, scores, width, height }, camera) {
  const count = times.length * joints.length;
  if (pixels.length !== 2 * count || scores.length !== count)
    throw new Error(`${times.length} frames of ${joints.length} joints need ${2 * count} pixels and ${count} scores`);
  const wrong = times.findIndex((time, frame) => !Number.isFinite(time) || (frame > 0 && !(time > times[frame - 1])));
  if (wrong >= 0) throw new Error(`the time of frame ${wrong} is ${times[wrong]} s; give seconds that increase`);
  if (width !== camera.width || height !== camera.height)
    throw new Error(`the keypoints are of pictures of ${width} x ${height} pixels, the camera of ${camera.width} x ${camera.height}`);
}

/** Joints in the camera frame, moved towards their rays, and their uncertainty, in the lifter's frames of a segment. */
async function refine(numbers, prepared, segment, { joints, uncertainty }) {
  const { facts } = numbers;
  const [frames, j] = [segment.times.length, numbers.jointsOut];
  turnBack(joints, segment.turns);
  const rays = new Float64Array(3 * frames * j);
  const rayScores = new Float64Array(frames * j);
  segment.rows.forEach((row, frame) => {
    if (row < 0) return; // between the frames of a slow clip
    rays.set(prepared.rays.subarray(3 * row * j, 3 * (row + 1) * j), 3 * frame * j);
    rayScores.set(prepared.rayScores.subarray(row * j, (row + 1) * j), frame * j);
  });
  const root = solveRoot(joints, rays, rayScores, segment.times, facts.constants.root_track);
  const fill = (values, fill) => padded(values, frames, facts.block, fill);
  const [stamps, rows] = fill(segment.times.map((time) => time - segment.times[0]), NEVER);
  const out = await numbers.run("refine", {
    joints: [fill(joints)[0], [rows, j, 3]],
    radii: [fill(uncertainty)[0], [rows, j]],
    rays: [fill(rays)[0], [rows, j, 3]],
    trust: [fill(rayScores)[0], [rows, j]],
    times: [stamps, [rows]],
    root: [fill(root)[0], [rows, 3]],
  });
  return {
    poses: out.moved.slice(0, 3 * frames * j),
    uncertainty: out.uncertainty.slice(0, frames * j).map((radius) => facts.lifter.uncertainty_factor * radius),
  };
}

/** Joints with level feet and bones of constant length. */
async function finish(numbers, motion, prepared) {
  const { facts } = numbers;
  const { times, joints, root } = motion;
  const [frames, j] = [times.length, numbers.jointsOut];
  const posed = Uint8Array.from(times, (_, frame) => (Number.isNaN(joints[3 * frame * j]) ? 0 : 1));
  if (!posed.includes(1)) return joints;
  const { up, stand } = findStanding(motion, facts.constants);
  const both = posed.map((flag, frame) => flag & prepared.seen[frame]);
  const fill = (values, fill) => padded(values, frames, facts.block, fill);
  const [stamps, rows] = fill(times.map((time) => time - times[0]), NEVER);
  const out = await numbers.run("finish", {
    joints: [fill(joints, NaN)[0], [rows, j, 3]],
    root: [fill(root, NaN)[0], [rows, 3]],
    times: [stamps, [rows]],
    stand: [fill(stand)[0], [rows]],
    up: [up, [3]],
    used: [fill(both.includes(1) ? both : posed)[0], [rows]],
    partner: [partners(facts, prepared), [j]],
  });
  return out.finished.slice(0, 3 * frames * j);
}

/** The joint whose bone each bone is as long as: its own, or that of the other side if it was hardly ever seen. */
function partners(facts, { scores, seen }) {
  const [inputs, outputs] = ["skeleton_in", "skeleton_out"].map((key) => facts.skeletons[facts.lifter[key]].joints);
  const frames = seen.reduce((sum, flag) => sum + flag, 0);
  const rarely = new Set(
    outputs.filter((name) => {
      const joint = inputs.indexOf(name);
      let count = 0;
      for (let frame = 0; frame < seen.length; frame++) count += scores[frame * inputs.length + joint] > 0 ? 1 : 0;
      return joint >= 0 && count < facts.constants.constant_bones.RARELY * frames;
    }),
  );
  return BigInt64Array.from(outputs, (name, place) => {
    const other = otherSide(name);
    return BigInt(rarely.has(name) && !rarely.has(other) ? outputs.indexOf(other) : place);
  });
}

/** The root (t, 3) in each segment; NaN between them, and in segments without a ray. */
function place(joints, { segments, rays, rayScores }, times, constants) {
  const root = new Float32Array(3 * times.length).fill(NaN);
  const j = rayScores.length / times.length;
  for (const { first, end } of segments) {
    const part = (values, width) => values.subarray(first * width, end * width);
    if (part(rayScores, j).some((weight) => weight > 0))
      root.set(solveRoot(part(joints, 3 * j), part(rays, 3 * j), part(rayScores, j), times.subarray(first, end), constants), 3 * first);
  }
  return root;
}

/** The motion with its height: estimated, or given, and then it is scaled about the camera. */
function withHeight(motion, metres, { height, whole_body }) {
  const estimated = estimateHeight(motion.joints, motion.skeleton.joints, height);
  if (metres === undefined || !estimated)
    return addBodyUncertainty(Object.assign(motion, { height: estimated }), false, whole_body);
  if (!(metres >= height.SHORTEST && metres <= height.TALLEST))
    throw new Error(`a height of ${metres} m is not a person's; give ${height.SHORTEST} to ${height.TALLEST} metres`);
  const scale = metres / estimated.metres;
  for (const name of ["joints", "root", "uncertainty", "misfit"]) motion[name] = motion[name].map((value) => scale * value);
  return addBodyUncertainty(Object.assign(motion, { height: { metres, spread: 0, origin: "given" } }), true, whole_body);
}
