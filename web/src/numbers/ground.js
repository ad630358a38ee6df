// The direction of up, from feet at rest, the body's axis and how cameras are held (poselift.kinematics.ground), and the
// frames in which both feet stand (poselift.lifting.finish.level_feet).

import { atRest, feetOf, findContacts, inSight, missingFrames } from "./contacts.js";
import { median, runsOf } from "./times.js";

/** Up in the frame of a camera with this roll to its right and pitch downwards, radians. */
const direction = (roll, pitch) => [
  Math.sin(roll) * Math.cos(pitch),
  -Math.cos(roll) * Math.cos(pitch),
  -Math.sin(pitch),
];
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
/** Weight by distance in units of the reach (Geman-McClure): 1 at 0, a quarter at 1. */
const counts = (off) => 1 / (1 + off ** 2) ** 2;

/** The unknowns that minimise the sum of squared residuals (Levenberg and Marquardt). */
function leastSquares(residuals, start) {
  let x = [...start];
  let [here, damping] = [residuals(x), 1e-3];
  const cost = (values) => values.reduce((sum, value) => sum + value * value, 0);
  for (let round = 0; round < 100; round++) {
    const columns = x.map((value, k) => {
      const step = 1e-6 * Math.max(1, Math.abs(value));
      const [ahead, behind] = [step, -step].map((move) => residuals(x.map((old, i) => (i === k ? old + move : old))));
      return ahead.map((residual, row) => (residual - behind[row]) / (2 * step));
    });
    const product = (a, b) => a.reduce((sum, value, row) => sum + value * b[row], 0);
    const table = columns.map((column, i) => [
      ...columns.map((other, k) => product(column, other) * (i === k ? 1 + damping : 1)),
      -product(column, here),
    ]);
    const move = solve(table);
    const there = x.map((value, k) => value + move[k]);
    const next = residuals(there);
    if (cost(next) > cost(here)) {
      damping *= 10;
      if (damping > 1e12) break;
      continue;
    }
    damping = Math.max(damping / 10, 1e-12);
    [x, here] = [there, next];
    if (Math.hypot(...move) < 1e-10 * (1 + Math.hypot(...x))) break;
  }
  return x;
}

/** The solution of linear equations, each row with its right side at the end. */
function solve(table) {
  const n = table.length;
  for (let k = 0; k < n; k++) {
    const best = table.reduce((found, row, i) => (i > k && Math.abs(row[k]) > Math.abs(table[found][k]) ? i : found), k);
    [table[k], table[best]] = [table[best], table[k]];
    for (let i = k + 1; i < n; i++) {
      const share = table[i][k] / table[k][k];
      for (let c = k; c <= n; c++) table[i][c] -= share * table[k][c];
    }
  }
  const x = new Array(n).fill(0);
  for (let k = n - 1; k >= 0; k--) x[k] = (table[k][n] - x.reduce((sum, value, c) => sum + (c > k ? value * table[k][c] : 0), 0)) / table[k][k];
  return x;
}

/** Vectors (t) from the middle of the ankles to the middle of the shoulders. */
export function bodyAxes({ joints, skeleton, times }) {
  const j = skeleton.joints.length;
  const row = (name) => skeleton.joints.indexOf(name);
  return Array.from(times, (_, frame) =>
    [0, 1, 2].map((axis) => {
      const at = (name) => joints[3 * (frame * j + row(name)) + axis];
      return (at("left_shoulder") + at("right_shoulder") - at("left_ankle") - at("right_ankle")) / 2;
    }),
  );
}

/** Unit vector up in the camera frame. */
function findUp(motion, axes, sight, feet, slow, constants) {
  const c = constants.ground;
  const { times, skeleton } = motion;
  const j = skeleton.joints.length;
  const shown = (frame, joint) =>
    ["left", "right"].some((side) => sight[frame * j + skeleton.joints.indexOf(`${side}_${joint}`)]);
  const upright = axes.map((axis) => -axis[1] > c.UPRIGHT * Math.hypot(...axis));
  const bodies = axes.filter((_, frame) => upright[frame] && shown(frame, "shoulder") && shown(frame, "ankle"));
  const mean = [0, 1, 2].map((k) => bodies.reduce((sum, axis) => sum + axis[k], 0));
  const axis = bodies.length ? mean.map((value) => value / Math.hypot(...mean)) : null;
  const falls = [];
  for (let point = 0; point < feet.count; point++) {
    const flags = times.map((_, frame) => slow[frame * feet.count + point] && upright[frame]);
    for (const [first, end] of runsOf(flags, missingFrames(times, constants.foot_contacts))) {
      const own = (k) => Float64Array.from({ length: end - first }, (_, row) => feet.points[3 * ((first + row) * feet.count + point) + k]);
      falls.push({ place: [0, 1, 2].map((k) => median(own(k))), rest: feet.rest[point], weight: 0 });
    }
  }
  let usual = 1;
  // Heights of the footfalls over the ground, at the size that the person had: otherwise everything would shrink.
  const off = (x) => {
    const up = direction(x[0], x[1]);
    return falls.map(({ place, rest }) => dot(place, up) - rest - x[2] / Math.exp(x[3]));
  };
  const overUsual = (x) => x[2] / Math.exp(x[3]) + c.CAMERA_HEIGHT;
  const residuals = (x) => {
    const heights = off(x);
    return [
      x[0] / c.ROLL,
      (x[1] - c.PITCH) / c.PITCH_SPREAD,
      Math.sqrt(usual) * overUsual(x),
      ...(axis ? cross(axis, direction(x[0], x[1])).map((value) => value / c.LEAN) : []),
      x[3] / c.SPREAD,
      ...falls.map(({ weight }, k) => (Math.sqrt(weight) * heights[k]) / c.FOOTFALL),
    ];
  };
  let x = leastSquares(residuals, [0, c.PITCH, -c.CAMERA_HEIGHT, 0]);
  if (falls.length) {
    const up = direction(x[0], x[1]);
    x[2] = groundLevel(falls.map(({ place, rest }) => dot(place, up) - rest), c);
    for (const reach of [...c.REACHES, ...Array.from({ length: c.ROUNDS }, () => c.FOOTFALL)]) {
      const heights = off(x);
      falls.forEach((fall, k) => (fall.weight = counts(heights[k] / reach)));
      usual = counts(overUsual(x) / c.UNUSUAL);
      x = leastSquares(residuals, x);
    }
  }
  return direction(x[0], x[1]);
}

/** The lowest level with a fair share of the footfalls. */
function groundLevel(heights, { REACHES, FAIR_SHARE }) {
  const support = heights.map((height) => heights.reduce((sum, other) => sum + counts((height - other) / REACHES[0]), 0));
  const least = FAIR_SHARE * Math.max(...support);
  return Math.min(...heights.filter((_, k) => support[k] >= least));
}

/**
 * The direction of up, and the frames in which both feet stand; those of somebody who leans do not count.
 * @returns {{up: number[], stand: Uint8Array}}
 */
export function findStanding(motion, constants) {
  const axes = bodyAxes(motion);
  const sight = inSight(motion, constants);
  const feet = feetOf(motion, sight, constants);
  const slow = atRest(feet, motion.times, constants);
  const up = findUp(motion, axes, sight, feet, slow, constants);
  const none = new Uint8Array(motion.times.length);
  const upright = axes.map((axis) => dot(axis, up) > constants.ground.UPRIGHT * Math.hypot(...axis));
  const mean = [0, 0, 0];
  axes.forEach((axis, frame) => {
    for (let k = 0; upright[frame] && k < 3; k++) mean[k] += axis[k] / Math.hypot(...axis);
  });
  if (!upright.includes(true) || dot(mean, up) < Math.cos(constants.level_feet.LEAN) * Math.hypot(...mean))
    return { up, stand: none };
  const down = findContacts(motion, feet, slow, up, constants);
  const half = feet.count / 2;
  const stand = none.map((_, frame) => {
    const own = Array.from(down.subarray(frame * feet.count, (frame + 1) * feet.count));
    return upright[frame] && own.slice(0, half).includes(1) && own.slice(half).includes(1) ? 1 : 0;
  });
  return { up, stand };
}
