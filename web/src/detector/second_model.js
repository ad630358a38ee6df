// A second model's crop detections of people who are followed, at every few frames; between them its answer is interpolated
// (poselift/finding/second_model.py). A plain form: it vouches for nobody whom the first model loses.

import { between, compare, decide, join } from "./joining.js";
import { Ticks } from "./ticks.js";

export class SecondModel {
  /** @param model a BlazePose. @param facts of numbers.json */
  constructor(model, facts) {
    Object.assign(this, { model, facts, ticks: new Ticks(facts.pace.second_model), seen: new Map() });
  }

  /** Looks at the people of a frame in which the first model has looked, if it is time to. */
  async note(time, picture, people) {
    const due = this.ticks.next(time);
    for (const { who, pixels, scores } of people) {
      if (!due && this.seen.has(who)) continue;
      const first = { points: pixels, scores }, difference = compare(first, await this.model.lookAt(picture, first), this.facts);
      this.seen.set(who, [...this.seen.get(who) ?? [], { time, difference }]);
    }
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
