// Somebody whom the finder looks at again and again, as poselift/finding/followed_person.py has it.

import { median, rounded } from "../numbers/times.js";
import { sizeOf } from "./duplicates.js";
import { apart, bodyAngle, boxAlong, boxAround, wrapped } from "./orientation.js";

/** @typedef {{box: number[], angle: number, points: Float64Array, scores: Float64Array}} Place  where somebody is expected */

/** The same joints, for a crop of a body turned by an angle. */
export const turned = (place, angle) => ({ ...place, angle, box: boxAlong(place.points, angle) });

export class Followed {
  /** @param found a detection of somebody. @param score of the box. @param time seconds; negated where it is followed backwards. @param facts of numbers.json */
  constructor(found, score, time, facts) {
    Object.assign(this, { facts, found, time, boxScore: found.angle ? Math.max(score, found.score) : score, score: found.score, misses: 0,
      surprise: Infinity, velocity: [0, 0], speeds: null, angle: bodyAngle(found, facts) ?? 0, turned: Boolean(found.angle), spin: 0, compared: -Infinity });
  }

  get size() { return Math.max(1, sizeOf(this.found.box)); }

  /** Whether the next crop detection may wait, as the movement can be foreseen. */
  get calm() { return this.surprise <= this.facts.constants.finder.CALM; }

  /** Quarter turns, 0 to 3, after which the body is nearly upright. */
  get quarter() { return (rounded(this.angle / (Math.PI / 2)) + 4) % 4; }

  /** Seconds for which the velocity moves this person on. */
  ahead(time) { return Math.min(time - this.time, this.facts.constants.followed_person.TRUSTED); }

  /** The box around the joints, moved on with the velocity of the body. */
  expectedBox(time) { return this.found.box.map((edge, i) => edge + this.velocity[i % 2] * this.ahead(time)); }

  /** Where this person is expected at a time, moved on likewise. @returns {Place} */
  expected(time) {
    const ahead = this.ahead(time), { points, scores } = this.found;
    const place = { angle: 0, box: this.expectedBox(time), points: points.map((value, i) => value + this.velocity[i % 2] * ahead), scores };
    return this.turned ? turned(place, this.angle + this.spin * ahead) : place;
  }

  /** Whether a detection shows this person still. */
  recognises({ score }) {
    const { followed_person } = this.facts.constants;
    return score >= Math.max(followed_person.LEAST, followed_person.COLLAPSE * this.score) && this.misses < followed_person.MISSES;
  }

  /** Whether a crop at another angle may show this person better. @param angle of the body that the crop shows */
  doubts(found, angle, time) {
    if (!this.recognises(found)) return true; // the last try before this person is lost
    const { followed_person, orientation } = this.facts.constants, leaning = !this.turned && Math.abs(angle) > orientation.LEANING;
    return time - this.compared >= followed_person.COMPARED && (leaning || found.score < followed_person.WEAK * this.score);
  }

  /** Takes over a crop detection. @param hidden joints that somebody else hides; they go on with the body */
  update(found, time, hidden = null) {
    const { followed_person } = this.facts.constants, joints = found.scores.length, expected = this.expected(time).points;
    const elapsed = time - this.time, speeds = new Float64Array(2 * joints), moved = [[], []], wrong = [];
    for (let joint = 0; joint < joints; joint++) {
      for (const axis of [0, 1]) speeds[2 * joint + axis] = (found.points[2 * joint + axis] - this.found.points[2 * joint + axis]) / elapsed;
      const [x, y] = speeds.subarray(2 * joint, 2 * joint + 2);
      if (Number.isNaN(x) || !(found.scores[joint] > followed_person.TRACED)) continue;
      moved[0].push(x); moved[1].push(y);
      const off = this.speeds ? Math.hypot(x - this.speeds[2 * joint], y - this.speeds[2 * joint + 1]) : NaN;
      if (!Number.isNaN(off)) wrong.push(off * elapsed);
    }
    if (this.speeds) this.surprise = wrong.length ? wrong.reduce((sum, value) => sum + value, 0) / wrong.length / this.size : Infinity;
    const share = 1 - Math.exp(-elapsed / followed_person.SMOOTHING);
    if (moved[0].length) this.velocity = this.velocity.map((speed, axis) => speed + share * (median(moved[axis]) - speed));
    this.score += followed_person.ADAPTED * (found.score - this.score);
    const points = hidden?.some(Boolean) ? found.points.map((value, i) => hidden[i >> 1] ? expected[i] : value) : found.points;
    Object.assign(this, { found: points === found.points ? found : { ...found, points, box: boxAround(points) }, time, speeds });
    const angle = bodyAngle(found, this.facts);
    if (angle !== null) {
      this.spin += share * (wrapped(angle - this.angle) / elapsed - this.spin);
      this.angle = angle;
    }
    this.turned = Boolean(found.angle) && apart(this.angle, 0) > followed_person.UPRIGHT;
  }
}
