// Network inputs cut out of a picture, as poselift/detection/crop.py has them, and the way back to the picture.

/** @typedef {{data: Uint8ClampedArray, width: number, height: number}} Picture  RGBA */
/** @typedef {{input: Int32Array, width: number, height: number, toPicture: (x: number, y: number) => number[]}} Crop
 *  RGB of a network's input; pixel centres are whole numbers. */

/** The square of whole pixels around the centre of a box, black beyond the picture; a turned body is upright in it. */
export function squareCrop(picture, box, size, margin, angle = 0) {
  if (angle) return turnedCrop(picture, box, size, margin, angle);
  const [x0, y0, x1, y1] = box;
  const side = Math.max(1, Math.round(margin * Math.max(x1 - x0, y1 - y0)));
  const left = Math.round((x0 + x1 - side + 1) / 2), top = Math.round((y0 + y1 - side + 1) / 2);
  const input = new Int32Array(size * size * 3), scale = side / size;
  resize(picture, { left, top, width: side, height: side }, { width: size, height: size }, input, size);
  return { input, width: size, height: size, toPicture: (x, y) => [x * scale + .5 * scale - .5 + left, y * scale + .5 * scale - .5 + top] };
}

/** Shrunk first, because turning takes single pixels and would alias. */
function turnedCrop(picture, box, size, margin, angle) {
  const wide = Math.ceil(size * Math.SQRT2), whole = squareCrop(picture, box, wide, margin * wide / size);
  const c = Math.cos(angle), s = Math.sin(angle), from = (size - 1) / 2, to = (wide - 1) / 2;
  const place = (x, y) => [to + c * (x - from) - s * (y - from), to + s * (x - from) + c * (y - from)];
  const input = new Int32Array(size * size * 3);
  for (let y = 0, at = 0; y < size; y++) for (let x = 0; x < size; x++, at += 3) {
    const [u, v] = place(x, y), left = Math.floor(u), top = Math.floor(v);
    if (left < 0 || top < 0 || left >= wide - 1 || top >= wide - 1) continue;
    const right = u - left, down = v - top, first = 3 * (top * wide + left), below = first + 3 * wide;
    for (let k = 0; k < 3; k++)
      input[at + k] = (1 - down) * ((1 - right) * whole.input[first + k] + right * whole.input[first + 3 + k])
        + down * ((1 - right) * whole.input[below + k] + right * whole.input[below + 3 + k]) + .5;
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

/** For each pixel of a side: first source pixel and weights. Areas keep fine texture from aliasing when it shrinks. */
function taps(source, target, shrinks) {
  const scale = source / target;
  return Array.from({ length: target }, (_, i) => {
    if (!shrinks) {
      const place = Math.min(source - 1, Math.max(0, (i + .5) * scale - .5)), first = Math.min(Math.floor(place), Math.max(0, source - 2));
      return [first, source > 1 ? [1 - place + first, place - first] : [1]];
    }
    const from = i * scale, to = (i + 1) * scale, first = Math.floor(from + 1e-9), weights = [];
    for (let k = first; k < to - 1e-9 && k < source; k++) weights.push((Math.min(to, k + 1) - Math.max(from, k)) / scale);
    return [first, weights];
  });
}

/** Fills the upper left of an input with a part of the picture; what lies beyond the picture stays black. */
function resize({ data, width, height }, part, { width: columns, height: rows }, input, stride) {
  const shrinks = part.width > columns;
  const across = taps(part.width, columns, shrinks), down = taps(part.height, rows, shrinks);
  // A row of the part in the width of the input. Two are kept, as neighbouring rows of the input share one.
  const kept = [{ at: -1, values: new Float32Array(columns * 3) }, { at: -1, values: new Float32Array(columns * 3) }];
  const row = (at) => {
    const slot = kept[at & 1], y = part.top + at;
    if (slot.at === at) return slot.values;
    slot.at = at;
    slot.values.fill(0);
    if (y < 0 || y >= height) return slot.values;
    for (let column = 0; column < columns; column++) {
      const [first, weights] = across[column];
      let red = 0, green = 0, blue = 0;
      for (let k = 0; k < weights.length; k++) {
        const x = part.left + first + k;
        if (x < 0 || x >= width) continue;
        const i = 4 * (y * width + x), weight = weights[k];
        red += weight * data[i]; green += weight * data[i + 1]; blue += weight * data[i + 2];
      }
      slot.values[3 * column] = red; slot.values[3 * column + 1] = green; slot.values[3 * column + 2] = blue;
    }
    return slot.values;
  };
  const sum = new Float32Array(columns * 3);
  for (let y = 0; y < rows; y++) {
    const [first, weights] = down[y];
    sum.fill(0);
    for (let k = 0; k < weights.length; k++) {
      const values = row(first + k), weight = weights[k];
      for (let i = 0; i < sum.length; i++) sum[i] += weight * values[i];
    }
    for (let i = 0, at = y * stride * 3; i < sum.length; i++, at++) input[at] = sum[i] + .5;
  }
}
