// Network inputs cut out of a picture, as poselift/detection/crop.py has them, and the way back to the picture.
// Pixels are those of OpenCV 5 to the last bit, rounding of float32 included: networks in 8 bits move joints by a fifth
// of a pixel where one pixel differs by one of 255 (docs/web.md).

import { rounded } from "../numbers/times.js";

/** @typedef {{data: Uint8ClampedArray, width: number, height: number}} Picture  RGBA */
/** @typedef {{input: Int32Array, width: number, height: number, toPicture: (x: number, y: number) => number[]}} Crop
 *  RGB of a network's input; pixel centres are whole numbers. */

const STEPS = 256; // angles a radian: those that rounding has put 1e-7 apart give the same pixels

/** The square of whole pixels around the centre of a box, black beyond the picture; a turned body is upright in it. */
export function squareCrop(picture, box, size, margin, leaning = 0) {
  const angle = rounded(STEPS * leaning) / STEPS;
  if (angle) return turnedCrop(picture, box, size, margin, angle);
  const [x0, y0, x1, y1] = box;
  const side = Math.max(1, rounded(margin * Math.max(x1 - x0, y1 - y0)));
  const left = rounded((x0 + x1 - side + 1) / 2), top = rounded((y0 + y1 - side + 1) / 2);
  const input = new Int32Array(size * size * 3), scale = side / size;
  resize(picture, { left, top, width: side, height: side }, { width: size, height: size }, input, size);
  return { input, width: size, height: size, toPicture: (x, y) => [x * scale + .5 * scale - .5 + left, y * scale + .5 * scale - .5 + top] };
}

/** Shrunk first, because turning takes single pixels and would alias. */
function turnedCrop(picture, box, size, margin, angle) {
  const wide = Math.ceil(size * Math.SQRT2), whole = squareCrop(picture, box, wide, margin * wide / size);
  const c = Math.cos(angle), s = Math.sin(angle), from = (size - 1) / 2, to = (wide - 1) / 2;
  const place = (x, y) => [to + c * (x - from) - s * (y - from), to + s * (x - from) + c * (y - from)];
  const [across, down] = [[c, -s], [s, c]].map(([x, y]) => [x, y, to - (x * from + y * from)].map(Math.fround));
  const at = (x, y) => x < 0 || y < 0 || x >= wide || y >= wide ? -1 : 3 * (y * wide + x), value = (first, k) => first < 0 ? 0 : whole.input[first + k];
  const along = (share, start, end) => Math.fround(share * Math.fround(end - start) + start); // multiplied and added in one step
  const input = new Int32Array(size * size * 3);
  for (let y = 0, i = 0; y < size; y++) {
    const [firstX, firstY] = [across, down].map((row) => Math.fround(Math.fround(y * row[1]) + row[2]));
    for (let x = 0; x < size; x++, i += 3) {
      const u = Math.fround(x * across[0] + firstX), v = Math.fround(x * down[0] + firstY), left = Math.floor(u), top = Math.floor(v);
      const right = Math.fround(u - left), below = Math.fround(v - top);
      const [a, b, d, e] = [at(left, top), at(left + 1, top), at(left, top + 1), at(left + 1, top + 1)];
      for (let k = 0; k < 3; k++)
        input[i + k] = rounded(along(below, along(right, value(a, k), value(b, k)), along(right, value(d, k), value(e, k))));
    }
  }
  return { input, width: size, height: size, toPicture: (x, y) => whole.toPicture(...place(x, y)) };
}

/** The whole picture with a longer side, black below and on the right up to multiples of a number of pixels. */
export function wholeCrop(picture, longer, multiple) {
  const ratio = Math.min(longer / picture.width, longer / picture.height);
  const columns = Math.max(1, Math.floor(picture.width * ratio + .5)), rows = Math.max(1, Math.floor(picture.height * ratio + .5));
  const width = multiple * Math.ceil(columns / multiple), height = multiple * Math.ceil(rows / multiple), input = new Int32Array(width * height * 3);
  resize(picture, { left: 0, top: 0, width: picture.width, height: picture.height }, { width: columns, height: rows }, input, width);
  const across = picture.width / columns, down = picture.height / rows;
  return { input, width, height, toPicture: (x, y) => [x * across + .5 * across - .5, y * down + .5 * down - .5] };
}

/** The RGB of a picture of which every `step`-th pixel is taken, in another size. */
export function shrunk(picture, step, width, height) {
  const [wide, high] = [picture.width, picture.height].map((size) => Math.ceil(size / step)), data = new Uint8ClampedArray(4 * wide * high), colors = new Int32Array(3 * width * height);
  for (let y = 0, at = 0; y < high; y++) for (let x = 0; x < wide; x++, at += 4)
    for (let k = 0, from = 4 * step * (y * picture.width + x); k < 3; k++) data[at + k] = picture.data[from + k];
  resize({ data, width: wide, height: high }, { left: 0, top: 0, width: wide, height: high }, { width, height }, colors, width);
  return colors;
}

/** The picture turned anticlockwise by quarter turns. */
export function quarterTurned({ data, width, height }, turns) {
  const from = new Uint32Array(data.buffer, data.byteOffset, width * height), pixels = new Uint32Array(width * height), [wide, high] = turns % 2 ? [height, width] : [width, height];
  for (let y = 0, at = 0; y < high; y++) for (let x = 0; x < wide; x++, at++)
    pixels[at] = from[turns === 1 ? x * width + width - 1 - y : turns === 2 ? (height - 1 - y) * width + width - 1 - x : (height - 1 - x) * width + y];
  return { data: new Uint8ClampedArray(pixels.buffer), width: wide, height: high };
}

/** Fills the upper left of an input with a part of the picture; what lies beyond the picture stays black. */
function resize(picture, part, size, input, stride) {
  const shrinks = part.width > size.width, [across, down] = [[part.width, size.width], [part.height, size.height]].map(([from, to]) => from / to);
  if (!shrinks) between(picture, part, size, input, stride);
  else if (Number.isInteger(across) && Number.isInteger(down)) blocks(picture, part, size, input, stride);
  else areas(picture, part, size, input, stride);
}

/** For each row or column of an enlarged part: the pixel before it, and the weights of both neighbours, of 2048. */
function neighbours(source, target) {
  return Array.from({ length: target }, (_, i) => {
    const place = Math.fround((i + .5) * (source / target) - .5), first = Math.floor(place), share = Math.fround(place - first);
    return [first, rounded(Math.fround(1 - share) * 2048), rounded(share * 2048)];
  });
}

/** Enlarges, between neighbouring pixels, in whole numbers. */
function between({ data, width, height }, part, { width: columns, height: rows }, input, stride) {
  const within = (place, size) => Math.min(size - 1, Math.max(0, place)), across = neighbours(part.width, columns);
  /** A row of the part in the width of the input, times 128. */
  const rowAt = (at) => {
    const values = new Int32Array(columns * 3), y = part.top + at;
    if (y < 0 || y >= height) return values;
    for (let column = 0; column < columns; column++) {
      const [first, own, its] = across[column], pixels = [first, first + 1].map((x) => part.left + within(x, part.width));
      const [left, right] = pixels.map((x) => x < 0 || x >= width ? -1 : 4 * (y * width + x));
      // Beyond the sides the pixel at the edge counts alone, with all of its weight.
      for (let k = 0; k < 3; k++) values[3 * column + k] = ((left < 0 ? 0 : own * data[left + k]) + (right < 0 ? 0 : its * data[right + k])) >> 4;
    }
    return values;
  };
  const kept = new Map();
  neighbours(part.height, rows).forEach(([first, own, its], y) => {
    const [above, below] = [first, first + 1].map((at) => within(at, part.height));
    for (const at of kept.keys()) if (at < above) kept.delete(at);
    for (const at of [above, below]) if (!kept.has(at)) kept.set(at, rowAt(at));
    const [one, other] = [kept.get(above), kept.get(below)];
    for (let i = 0, at = y * stride * 3; i < one.length; i++, at++) input[at] = ((own * one[i] >> 16) + (its * other[i] >> 16) + 2) >> 2;
  });
}

/** For each row or column of a shrunk part: the pixels that it covers, and their weights. */
function covered(source, target) {
  const scale = source / target, little = 1e-3;
  return Array.from({ length: target }, (_, i) => {
    const from = i * scale, to = from + scale, whole = Math.min(scale, source - from), end = Math.min(Math.floor(to), source - 1), begin = Math.min(Math.ceil(from), end);
    const weights = Array(end - begin).fill(Math.fround(1 / whole));
    if (begin - from > little) weights.unshift(Math.fround((begin - from) / whole));
    if (to - end > little) weights.push(Math.fround(Math.min(to - end, 1, whole) / whole));
    return [begin - from > little ? begin - 1 : begin, weights];
  });
}

/** Shrinks by the areas of the pixels, so that fine texture does not alias. */
function areas({ data, width, height }, part, { width: columns, height: rows }, input, stride) {
  const across = covered(part.width, columns), kept = new Map();
  /** A row of the part in the width of the input. */
  const rowAt = (at) => {
    const values = new Float32Array(columns * 3), y = part.top + at;
    if (y < 0 || y >= height) return values;
    for (let column = 0; column < columns; column++) {
      const [first, weights] = across[column];
      let red = 0, green = 0, blue = 0;
      for (let k = 0; k < weights.length; k++) {
        const x = part.left + first + k;
        if (x < 0 || x >= width) continue;
        const i = 4 * (y * width + x), weight = weights[k];
        red = Math.fround(red + Math.fround(weight * data[i]));
        green = Math.fround(green + Math.fround(weight * data[i + 1]));
        blue = Math.fround(blue + Math.fround(weight * data[i + 2]));
      }
      values[3 * column] = red; values[3 * column + 1] = green; values[3 * column + 2] = blue;
    }
    return values;
  };
  const sum = new Float32Array(columns * 3);
  covered(part.height, rows).forEach(([first, weights], y) => {
    for (const at of kept.keys()) if (at < first) kept.delete(at);
    sum.fill(0);
    weights.forEach((weight, k) => {
      if (!kept.has(first + k)) kept.set(first + k, rowAt(first + k));
      const values = kept.get(first + k);
      for (let i = 0; i < sum.length; i++) sum[i] += Math.fround(weight * values[i]);
    });
    for (let i = 0, at = y * stride * 3; i < sum.length; i++, at++) input[at] = rounded(sum[i]);
  });
}

/** Shrinks by whole numbers. */
function blocks({ data, width, height }, part, { width: columns, height: rows }, input, stride) {
  const wide = part.width / columns, high = part.height / rows, share = Math.fround(1 / (wide * high)), halved = wide === 2 && high === 2;
  for (let row = 0; row < rows; row++) for (let column = 0; column < columns; column++) for (let k = 0; k < 3; k++) {
    let sum = 0;
    for (let y = part.top + row * high, lastY = y + high; y < lastY; y++) for (let x = part.left + column * wide, lastX = x + wide; x < lastX; x++)
      if (x >= 0 && y >= 0 && x < width && y < height) sum += data[4 * (y * width + x) + k];
    input[3 * (row * stride + column) + k] = halved ? (sum + 2) >> 2 : rounded(Math.fround(sum * share));
  }
}
