// A motion as JSON, as `poselift lift` writes it (poselift.export).

import { inSpace } from "./hands.js";
import { unseenSpans } from "./sight.js";

const POSE = "R x + t is the world position of the point x in the camera frame (x right, y down, z forward), metres";

/**
 * What the arrays mean and how they were made: person_N.json of `poselift lift`, and the arrays under "arrays".
 * @param {import("./open.js").Numbers} numbers
 * @param {import("./index.js").Motion} motion
 * @param {{camera: import("./index.js").Camera, start?: number, detector?: {name: string, sha256: string|null},
 *   angles?: {names: string[], degrees: ArrayLike<number>}, moving?: import("../camera_path/moving_world.js").MovingCamera,
 *   extra?: object}} about moving: the camera of each frame, of a motion in the world. extra: further keys, such as video,
 *   the name of the file
 */
export function writeJson(numbers, motion, { camera, start = motion.times[0], detector = null, angles = null, moving = null, extra = {} }) {
  const { lifter, versions } = numbers.facts;
  const { keypoints, skeleton, times } = motion;
  const tree = ({ name, joints, parents }) => ({
    name,
    joints,
    parents: Object.fromEntries(joints.map((joint, row) => [joint, parents[row]])),
  });
  const given = Object.entries(numbers.facts.skeletons).find(([, { joints }]) => `${joints}` === `${keypoints.joints}`);
  const detected = { name: given?.[0] ?? "custom", joints: keypoints.joints, parents: given?.[1].parents ?? keypoints.joints.map(() => null) };
  const unseen = unseenSpans(numbers, motion);
  const rows = (matrix) => [0, 3, 6].map((row) => [...matrix.subarray(row, row + 3)]);
  const K = moving ? lensesOf(moving).map(rows) : [rows(camera.K)];
  const content = {
    format: "poselift motion",
    format_version: 1,
    person: motion.person,
    frames: times.length,
    frames_interpolated: motion.interpolated.reduce((sum, flag) => sum + flag, 0),
    skeleton: tree(skeleton),
    keypoints: { ...tree(detected), image_size: [keypoints.width, keypoints.height], threshold: motion.threshold },
    units: {
      joints: "metres",
      root: "metres",
      timestamps: "seconds",
      keypoints: "pixels",
      uncertainty: "metres; radius of the ball that holds the joint in 90 % of cases",
    },
    axes: { frame: motion.frame, x: "right", ...(moving ? { y: "up", z: "backward" } : { y: "down", z: "forward" }), joints: "relative to the root joint" },
    camera: {
      K: K.length > 1 ? K : K[0],
      image_size: [camera.width, camera.height],
      field_of_view: camera.origin,
      fov_degrees: Math.round(1000 * camera.fov) / 1000,
      ...(moving ? { R: moving.R.map(rows), t: moving.t, times: Array.from(moving.times), pose: POSE } : {}),
    },
    weights: {
      lifter: {
        name: lifter.name,
        sha256: lifter.sha256,
        window: lifter.window,
        uncertainty_factor: lifter.uncertainty_factor,
      },
      detector,
    },
    versions,
    pelvis: motion.pelvis,
    ...(motion.height ? { height: motion.height } : {}),
    uncertainty: { body_share: Math.round(1e4 * motion.bodyShare) / 1e4 },
    ...(Object.keys(unseen).length ? { unseen_s: unseen } : {}),
    ...(motion.hands ? { hands: handsAbout(motion.hands, tree({ name: "hand21", ...numbers.facts.skeletons.hand21 })) } : {}),
    ...extra,
    start_s: start,
    // The same keys as those of the JSON that the page of `poselift view` saves.
    arrays: {
      joints: nested(motion.joints, [times.length, skeleton.joints.length, 3]),
      root: nested(motion.root, [times.length, 3]),
      timestamps: Array.from(times, (time) => Math.round(1e6 * time) / 1e6),
      interpolated: Array.from(motion.interpolated, Boolean),
      uncertainty: nested(motion.uncertainty, [times.length, skeleton.joints.length]),
      keypoints: nested(keypoints.pixels, [times.length, keypoints.joints.length, 2]),
      keypoint_scores: nested(keypoints.scores, [times.length, keypoints.joints.length]),
      ...(motion.hands ? {
        hand_joints: nested(motion.hands.joints, [times.length, 2, 21, 3]),
        hand_keypoints: nested(motion.hands.pixels, [times.length, 2, 21, 2]),
        hand_scores: nested(motion.hands.scores, [times.length, 2]),
      } : {}),
      ...(angles ? { angles_degrees: nested(angles.degrees, [times.length, angles.names.length]) } : {}),
    },
    ...(angles ? { angles: angles.names } : {}),
  };
  return `${JSON.stringify(content)}\n`;
}

/** The lens of a camera, one for each frame if it zooms. */
export const lensesOf = ({ K }) => K.some((each) => each[0] !== K[0][0]) ? K : [K[0]];

/** What the arrays of hands mean, and how often each is seen. */
function handsAbout(hands, tree) {
  const { scores } = hands;
  const about = { ...tree, in_3d: inSpace(hands), units: { hand_joints: "metres from the wrist, in the axes of the motion", hand_keypoints: "pixels" } };
  ["left", "right"].forEach((side, row) => {
    const seen = [...scores].filter((score, i) => i % 2 === row && score > 0), rounded = (value) => Math.round(1e3 * value) / 1e3;
    about[side] = { seen_share: rounded((2 * seen.length) / scores.length), mean_score: seen.length ? rounded(seen.reduce((sum, score) => sum + score, 0) / seen.length) : null };
  });
  return about;
}

/** Nested lists of a flat array, to five digits (0.01 mm); null for NaN. */
function nested(values, [length, ...inner]) {
  if (length === undefined) return Number.isFinite(values[0]) ? Math.round(1e5 * values[0]) / 1e5 : null;
  const size = values.length / length;
  return Array.from({ length }, (_, k) => nested(values.subarray(k * size, (k + 1) * size), inner));
}
