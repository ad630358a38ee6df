// Reduced gray pictures with the corners of their background (poselift.camera_path.background_picture).

import { shrunk } from "../detector/crop.js";
import { rounded } from "../numbers/times.js";

/**
 * @typedef {object} BackgroundPicture
 * @property {Uint8Array} gray (h, w) gray values of even contrast
 * @property {Uint8Array} open (h, w) 1 where the background may be seen: outside of people and black bars
 * @property {Float64Array} corners (n, 2) of the background, one in each cell at most; reduced pixels
 * @property {number} scale reduced pixels for each pixel of the video
 * @property {number} width
 * @property {number} height
 */

/** The reduced gray picture before its contrast is made even. @param size of the video, which the picture may be smaller than */
export function reduced(picture, [wide, high], { background_picture: { SIDE } }) {
  const scale = Math.min(1, SIDE / Math.max(wide, high)), width = Math.max(1, rounded(wide * scale)), height = Math.max(1, rounded(high * scale));
  const colors = shrunk(picture, 1, width, height), dark = new Uint8Array(width * height);
  // The weights are OpenCV's, in parts of 32768.
  for (let i = 0, at = 0; i < dark.length; i++, at += 3) dark[i] = (9798 * colors[at] + 19235 * colors[at + 1] + 3735 * colors[at + 2] + 16384) >> 15;
  return { dark, width, height, scale };
}

/** The picture with its corners. @param given what `reduced` gives @param {number[][]} boxes x0, y0, x1, y1 of the people, pixels of the video */
export function makePicture({ dark, width, height, scale }, boxes, constants) {
  const c = constants.background_picture, open = findOpen(dark, width, height, boxes.map((box) => box.map((edge) => edge * scale)), c);
  let sum = 0, squares = 0;
  for (const value of dark) { sum += value; squares += value * value; }
  const mean = sum / dark.length, spread = Math.sqrt(Math.max(squares / dark.length - mean ** 2, 0));
  const gain = Math.min(c.CONTRAST / Math.max(spread, 1e-3), c.MOST_GAIN), offset = c.MIDDLE - gain * mean;
  const even = Uint8Array.from({ length: 256 }, (_, value) => Math.min(Math.max(offset < 0 ? Math.floor(gain * value + offset) : rounded(gain * value + offset), 0), 255));
  const gray = dark.map((value) => even[value]);
  const least = Math.max(c.CORNER, c.NOISE * (gain * Math.min(estimateNoise(dark, width, height), c.MOST_NOISE) / 255) ** 2);
  return { gray, open, corners: findCorners(gray, open, width, height, least, c), scale, width, height };
}

/** Index within a side; what lies beyond its ends is mirrored. */
const mirrored = (i, size) => size < 2 ? 0 : i < 0 ? -i : i >= size ? 2 * size - 2 - i : i;

/** Standard deviation of the noise by the smoothest quarter of the picture (Immerkær 1996, Fast noise variance estimation). */
function estimateNoise(dark, width, height) {
  const found = [];
  for (let y = 0; y < height; y += 2) for (let x = 0; x < width; x += 2) {
    const row = (dy) => { const at = mirrored(y + dy, height) * width; return dark[at + mirrored(x - 1, width)] - 2 * dark[at + x] + dark[at + mirrored(x + 1, width)]; };
    found.push(Math.abs(row(-1) - 2 * row(0) + row(1)));
  }
  found.sort((a, b) => a - b);
  const place = 0.25 * (found.length - 1), low = Math.floor(place);
  return (found[low] + (place - low) * ((found[low + 1] ?? found[low]) - found[low])) / (0.319 * 6);
}

/** Pixels outside of people and black bars. */
function findOpen(dark, width, height, boxes, { BLACK, BAR_MARGIN, MARGIN }) {
  const open = new Uint8Array(width * height).fill(1);
  const close = (left, top, right, bottom) => {
    for (let y = Math.max(top, 0); y < Math.min(bottom, height); y++) open.fill(0, y * width + Math.min(Math.max(left, 0), width), y * width + Math.min(Math.max(right, 0), width));
  };
  const rows = new Uint8Array(height), columns = new Uint8Array(width);
  for (let y = 0, i = 0; y < height; y++) for (let x = 0; x < width; x++, i++) if (dark[i] >= BLACK) rows[y] = columns[x] = 1;
  for (const [bright, shut] of [[rows, (from, to) => close(0, from, width, to)], [columns, (from, to) => close(from, 0, to, height)]]) {
    const any = bright.includes(1), first = any ? bright.indexOf(1) : bright.length, last = any ? bright.lastIndexOf(1) : -1;
    if (first > 1) shut(0, first + BAR_MARGIN);
    if (last < bright.length - 2) shut(Math.max(last + 1 - BAR_MARGIN, 0), bright.length);
  }
  for (const [x0, y0, x1, y1] of boxes) {
    const margin = MARGIN * Math.max(x1 - x0, y1 - y0);
    close(Math.trunc(x0 - margin), Math.trunc(y0 - margin), Math.ceil(x1 + margin), Math.ceil(y1 + margin));
  }
  return open;
}

/** Each cell's best corner, if any, by the smaller eigenvalue of its gradients (Shi and Tomasi 1994). */
function findCorners(gray, open, width, height, least, { BLOCK, CELL }) {
  const size = width * height, half = BLOCK >> 1, unit = 1 / (255 * 4 * BLOCK);
  const products = [0, 1, 2].map(() => new Float32Array(size)), [xx, xy, yy] = products;
  for (let y = 0, i = 0; y < height; y++) {
    const [above, here, below] = [-1, 0, 1].map((step) => mirrored(y + step, height) * width);
    for (let x = 0; x < width; x++, i++) {
      const left = mirrored(x - 1, width), right = mirrored(x + 1, width);
      const a = gray[above + left], b = gray[above + x], c = gray[above + right], d = gray[here + left], e = gray[here + right];
      const f = gray[below + left], g = gray[below + x], h = gray[below + right];
      const dx = unit * (c - a + 2 * (e - d) + h - f), dy = unit * (f - a + 2 * (g - b) + h - c);
      xx[i] = dx * dx; xy[i] = dx * dy; yy[i] = dy * dy;
    }
  }
  for (const values of products) { sumAlong(values, width, height, 1, width, half); sumAlong(values, height, width, width, 1, half); }
  const rows = Math.floor(height / CELL), columns = Math.floor(width / CELL), points = [];
  for (let row = 0; row < rows; row++) for (let column = 0; column < columns; column++) {
    let best = least, at = -1;
    for (let y = row * CELL; y < (row + 1) * CELL; y++) for (let x = column * CELL; x < (column + 1) * CELL; x++) {
      const i = y * width + x;
      if (!open[i] || y < BLOCK || x < BLOCK || y >= height - BLOCK || x >= width - BLOCK) continue;
      const a = xx[i] / 2, c = yy[i] / 2, quality = a + c - Math.sqrt((a - c) ** 2 + xy[i] ** 2);
      if (quality > best) [best, at] = [quality, i];
    }
    if (at >= 0) points.push(at % width, Math.floor(at / width));
  }
  return Float64Array.from(points);
}

/** Sums over 2 half + 1 neighbours along lines, in place; lines are mirrored at their ends. */
function sumAlong(values, length, lines, step, next, half) {
  const line = new Float32Array(length);
  for (let k = 0; k < lines; k++) {
    for (let i = 0; i < length; i++) line[i] = values[k * next + i * step];
    for (let i = 0; i < length; i++) {
      let sum = 0;
      for (let j = i - half; j <= i + half; j++) sum += line[mirrored(j, length)];
      values[k * next + i * step] = sum;
    }
  }
}
