// Exchanged sides, told by three frames at a time (poselift.lifting.prepare.exchanges_by_frames).

import { cost } from "./side_differences.js";
import { median } from "./times.js";

/** 1 where the differences change sign from the frame before, else 0. */
export const findFlips = (sides, constants) => read(costsOf(sides, constants), sides.accelerations.length, constants).flips;

/** 1 in rows of stretches that have another reading, almost as likely, in which the last frame has the other side. */
export function unclearRows(sides, constants) {
  const costs = costsOf(sides, constants);
  const { stretches } = sides;
  const { flips, price } = read(costs, sides.accelerations.length, constants);
  const unclear = new Uint8Array(stretches.length);
  for (let first = 0, end; first < stretches.length; first = end) {
    for (end = first; end < stretches.length && stretches[end] === stretches[first]; ) end++;
    if (end - first < 3) continue;
    const inside = costs.map((each) => each.subarray(first, end - 2));
    if (margin(inside, flips.subarray(first + 1, end), price) < constants.exchanges_by_frames.CLEAR) unclear.fill(1, first, end);
  }
  return unclear;
}

/** Costs of the signs around each frame between two others, where the first, the second, or both or none of the two steps change them. */
function costsOf({ apart, middles, scores, times, accelerations }, constants) {
  const { ACCELERATION, LONGEST, MOST, STRANGE } = constants.side_differences;
  const { NOISE, WIDER } = constants.exchanges_by_frames;
  const [n, p] = [times.length, accelerations.length];
  const signs = [[1, 1], [1, -1], [-1, 1], [-1, -1]];
  const [weights, aside] = [new Float64Array((n - 2) * p), new Float64Array((n - 2) * p)];
  const bends = signs.map(() => new Float64Array((n - 2) * p));
  for (let row = 0; row < n - 2; row++) {
    const [before, after] = [times[row + 1] - times[row], times[row + 2] - times[row + 1]];
    const ratio = after / before;
    for (let pair = 0; pair < p; pair++) {
      const at = row * p + pair;
      const least = Math.min(scores[at], scores[at + p], scores[at + 2 * p]);
      if (!(least > 0 && Math.max(before, after) <= LONGEST)) continue;
      weights[at] = least;
      const bend = (values, [u, v]) => {
        const [a, b, c] = [at, at + p, at + 2 * p].map((place) => values.subarray(2 * place, 2 * place + 2));
        return Math.hypot(...[0, 1].map((axis) => v * c[axis] - (1 + ratio) * b[axis] + ratio * u * a[axis]));
      };
      signs.forEach((pairOfSigns, k) => { bends[k][at] = bend(apart, pairOfSigns); });
      aside[at] = bend(middles, signs[0]);
    }
  }
  const usual = (valueAt) => accelerations.map((_, pair) => {
    const known = [];
    for (let at = pair; at < weights.length; at += p) if (weights[at] > 0) known.push(valueAt(at));
    return Math.max(NOISE, known.length ? WIDER * median(known) : 0);
  });
  const [errors, shakes] = [usual((at) => Math.min(...bends.map((bend) => bend[at]))), usual((at) => aside[at])];
  const costs = signs.map(() => new Float64Array(n - 2));
  for (let row = 0; row < n - 2; row++) {
    const steps = (times[row + 1] - times[row]) * (times[row + 2] - times[row + 1]);
    for (let pair = 0; pair < p; pair++) {
      const at = row * p + pair;
      const each = bends.map((bend) => cost((bend[at] / (errors[pair] + accelerations[pair] * steps)) ** 2, constants));
      const lowest = Math.min(...each);
      const left = STRANGE - lowest - cost((aside[at] / (shakes[pair] + ACCELERATION * steps)) ** 2, constants);
      each.forEach((own, k) => {
        const against = k ? Math.min(Math.max(-left, 0), MOST) : 0;
        costs[k][row] += weights[at] * (Math.min(own - lowest, Math.max(left, 0)) + against);
      });
    }
  }
  return costs;
}

/** The likeliest changes of signs, and the price of each, by how frequent they are. */
function read(costs, pairs, { exchanges_by_frames: { RARE, EACH, FREQUENT, ROUNDS } }) {
  const rare = RARE + EACH * pairs;
  let [flips, price] = [null, rare];
  for (let round = 0; round < ROUNDS; round++) {
    flips = cheapest(costs, price);
    const share = Math.max(flips.reduce((sum, flip) => sum + flip, 0) / flips.length, Math.exp(-rare));
    const next = Math.min(Math.max(-Math.log(share), FREQUENT), rare);
    if (next === price) break;
    price = next;
  }
  return { flips, price };
}

/** The cheapest changes of signs, by dynamic programming; 0 in the first frame. */
function cheapest(costs, price) {
  const count = costs[0].length;
  const back = new Uint8Array(2 * count);
  let best = [0, price];
  for (let row = 0; row < count; row++) {
    // Of the step before the frame and the step after it.
    const total = (before, after) => best[before] + costs[2 * before + after][row] + (after ? price : 0);
    const chosen = [0, 1].map((after) => (total(1, after) < total(0, after) ? 1 : 0));
    back.set(chosen, 2 * row);
    best = chosen.map((before, after) => total(before, after));
  }
  const flips = new Uint8Array(count + 2);
  flips[count + 1] = best[1] < best[0] ? 1 : 0;
  for (let row = count - 1; row >= 0; row--) flips[row + 1] = back[2 * row + flips[row + 2]];
  return flips;
}

/** What the cheapest changes cost more that give the last frame the other side. */
function margin(costs, flips, price) {
  // By the last change, and whether an odd number of changes differ from `flips`.
  let best = [[Infinity, Infinity], [Infinity, Infinity]];
  for (const change of [0, 1]) best[change][change ^ flips[0]] = price * change;
  for (let row = 0; row < costs[0].length; row++) {
    const flip = flips[row + 1];
    best = [0, 1].map((change) => [0, 1].map((odd) => Math.min(...[0, 1].map((before) =>
      best[before][odd ^ change ^ flip] + costs[2 * before + change][row] + price * change))));
  }
  return Math.min(best[0][1], best[1][1]) - Math.min(best[0][0], best[1][0]);
}
