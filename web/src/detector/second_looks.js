// Looks of a second model at people who are followed, at every few frames; between them its answer is interpolated
// (poselift/finding/second_looks.py). A plain form: it vouches for nobody whom the first model loses.

import { between, compare, decide, join } from "./joining.js";
import { Ticks } from "./ticks.js";

export class SecondLooks {
  /** @param model a BlazePose. @param facts of numbers.json */
  constructor(model, facts) {
    Object.assign(this, { model, facts, ticks: new Ticks(facts.pace.second_looks), seen: new Map() });
  }

  /** Looks at the people of a frame in which the first model has looked, if it is time to. */
  async note(time, picture, people) {
    const due = this.ticks.next(time);
    for (const { who, pixels, scores } of people) {
      if (!due && this.seen.has(who)) continue;
      const first = { points: pixels, scores }, look = compare(first, await this.model.lookAt(picture, first), this.facts);
      this.seen.set(who, [...this.seen.get(who) ?? [], { time, look }]);
    }
  }

  /** The people of a frame with the joints of both models. @param size width and height of the picture */
  joined({ time, people }, size) {
    return people?.map((person) => ({ ...person, ...join(person, this.differenceAt(person.who, time), size, this.facts) })) ?? null;
  }

  /** How the models differ in somebody at a time; null if no look is near. */
  differenceAt(who, time) {
    const { LASTS: lasts } = this.facts.constants.second_looks, looks = this.seen.get(who) ?? [];
    const before = looks.findLast((look) => look.time <= time && time - look.time <= lasts);
    const later = looks.find((look) => look.time > time && look.time - time <= lasts);
    const near = (look) => looks.filter((other) => other !== look && Math.abs(other.time - look.time) <= lasts);
    const decided = (look) => decide(look.look, near(look).map((other) => [other.time - look.time, other.look]), this.facts);
    if (!before || !later) return before || later ? decided(before ?? later) : null;
    return between(decided(before), decided(later), (time - before.time) / (later.time - before.time), this.facts);
  }
}
