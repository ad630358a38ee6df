// Segments of any length are lifted in overlapping windows, which are blended without a seam
// (poselift.lifting.network).

import { seenFrames } from "./gaps.js";
import { interpolate, rounded } from "./times.js";

const BATCH = 4; // windows lifted at once, each with its mirror image

/**
 * The lifter's joints and uncertainty in the frames of each segment.
 * @param numbers of openNumbers
 * @param {import("./prepare.js").Segment[]} segments
 * @param {Map<string, {joints: Float32Array, uncertainty: Float32Array}>} cache windows that are known, and become known
 * @param {{progress?: (share: number) => unknown}} options awaited; it throws to stop the work
 * @returns {Promise<{joints: Float32Array, uncertainty: Float32Array}[]>} (n, j, 3) relative to the root, and (n, j); metres
 */
export async function liftSegments(numbers, segments, cache, { progress }) {
  const { window } = numbers.facts.lifter;
  const motions = segments.map((segment) => interleavedRows(segment).map((rows) => cutWindows(segment, rows, window)));
  const all = motions.flat(2);
  const due = all.filter((cut) => !cache.has(cut.key));
  const same = new Map();
  for (const cut of due) same.set(cut.times.length, [...(same.get(cut.times.length) ?? []), cut]);
  let done = 0;
  for (const cuts of same.values())
    for (let first = 0; first < cuts.length; first += BATCH) {
      const batch = cuts.slice(first, first + BATCH);
      const lifted = await liftBatch(numbers, batch);
      batch.forEach((cut, row) => cache.set(cut.key, lifted[row]));
      done += batch.length;
      await progress?.(done / due.length);
    }
  const width = 4 * numbers.jointsOut;
  return segments.map((segment, index) => {
    const mean = new Float64Array(segment.times.length * width);
    for (const cuts of motions[index]) {
      const times = cuts.rows.map((row) => segment.times[row]);
      const own = interpolate(blend(cuts, cache, width), times, segment.times, width);
      own.forEach((value, k) => (mean[k] += value / motions[index].length));
    }
    return split(mean, numbers.jointsOut);
  });
}

/** The frames of each interleaved motion. There are few empty frames, and each motion gets all of them. */
function interleavedRows({ scores, times, motions }) {
  const known = seenFrames(scores, scores.length / times.length);
  const parts = Math.min(motions, Math.max(1, known.reduce((sum, flag) => sum + flag, 0)));
  const rows = Array.from({ length: parts }, () => []);
  let number = 0;
  known.forEach((flag, frame) => {
    for (const [part, own] of rows.entries()) if (!flag || number % parts === part) own.push(frame);
    number += flag;
  });
  return rows;
}

/** First frames of overlapping windows that cover so many frames; the last window ends with them. */
export function windowStarts(frames, window) {
  if (frames <= window) return [0];
  const overlap = Math.floor(window / 2);
  const count = Math.ceil((frames - overlap) / (window - overlap));
  return Array.from({ length: count }, (_, k) => rounded((k * (frames - window)) / (count - 1)));
}

/** The windows of some rows of a segment; the list also has the rows. */
function cutWindows(segment, rows, window) {
  const { pixels, scores, times, camera } = segment;
  const j = scores.length / times.length;
  const cuts = windowStarts(rows.length, window).map((start) => {
    const own = rows.slice(start, start + window);
    const take = (values, width) => Float32Array.from(own.flatMap((row) => [...values.subarray(row * width, (row + 1) * width)]));
    const cut = { start, camera, pixels: take(pixels, 2 * j), scores: take(scores, j) };
    // From the first frame: single precision rounds times of day to milliseconds.
    cut.times = Float32Array.from(own, (row) => times[row] - times[own[0]]);
    return Object.assign(cut, { key: keyOf(cut) });
  });
  return Object.assign(cuts, { rows });
}

/** A text that tells windows apart (64 bits of FNV-1a over all that the lifter gets). */
function keyOf({ pixels, scores, times, camera }) {
  let [low, high] = [0x811c9dc5, 0xcbf29ce4];
  for (const part of [pixels, scores, times, Float32Array.of(...camera.K, camera.width, camera.height)])
    for (const word of new Uint32Array(part.buffer, part.byteOffset, part.length)) {
      low = Math.imul(low ^ word, 0x01000193) >>> 0;
      high = Math.imul(high ^ (word >>> 15) ^ low, 0x01000193) >>> 0;
    }
  return `${times.length}:${low}:${high}`;
}

/** Joints and uncertainty of windows of one length, averaged with those of their mirror images. */
async function liftBatch(numbers, cuts) {
  const { orderIn, orderOut, jointsOut } = numbers;
  const [b, t, j] = [cuts.length, cuts[0].times.length, orderIn.length];
  const pixels = new Float32Array(2 * b * t * j * 2);
  const scores = new Float32Array(2 * b * t * j);
  cuts.forEach((cut, row) => {
    pixels.set(cut.pixels, row * t * j * 2);
    scores.set(cut.scores, row * t * j);
    const [fx, skew, cx, , fy, cy] = cut.camera.K;
    for (let at = 0; at < t * j; at++) {
      const from = at - (at % j) + orderIn[at % j];
      const to = (b + row) * t * j + at;
      const [x, y] = cut.pixels.subarray(2 * from, 2 * from + 2);
      const down = (skew * (y - cy)) / fy;
      pixels.set([2 * (cx + down) - x, y], 2 * to); // the pixel of the mirrored ray
      scores[to] = cut.scores[from];
    }
  });
  const twice = (values) => [...cuts, ...cuts].flatMap(values);
  const out = await numbers.run("lifter", {
    pixels: [pixels, [2 * b, t, j, 2]],
    scores: [scores, [2 * b, t, j]],
    times: [twice((cut) => [...cut.times]), [2 * b, t]],
    K: [twice((cut) => [...cut.camera.K]), [2 * b, 3, 3]],
    image_size: [twice((cut) => [cut.camera.width, cut.camera.height]), [2 * b, 2]],
  });
  const { joints, uncertainty } = out;
  return cuts.map((_, row) => {
    const found = { joints: new Float32Array(3 * t * jointsOut), uncertainty: new Float32Array(t * jointsOut) };
    for (let at = 0; at < t * jointsOut; at++) {
      const own = row * t * jointsOut + at;
      const other = (b + row) * t * jointsOut + at - (at % jointsOut) + orderOut[at % jointsOut];
      for (let k = 0; k < 3; k++)
        found.joints[3 * at + k] = (joints[3 * own + k] + (k ? 1 : -1) * joints[3 * other + k]) / 2;
      found.uncertainty[at] = (uncertainty[own] + uncertainty[other]) / 2;
    }
    return found;
  });
}

/** The weighted mean of overlapping windows: (n, 4 j), joints then uncertainty. Weights fall to a window's ends. */
function blend(cuts, cache, width) {
  const total = new Float32Array(cuts.rows.length * width);
  const weights = new Float32Array(cuts.rows.length);
  for (const { key, start, times } of cuts) {
    const { joints, uncertainty } = cache.get(key);
    for (let frame = 0; frame < times.length; frame++) {
      const fade = Math.min(frame + 1, times.length - frame);
      weights[start + frame] += fade;
      const to = (start + frame) * width;
      const three = (3 * width) / 4;
      for (let k = 0; k < three; k++) total[to + k] += fade * joints[frame * three + k];
      for (let k = three; k < width; k++) total[to + k] += fade * uncertainty[(frame * width) / 4 + k - three];
    }
  }
  return total.map((value, k) => value / weights[Math.floor(k / width)]);
}

/** Joints and uncertainty of rows of both. */
function split(rows, j) {
  const frames = rows.length / (4 * j);
  const [joints, uncertainty] = [new Float32Array(3 * frames * j), new Float32Array(frames * j)];
  for (let frame = 0; frame < frames; frame++) {
    joints.set(rows.subarray(frame * 4 * j, frame * 4 * j + 3 * j), frame * 3 * j);
    uncertainty.set(rows.subarray(frame * 4 * j + 3 * j, (frame + 1) * 4 * j), frame * j);
  }
  return { joints, uncertainty };
}
