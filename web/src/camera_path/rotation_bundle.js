// A camera's rotation and zoom in a shot's frames, by links of unit rays (poselift.camera_path.rotation_bundle): key frames
// together, then each frame against its key frame, by Gauss-Newton steps with robust weights. The lens has no distortion.

import { axisAngle, diagonal, identity, inverse, nearestRotation, product, solveSymmetric, transposed } from "./matrices.js";

/** @typedef {{K: Float64Array, unit: number}} Lens intrinsics, pixels, and reduced pixels of a radian in the picture's middle */
/** @typedef {{R: Float64Array[], zoom: Float64Array, curvature: number, cost: number}} KeyPoses rotations to the first camera, log zooms */

/** Points (n, 2) on the plane z = 1. */
function planeOf({ K: [fx, skew, cx, , fy, cy] }, pixels) {
  const out = new Float64Array(pixels.length);
  for (let i = 0; i < pixels.length; i += 2) {
    out[i + 1] = (pixels[i + 1] - cy) / fy;
    out[i] = (pixels[i] - cx - skew * out[i + 1]) / fx;
  }
  return out;
}

/** A unit ray, and its derivative by the log zoom, turned; written into arrays of three. */
function turned(R, plane, i, scale, ray, slope) {
  const [x, y] = [plane[i], plane[i + 1]], length = Math.hypot(x, y, scale), u = x / length, v = y / length, w = scale / length;
  const [a, b, c] = [-w * u * w, -w * v * w, w * (1 - w * w)];
  for (let k = 0, at = 0; k < 3; k++, at += 3) {
    ray[k] = R[at] * u + R[at + 1] * v + R[at + 2] * w;
    slope[k] = R[at] * a + R[at + 1] * b + R[at + 2] * c;
  }
}

/** Geman-McClure weights: 1 at 0, a quarter at the reach. */
const weigh = (error, reach) => 1 / (1 + (error / reach) ** 2) ** 2;

/** Calls with the error vector of each pair of a link, in reduced pixels, and its derivatives by both poses (3, 4). */
function eachPair({ before, after }, first, second, unit, visit) {
  const a = [0, 0, 0], b = [0, 0, 0], byI = new Float64Array(12), byJ = new Float64Array(12), za = [0, 0, 0], zb = [0, 0, 0], off = [0, 0, 0];
  const scales = [Math.exp(first.zoom), Math.exp(second.zoom)];
  for (let i = 0; i < before.length; i += 2) {
    turned(first.R, before, i, scales[0], a, za);
    turned(second.R, after, i, scales[1], b, zb);
    for (let k = 0; k < 3; k++) off[k] = unit * (a[k] - b[k]);
    byI.set([0, a[2], -a[1], za[0], -a[2], 0, a[0], za[1], a[1], -a[0], 0, za[2]]);
    byJ.set([0, -b[2], b[1], -zb[0], b[2], 0, -b[0], -zb[1], -b[1], b[0], 0, -zb[2]]);
    for (let k = 0; k < 12; k++) { byI[k] *= unit; byJ[k] *= unit; }
    visit(off, byI, byJ, Math.hypot(off[0], off[1], off[2]));
  }
}

/** Links with their points on the plane, in the order of the keys. */
const gather = (links, lens, index, other) => links.map((link) => ({ link, i: index.get(link.first), j: other(link.second), before: planeOf(lens, link.before), after: planeOf(lens, link.after) }));

/**
 * The poses of all key frames together.
 * @param {import("./background_links.js").Shot} shot @param {Lens} lens @param {boolean} zooms whether the focal length changes
 * @param {KeyPoses|number} start first guess, whose first rotation stays; or the first frame's log zoom, and the guess is by one
 *   link after the other
 * @param {boolean} focal whether the focal length of all frames is found too; else the first frame's stays
 * @returns {KeyPoses}
 */
export function solveKeys(shot, lens, zooms, constants, start = 0, focal = false) {
  const { REACHES, BLOCK } = constants.rotation_bundle, index = new Map(shot.keys.map((number, place) => [number, place]));
  const { R, zoom } = start.R ? { R: [...start.R], zoom: start.zoom.slice() } : guessKeys(shot.loops, index, lens, zooms, start);
  if (!shot.loops.length) return { R, zoom, curvature: 0, cost: 0 };
  const points = gather(shot.loops, lens, index, (number) => index.get(number));
  let curvature = 0;
  for (let first = 0; first < R.length; first += BLOCK) {
    const end = Math.min(first + BLOCK, R.length), part = points.filter(({ i, j }) => Math.max(i, j) >= first && Math.max(i, j) < first + BLOCK);
    for (const reach of REACHES) curvature = step(part, R, zoom, lens, reach, [first, end], zooms, focal && first === 0, constants);
  }
  let cost = 0, count = 0;
  for (const each of points) eachPair(each, ...poses(R, zoom, each), lens.unit, (off, byI, byJ, error) => { cost += Math.min(error, 1) ** 2; count++; });
  return { R, zoom, curvature, cost: cost / Math.max(count, 1) };
}

const poses = (R, zoom, { i, j }) => [{ R: R[i], zoom: zoom[i] }, { R: R[j], zoom: zoom[j] }];

/** Distances of the points of links between key frames, reduced pixels of the second one: rays of a long lens are close to each other. */
export function keyErrors(shot, { R, zoom }, lens) {
  const index = new Map(shot.keys.map((number, place) => [number, place])), errors = [];
  for (const each of gather(shot.loops, lens, index, (number) => index.get(number)))
    eachPair(each, ...poses(R, zoom, each), lens.unit, (off, byI, byJ, error) => errors.push(error * Math.exp(zoom[each.j])));
  return errors;
}

/** A Gauss-Newton step of a block's key frames, in place; those before it stay. Returns the curvature of the common log zoom. */
function step(points, R, zoom, lens, reach, [first, end], zooms, focal, { rotation_bundle: { SMALL } }) {
  // What each key frame's rotation and zoom add to which unknown; a fixed first frame has the common zoom alone.
  const columns = [];
  let count = 0;
  for (let key = first; key < end; key++) for (let k = 0; k < 3; k++) (columns[4 * (key - first) + k] = []).push(...(key ? [count++] : []));
  for (let key = first; key < end; key++) (columns[4 * (key - first) + 3] = []).push(...(key && zooms ? [count++] : []));
  if (focal) { for (let key = first; key < end; key++) columns[4 * (key - first) + 3].push(count); count++; }
  const curved = new Float64Array(count * count), downhill = new Float64Array(count), at = (key, k) => key < first ? [] : columns[4 * (key - first) + k];
  for (const each of points) {
    const blocks = { ii: new Float64Array(16), ij: new Float64Array(16), jj: new Float64Array(16), i: new Float64Array(4), j: new Float64Array(4) };
    eachPair(each, ...poses(R, zoom, each), lens.unit, (off, byI, byJ, error) => {
      const weight = weigh(error, reach);
      for (let a = 0; a < 4; a++) for (let k = 0; k < 3; k++) {
        const own = weight * byI[4 * k + a], other = weight * byJ[4 * k + a];
        blocks.i[a] -= own * off[k]; blocks.j[a] -= other * off[k];
        for (let b = 0; b < 4; b++) { blocks.ii[4 * a + b] += own * byI[4 * k + b]; blocks.ij[4 * a + b] += own * byJ[4 * k + b]; blocks.jj[4 * a + b] += other * byJ[4 * k + b]; }
      }
    });
    const { i, j } = each;
    for (let a = 0; a < 4; a++) {
      for (const row of at(i, a)) downhill[row] += blocks.i[a];
      for (const row of at(j, a)) downhill[row] += blocks.j[a];
      for (let b = 0; b < 4; b++) for (const [one, two, value] of [[i, i, blocks.ii[4 * a + b]], [i, j, blocks.ij[4 * a + b]], [j, i, blocks.ij[4 * b + a]], [j, j, blocks.jj[4 * a + b]]])
        for (const row of at(one, a)) for (const column of at(two, b)) curved[row * count + column] += value;
    }
  }
  if (!count) return 0;
  let largest = 1;
  for (let k = 0; k < count; k++) largest = Math.max(largest, curved[k * (count + 1)]);
  for (let k = 0; k < count; k++) curved[k * (count + 1)] += SMALL * largest;
  const last = new Float64Array(count);
  last[count - 1] = 1;
  const curvature = focal ? 1 / Math.max(solveSymmetric(curved.slice(), last)[count - 1], 1e-12) : 0; // with all other unknowns at their best
  solveSymmetric(curved, downhill);
  for (let key = first; key < end; key++) {
    const [x, y, z, nearer] = [0, 1, 2, 3].map((k) => at(key, k).reduce((sum, row) => sum + downhill[row], 0));
    R[key] = product(axisAngle(x, y, z), R[key]);
    zoom[key] += Math.min(Math.max(nearer, -0.3), 0.3);
  }
  return curvature;
}

/** A link's rotation from second to first, and the second frame's log zoom: K⁻¹ H K is D R' D⁻¹ with the zooms in D. */
function guessTurn({ homography }, zoom, { K }, zooms) {
  let turn = product(inverse(K), homography, K, diagonal(Math.exp(zoom), Math.exp(zoom), 1));
  if (zooms) {
    const lengths = [0, 3, 6].map((row) => Math.hypot(turn[row], turn[row + 1], turn[row + 2]));
    zoom = Math.log((lengths[0] + lengths[1]) / 2 / lengths[2]);
  }
  turn = product(diagonal(Math.exp(-zoom), Math.exp(-zoom), 1), turn);
  return [transposed(nearestRotation(turn)), zoom];
}

/** Key frames' first guess, by one link after the other; the first one's log zoom is given. */
function guessKeys(links, index, lens, zooms, first) {
  const R = Array.from(index, identity), zoom = new Float64Array(index.size).fill(first), known = new Set([0]), at = (number) => index.get(number);
  for (const link of [...links].sort((a, b) => at(a.second) - at(b.second) || b.agree - a.agree)) {
    const [i, j] = [at(link.first), at(link.second)];
    if (!known.has(i) || known.has(j)) continue;
    const [turn, its] = guessTurn(link, zoom[i], lens, zooms);
    R[j] = product(R[i], turn);
    zoom[j] = its;
    known.add(j);
  }
  return { R, zoom };
}

/**
 * The pose of each frame against its key frame, whose poses stay.
 * @returns {{R: Float64Array[], zoom: Float64Array, known: Uint8Array, errors: number[]}} of all frames of the shot; errors
 *   of the links' points in reduced pixels of the frame
 */
export function solveFrames(shot, keys, lens, zooms, { rotation_bundle: { REACHES } }) {
  const count = shot.end - shot.first, R = Array.from({ length: count }, identity), zoom = new Float64Array(count), known = new Uint8Array(count), errors = [];
  const index = new Map(shot.keys.map((number, place) => [number, place])), size = zooms ? 4 : 3;
  for (const each of gather(shot.frames.filter(({ second }) => !index.has(second)), lens, index, (number) => number - shot.first)) {
    const key = { R: keys.R[each.i], zoom: keys.zoom[each.i] }, [turn, near] = guessTurn(each.link, key.zoom, lens, zooms), own = { R: product(key.R, turn), zoom: near };
    for (const reach of REACHES) {
      const curved = new Float64Array(size * size), downhill = new Float64Array(size);
      eachPair(each, key, own, lens.unit, (off, byI, byJ, error) => {
        const weight = weigh(error, reach);
        for (let a = 0; a < size; a++) for (let k = 0; k < 3; k++) {
          const slope = weight * byJ[4 * k + a];
          downhill[a] -= slope * off[k];
          for (let b = 0; b < size; b++) curved[size * a + b] += slope * byJ[4 * k + b];
        }
      });
      for (let a = 0; a < size; a++) curved[a * (size + 1)] += 1e-6;
      const [x, y, z, nearer = 0] = solveSymmetric(curved, downhill);
      own.R = product(axisAngle(x, y, z), own.R);
      own.zoom += Math.min(Math.max(nearer, -0.3), 0.3);
    }
    R[each.j] = own.R; zoom[each.j] = own.zoom; known[each.j] = 1;
    eachPair(each, key, own, lens.unit, (off, byI, byJ, error) => errors.push(error * Math.exp(own.zoom)));
  }
  shot.keys.forEach((number, place) => { const row = number - shot.first; R[row] = keys.R[place]; zoom[row] = keys.zoom[place]; known[row] = 1; });
  return { R, zoom, known, errors };
}

