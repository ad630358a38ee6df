// Corrections as data: a state of people, and pure functions from a state and an edit to the next state. Undo is the
// same list without its last edit, and the list itself is what is saved.

import { gatherHands, swapHands } from "../numbers/hands.js";
import { otherSide } from "../numbers/open.js";

/**
 * @typedef {object} State
 * @property {Map<number, import("../numbers/index.js").Track>} tracks by person
 * @property {Record<number, number>} heights in metres, by person
 * @property {number} [fov] degrees across the longer side
 */
/**
 * @typedef {object} Edit what was corrected where; times are those of tracks, seconds, both ends included
 * @property {"move"|"hide"|"swap"|"delete"|"split"|"join"|"height"|"fov"} what
 * @property {number} [person] all but "fov"
 * @property {string} [joint] of "move" and "hide"
 * @property {number} [time] of "move"; of "split": the first of the new person
 * @property {number} [x] of "move", pixels
 * @property {number} [y]
 * @property {number} [from] of "hide" and "swap"
 * @property {number} [to]
 * @property {number} [other] of "split": number of the new person; of "join": the one who is taken in
 * @property {number} [metres] of "height"
 * @property {number} [degrees] of "fov"
 */

const NEAR = 1e-4; // seconds; times in files are rounded

/** The state after an edit; the one before stays as it is. */
export function applyEdit(state, edit) {
  const { tracks, heights } = state, { person, other } = edit;
  if (edit.what === "fov") return { ...state, fov: edit.degrees };
  if (!tracks.has(person)) throw new Error(`there is no person ${person}`);
  if (edit.what === "height") return { ...state, heights: { ...heights, [person]: edit.metres } };
  const changed = new Map(tracks), track = tracks.get(person);
  switch (edit.what) {
    case "delete":
      changed.delete(person);
      break;
    case "split": {
      const row = track.times.findIndex((time) => time > edit.time - NEAR);
      if (row < 2 || row > track.times.length - 2) throw new Error("split a person where two frames are left on each side");
      if (tracks.has(other)) throw new Error(`there is a person ${other} already`);
      changed.set(person, rowsOf(track, 0, row)).set(other, { ...rowsOf(track, row, track.times.length), person: other });
      break;
    }
    case "join":
      if (!tracks.has(other) || other === person) throw new Error(`person ${person} cannot be joined with person ${other}`);
      changed.set(person, joined(track, tracks.get(other))).delete(other);
      break;
    default:
      changed.set(person, editTrack(track, edit));
  }
  return { ...state, tracks: changed };
}

/** A track with a keypoint moved ("move") or hidden ("hide"), or with left and right swapped ("swap"). */
export function editTrack(track, edit) {
  const { joints, times } = track, pixels = track.pixels.slice(), scores = track.scores.slice();
  const put = (frame, joint, x, y, score) => {
    const at = frame * joints.length + joint;
    [pixels[2 * at], pixels[2 * at + 1], scores[at]] = [x, y, score];
  };
  const [from, to] = edit.what === "move" ? [edit.time, edit.time] : [edit.from, edit.to];
  const frames = [...times.keys()].filter((frame) => times[frame] > from - NEAR && times[frame] < to + NEAR);
  if (!frames.length) throw new Error(`person ${track.person} has no frame from ${from} to ${to} s`);
  if (edit.what === "swap") {
    for (const frame of frames) joints.forEach((name, joint) => {
      const at = frame * joints.length + joints.indexOf(otherSide(name));
      put(frame, joint, track.pixels[2 * at], track.pixels[2 * at + 1], track.scores[at]);
    });
    return { ...track, pixels, scores, ...(track.hands && { hands: swapHands(track.hands, frames) }) };
  }
  const joint = joints.indexOf(edit.joint);
  if (joint < 0) throw new Error(`person ${track.person} has no joint ${edit.joint}`);
  if (edit.what === "move") for (const frame of frames) put(frame, joint, edit.x, edit.y, 1);
  else if (edit.what === "hide") for (const frame of frames) put(frame, joint, NaN, NaN, 0);
  else throw new Error(`${edit.what} is no edit`);
  return { ...track, pixels, scores };
}

function rowsOf(track, from, to) {
  const j = track.joints.length;
  const hands = track.hands && { hands: gatherHands(Array.from({ length: to - from }, (_, i) => ({ hands: track.hands, frame: from + i })), track.hands.placed) };
  return { ...track, ...hands, times: track.times.slice(from, to), pixels: track.pixels.slice(2 * from * j, 2 * to * j), scores: track.scores.slice(from * j, to * j) };
}

/** One track of two: in a frame of both, the first one's keypoints if it has any. */
function joined(one, other) {
  const j = one.joints.length, rows = new Map();
  for (const track of [other, one]) track.times.forEach((time, frame) => {
    const scores = track.scores.subarray(frame * j, (frame + 1) * j), key = time.toFixed(4);
    if (!rows.has(key) || scores.some((score) => score > 0)) rows.set(key, { time, scores, hands: track.hands && { hands: track.hands, frame }, pixels: track.pixels.subarray(2 * frame * j, 2 * (frame + 1) * j) });
  });
  const all = [...rows.values()].sort((a, b) => a.time - b.time);
  const made = { ...one, times: Float64Array.from(all, ({ time }) => time), pixels: new Float32Array(2 * j * all.length), scores: new Float32Array(j * all.length) };
  const placed = [one, other].find(({ hands }) => hands)?.hands.placed;
  if (placed !== undefined) made.hands = gatherHands(all.map(({ hands }) => hands), placed);
  all.forEach(({ pixels, scores }, row) => { made.pixels.set(pixels, 2 * j * row); made.scores.set(scores, j * row); });
  return made;
}

/** What was done and undone since a first state. */
export class History {
  constructor(first) { Object.assign(this, { first, state: first, done: [], undone: [] }); }

  add(edit) {
    this.state = applyEdit(this.state, edit);
    this.done.push(edit);
    this.undone = [];
  }

  /** Takes the last edit back. @returns whether there was one */
  undo() {
    if (!this.done.length) return false;
    this.undone.push(this.done.pop());
    this.state = this.done.reduce(applyEdit, this.first);
    return true;
  }

  /** Does the edit again that was taken back last. @returns whether there was one */
  redo() {
    if (!this.undone.length) return false;
    this.state = applyEdit(this.state, this.undone.at(-1));
    this.done.push(this.undone.pop());
    return true;
  }

  /** What `restore` takes. */
  kept() { return { state: this.state, done: [...this.done], undone: [...this.undone] }; }

  /** Goes back to what `kept` gave; edits since then can be done again. */
  restore({ state, done, undone }) {
    const since = this.done.filter((edit) => !done.includes(edit)).reverse();
    Object.assign(this, { state, done: [...done], undone: since.length ? since : [...undone] });
  }
}
