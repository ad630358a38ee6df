// Masks of bodies, pixel by pixel as OpenCV draws them (poselift/finding/overlapping_people.py).

import { rounded } from "../numbers/times.js";

/** Fixed point of the drawing: parts of a pixel. */
const ONE = 65536, HALF = ONE / 2;
const pixel = (value) => Math.floor((value + HALF) / ONE);

export class Mask {
  constructor(width, height) { Object.assign(this, { width, height, data: new Uint8Array(width * height) }); }

  has(x, y) { return x >= 0 && y >= 0 && x < this.width && y < this.height && this.data[y * this.width + x] > 0; }

  put(x, y) { if (x >= 0 && y >= 0 && x < this.width && y < this.height) this.data[y * this.width + x] = 1; }

  row(y, from, to) {
    if (y < 0 || y >= this.height || to < 0 || from >= this.width) return;
    this.data.fill(1, y * this.width + Math.max(0, from), y * this.width + Math.min(this.width - 1, to) + 1);
  }

  disc(x, y, radius) {
    for (let error = 0, plus = 1, minus = 2 * radius - 1, far = radius, near = 0; far >= near;) {
      for (const side of [-near, near]) this.row(y + side, x - far, x + far);
      for (const side of [-far, far]) this.row(y + side, x - near, x + near);
      near++; error += plus; plus += 2;
      if (error > 0) { error -= minus; far--; minus -= 2; }
    }
  }

  /** A line between pixels with round ends. */
  line(start, end, thickness) {
    // OpenCV cuts lines off a width beyond the picture.
    const near = clipped([start, end].map((point) => point.map((value) => value + thickness)), [this.width + 2 * thickness - 1, this.height + 2 * thickness - 1]);
    if (!near) return;
    const [[x0, y0], [x1, y1]] = near.map((point) => point.map((value) => value - thickness));
    const dx = x0 - x1, dy = y1 - y0, length = Math.hypot(dx, dy);
    if (thickness < 2) return this.thin([x0, y0], [x1, y1]);
    if (length) {
      const half = (thickness * HALF + (thickness % 2) * HALF) / length, [ax, ay] = [dy * half, dx * half].map(rounded);
      const corners = [[x0 * ONE + ax, y0 * ONE + ay], [x0 * ONE - ax, y0 * ONE - ay], [x1 * ONE - ax, y1 * ONE - ay], [x1 * ONE + ax, y1 * ONE + ay]];
      corners.forEach((corner, i) => this.edge(corners[(i + 3) % 4], corner));
      this.fill(corners);
    }
    const radius = (thickness + 1) >> 1;
    this.disc(x0, y0, radius); this.disc(x1, y1, radius);
  }

  /** A convex polygon of whole pixels. */
  polygon(corners) {
    corners.forEach((corner, i) => this.thin(corners.at(i - 1), corner));
    if (corners.length > 2) this.fill(corners.map((corner) => corner.map((value) => value * ONE)));
  }

  /** A line one pixel wide between pixels. */
  thin(...ends) {
    const inside = clipped(ends, [this.width - 1, this.height - 1]);
    if (!inside) return;
    const [[x0, y0], [x1, y1]] = inside[1][0] < inside[0][0] ? inside.reverse() : inside;
    const down = y1 < y0 ? -1 : 1, steep = Math.abs(y1 - y0) > x1 - x0, [long, short] = steep ? [Math.abs(y1 - y0), x1 - x0] : [x1 - x0, Math.abs(y1 - y0)];
    for (let step = 0, x = x0, y = y0, error = long - 2 * short; step <= long; step++) {
      this.put(x, y);
      const aside = error < 0;
      error += (aside ? 2 * long : 0) - 2 * short;
      if (steep || aside) y += down;
      if (!steep || aside) x += 1;
    }
  }

  /** The same between places in fixed point. */
  edge(...ends) {
    const inside = clipped(ends, [this.width * ONE - 1, this.height * ONE - 1]);
    if (!inside) return;
    const [start, end] = inside;
    const flat = Math.abs(end[0] - start[0]) > Math.abs(end[1] - start[1]), along = flat ? 0 : 1;
    const [from, to] = end[along] < start[along] ? [end, start] : [start, end];
    const long = to[along] - from[along], step = Math.trunc((to[1 - along] - from[1 - along]) * ONE / (long + 1 - long % 2));
    this.put(pixel(to[0]), pixel(to[1]));
    let at = pixel(from[along]), across = from[1 - along] + HALF;
    for (let count = Math.floor(long / ONE); count >= 0; count--, at++, across += step)
      flat ? this.put(at, Math.floor(across / ONE)) : this.put(Math.floor(across / ONE), at);
  }

  /** The inside of a convex polygon in fixed point. */
  fill(corners) {
    const count = corners.length, rows = corners.map(([, y]) => pixel(y)), last = Math.min(Math.max(...rows), this.height - 1);
    let lowest = 0;
    corners.forEach(([, y], i) => { if (y < corners[lowest][1]) lowest = i; });
    const sides = [1, count - 1].map((step) => ({ step, at: lowest, end: rows[lowest], x: -ONE, slope: 0 }));
    for (let y = rows[lowest], left = count; y <= last; y++) {
      for (const side of sides) {
        if (y < side.end) continue;
        for (let from = side.at, to = (side.at + side.step) % count; left-- > 0; from = to, to = (to + side.step) % count) {
          if (rows[to] <= y) continue;
          const high = rows[to] - y;
          Object.assign(side, { end: rows[to], x: corners[from][0], at: to, slope: Math.trunc((2 * (corners[to][0] - corners[from][0]) + high) / (2 * high)) });
          break;
        }
      }
      const [from, to] = sides.map(({ x }) => x).sort((a, b) => a - b);
      this.row(y, pixel(from), pixel(to));
      for (const side of sides) side.x += side.slope;
    }
  }
}



/** The part of a line within 0 and the last places of x and y, or null. */
function clipped(ends, last) {
  const points = ends.map((end) => [...end]), outside = (point, axis) => point[axis] < 0 ? -1 : point[axis] > last[axis] ? 1 : 0;
  for (const axis of [1, 0]) {
    const apart = [0, 1].some((each) => outside(points[0], each) && outside(points[0], each) === outside(points[1], each));
    if (apart) return null;
    for (const [own, other] of [points, [points[1], points[0]]]) {
      const side = outside(own, axis), to = side < 0 ? 0 : last[axis];
      if (!side) continue;
      own[1 - axis] += Math.trunc((to - own[axis]) * (other[1 - axis] - own[1 - axis]) / (other[axis] - own[axis]));
      own[axis] = to;
    }
  }
  return points.some((point) => outside(point, 0) || outside(point, 1)) ? null : points;
}

/** The corners of the convex polygon around points. */
export function hull(points) {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const half = (given) => {
    const kept = [];
    for (const point of given) {
      while (kept.length > 1) {
        const [a, b] = kept.slice(-2);
        if ((b[0] - a[0]) * (point[1] - a[1]) - (b[1] - a[1]) * (point[0] - a[0]) > 0) break;
        kept.pop();
      }
      kept.push(point);
    }
    return kept.slice(0, -1);
  };
  return [...half(sorted), ...half(sorted.reverse())];
}
