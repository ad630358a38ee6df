// The frames whose correction changes most, for longest.

import { exchange, followSides, groupPairs, shortRuns } from "../numbers/exchanged_sides.js";
import { otherSide } from "../numbers/open.js";
import { median, medianInterval, runsOf } from "../numbers/times.js";

/** Seconds around a listed span in which no other one is listed: one look sees them all. */
const APART = 0.1;
/** Longest span between two frames with a keypoint, seconds, in which it can be wrong or missing. */
const GAP = 1.0;
const NEAR = 1e-4; // seconds; times in files are rounded
const PARTS = /_(eye|ear)$/; // of a head, which the nose shows
/** Intervals between two keypoints of a joint from which it was lost between them. */
const LOST = 1.5;
/** What a sign in the motion counts beside one in the keypoints: a wrong keypoint moves its neighbours too. */
const HINT = 0.5;
/** Residuals up to this multiple of a joint's usual one are no errors. */
const USUAL = 3;
/** Share of the distance that the exchange of both sides must take away for an error to be one. */
const EXCHANGED = 0.5;

/**
 * The spans of a motion that most need a look, worst first; each with its worst joint.
 *
 * The worth is what a correction would change: body lengths times seconds, over all joints. Four things tell: sides that
 * change places, keypoints that leave the way between the frames before and after and come back as suddenly, keypoints
 * that are missing between frames that have them, and joints that the lifter puts elsewhere than their keypoints or is
 * unsure of.
 * @param {import("../numbers/index.js").Motion} motion
 * @param {import("../numbers/index.js").Camera} camera
 * @param {object} constants of numbers.json
 * @returns {{person: number, frame: number, time: number, worth: number, joint: string, says: string}[]}
 */
export function rankFrames(motion, camera, constants) {
  const { person } = motion, { rows, looked } = lookedAt(motion), listed = [], spans = [];
  const { found, settled } = exchanges(looked, camera, constants);
  for (const entry of [...found, ...leaps({ ...looked, keypoints: settled }), ...doubts(looked, camera)].sort((a, b) => b.worth - a.worth)) {
    const [first, last] = [entry.from, entry.to].map((row) => looked.times[row]), [from, to] = [first - APART - NEAR, last + APART + NEAR];
    if (spans.some(([begins, ends]) => begins < to && ends > from)) continue;
    spans.push([first, last]);
    const { joint, worth, says } = entry, frame = rows[entry.frame] ?? rows[entry.to];
    listed.push({ person, frame, time: motion.times[frame], worth, joint, says });
  }
  return listed;
}

/** The frames in which the detector found the person, and the motion in these: it may look at every second one only. */
function lookedAt(motion) {
  const { times, keypoints: { joints, pixels, scores } } = motion;
  const rows = [...times.keys()].filter((frame) => pixels.subarray(2 * frame * joints.length, 2 * (frame + 1) * joints.length).some(Number.isFinite));
  const take = (values, width) => Float64Array.from({ length: rows.length * width }, (_, i) => values[rows[Math.floor(i / width)] * width + i % width]);
  const places = Object.fromEntries(["joints", "root", "uncertainty"].map((name) => [name, take(motion[name], motion[name].length / times.length)]));
  const own = take(times, 1), keypoints = { ...motion.keypoints, times: own, pixels: take(pixels, 2 * joints.length), scores: take(scores, joints.length) };
  return { rows, looked: { ...motion, ...places, times: own, keypoints } };
}

/**
 * Spans whose sides change places and soon come back; of longer ones the lifter was asked when they were lifted. Seen
 * from the side they lie near each other in the picture, but a body with exchanged sides is turned: what counts is how
 * far apart the two sides are in 3D. Gives the keypoints with these sides put back, too.
 */
function exchanges({ times, skeleton: { joints: names }, root, joints, keypoints, threshold }, { K }, constants) {
  const { length } = bodyOf(keypoints.joints, keypoints.pixels, times.length), step = medianInterval(times), found = [];
  const place = (frame, joint, axis) => joints[3 * (frame * names.length + joint) + axis];
  let track = keypoints;
  for (const group of groupPairs(keypoints.joints)) {
    if (group.every((joint) => PARTS.test(keypoints.joints[joint]))) continue;
    const { rarer, stretches } = followSides(track, group, threshold, constants), { SHORT, SHORT_AT_ENDS } = constants.settled_sides;
    const brief = shortRuns(rarer, times, stretches, SHORT, SHORT_AT_ENDS);
    track = exchange(track, brief, group);
    const pairs = group.map((joint) => [names.indexOf(keypoints.joints[joint]), names.indexOf(otherSide(keypoints.joints[joint]))]).filter(([joint]) => joint >= 0);
    for (const [from, end] of runsOf(brief)) {
      let worth = 0, joint = "", most = 0;
      for (const [own, other] of pairs) {
        let apart = 0;
        for (let frame = from; frame < end; frame++)
          apart += Math.hypot(...[0, 1, 2].map((axis) => place(frame, own, axis) - place(frame, other, axis))) * K[0] / (place(frame, own, 2) + root[3 * frame + 2]) / length || 0;
        worth += step * apart;
        if (apart > most) [joint, most] = [names[own], apart];
      }
      found.push({ from, to: end - 1, frame: (from + end - 1) >> 1, joint, worth, says: "left and right exchanged" });
    }
  }
  return { found, settled: track };
}

/** Spans of keypoints that leave their way suddenly, or are missing, as {from, to, frame, joint, worth, says}. */
function leaps({ times, keypoints: { joints, pixels } }) {
  const body = bodyOf(joints, pixels, times.length), found = new Map(), step = medianInterval(times);
  const at = (frame, joint) => [0, 1].map((axis) => (pixels[2 * (frame * joints.length + joint) + axis] - body.centres[frame][axis]) / body.length);
  const gaps = [];
  for (const [joint, name] of joints.entries()) {
    if (PARTS.test(name)) continue;
    const other = joints.indexOf(otherSide(name));
    const seen = [...times.keys()].filter((frame) => Number.isFinite(at(frame, joint)[0]));
    const places = seen.map((frame) => at(frame, joint)), others = seen.map((frame) => at(frame, other));
    const when = seen.map((frame) => times[frame]);
    const usual = median(seen.slice(2).map((_, k) => away(places[k + 1], between(places, when, k, k + 2, when[k + 1]))));
    const moves = when.slice(1).map((_, row) => away(places[row + 1], places[row]));
    /** How far the joint moves in the frames beside the step to a row: quick limbs begin and end quickly too. */
    const steps = (row, end) => Math.max((row > end && row - 1 === end ? 0 : moves[row - 2]) ?? 0, (row === end ? 0 : moves[row]) ?? 0);
    for (let first = 1; first < seen.length - 1; first++) {
      for (let last = first; last < seen.length - 1 && when[last + 1] - when[first - 1] <= GAP; last++) {
        const ways = [between, curved].map((way) => (row, to = places) => away(to[row], way(places, when, first - 1, last + 1, when[row])));
        const off = (row, to) => Math.min(...ways.map((way) => way(row, to)));
        const ends = Math.min(off(first) - steps(first, last), off(last) - steps(last + 1, first)) - USUAL * usual;
        if (ends <= 0) continue;
        if (moves.slice(first, last).some((move) => move > ends)) continue; // the ends of two errors
        const rows = Array.from({ length: last - first + 1 }, (_, row) => first + row), offs = rows.map((row) => off(row));
        if (Math.min(...offs) < ends / 2) continue; // two errors, and none between them
        const mean = offs.reduce((sum, value) => sum + value, 0) / offs.length;
        // A movement begins and ends slowly: its ends are near the way, its middle is far.
        const worth = ends * Math.min(1, ends / mean) ** 2 * (when[last] - when[first] + (when[first] - when[first - 1] + when[last + 1] - when[last]) / 2), key = `${seen[first]} ${seen[last]}`;
        const turned = other === joint ? mean : rows.reduce((sum, row) => sum + (off(row, others) || 0), 0) / rows.length;
        const own = found.get(key) ?? { from: seen[first], to: seen[last], worth: 0, turned: 0, off: 0, most: 0 };
        own.worth += worth;
        own.off += mean;
        own.turned += turned;
        if (worth > own.most) Object.assign(own, { most: worth, joint: name, jump: mean * body.length });
        found.set(key, own);
      }
    }
    for (let row = 1; row < seen.length; row++) {
      if (seen[row] - seen[row - 1] > 1 && when[row] - when[row - 1] > LOST * step && when[row] - when[row - 1] <= GAP) gaps.push({ name, row, seen, places, when });
    }
  }
  const jumps = [...found.values()].map(({ from, to, joint, worth, off, turned, jump }) => ({ from, to, frame: (from + to) >> 1, joint, worth,
    says: turned < EXCHANGED * off ? "left and right exchanged" : `jumps by ${jump.toFixed(0)} px` }));
  return [...jumps, ...missing(gaps, step)];
}

/** Keypoints that are missing: worth what the way between two frames misses where the joint is seen, over as long a span. */
function missing(gaps, step) {
  return gaps.map(({ name, row, seen, places, when }) => {
    const lasts = when[row] - when[row - 1], misses = [];
    for (let first = 0, last = 0; last < when.length; first++) {
      while (last < when.length && when[last] - when[first] < lasts - NEAR) last++;
      const middle = (first + last) >> 1, whole = (last - first + .5) * step > when[last] - when[first];
      if (last < when.length && middle > first && whole) misses.push(away(places[middle], between(places, when, first, last, when[middle])));
    }
    misses.sort((a, b) => a - b);
    const [from, to] = [seen[row - 1], seen[row]], worth = (misses[Math.floor(.9 * misses.length)] ?? 0) * (lasts - step);
    return { from, to, frame: (from + to) >> 1, joint: name, worth, says: `missing for ${lasts.toFixed(2)} s` };
  });
}

/** Spans in which the lifter puts a joint far from its keypoint, or is unsure of it, against what is usual for the joint. */
function doubts(motion, { K }) {
  const { times, skeleton: { joints: names }, root, joints, keypoints, uncertainty, threshold } = motion, step = medianInterval(times);
  const length = bodyOf(keypoints.joints, keypoints.pixels, times.length).length, found = [];
  for (const [joint, name] of names.entries()) {
    if (PARTS.test(name)) continue;
    const given = keypoints.joints.indexOf(name), point = (frame, axis) => joints[3 * (frame * names.length + joint) + axis] + root[3 * frame + axis];
    const wide = Float64Array.from(times, (_, frame) => uncertainty[frame * names.length + joint] * K[0] / point(frame, 2) / length);
    const misfits = Float64Array.from(times, (_, frame) => {
      const at = frame * keypoints.joints.length + given;
      if (given < 0 || !(keypoints.scores[at] >= threshold)) return NaN;
      return away([0, 1].map((axis) => K[4 * axis] * point(frame, axis) / point(frame, 2) + K[3 * axis + 2]), keypoints.pixels.subarray(2 * at, 2 * at + 2)) / length;
    });
    for (const [why, values] of [["uncertainty", wide], ["misfit", misfits]]) {
      const usual = median(values.filter(Number.isFinite));
      for (let from = 0, to; from < times.length; from = to + 1) {
        to = from;
        if (!(values[from] > 2 * usual)) continue;
        while (values[to + 1] > 2 * usual) to++;
        const own = values.subarray(from, to + 1), most = Math.max(...own);
        found.push({ from, to, frame: from + own.indexOf(most), joint: name, worth: HINT * step * own.reduce((sum, value) => sum + value - 2 * usual, 0), says: `${(most / usual).toFixed(1)} × ${why}` });
      }
    }
  }
  return found;
}

/** The middle of the body in each frame, filled from the frame before, and its usual longer side, pixels. */
function bodyOf(joints, pixels, frames) {
  const trunk = joints.flatMap((name, joint) => (/_(shoulder|hip)$/.test(name) ? [joint] : [])), sides = [], centres = [];
  for (let frame = 0; frame < frames; frame++) {
    const axes = [0, 1].map((axis) => joints.map((_, joint) => pixels[2 * (frame * joints.length + joint) + axis]));
    const seen = axes.map((values) => values.filter(Number.isFinite)), own = axes.map((values) => trunk.map((joint) => values[joint]).reduce((sum, value) => sum + value, 0) / trunk.length);
    if (seen[0].length > 3) sides.push(Math.max(...seen.map((values) => Math.max(...values) - Math.min(...values))));
    centres.push(own.every(Number.isFinite) ? own : centres.at(-1) ?? [0, 0]);
  }
  return { centres, length: Math.max(sides.length ? median(sides) : 1, 1) };
}

const away = (one, other) => Math.hypot(one[0] - other[0], one[1] - other[1]);

/** A place on the straight way between two rows, at a time. */
function between(places, when, first, last, time) {
  const share = (time - when[first]) / (when[last] - when[first]);
  return [0, 1].map((axis) => (1 - share) * places[first][axis] + share * places[last][axis]);
}

/** A place on the way between two rows that keeps the velocities before and after (cubic Hermite); straight near the ends of the clip. */
function curved(places, when, first, last, time) {
  const [before, after] = [first - 2, last + 2];
  if (before < 0 || after >= places.length) return between(places, when, first, last, time);
  const lasts = when[last] - when[first], s = (time - when[first]) / lasts;
  return [0, 1].map((axis) => {
    const enters = (places[first][axis] - places[before][axis]) / (when[first] - when[before]), leaves = (places[after][axis] - places[last][axis]) / (when[after] - when[last]);
    return (2 * s ** 3 - 3 * s ** 2 + 1) * places[first][axis] + (3 * s ** 2 - 2 * s ** 3) * places[last][axis]
      + (s ** 3 - 2 * s ** 2 + s) * lasts * enters + (s ** 3 - s ** 2) * lasts * leaves;
  });
}
