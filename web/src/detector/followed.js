// Somebody whom the finder looks at again and again, as poselift/finding/followed_person.py has it.

import { sizeOf } from "./duplicates.js";
import { JOINTS } from "./movenet.js";

/** Seconds: time constant of the velocity of the body, and the longest time for which it moves somebody on. */
const SMOOTHING = .1, TRUSTED = .25;
const TRACED = .2, LEAST = .2, COLLAPSE = .5, ADAPTED = .2, MISSES = 3, CALM = .02;

export class Followed {
  /** @param found a look at somebody. @param score of the box. @param time seconds; negated for looks back */
  constructor(found, score, time) {
    Object.assign(this, { found, time, boxScore: score, score: found.score, misses: 0, surprise: Infinity, velocity: [0, 0], speeds: null });
  }

  get size() { return Math.max(1, sizeOf(this.found.box)); }

  /** Whether the next look may wait, as the movement can be foreseen. */
  get calm() { return this.surprise <= CALM; }

  /** The box in which this person is expected at a time. */
  expected(time) {
    const ahead = Math.min(time - this.time, TRUSTED);
    return this.found.box.map((edge, i) => edge + this.velocity[i % 2] * ahead);
  }

  /** Whether a look shows this person still. */
  recognises({ score }) { return score >= Math.max(LEAST, COLLAPSE * this.score) && this.misses < MISSES; }

  update(found, time) {
    const elapsed = time - this.time, speeds = new Float64Array(2 * JOINTS), moved = [[], []], wrong = [];
    for (let joint = 0; joint < JOINTS; joint++) {
      for (const axis of [0, 1]) speeds[2 * joint + axis] = (found.points[2 * joint + axis] - this.found.points[2 * joint + axis]) / elapsed;
      const [x, y] = speeds.subarray(2 * joint, 2 * joint + 2);
      if (Number.isNaN(x) || !(found.scores[joint] > TRACED)) continue;
      moved[0].push(x); moved[1].push(y);
      const off = this.speeds ? Math.hypot(x - this.speeds[2 * joint], y - this.speeds[2 * joint + 1]) : NaN;
      if (!Number.isNaN(off)) wrong.push(off * elapsed);
    }
    if (this.speeds) this.surprise = wrong.length ? wrong.reduce((sum, value) => sum + value, 0) / wrong.length / this.size : Infinity;
    const trust = 1 - Math.exp(-elapsed / SMOOTHING);
    if (moved[0].length) this.velocity = this.velocity.map((speed, axis) => speed + trust * (median(moved[axis]) - speed));
    this.score += ADAPTED * (found.score - this.score);
    Object.assign(this, { found, time, speeds });
  }
}

export function median(values) {
  const sorted = Float64Array.from(values).sort(), half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}
