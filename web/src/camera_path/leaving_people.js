// Frames in which the picture's side edge cuts off a person who comes or goes (poselift.camera_path.leaving_people).

import { usedKeypoints } from "../numbers/prepare.js";
import { median } from "../numbers/times.js";
import { part } from "./still_view.js";

/**
 * The track without the frames in which the person comes or goes.
 * @param {import("../numbers/index.js").Track} track of one person, in the pictures themselves
 * @param {number} width of the pictures, pixels
 * @param {number} threshold least score of a keypoint that counts
 */
export function withoutCutOff(track, width, threshold, { leaving_people: constants, structures }, body) {
  const { times, joints, pixels } = track, j = joints.length, used = usedKeypoints(track, threshold, structures);
  const own = joints.map((_, joint) => joint).filter((joint) => body.includes(joints[joint])), rows = own.length ? own : [...joints.keys()];
  const frames = Array.from(times, (time, frame) => ({ time, joints: rows.map((joint) => {
    const at = frame * j + joint;
    return { seen: Boolean(used[at]), x: pixels[2 * at], y: pixels[2 * at + 1] };
  }) }));
  const end = endInSight(frames, width, constants), last = times[end - 1];
  // Who left does not come: what is found of this person after that may be on somebody else.
  const backwards = frames.slice(0, end).map(({ time, joints: own }) => ({ time: last - time, joints: own })).reverse();
  const first = end ? end - endInSight(backwards, width, constants) : 0;
  return frames.slice(first, end).some(({ joints: own }) => own.some(({ seen }) => seen)) ? part(track, first, end) : track;
}

/** A warning of the frames that are left out of a track. */
export function describeLeftOut(track, kept) {
  const seconds = kept.times[0] - track.times[0] + track.times.at(-1) - kept.times.at(-1);
  return kept.times.length === track.times.length ? []
    : [`person ${track.person}: ${seconds.toFixed(2)} s are left out, where a side edge of the picture hides a third of the body`];
}

/** The frame from which on the person is cut off; the number of frames if never. */
function endInSight(frames, width, constants) {
  const cut = shareBeyond(frames, width, constants).map((share) => share >= constants.CUT_OFF);
  let first = frames.length;
  while (first > 0 && cut[first - 1]) first--;
  return first < frames.length && frames.at(-1).time - frames[first].time <= constants.LONGEST ? first : frames.length;
}

/** Share of each frame's joints beyond a side edge: where they were last seen, moved on with the joints in sight. */
function shareBeyond(frames, width, { LEAST }) {
  const beyond = ({ x }) => x < 0 || x > width - 1, known = ({ x }) => !Number.isNaN(x); // NaN is never beyond
  let places = frames[0].joints.map(() => ({ x: NaN, y: NaN })), [vx, vy] = [0, 0], before = frames[0].time, share = 0;
  return frames.map(({ time, joints }) => {
    if (!joints.some(({ seen }) => seen)) return share;
    const elapsed = time - before, ahead = [vx * elapsed, vy * elapsed];
    const told = joints.map((_, k) => k).filter((k) => joints[k].seen && known(places[k]) && !beyond({ x: places[k].x + ahead[0] }));
    const moved = (axis) => median(Float64Array.from(told, (k) => joints[k][axis] - places[k][axis]));
    const [dx, dy] = told.length >= LEAST ? [moved("x"), moved("y")] : ahead;
    places = places.map(({ x, y }) => ({ x: x + dx, y: y + dy }));
    const out = places.map(beyond), counted = places.filter((place, k) => joints[k].seen || known(place)).length;
    share = out.filter(Boolean).length / counted;
    places = places.map((place, k) => (joints[k].seen && !out[k] ? { x: joints[k].x, y: joints[k].y } : place));
    if (elapsed > 0) [vx, vy] = [dx / elapsed, dy / elapsed];
    before = time;
    return share;
  });
}
