// Which joints of a motion keypoints show, and which are guesses (Motion.in_sight and Motion.guessed).

import { bridge } from "./contacts.js";
import { inSpace, isSeen } from "./hands.js";
import { usedKeypoints } from "./prepare.js";
import { runsOf, searchSorted } from "./times.js";

/**
 * Joints (t, j) that keypoints show; the lifter gives the others too, from what is usual (Motion.in_sight).
 * @param {import("./open.js").Numbers} numbers
 * @param {import("./index.js").Motion} motion
 */
export function shownJoints({ facts }, { keypoints: track, skeleton, threshold }) {
  const { constants, joints_in_sight: parts } = facts;
  const { NEARBY, OFTEN } = constants.structures;
  const [frames, given, j] = [track.times.length, track.joints.length, skeleton.joints.length];
  const bridged = bridge(track, constants.structures);
  const used = usedKeypoints(bridged, threshold, constants.structures);
  const total = (count) => {
    const sum = new Float64Array(frames + 1);
    for (let frame = 0; frame < frames; frame++) sum[frame + 1] = sum[frame] + count(frame);
    return (frame) =>
      sum[searchSorted(track.times, track.times[frame] + NEARBY + 1e-6)] -
      sum[searchSorted(track.times, track.times[frame] - NEARBY - 1e-6)];
  };
  const finite = (at) => Number.isFinite(bridged.pixels[2 * at] + bridged.pixels[2 * at + 1]);
  const found = total((frame) => (track.joints.some((_, joint) => finite(frame * given + joint)) ? 1 : 0));
  const often = track.joints.map((_, joint) => {
    const count = total((frame) => used[frame * given + joint]);
    return (frame) => found(frame) > 0 && count(frame) >= OFTEN * found(frame);
  });
  const part = (name) => name.replace(/^(left|right)_/, "");
  const shown = new Uint8Array(frames * j);
  const anyone = track.pixels.some((value) => Number.isFinite(value));
  skeleton.joints.forEach((name, place) => {
    const end = parts.ends.find((names) => names.includes(part(name)));
    // A head has one joint of each name and side; a foot or hand has those of its own side.
    const side = end && !end.includes("nose") ? name.slice(0, name.length - part(name).length) : "";
    const by = end
      ? track.joints.filter((joint) => end.includes(part(joint)) && joint.startsWith(side))
      : track.joints.includes(name)
        ? [name]
        : track.joints.filter((joint) => parts.trunk.includes(joint));
    const rows = by.map((joint) => often[track.joints.indexOf(joint)]);
    for (let frame = 0; frame < frames; frame++)
      shown[frame * j + place] = !anyone || rows.some((row) => row(frame)) ? 1 : 0;
  });
  return shown;
}

/** Joints (t, j) that no keypoint shows: those out of sight, and all where the detector found nobody for a while. */
export function guessedJoints(numbers, motion) {
  const { keypoints: track, interpolated, skeleton } = motion;
  const [shown, j, given] = [shownJoints(numbers, motion), skeleton.joints.length, track.joints.length];
  const { pixels } = bridge(track, numbers.facts.constants.structures);
  const alone = interpolated.map((flag, frame) => {
    const row = pixels.subarray(2 * frame * given, 2 * (frame + 1) * given);
    return flag && !row.some((value, k) => k % 2 === 0 && Number.isFinite(value + row[k + 1])) ? 1 : 0;
  });
  return shown.map((flag, at) => (flag && !alone[Math.floor(at / j)] ? 0 : 1));
}

/** First and last time of each span in which no keypoint shows a joint, or no hand its fingers, seconds from `start`, by name. */
export function unseenSpans(numbers, motion, start = 0) {
  const { hands, times, skeleton: { joints } } = motion, shown = shownJoints(numbers, motion), spans = {};
  const time = (frame) => Math.round(1e4 * (times[frame] - start)) / 1e4;
  const add = (name, seen) => {
    const runs = runsOf(Uint8Array.from(times, (_, frame) => seen(frame) ? 0 : 1));
    if (runs.length) spans[name] = runs.map(([first, end]) => [time(first), time(end - 1)]);
  };
  joints.forEach((joint, row) => add(joint, (frame) => shown[frame * joints.length + row]));
  if (hands && inSpace(hands)) ["left", "right"].forEach((side, row) => add(`${side}_fingers`, (frame) => isSeen(hands, 2 * frame + row)));
  return spans;
}
