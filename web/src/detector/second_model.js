// A second model's crop detections of people who are followed, at every few frames; between them its answer is interpolated
// (poselift/finding/second_model.py). It vouches for people whom the first model hardly recognises.

import { median } from "../numbers/times.js";
import { sizeOf } from "./duplicates.js";
import { between, compare, decide, join, sameSides } from "./joining.js";
import { boxAround } from "./orientation.js";
import { agreement, touch } from "./overlapping.js";
import { Ticks } from "./ticks.js";

export class SecondModel {
  /** @param model a BlazePose. @param facts of numbers.json */
  constructor(model, facts) {
    Object.assign(this, { model, facts, ticks: new Ticks(facts.pace.second_model), seen: new Map(), bodies: new WeakMap(), asked: new Map() }); // asked: crop detections of this frame
  }

  /** Looks at the people of a frame in which the first model has looked, if it is time to. */
  async note(time, picture, people) {
    const due = this.ticks.next(time);
    for (const { who, pixels, scores } of people) {
      if (!due && this.seen.has(who)) continue;
      const first = { points: pixels, scores }, difference = compare(first, this.asked.get(who) ?? await this.model.lookAt(picture, first), this.facts);
      this.seen.set(who, [...this.seen.get(who) ?? [], { time, difference }]);
    }
  }

  /**
   * Puts the second model's poses in the place of those that the first one makes up, and gives the rows of people whom it
   * recognises.
   * @param found those who are followed, then newcomers. @param people who are followed
   */
  async vouch(picture, time, found, people) {
    const { constants } = this.facts, { UNCLEAR } = constants.second_model, boxes = found.map(({ box }) => box), vouched = [];
    this.asked.clear();
    for (const [row, person] of people.entries()) {
      const place = person.expected(time), own = found[row], recognised = person.recognises(own);
      if (recognised && own.score >= UNCLEAR) { this.noteBody(person, own); continue; }
      const others = [...people.filter((other) => other !== person).map((other) => other.expected(time).box), ...boxes.slice(people.length)];
      const again = await this.lookFor(picture, time, person, recognised, others.some((box) => touch(place.box, box, constants)));
      if (!again || recognised && !(agreement(again, place, constants) > agreement(own, place, constants))) continue;
      found[row] = { ...again, angle: own.angle };
      vouched.push(row);
    }
    return vouched;
  }

  noteBody(person, { box, points, scores }) {
    this.bodies.set(person, [...this.bodies.get(person) ?? [], { box, points, scores }].slice(-this.facts.constants.second_model.BODIES));
  }

  /**
   * Who is at a person's place, with the first model's joints; null if the second model is not sure of a person. Of somebody
   * whom the first model does not recognise, it looks at the place of the last whole body too, because what that model makes
   * up shrinks and wanders; until a body is whole, or two crops show the same one. Not beside others, one of whom may be
   * there by now.
   */
  async lookFor(picture, time, person, recognised, beside) {
    const { facts, facts: { constants, constants: { second_model } } } = this, expected = person.expected(time), whole = beside ? null : middleOf(this.bodies.get(person));
    let best = null, most = 0, wholly = false;
    for (const { points, scores } of whole && !recognised ? [expected, whole, enlarged(whole, second_model.WIDER)] : [expected]) {
      const again = await this.model.lookAt(picture, { points, scores: scores.map((score) => Math.max(score, second_model.THRESHOLD)) });
      if (!again || again.present < (beside ? second_model.SURELY_BESIDE : second_model.SURELY)) continue;
      const count = expected.scores.length, order = beside ? again.scores.map((_, row) => row) : sameSides(expected, again, facts);
      const body = { points: Float64Array.from({ length: 2 * count }, (_, i) => again.points[2 * order[i >> 1] + i % 2]), scores: Float64Array.from({ length: count }, (_, row) => again.scores[order[row]]) };
      if (!body.scores.some((score) => score > 0)) continue;
      const fit = Math.max(...[expected, whole ?? expected].map((place) => agreement(body, place, constants)));
      if (fit < second_model.FITS || fit + again.present < second_model.BOTH) continue;
      const box = boxAround(body.points), size = sizeOf(box) / Math.max(1, sizeOf((whole ?? expected).box));
      const worth = again.present * mean(body.scores) * Math.min(size, 1);
      const same = best && agreement(body, best, constants) >= second_model.SAME_BODY;
      if (size >= second_model.SHRUNK && worth > most) {
        [best, most, wholly] = [{ ...body, box }, worth, again.present > second_model.WHOLLY && size > second_model.FULL];
        this.asked.set(person, again);
      }
      if (wholly || same) break;
    }
    if (!best) return null;
    if (wholly) this.noteBody(person, best);
    const scores = best.scores.map((score) => second_model.LESS * score);
    return { ...best, scores, score: mean(scores) };
  }

  /** The people of a frame with the joints of both models. @param size width and height of the picture */
  joined({ time, people }, size) {
    return people?.map((person) => ({ ...person, ...join(person, this.differenceAt(person.who, time), size, this.facts) })) ?? null;
  }

  /** How the models differ in somebody at a time; null if none is near. */
  differenceAt(who, time) {
    const { LASTS: lasts } = this.facts.constants.second_model, all = this.seen.get(who) ?? [];
    const before = all.findLast((one) => one.time <= time && time - one.time <= lasts);
    const later = all.find((one) => one.time > time && one.time - time <= lasts);
    const near = (one) => all.filter((other) => other !== one && Math.abs(other.time - one.time) <= lasts);
    const decided = (one) => decide(one.difference, near(one).map((other) => [other.time - one.time, other.difference]), this.facts);
    if (!before || !later) return before || later ? decided(before ?? later) : null;
    return between(decided(before), decided(later), (time - before.time) / (later.time - before.time), this.facts);
  }
}

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** The median of the last whole bodies, joint by joint; null without one. */
function middleOf(bodies) {
  if (!bodies?.length) return null;
  const points = bodies[0].points.map((_, i) => bodies.some((body) => Number.isNaN(body.points[i])) ? NaN : median(bodies.map((body) => body.points[i])));
  if (points.every(Number.isNaN)) return bodies.at(-1);
  return { points, box: boxAround(points), scores: bodies[0].scores.map((_, joint) => Math.max(...bodies.map(({ scores }) => scores[joint]))) };
}

/** The same place for a crop that shows more around it. */
const enlarged = ({ box, points, scores }, wider) => ({ scores, points: points.map((value, i) => { const middle = (box[i % 2] + box[2 + i % 2]) / 2; return middle + wider * (value - middle); }) });
