// Feet that are slow, and low for the body, stand (poselift.kinematics.foot_contacts).

import { usedKeypoints } from "./prepare.js";
import { interpolate, median, runsOf, searchSorted, medianInterval } from "./times.js";

const SIDES = ["left", "right"];

/**
 * Keypoints, interpolated where a detector did not look for a moment (Keypoints2D.bridge).
 * @param {import("./index.js").Track} track
 * @returns {import("./index.js").Track}
 */
export function bridge(track, { BRIDGE }) {
  const j = track.joints.length;
  const [pixels, scores] = [track.pixels.slice(), track.scores.slice()];
  let before = -1;
  for (let after = 0; after < track.times.length; after++) {
    const row = track.pixels.subarray(2 * after * j, 2 * (after + 1) * j);
    if (!row.some((value, k) => k % 2 === 0 && Number.isFinite(value + row[k + 1]))) continue;
    const near = before >= 0 && track.times[after] - track.times[before] <= BRIDGE;
    for (let frame = before + 1; near && frame < after; frame++) {
      const ends = Float32Array.of(...track.pixels.subarray(2 * before * j, 2 * (before + 1) * j), ...row);
      const stamps = [track.times[before], track.times[after]];
      pixels.set(interpolate(ends, stamps, [track.times[frame]], 2 * j), 2 * frame * j);
      for (let joint = 0; joint < j; joint++)
        scores[frame * j + joint] = Math.min(track.scores[before * j + joint], track.scores[after * j + joint]);
    }
    before = after;
  }
  return { ...track, pixels, scores };
}

/** Joints of a motion whose own keypoints are seen often enough around each frame: (t, j). */
export function inSight({ keypoints: track, skeleton, threshold }, { structures }) {
  const [frames, j, given] = [track.times.length, skeleton.joints.length, track.joints.length];
  const used = usedKeypoints(bridge(track, structures), threshold, structures);
  const low = track.times.map((time) => searchSorted(track.times, time - structures.NEARBY - 1e-6));
  const high = track.times.map((time) => searchSorted(track.times, time + structures.NEARBY + 1e-6));
  const sight = new Uint8Array(frames * j);
  skeleton.joints.forEach((name, place) => {
    const joint = track.joints.indexOf(name);
    if (joint < 0) return;
    const total = new Float64Array(frames + 1);
    for (let frame = 0; frame < frames; frame++) total[frame + 1] = total[frame] + used[frame * given + joint];
    for (let frame = 0; frame < frames; frame++) {
      const count = high[frame] - low[frame];
      sight[frame * j + place] = total[high[frame]] - total[low[frame]] >= structures.OFTEN * count ? 1 : 0;
    }
  });
  return sight;
}

/**
 * Points of the feet: left heel, left big toe, right heel, right big toe; or both ankles.
 * @returns {{points: Float64Array, count: number, rest: number[], seen: Uint8Array}} (t, count, 3), height of each over
 *   the ground when the foot is flat, and (t, count)
 */
export function feetOf(motion, sight, { foot_contacts: constants }) {
  const { joints, root, skeleton } = motion;
  const [frames, j] = [root.length / 3, skeleton.joints.length];
  const row = (name) => skeleton.joints.indexOf(name);
  const names = row("left_heel") >= 0 && row("left_big_toe") >= 0 ? ["heel", "big_toe"] : ["ankle"];
  const lengths = [];
  for (const side of SIDES) {
    const limb = ["hip", "knee", "ankle"].map((joint) => row(`${side}_${joint}`));
    for (let frame = 0; frame < frames; frame++) {
      const [hip, knee, ankle] = limb.map((place) => joints.subarray(3 * (frame * j + place), 3 * (frame * j + place) + 3));
      const length = apart(hip, knee) + apart(knee, ankle);
      if (Number.isFinite(length)) lengths.push(length);
    }
  }
  const scale = (lengths.length ? median(lengths) : constants.LEG) / constants.LEG;
  const all = SIDES.flatMap((side) => names.map((name) => [row(`${side}_${name}`), row(`${side}_ankle`), name]));
  const points = new Float64Array(3 * frames * all.length);
  const seen = new Uint8Array(frames * all.length);
  for (let frame = 0; frame < frames; frame++)
    all.forEach(([place, ankle], k) => {
      const at = frame * all.length + k;
      for (let axis = 0; axis < 3; axis++)
        points[3 * at + axis] = Math.fround(joints[3 * (frame * j + place) + axis] + root[3 * frame + axis]);
      seen[at] = sight[frame * j + place] | sight[frame * j + ankle];
    });
  return { points, count: all.length, rest: all.map(([, , name]) => constants.REST_HEIGHT[name] * scale), seen };
}

const apart = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);

/** Steps between frames in which the clip lacks frames, so that a foot may have moved. */
export function missingFrames(times, { WINDOW }) {
  const longest = Math.max(2 * WINDOW, 2 * medianInterval(times)) + 1e-6;
  return (frame) => times[frame + 1] - times[frame] > longest;
}

/** Slopes (t, c, 3) of the lines fitted to the known frames around each; NaN where unknown. */
function velocities({ points, count }, times, constants) {
  const width = 3 * count;
  const known = Uint8Array.from(times, (_, frame) =>
    points.subarray(frame * width, (frame + 1) * width).every(Number.isFinite) ? 1 : 0,
  );
  const velocity = new Float64Array(points.length).fill(NaN);
  for (const [first, end] of runsOf(known, missingFrames(times, constants))) {
    const stamps = times.subarray(first, end);
    for (let frame = first; frame < end; frame++) {
      let low = first + searchSorted(stamps, times[frame] - constants.WINDOW - 1e-6);
      let high = first + searchSorted(stamps, times[frame] + constants.WINDOW + 1e-6);
      // Where frames are further apart than the window, take the neighbours on both sides.
      if (high - low < 2) [low, high] = [Math.max(low - 1, first), Math.min(high + 1, end)];
      const mean = stamps.subarray(low - first, high - first).reduce((sum, time) => sum + time, 0) / (high - low);
      let spread = 0;
      for (let row = low; row < high; row++) spread += (times[row] - mean) ** 2;
      for (let k = 0; k < width; k++) {
        let slope = 0;
        for (let row = low; row < high; row++) slope += (times[row] - mean) * points[row * width + k];
        velocity[frame * width + k] = high - low > 1 ? slope / spread : 0;
      }
    }
  }
  return velocity;
}

/** Runs of `stays` with a `starts` in them, if they are long enough or fill the clip: (t, c). */
function hysteresis(starts, stays, count, times, constants) {
  const out = new Uint8Array(stays.length);
  const missing = missingFrames(times, constants);
  const frames = times.length;
  for (let point = 0; point < count; point++) {
    const own = times.map((_, frame) => stays[frame * count + point]);
    for (const [first, end] of runsOf(own, missing)) {
      // From the frame before to the frame after: a run of one frame lasts as long as a frame.
      const start = first === 0 || missing(first - 1) ? first : first - 1;
      const stop = end === frames || missing(end - 1) ? end - 1 : end;
      const long = end - first === frames || times[stop] - times[start] >= constants.SHORTEST;
      let begun = false;
      for (let frame = first; frame < end; frame++) begun ||= starts[frame * count + point] > 0;
      for (let frame = first; long && begun && frame < end; frame++) out[frame * count + point] = 1;
    }
  }
  return out;
}

/** Points of the feet that are in sight and slow, at any height: (t, c). */
export function atRest(feet, times, { foot_contacts: constants }) {
  const velocity = velocities(feet, times, constants);
  const speed = new Float64Array(feet.seen.length);
  for (let at = 0; at < speed.length; at++) {
    const [place, v] = [feet.points, velocity].map((values) => values.subarray(3 * at, 3 * at + 3));
    const length = Math.hypot(...place);
    const along = (v[0] * place[0] + v[1] * place[1] + v[2] * place[2]) / length;
    for (let axis = 0; axis < 3; axis++) v[axis] -= ((1 - constants.DEPTH_TRUST) * along * place[axis]) / length;
    speed[at] = Math.hypot(...v);
  }
  const still = feet.seen.slice();
  const half = feet.count / 2;
  for (let first = 0; first < speed.length; first += feet.count) {
    const [left, right] = [0, half].map((side) => Array.from({ length: half }, (_, k) => first + side + k));
    const pairs = left.flatMap((a) =>
      right.map((b) => apart(velocity.subarray(3 * a, 3 * a + 3), velocity.subarray(3 * b, 3 * b + 3))),
    );
    if (!(Math.min(...pairs) > constants.TAKES_OFF)) continue;
    // Two feet that stand do not move against each other: the faster one moves.
    const slowest = [left, right].map((points) => Math.min(...points.map((at) => speed[at])));
    [left, right].forEach((points, side) => {
      if (slowest[side] >= slowest[1 - side]) for (const at of points) still[at] = 0;
    });
  }
  const [comesDown, takesOff] = [constants.COMES_DOWN, constants.TAKES_OFF].map((limit) =>
    still.map((flag, at) => (flag && speed[at] < limit ? 1 : 0)),
  );
  return hysteresis(comesDown, takesOff, feet.count, times, constants);
}

/** Points of the feet that stand: slow ones near the lowest joint of the body; (t, c). */
export function findContacts(motion, feet, slow, up, { foot_contacts: constants }) {
  const { joints, root, times, skeleton } = motion;
  const j = skeleton.joints.length;
  const dot = (values, at) => values[at] * up[0] + values[at + 1] * up[1] + values[at + 2] * up[2];
  const stays = slow.slice();
  for (let frame = 0; frame < times.length; frame++) {
    let lowest = Infinity;
    for (let joint = 0; joint < j; joint++) lowest = Math.min(lowest, dot(joints, 3 * (frame * j + joint)));
    lowest += dot(root, 3 * frame);
    for (let point = 0; point < feet.count; point++) {
      const at = frame * feet.count + point;
      if (!(dot(feet.points, 3 * at) - feet.rest[point] - lowest < constants.LIFTED)) stays[at] = 0;
    }
  }
  return hysteresis(stays, stays, feet.count, times, constants);
}
