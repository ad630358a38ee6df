// Who is who: detections are assigned to people by their poses (poselift.tracking).

import { assign } from "./assignment.js";
import { medianInterval } from "./times.js";

/**
 * @typedef {object} Person one detected person in one frame
 * @property {Float32Array} pixels (j, 2), NaN where unseen
 * @property {Float32Array} scores (j), 0 where unseen
 * @property {number} score of the person
 */

/** The observations of one person so far. */
class Fragment {
  frames = [];
  times = [];
  people = [];
  firstVelocity = [0, 0]; // pixels per second
  velocity = [0, 0];
  number = 0; // once confirmed
  changed = -Infinity; // when the pose last changed; before the last observation where the picture froze since

  get start() {
    return this.times[0];
  }
  get end() {
    return this.times.at(-1);
  }

  add(frame, time, person, { SMOOTHING, FROZEN, LONGEST }) {
    let frozen = false;
    if (this.frames.length) {
      const moved = displacement(this.people.at(-1), person);
      const elapsed = time - this.changed;
      const share = 1 - Math.exp(-elapsed / SMOOTHING);
      if (moved) frozen = Math.hypot(...moved.shift) + moved.spread < FROZEN * sizeOf(person);
      if (moved && !frozen) this.velocity = this.velocity.map((speed, k) => speed + share * (moved.shift[k] / elapsed - speed));
      if (time - this.start <= 2 * SMOOTHING) this.firstVelocity = this.velocity;
    }
    this.changed = frozen ? Math.max(this.changed, time - LONGEST) : time;
    this.frames.push(frame);
    this.times.push(time);
    this.people.push(person);
  }

  /** Without its last detections, where they score far less than the others: somebody who is lost is guessed. */
  withoutGuesses({ stitching, track }) {
    const means = this.people.map(({ scores }) => scores.reduce((sum, score) => sum + score, 0) / scores.length);
    const sorted = [...means].sort((a, b) => a - b), half = sorted.length >> 1;
    const usual = sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
    const sure = means.findLastIndex((mean) => mean >= stitching.GUESSED * usual);
    const end = Math.max(sure + 1, means.length - stitching.GUESSES);
    if (end === means.length) return this;
    const shorter = new Fragment();
    for (let row = 0; row < end; row++) shorter.add(this.frames[row], this.times[row], this.people[row], track);
    return shorter;
  }
}

/** Displacement of one pose against another, weighted by both scores, and the mean distance of the joints from it. */
function displacement(start, end) {
  const both = [];
  for (let joint = 0; joint < start.scores.length; joint++) {
    const apart = [0, 1].map((k) => end.pixels[2 * joint + k] - start.pixels[2 * joint + k]);
    if (Number.isFinite(apart[0] + apart[1])) both.push([apart, start.scores[joint] * end.scores[joint]]);
  }
  const total = both.reduce((sum, [, weight]) => sum + weight, 0);
  if (!(total > 0)) return null;
  const shift = [0, 1].map((k) => both.reduce((sum, [apart, weight]) => sum + (weight / total) * apart[k], 0));
  const spread = both.reduce(
    (sum, [apart, weight]) => sum + (weight / total) * Math.hypot(apart[0] - shift[0], apart[1] - shift[1]),
    0,
  );
  return { shift, spread };
}

/** Longer side of the bounding box of the joints, pixels, at least 1. */
function sizeOf({ pixels }) {
  const [low, high] = [[Infinity, Infinity], [-Infinity, -Infinity]];
  for (let at = 0; at < pixels.length; at += 2) {
    if (!Number.isFinite(pixels[at] + pixels[at + 1])) continue;
    for (const k of [0, 1]) {
      low[k] = Math.min(low[k], pixels[at + k]);
      high[k] = Math.max(high[k], pixels[at + k]);
    }
  }
  return Math.max(1, high[0] - low[0], high[1] - low[1]);
}

/** Extent of the joints that two poses have, as far as both are sure: of an even bar with their weighted deviation. */
function sureExtent({ pixels, scores }, other) {
  const sums = [0, 1].map((k) => {
    let [weights, first, second] = [0, 0, 0];
    for (let joint = 0; joint < scores.length; joint++) {
      const [value, weight] = [pixels[2 * joint + k], scores[joint] * other.scores[joint]];
      if (!Number.isFinite(value + other.pixels[2 * joint + k])) continue;
      weights += weight;
      first += weight * value;
      second += weight * value * value;
    }
    return Math.sqrt(12 * Math.max(0, second / weights - (first / weights) ** 2));
  });
  return Math.max(1, ...sums);
}

/** Cost of assigning two poses to one person, the first of which is moved; infinite if they cannot be one. */
function cost(start, move, end, elapsed, { matching, track }) {
  const moved = displacement(start, end);
  if (!moved) return Infinity;
  const length = Math.max(sizeOf(start), sizeOf(end));
  // A pose does not shrink when its feet are not seen, or guessed.
  const sizes = [sureExtent(start, end), sureExtent(end, start)];
  const size = Math.max(...sizes) > track.TELLING * length ? Math.abs(Math.log(sizes[0] / sizes[1])) : 0;
  const shift = Math.hypot(moved.shift[0] - move[0], moved.shift[1] - move[1]) / length;
  const [[near, faster, far], [ratio, more]] = [matching.SHIFT_GATE, matching.SIZE_GATE];
  if (shift > Math.min(near + faster * elapsed, far) || size > ratio + Math.min(elapsed, more)) return Infinity;
  return shift / (matching.DOUBT + elapsed) + (matching.SHAPE * moved.spread) / length + size;
}

/** Way of a velocity that decays, over some seconds. */
const way = (velocity, elapsed, { DAMPING }) =>
  velocity.map((speed) => speed * DAMPING * (1 - Math.exp(-elapsed / DAMPING)));

/** Tracks people through a video, one frame at a time. */
export class Tracker {
  #constants;
  #picture;
  #times = [];
  #detected = [0]; // frames in which the detector ran, before each frame
  #fragments = [];
  #alive = [];
  #numbers = 0;

  /**
   * @param {object} constants of numbers.facts
   * @param {{width: number, height: number, joints: string[]}} picture
   */
  constructor(constants, picture) {
    [this.#constants, this.#picture] = [constants, picture];
  }

  /**
   * The number of each person in the next frame; 0 for people who were observed for less than 0.1 s.
   * @param {Person[]|null} people null if no detector looked at the frame
   * @param {number} time seconds, later than the frame before
   */
  update(people, time) {
    const { tracker, track } = this.#constants;
    if (this.#times.length && !(time > this.#times.at(-1)))
      throw new Error(`the frame at ${time} s follows one at ${this.#times.at(-1)} s; give frames in order of time`);
    const frame = this.#times.push(time) - 1;
    this.#detected.push(this.#detected.at(-1) + (people ? 1 : 0));
    if (!people) return [];
    this.#alive = this.#alive.filter((fragment) => time - fragment.end <= tracker.PATIENCE);
    const costs = this.#alive.map((fragment) => {
      const elapsed = time - fragment.changed;
      const ahead = way(fragment.velocity, elapsed, track);
      return people.map((person) => cost(fragment.people.at(-1), ahead, person, elapsed, this.#constants));
    });
    const found = new Map(assign(costs).map(([row, column]) => [column, this.#alive[row]]));
    return people.map((person, index) => {
      let fragment = found.get(index);
      if (!fragment) {
        if (person.score < tracker.START_SCORE || !person.pixels.some(Number.isFinite)) return 0;
        fragment = new Fragment();
        this.#alive.push(fragment);
        this.#fragments.push(fragment);
      }
      fragment.add(frame, time, person, track);
      if (!fragment.number && time - fragment.start >= tracker.CONFIRM) fragment.number = ++this.#numbers;
      return fragment.number;
    });
  }

  /**
   * The keypoints of each person so far, numbered from 1 in order of first appearance.
   * @returns {import("./index.js").Track[]}
   */
  tracks() {
    const { tracker } = this.#constants;
    const interval = medianInterval(this.#times);
    const needed = Math.min(tracker.MIN_SEEN, 0.5 * interval * this.#times.length);
    const dense = this.#fragments.filter(({ frames }) => {
      const ran = this.#detected[frames.at(-1) + 1] - this.#detected[frames[0]];
      return frames.length >= tracker.MIN_SHARE * ran;
    });
    const kept = stitch(dense, this.#constants).filter((fragment) => {
      const scores = fragment.people.flatMap((person) => [...person.scores]);
      const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
      return observed(fragment, interval, tracker) >= needed - 1e-9 && mean >= tracker.MIN_SCORE;
    });
    kept.sort((a, b) => a.frames[0] - b.frames[0]);
    return kept.map((fragment, index) => this.#keypoints(fragment, index + 1));
  }

  /** One person's keypoints from the first to the last frame with the person. */
  #keypoints({ frames, people }, person) {
    const [first, end] = [frames[0], frames.at(-1) + 1];
    const j = this.#picture.joints.length;
    const pixels = new Float32Array(2 * (end - first) * j).fill(NaN);
    const scores = new Float32Array((end - first) * j);
    frames.forEach((frame, row) => {
      pixels.set(people[row].pixels, 2 * (frame - first) * j);
      scores.set(people[row].scores, (frame - first) * j);
    });
    return { person, ...this.#picture, times: Float64Array.from(this.#times.slice(first, end)), pixels, scores };
  }
}

/** The fragments, with those of one person joined over up to MAX_GAP seconds. */
function stitch(fragments, constants) {
  const sorted = [...fragments].sort((a, b) => a.start - b.start);
  const across = (earlier, later) => {
    const gap = later.start - earlier.end;
    return Math.max(
      ...[earlier.velocity, later.firstVelocity].map((velocity) =>
        cost(earlier.people.at(-1), way(velocity, gap, constants.track), later.people[0], gap, constants),
      ),
    );
  };
  const costs = sorted.map((earlier) =>
    sorted.map((later) => {
      const gap = later.start - earlier.end;
      if (!(gap > 0) || gap > constants.stitching.MAX_GAP) return Infinity;
      const plain = across(earlier, later);
      return Number.isFinite(plain) ? plain : across(earlier.withoutGuesses(constants), later);
    }),
  );
  const next = new Map(assign(costs));
  const later = new Set(next.values());
  return sorted.flatMap((fragment, index) => {
    if (later.has(index)) return [];
    const whole = new Fragment();
    for (let part = index; part !== undefined; part = next.get(part))
      for (const name of ["frames", "times", "people"]) whole[name].push(...sorted[part][name]);
    return [whole];
  });
}

/** Seconds for which somebody was observed. */
function observed({ times }, interval, { BLINK }) {
  const between = times.slice(1).map((time, k) => time - times[k]);
  const joined = between.filter((step) => step <= BLINK).reduce((sum, step) => sum + step, 0);
  // Frames in bursts are nearer to each other than the usual interval.
  return Math.max(times.length * interval, joined + interval);
}

/**
 * The people of a clip.
 * @param {{time: number, people: Person[]|null}[]} frames null where the detector did not look
 * @param {{width: number, height: number, joints: string[]}} picture
 * @param {object} constants of numbers.facts
 * @returns {import("./index.js").Track[]}
 */
export function followPeople(frames, picture, constants) {
  const tracker = new Tracker(constants, picture);
  for (const { time, people } of frames) tracker.update(people, time);
  return tracker.tracks();
}
