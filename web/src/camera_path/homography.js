// Homographies between pictures: where they take points, and the one that most pairs of points follow.

import { determinant, inverse, product, solveSymmetric } from "./matrices.js";

const ROUNDS = 2000, SURE = 0.999; // most samples of four pairs, and the chance that one of them is good
const REFINED = 8; // steps from the best sample

/** The points' places in the other picture. Infinite where they lie behind the camera. */
export function applyHomography(H, points) {
  const out = new Float64Array(points.length);
  for (let i = 0; i < points.length; i += 2) {
    const [x, y] = [points[i], points[i + 1]], z = H[6] * x + H[7] * y + H[8], ahead = z > 1e-9;
    out[i] = ahead ? (H[0] * x + H[1] * y + H[2]) / z : Infinity;
    out[i + 1] = ahead ? (H[3] * x + H[4] * y + H[5]) / z : Infinity;
  }
  return out;
}

/** The homography scaled to determinant 1. What lies before both cameras then has a positive third number. */
export function unitDeterminant(H) {
  const scale = Math.cbrt(determinant(H));
  return H.map((value) => value / scale);
}

/** Distances (n) of the pairs' second points from where a homography takes the first ones. */
export function distances(H, before, after) {
  const there = applyHomography(H, before);
  return Float64Array.from({ length: before.length / 2 }, (_, i) => Math.hypot(there[2 * i] - after[2 * i], there[2 * i + 1] - after[2 * i + 1]));
}

/**
 * The homography that most pairs follow: the best of many samples (Fischler and Bolles 1981, with the cost of Torr and
 * Zisserman 2000), refined with robust weights. Null without any.
 * @param {Float64Array} before (n, 2) @param {Float64Array} after (n, 2) @param {number} reach distance up to which a pair agrees
 */
export function findHomography(before, after, reach) {
  const count = before.length / 2, [from, to] = [before, after].map(evened), [first, second] = [from.points, to.points];
  const near = reach * to.scale, random = generator(count);
  let best = null, least = Infinity, rounds = ROUNDS;
  for (let round = 0; round < rounds; round++) {
    const rows = new Set();
    while (rows.size < 4) rows.add(Math.floor(random() * count));
    const H = fromFour(first, second, [...rows]);
    if (!H) continue;
    const off = distances(H, first, second), cost = off.reduce((sum, each) => sum + Math.min((each / near) ** 2, 1), 0);
    if (!(cost < least)) continue;
    [best, least] = [H, cost];
    const share = off.reduce((sum, each) => sum + (each < near), 0) / count;
    rounds = Math.min(ROUNDS, Math.ceil(Math.log(1 - SURE) / Math.log(1 - Math.min(share ** 4, 1 - 1e-9))));
  }
  if (!best) return null;
  for (let round = 0; round < REFINED; round++) best = refined(best, first, second, near);
  const H = product(inverse(to.matrix), best, from.matrix);
  return H.every(Number.isFinite) && Math.abs(determinant(H)) > 0 ? unitDeterminant(H) : null;
}

/** Random numbers from 0 to 1, the same each time (a linear congruential generator). */
function generator(seed) {
  let state = seed >>> 0;
  return () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
}

/** The points with a mean of 0 and a mean distance of about 1, and the matrix that makes them so. */
function evened(points) {
  const count = points.length / 2, mean = [0, 1].map((axis) => points.reduce((sum, value, i) => sum + (i % 2 === axis ? value : 0), 0) / count);
  const spread = Math.sqrt(points.reduce((sum, value, i) => sum + (value - mean[i % 2]) ** 2, 0) / points.length), scale = 1 / Math.max(spread, 1e-9);
  return { points: points.map((value, i) => scale * (value - mean[i % 2])), scale, matrix: Float64Array.of(scale, 0, -scale * mean[0], 0, scale, -scale * mean[1], 0, 0, 1) };
}

/** The homography of four pairs; null where three of them lie on a line, or are mirrored. */
function fromFour(before, after, rows) {
  const side = (points, a, b, c) => {
    const [ax, ay, bx, by, cx, cy] = [a, b, c].flatMap((row) => [points[2 * row], points[2 * row + 1]]);
    return (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
  };
  for (const [a, b, c] of [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]]) {
    const [own, other] = [before, after].map((points) => side(points, rows[a], rows[b], rows[c]));
    if (Math.abs(own) < 1e-3 || Math.abs(other) < 1e-3 || own * other < 0) return null;
  }
  // Each set of four points is where a projective basis goes; so one basis leads to the other.
  const basis = (points) => {
    const [p, q, r, s] = rows.map((row) => [points[2 * row], points[2 * row + 1], 1]);
    const m = Float64Array.of(p[0], q[0], r[0], p[1], q[1], r[1], 1, 1, 1), i = inverse(m);
    const w = [0, 3, 6].map((row) => i[row] * s[0] + i[row + 1] * s[1] + i[row + 2]);
    return m.map((value, k) => value * w[k % 3]);
  };
  const H = product(basis(after), inverse(basis(before)));
  return H.every(Number.isFinite) && Math.abs(H[8]) > 1e-9 ? H.map((value) => value / H[8]) : null;
}

/** A step of Gauss and Newton, with weights of Geman and McClure. */
function refined(H, before, after, reach) {
  const A = new Float64Array(64), b = new Float64Array(8), row = new Float64Array(8);
  for (let i = 0; i < before.length; i += 2) {
    const [x, y] = [before[i], before[i + 1]], z = H[6] * x + H[7] * y + H[8];
    if (!(z > 1e-9)) continue;
    const u = (H[0] * x + H[1] * y + H[2]) / z, v = (H[3] * x + H[4] * y + H[5]) / z, off = [u - after[i], v - after[i + 1]];
    const weight = 1 / (1 + (off[0] ** 2 + off[1] ** 2) / reach ** 2) ** 2;
    for (const [axis, place] of [u, v].entries()) {
      row.fill(0);
      row.set([x / z, y / z, 1 / z], 3 * axis);
      row[6] = -place * x / z; row[7] = -place * y / z;
      for (let j = 0; j < 8; j++) {
        b[j] -= weight * row[j] * off[axis];
        for (let k = 0; k <= j; k++) A[8 * j + k] += weight * row[j] * row[k];
      }
    }
  }
  for (let j = 0; j < 8; j++) A[9 * j] += 1e-9;
  const change = solveSymmetric(A, b);
  return H.map((value, k) => k < 8 ? value + change[k] : value);
}
