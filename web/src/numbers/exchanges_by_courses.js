// Exchanged sides, told by the courses of the differences before and after a step
// (poselift.lifting.prepare.exchanges_by_courses).

import { cost } from "./side_differences.js";
import { median } from "./times.js";

/** Changes the signs where the courses before and after a step tell of an exchange. */
export function followCourses(sides, signs, least, constants) {
  const { times } = sides;
  const { PASSES, COURSE } = constants.exchanges_by_courses;
  for (let pass = 0; pass < PASSES; pass++) {
    const evidence = weighCourses(sides, signs, constants);
    const peaks = [];
    const likely = Array.from(evidence.keys()).filter((row) => evidence[row] > least / 2).sort((a, b) => evidence[b] - evidence[a] || a - b);
    for (const step of likely) if (peaks.every((other) => Math.abs(times[step] - times[other]) > COURSE / 2)) peaks.push(step);
    // Between two that are nearer there is no course of its own: who spins looks like this.
    const steps = peaks.filter(
      (step) => evidence[step] > least && peaks.filter((other) => Math.abs(times[step] - times[other]) <= 2 * COURSE).length === 1,
    );
    for (const step of steps) for (let row = step; row < signs.length; row++) signs[row] ^= 1;
    if (!steps.length) break;
  }
}

/** Log-likelihood ratio of an exchange in the step to each frame against none; 0 in the first frame and after a gap. */
export function weighCourses(sides, signs, constants) {
  const { scores, times, accelerations, middles } = sides;
  const { ACCELERATION, LONGEST, MOST, STRANGE } = constants.side_differences;
  const { COURSE, USUAL, LEAST } = constants.exchanges_by_courses;
  const [n, p] = [times.length, accelerations.length];
  const apart = sides.apart.map((value, at) => (signs[Math.floor(at / (2 * p))] ? -value : value));
  const noiseOf = (values) => accelerations.map((_, pair) => {
    const bends = [];
    for (let row = 0; row < n - 2; row++) {
      const [a, b, c] = [row, row + 1, row + 2].map((each) => each * p + pair);
      if (!(scores[a] > 0 && scores[b] > 0 && scores[c] > 0)) continue;
      bends.push(Math.hypot(...[0, 1].map((axis) => values[2 * c + axis] - 2 * values[2 * b + axis] + values[2 * a + axis])));
    }
    // The second difference of two axes of white noise is sqrt(6) times its spread, and the median 1.2 times.
    return Math.max(LEAST, bends.length ? median(Float64Array.from(bends)) / (1.2 * Math.sqrt(6)) : 0);
  });
  const [noise, shake] = [noiseOf(apart), noiseOf(middles)];
  const intervals = Float64Array.from({ length: n - 1 }, (_, row) => times[row + 1] - times[row]);
  const count = Math.ceil(COURSE / Math.max(median(intervals), 1e-3)) + 1;
  const found = new Float64Array(n);
  for (let step = 1; step < n; step++) {
    if (intervals[step - 1] > LONGEST) continue;
    const middle = (times[step] + times[step - 1]) / 2;
    const reach = COURSE + intervals[step - 1] / 2;
    const near = (from, to) => {
      const rows = [];
      for (let row = Math.max(from, 0); row < Math.min(to, n); row++) if (Math.abs(times[row] - middle) <= reach) rows.push(row);
      return rows;
    };
    const halves = [near(step - count, step), near(step, step + count)];
    for (let pair = 0; pair < p; pair++) {
      /** What it costs that both courses meet as they are, and with the first one turned. */
      const meet = (values, least, acceleration) => {
        const [first, second] = halves.map((rows) => fitLine(rows, middle, sides, values, pair, p));
        // Where a course is no line, as that of somebody who spins, its ends are known less well.
        const errors = [first, second].map((each) => Math.max(least, each.noise) ** 2);
        const places = errors[0] * first.place + errors[1] * second.place + 2 * ((acceleration * USUAL * COURSE ** 2) / 12) ** 2;
        const speeds = errors[0] * first.speed + errors[1] * second.speed + 2 * ((acceleration * USUAL * COURSE) / 2) ** 2;
        const off = (sign) =>
          [0, 1].reduce((sum, axis) => sum + (second.value[axis] - sign * first.value[axis]) ** 2, 0) / places +
          [0, 1].reduce((sum, axis) => sum + (second.slope[axis] - sign * first.slope[axis]) ** 2, 0) / speeds;
        return { kept: cost(off(1), constants), turned: cost(off(-1), constants), known: places < 1, score: Math.min(first.score, second.score) };
      };
      const { kept, turned, known, score } = meet(apart, noise[pair], accelerations[pair]);
      if (!known) continue;
      const aside = meet(middles, shake[pair], ACCELERATION).kept;
      found[step] += score * Math.min(Math.max(Math.min(kept - turned, STRANGE - turned - aside), -MOST), MOST);
    }
  }
  return found;
}

/** Value and slope of the line through weighted values at a time, the variances of both for noise of 1, and the noise. */
function fitLine(rows, middle, { scores, times }, values, pair, p) {
  const sums = [0, 0, 0];
  const [y0, y1] = [[0, 0], [0, 0]];
  let seen = 0;
  let most = 0;
  for (const row of rows) {
    const [weight, after] = [scores[row * p + pair], times[row] - middle];
    seen += weight > 0 ? 1 : 0;
    most = Math.max(most, weight);
    for (const power of [0, 1, 2]) sums[power] += weight * after ** power;
    for (const axis of [0, 1]) {
      y0[axis] += weight * values[2 * (row * p + pair) + axis];
      y1[axis] += weight * after * values[2 * (row * p + pair) + axis];
    }
  }
  const [s0, s1, s2] = sums;
  const known = s0 * s2 - s1 ** 2 > 1e-9 && seen >= 2;
  const flat = known ? s0 * s2 - s1 ** 2 : 1;
  const value = [0, 1].map((axis) => (s2 * y0[axis] - s1 * y1[axis]) / flat);
  const slope = [0, 1].map((axis) => (s0 * y1[axis] - s1 * y0[axis]) / flat);
  let off = 0;
  for (const row of rows) {
    if (!(scores[row * p + pair] > 0)) continue;
    for (const axis of [0, 1]) off += (values[2 * (row * p + pair) + axis] - value[axis] - slope[axis] * (times[row] - middle)) ** 2;
  }
  const noise = Math.sqrt(off / Math.max(2 * seen - 4, 1));
  return { value, slope, place: known ? s2 / flat : 1e9, speed: known ? s0 / flat : 1e9, noise, score: most };
}
