// Frames without keypoints: which get interpolated keypoints, which the lifter gets, and which split a clip
// (poselift.lifting.prepare.gaps).

import { rounded, searchSorted, medianInterval } from "./times.js";

const pick = (values, rows) => Float64Array.from(rows, (row) => values[row]);

/** Frames in which a joint was seen: (t). */
export function seenFrames(scores, joints) {
  return Uint8Array.from({ length: scores.length / joints }, (_, frame) =>
    scores.subarray(frame * joints, (frame + 1) * joints).some((score) => score > 0) ? 1 : 0,
  );
}

/** Indices of the flags that are set. */
export function indices(flags) {
  return Array.from(flags.keys()).filter((frame) => flags[frame]);
}

/** Runs of frames [first, end) without a gap of more than MAX_GAP seconds; both ends have keypoints. */
export function findSegments(seen, times, constants) {
  const frames = indices(seen);
  const usual = medianInterval(times);
  const segments = [];
  frames.forEach((frame, k) => {
    const gap = k ? times[frame] - times[frames[k - 1]] - usual : Infinity;
    if (gap > constants.MAX_GAP + 1e-6) segments.push([frame, frame + 1]);
    else segments.at(-1)[1] = frame + 1;
  });
  return segments;
}

/** Factors on the uncertainty of frames, which grows with the time to the nearest frame with keypoints. */
export function wideningFactors(seen, times, { WIDENING, MAX_GAP }) {
  const known = pick(times, indices(seen));
  return Float64Array.from(times, (time) => {
    if (!known.length) return 1;
    const after = Math.min(searchSorted(known, time), known.length - 1);
    const away = Math.min(Math.abs(time - known[after]), Math.abs(time - known[Math.max(after - 1, 0)]));
    return 1 + WIDENING * Math.min(away, MAX_GAP / 2);
  });
}

/** Slopes of the monotone cubic curve through points (Fritsch and Carlson 1980). */
function slopes(x, y) {
  const n = x.length;
  if (n === 2) return [0, 1].map(() => (y[1] - y[0]) / (x[1] - x[0]));
  const h = Float64Array.from({ length: n - 1 }, (_, k) => x[k + 1] - x[k]);
  const d = Float64Array.from(h, (step, k) => (y[k + 1] - y[k]) / step);
  const end = (h0, h1, d0, d1) => {
    const slope = ((2 * h0 + h1) * d0 - h0 * d1) / (h0 + h1);
    if (Math.sign(slope) !== Math.sign(d0)) return 0;
    return Math.sign(d0) !== Math.sign(d1) && Math.abs(slope) > 3 * Math.abs(d0) ? 3 * d0 : slope;
  };
  return Float64Array.from({ length: n }, (_, k) => {
    if (k === 0) return end(h[0], h[1], d[0], d[1]);
    if (k === n - 1) return end(h[k - 1], h[k - 2], d[k - 1], d[k - 2]);
    if (d[k - 1] * d[k] <= 0) return 0;
    const [w1, w2] = [2 * h[k] + h[k - 1], h[k] + 2 * h[k - 1]];
    return (w1 + w2) / (w1 / d[k - 1] + w2 / d[k]);
  });
}

/** A curve through points as a function of x, between the first point and the last. */
function monotoneCurve(x, y) {
  const m = slopes(x, y);
  return (at) => {
    const k = Math.min(Math.max(searchSorted(x, at, "right") - 1, 0), x.length - 2);
    const h = x[k + 1] - x[k];
    const s = (at - x[k]) / h;
    const [a, b] = [(1 + 2 * s) * (1 - s) ** 2, s * (1 - s) ** 2];
    return a * y[k] + (1 - a) * y[k + 1] + h * (b * m[k] - s ** 2 * (1 - s) * m[k + 1]);
  };
}

/** Keypoints {pixels (t, j, 2), scores (t, j)}, interpolated in frames that have none. */
export function fillGaps(given, times, joints, { NEAR }) {
  const [pixels, scores] = [given.pixels.slice(), given.scores.slice()];
  const seen = seenFrames(scores, joints);
  const empty = Array.from(seen.keys()).filter((frame) => !seen[frame]);
  for (let joint = 0; empty.length && joint < joints; joint++) {
    const known = indices(Uint8Array.from(seen, (_, frame) => given.scores[frame * joints + joint] > 0));
    let curves = null;
    for (const frame of empty) {
      const place = searchSorted(known, frame);
      if (place === 0 || place === known.length) continue;
      const [before, after] = [known[place - 1], known[place]];
      if (times[after] - times[before] > NEAR + 1e-6) continue;
      curves ??= [0, 1].map((axis) =>
        monotoneCurve(
          pick(times, known),
          Float64Array.from(known, (row) => given.pixels[2 * (row * joints + joint) + axis]),
        ),
      );
      const at = frame * joints + joint;
      pixels.set(curves.map((curve) => curve(times[frame])), 2 * at);
      scores[at] = Math.min(given.scores[before * joints + joint], given.scores[after * joints + joint]);
    }
  }
  return { pixels, scores };
}

/** Some frames of keypoints; NaN and 0 for -1. */
export function takeFrames({ pixels, scores }, rows, joints) {
  const out = { pixels: new Float32Array(2 * rows.length * joints).fill(NaN), scores: new Float32Array(rows.length * joints) };
  rows.forEach((row, place) => {
    if (row < 0) return;
    out.pixels.set(pixels.subarray(2 * row * joints, 2 * (row + 1) * joints), 2 * place * joints);
    out.scores.set(scores.subarray(row * joints, (row + 1) * joints), place * joints);
  });
  return out;
}

/**
 * Keypoints with interpolated frames between those of a clip of fewer than 20 frames a second.
 * @returns {{pixels, scores, times: Float64Array, rows: number[]}} rows: the given frame of each, -1 for those between
 */
export function addFramesBetween(given, times, joints, constants) {
  const stamps = [];
  const rows = [];
  times.forEach((time, frame) => {
    const interval = frame + 1 < times.length ? times[frame + 1] - time : 0;
    const wanted = Math.max(1, Math.ceil(interval * constants.SLOWEST - constants.SLACK));
    const parts = interval > constants.NEAR + 1e-6 ? 1 : wanted;
    for (let part = 0; part < parts; part++) {
      stamps.push(time + (part / parts) * interval);
      rows.push(part ? -1 : frame);
    }
  });
  const filled = fillGaps(takeFrames(given, rows, joints), stamps, joints, constants);
  const seen = seenFrames(filled.scores, joints);
  const kept = Array.from(rows.keys()).filter((k) => rows[k] >= 0 || seen[k]);
  return { ...takeFrames(filled, kept, joints), times: pick(stamps, kept), rows: kept.map((k) => rows[k]) };
}

/** Indices of the frames that the lifter gets; the others are interpolated. */
export function chooseFrames(known, times, constants) {
  const chosen = new Set([0, known.length - 1, ...indices(known)]);
  const ends = [...chosen].sort((a, b) => a - b);
  for (let k = 1; k < ends.length; k++) {
    const [before, after] = [ends[k - 1], ends[k]];
    if (after - before < 2) continue;
    const ticks = rounded((times[after] - times[before]) / constants.STEP);
    for (let tick = 1; tick < ticks; tick++) {
      const time = times[before] + ((times[after] - times[before]) * tick) / ticks;
      let nearest = before + 1;
      for (let frame = nearest; frame < after; frame++)
        if (Math.abs(times[frame] - time) < Math.abs(times[nearest] - time)) nearest = frame;
      chosen.add(nearest);
    }
  }
  return [...chosen].sort((a, b) => a - b);
}

