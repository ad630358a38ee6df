// Where the corners of a picture's background are in another picture (poselift.camera_path.background_flow).

import { applyHomography, distances, findHomography } from "./homography.js";
import { follow as flowOf, pyramid } from "./optical_flow.js";

/**
 * @typedef {object} Flow corners of a picture that are found again in another, reduced pixels
 * @property {Float64Array} before (n, 2) in the first picture
 * @property {Float64Array} after (n, 2) in the second one
 * @property {Uint8Array} agree (n) 1 for those that follow the homography
 * @property {Float64Array} homography from the first picture to the second, of determinant 1
 */

/** Least share of the corners that agree. It is larger than Python's: the best of all samples finds up to 0.44 of the corners of
 * water that agree by chance, where MAGSAC++ finds fewer. Python needs the smaller one to find a camera that walks. */
const SHARE = 0.45;

/** Some of the points. */
const rowsOf = (points, rows) => Float64Array.from({ length: 2 * rows.length }, (_, i) => points[2 * rows[i >> 1] + i % 2]);

/**
 * The first picture's corners in the second one; null if too few agree on a homography.
 * @param {import("./background_picture.js").BackgroundPicture} first @param {import("./background_picture.js").BackgroundPicture} second of the same size
 * @param guess the homography from the first to the second, as far as it is known: the second picture is warped by it
 * @returns {Flow|null}
 */
export function follow(first, second, constants, guess = null) {
  const c = constants.background_flow, { width, height } = first;
  let points = first.corners, target = second.gray;
  if (points.length < 2 * c.ENOUGH) return null;
  if (guess) {
    const seen = applyHomography(guess, points), rows = Array.from({ length: points.length / 2 }, (_, i) => i)
      .filter((i) => seen[2 * i] >= 0 && seen[2 * i + 1] >= 0 && seen[2 * i] < width && seen[2 * i + 1] < height);
    if (rows.length < c.ENOUGH) return null;
    points = rowsOf(points, rows);
    target = warped(second, guess);
  }
  const levels = guess ? c.LEVELS - 1 : c.LEVELS, [own, other] = [first.gray, target].map((gray) => pyramid(gray, width, height, levels, c.WINDOW));
  const there = flowOf(own, other, points, c.WINDOW), back = flowOf(other, own, there.points, c.WINDOW);
  const after = guess ? applyHomography(guess, there.points) : there.points;
  const kept = Array.from(there.found.keys()).filter((i) => {
    const strayed = Math.hypot(back.points[2 * i] - points[2 * i], back.points[2 * i + 1] - points[2 * i + 1]);
    return there.found[i] && back.found[i] && strayed < c.RETURNS && isOpen(after[2 * i], after[2 * i + 1], second);
  });
  return agreed(rowsOf(points, kept), rowsOf(after, kept), width, height, c);
}

/** Whether a point lies on the background of a picture. */
const isOpen = (x, y, { open, width, height }) => x >= 0 && y >= 0 && x <= width - 1 && y <= height - 1 && open[Math.round(y) * width + Math.round(x)] === 1;

/** A picture as the first one shows it, black where it shows nothing. */
function warped({ gray, width, height }, H) {
  const out = new Uint8Array(width * height);
  for (let y = 0, i = 0; y < height; y++) for (let x = 0; x < width; x++, i++) {
    const z = H[6] * x + H[7] * y + H[8], u = (H[0] * x + H[1] * y + H[2]) / z, v = (H[3] * x + H[4] * y + H[5]) / z;
    if (!(z > 1e-9 && u > -1 && v > -1 && u < width && v < height)) continue;
    const left = Math.floor(u), top = Math.floor(v), a = u - left, b = v - top;
    const at = (column, row) => column < 0 || row < 0 || column >= width || row >= height ? 0 : gray[row * width + column];
    out[i] = (1 - b) * ((1 - a) * at(left, top) + a * at(left + 1, top)) + b * ((1 - a) * at(left, top + 1) + a * at(left + 1, top + 1)) + 0.5;
  }
  return out;
}

/** The flow with the homography that most corners follow; null if they are too few, or lie in one place. */
function agreed(before, after, width, height, { ENOUGH, AGREES, SPREAD }) {
  const count = before.length / 2, homography = count < ENOUGH ? null : findHomography(before, after, AGREES);
  if (!homography) return null;
  const agree = Uint8Array.from(distances(homography, before, after), (off) => off < AGREES ? 1 : 0), rows = Array.from(agree.keys()).filter((i) => agree[i]);
  if (rows.length < Math.max(ENOUGH, SHARE * count)) return null;
  const spans = [width, height].every((side, axis) => {
    const mean = rows.reduce((sum, i) => sum + before[2 * i + axis], 0) / rows.length;
    return Math.sqrt(rows.reduce((sum, i) => sum + (before[2 * i + axis] - mean) ** 2, 0) / rows.length) > SPREAD * side / Math.sqrt(12);
  });
  return spans ? { before, after, agree, homography } : null;
}
