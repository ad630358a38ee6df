// Where points of a gray picture are in another one (Lucas and Kanade 1981; in pyramids by Bouguet 2001), as OpenCV's
// calcOpticalFlowPyrLK defines it: windows between pixels, steps until they are short, and no point without texture.

const ROUNDS = 30, SHORT = 0.01; // steps of a level, and the shortest one, pixels
const TEXTURE = 0.1; // least smaller eigenvalue of a window's mean squared gradients, gray values a pixel
const PAD = 17; // pixels around each picture for windows that reach beyond it

/** The picture, then each half as large as the one before, with mirrored borders and gradients. */
export function pyramid(gray, width, height, levels, window) {
  const found = [level(gray, width, height)];
  while (found.length <= levels) {
    const last = found[found.length - 1], wide = (last.width + 1) >> 1, high = (last.height + 1) >> 1;
    if (wide <= window || high <= window) break;
    found.push(level(halved(last, wide, high), wide, high));
  }
  return found;
}

/** A picture with a border. Gradients are by Scharr's operator, 0 in the border. */
function level(gray, width, height) {
  const stride = width + 2 * PAD, size = stride * (height + 2 * PAD), values = new Uint8Array(size), across = new Float32Array(size), down = new Float32Array(size);
  const mirror = (i, count) => { const last = Math.max(count - 1, 1), k = Math.abs(i) % (2 * last); return Math.min(k > last ? 2 * last - k : k, count - 1); };
  const columns = Int32Array.from({ length: stride }, (_, x) => mirror(x - PAD, width));
  for (let y = 0, at = 0; y < height + 2 * PAD; y++) for (let x = 0, row = mirror(y - PAD, height) * width; x < stride; x++, at++) values[at] = gray[row + columns[x]];
  for (let y = 0; y < height; y++) for (let x = 0, at = (y + PAD) * stride + PAD; x < width; x++, at++) {
    const a = values[at - stride - 1], b = values[at - stride], c = values[at - stride + 1], d = values[at - 1], e = values[at + 1];
    const f = values[at + stride - 1], g = values[at + stride], h = values[at + stride + 1];
    across[at] = (3 * (c - a + h - f) + 10 * (e - d)) / 32;
    down[at] = (3 * (f - a + h - c) + 10 * (g - b)) / 32;
  }
  return { values, across, down, width, height, stride };
}

/** Half the size, by weights of 1, 4, 6, 4 and 1 sixteenths along both sides. */
function halved({ values, width, stride }, wide, high) {
  const out = new Uint8Array(wide * high), rows = [0, 1, 2, 3, 4].map(() => new Int32Array(wide));
  const fill = (line, y) => {
    for (let x = 0, at = (y + PAD) * stride + PAD; x < wide; x++, at += 2) line[x] = values[at - 2] + values[at + 2] + 4 * (values[at - 1] + values[at + 1]) + 6 * values[at];
  };
  for (let y = 0; y < high; y++) {
    rows.forEach((line, k) => fill(line, 2 * y + k - 2));
    for (let x = 0; x < wide; x++) out[y * wide + x] = (rows[0][x] + rows[4][x] + 4 * (rows[1][x] + rows[3][x]) + 6 * rows[2][x] + 128) >> 8;
  }
  return out;
}

/**
 * The points in the second picture.
 * @param first pyramid of the picture with the points @param second likewise
 * @param {Float64Array} points (n, 2) pixels @param {number} window side of the square that is compared, pixels
 * @returns {{points: Float64Array, found: Uint8Array}}
 */
export function follow(first, second, points, window) {
  const count = points.length / 2, there = new Float64Array(points.length), found = new Uint8Array(count), area = window ** 2, half = (window - 1) / 2;
  const own = new Float32Array(area), across = new Float32Array(area), down = new Float32Array(area);
  for (let point = 0; point < count; point++) {
    let nextX = 0, nextY = 0, seen = 1;
    for (let k = first.length - 1; k >= 0; k--) {
      const { values, width, height, stride, ...slopes } = first[k], target = second[k].values, scale = 2 ** -k;
      const startX = points[2 * point] * scale - half, startY = points[2 * point + 1] * scale - half;
      if (k === first.length - 1) [nextX, nextY] = [startX, startY];
      else { nextX = 2 * (nextX + half) - half; nextY = 2 * (nextY + half) - half; }
      const within = (x, y) => x >= -window && y >= -window && x < width && y < height;
      const left = Math.floor(startX), top = Math.floor(startY);
      if (!within(left, top)) { if (!k) seen = 0; continue; }
      let a = startX - left, b = startY - top, w00 = (1 - a) * (1 - b), w01 = a * (1 - b), w10 = (1 - a) * b, w11 = a * b, xx = 0, xy = 0, yy = 0;
      for (let y = 0, i = 0; y < window; y++) for (let x = 0, at = (top + y + PAD) * stride + left + PAD; x < window; x++, i++, at++) {
        own[i] = w00 * values[at] + w01 * values[at + 1] + w10 * values[at + stride] + w11 * values[at + stride + 1];
        const dx = across[i] = w00 * slopes.across[at] + w01 * slopes.across[at + 1] + w10 * slopes.across[at + stride] + w11 * slopes.across[at + stride + 1];
        const dy = down[i] = w00 * slopes.down[at] + w01 * slopes.down[at + 1] + w10 * slopes.down[at + stride] + w11 * slopes.down[at + stride + 1];
        xx += dx * dx; xy += dx * dy; yy += dy * dy;
      }
      const spread = xx * yy - xy * xy, smaller = (xx + yy - Math.sqrt((xx - yy) ** 2 + 4 * xy * xy)) / (2 * area);
      if (smaller < TEXTURE || spread < 1e-7) { if (!k) seen = 0; continue; }
      let lastX = 0, lastY = 0;
      for (let round = 0; round < ROUNDS; round++) {
        const x0 = Math.floor(nextX), y0 = Math.floor(nextY);
        if (!within(x0, y0)) { if (!k) seen = 0; break; }
        a = nextX - x0; b = nextY - y0; w00 = (1 - a) * (1 - b); w01 = a * (1 - b); w10 = (1 - a) * b; w11 = a * b;
        let alongX = 0, alongY = 0;
        for (let y = 0, i = 0; y < window; y++) for (let x = 0, at = (y0 + y + PAD) * stride + x0 + PAD; x < window; x++, i++, at++) {
          const off = w00 * target[at] + w01 * target[at + 1] + w10 * target[at + stride] + w11 * target[at + stride + 1] - own[i];
          alongX += off * across[i]; alongY += off * down[i];
        }
        const moveX = (xy * alongY - yy * alongX) / spread, moveY = (xy * alongX - xx * alongY) / spread;
        nextX += moveX; nextY += moveY;
        if (moveX * moveX + moveY * moveY <= SHORT ** 2) break;
        // It swings between two places: the middle is kept.
        if (round && Math.abs(moveX + lastX) < SHORT && Math.abs(moveY + lastY) < SHORT) { nextX -= moveX / 2; nextY -= moveY / 2; break; }
        lastX = moveX; lastY = moveY;
      }
    }
    there[2 * point] = nextX + half; there[2 * point + 1] = nextY + half;
    found[point] = seen;
  }
  return { points: there, found };
}
