// The direction of up, from feet at rest, the body's axis and how cameras are held (poselift.kinematics.ground and body_up), and the
// frames in which both feet stand (poselift.lifting.finish.level_feet).

import { atRest, feetOf, findContacts, inSight, missingFrames } from "./contacts.js";
import { bodyUp } from "./posture.js";
import { median, runsOf } from "./times.js";
import { CAMERA_UP, cross, dot, meanOf, minus, sumOf, unit } from "./vectors.js";

/** Up in the frame of a camera with this roll to its right and pitch downwards, radians. */
const direction = (roll, pitch) => [
  Math.sin(roll) * Math.cos(pitch),
  -Math.cos(roll) * Math.cos(pitch),
  -Math.sin(pitch),
];
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

/** Frames in which a shoulder and an ankle are in sight (poselift.kinematics.body_up). */
export function endsSeen({ times, skeleton }, sight) {
  const j = skeleton.joints.length;
  const shown = (frame, joint) =>
    ["left", "right"].some((side) => sight[frame * j + skeleton.joints.indexOf(`${side}_${joint}`)]);
  return Array.from(times, (_, frame) => shown(frame, "shoulder") && shown(frame, "ankle"));
}

/** The mean axis of somebody who walks, whatever the camera's tilt, and how surely; null for others. */
function findWalk({ times }, axes, seen, feet, slow, constants) {
  const c = constants.body_up;
  const known = axes.filter((axis, frame) => seen[frame] && axis.every(Number.isFinite));
  if (!known.length) return null;
  const mean = meanOf(known.map(unit));
  if (Math.hypot(...mean) < c.STILL_AXIS) return null;
  const axis = unit(mean);
  const half = feet.count / 2;
  let steps = 0;
  for (const side of [0, 1]) {
    const points = Array.from({ length: half }, (_, k) => side * half + k);
    const flags = times.map((_, frame) => points.some((point) => slow[frame * feet.count + point]));
    const places = runsOf(flags, missingFrames(times, constants.foot_contacts)).map(([first, end]) =>
      [0, 1, 2].map((k) =>
        median(
          Float64Array.from({ length: end - first }, (_, row) =>
            points.reduce((sum, point) => sum + feet.points[3 * ((first + row) * feet.count + point) + k], 0) / half,
          ),
        ),
      ),
    );
    places.slice(1).forEach((place, row) => {
      const moved = minus(place, places[row]);
      const along = dot(moved, axis);
      const across = Math.hypot(...moved.map((value, k) => value - along * axis[k]));
      steps += Math.min(Math.max(across / c.STEP - 0.5, 0), 1);
    });
  }
  return steps >= c.STEPS ? { axis, surely: Math.min(steps / c.STEPS - 1, 1) } : null;
}

/** The way of somebody who moves while no foot rests, as on wheels: its direction and the slope's spread; or null. */
function levelWay({ times, root }, feet, slow, constants) {
  const c = constants.body_up;
  const half = feet.count / 2;
  const any = (flags, frame, from, to) => flags.subarray(frame * feet.count + from, frame * feet.count + to).includes(1);
  const rests = Array.from(times).filter((_, frame) => any(slow, frame, 0, feet.count));
  const places = Array.from(times).flatMap((time, frame) => {
    const place = Array.from(root.subarray(3 * frame, 3 * frame + 3));
    const rides = rests.every((rest) => Math.abs(time - rest) > c.CARRIED);
    const seen = any(feet.seen, frame, 0, half) && any(feet.seen, frame, half, feet.count);
    return rides && seen && place.every(Number.isFinite) ? [place] : [];
  });
  if (places.length < 2) return null;
  const middle = meanOf(places);
  const off = places.map((place) => minus(place, middle));
  // The longest axis of the places, by multiplying with their covariance again and again.
  const covariance = [0, 1, 2].map((a) => [0, 1, 2].map((b) => off.reduce((sum, place) => sum + place[a] * place[b], 0)));
  let direction = unit(minus(places[places.length - 1], places[0]));
  for (let round = 0; round < 200; round++) direction = unit(covariance.map((row) => dot(row, direction)));
  const along = off.map((place) => dot(place, direction));
  const way = Math.max(...along) - Math.min(...along);
  return way >= c.WAY ? { direction, spread: Math.hypot(c.SLOPE, c.WANDERS / way) } : null;
}

/** Unit vector up in the camera frame. */
function findUp(motion, axes, sight, feet, slow, constants) {
  const c = constants.ground;
  const { times } = motion;
  const seen = endsSeen(motion, sight);
  const walk = findWalk(motion, axes, seen, feet, slow, constants);
  const uprightCosine = constants.body_up.UPRIGHT;
  const reference = walk && dot(walk.axis, CAMERA_UP) < uprightCosine ? walk.axis : CAMERA_UP;
  const upright = axes.map((axis) => dot(axis, reference) > uprightCosine * Math.hypot(...axis));
  const body = bodyUp(motion, seen, reference, walk?.surely ?? 0, constants);
  const ride = levelWay(motion, feet, slow, constants);
  const falls = [];
  for (let point = 0; point < feet.count && !body?.pedals; point++) {
    const flags = times.map((_, frame) => slow[frame * feet.count + point] && upright[frame]);
    for (const [first, end] of runsOf(flags, missingFrames(times, constants.foot_contacts))) {
      const own = (k) => Float64Array.from({ length: end - first }, (_, row) => feet.points[3 * ((first + row) * feet.count + point) + k]);
      falls.push({ place: [0, 1, 2].map((k) => median(own(k))), rest: feet.rest[point], weight: 0 });
    }
  }
  let [usual, rides] = [1, 1];
  // Heights of the footfalls over the ground, at the size that the person had: otherwise everything would shrink.
  const off = (x) => {
    const up = direction(x[0], x[1]);
    return falls.map(({ place, rest }) => dot(place, up) - rest - x[2] / Math.exp(x[3]));
  };
  const overUsual = (x) => x[2] / Math.exp(x[3]) + c.CAMERA_HEIGHT;
  const residuals = (x) => {
    const heights = off(x);
    return [
      (Math.sqrt(known) * x[0]) / c.ROLL,
      (Math.sqrt(known) * (x[1] - c.PITCH)) / c.PITCH_SPREAD,
      Math.sqrt(usual) * overUsual(x),
      ...(body ? cross(body.axis, direction(x[0], x[1])).map((value) => value / body.spread) : []),
      ...(ride ? [(Math.sqrt(rides) * dot(ride.direction, direction(x[0], x[1]))) / ride.spread] : []),
      x[3] / c.SPREAD,
      ...falls.map(({ weight }, k) => (Math.sqrt(weight) * heights[k]) / c.FOOTFALL),
    ];
  };
  const weigh = ([roll, pitch]) => {
    if (ride) rides = counts(dot(ride.direction, direction(roll, pitch)) / c.STEEP_WAY);
  };
  const start = body
    ? [Math.atan2(body.axis[0], -body.axis[1]), Math.atan2(-body.axis[2], Math.hypot(body.axis[0], body.axis[1]))]
    : [0, c.PITCH];
  // Bodies decide, not the fit: there the usual pose would keep its own weight.
  const unusual = Math.max(Math.abs(start[0]), Math.abs(start[1] - c.PITCH)) - c.USUAL_TILT;
  const known = counts(Math.max(unusual, 0) / c.UNUSUAL_TILT);
  weigh(start);
  let x = leastSquares(residuals, [...start, -c.CAMERA_HEIGHT, 0]);
  if (falls.length) {
    const up = direction(x[0], x[1]);
    x[2] = groundLevel(falls.map(({ place, rest }) => dot(place, up) - rest), c);
    for (const reach of [...c.REACHES, ...Array.from({ length: c.ROUNDS }, () => c.FOOTFALL)]) {
      const heights = off(x);
      falls.forEach((fall, k) => (fall.weight = counts(heights[k] / reach)));
      const total = falls.reduce((sum, { weight }) => sum + weight, 0);
      falls.forEach((fall) => (fall.weight *= Math.min(1, c.MOST / Math.max(total, 1e-9))));
      usual = counts(overUsual(x) / c.UNUSUAL);
      weigh(x);
      x = leastSquares(residuals, x);
    }
  } else {
    for (let round = 0; round < c.ROUNDS; round++) {
      weigh(x);
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
  const upright = axes.map((axis) => dot(axis, up) > constants.body_up.UPRIGHT * Math.hypot(...axis));
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
