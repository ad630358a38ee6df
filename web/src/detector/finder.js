// Where and when the detector looks: crop detections follow people, and searches of the picture find newcomers.
// A plain form of poselift/finding: no tiles for crowds, no searches for people who are turned, and people who overlap
// are looked at in the same picture.

import { alike, overlap, unionShare, withoutDuplicates } from "./duplicates.js";
import { Followed, turned } from "./followed.js";
import { apart, bodyAngle, otherAngles } from "./orientation.js";
import { Ticks } from "./ticks.js";

/** Searches a second; crop detections are as many as `poselift lift --quality fast` takes. */
const SEARCHES = 3;

export class Finder {
  /** @param detector a MoveNet. @param facts of numbers.json. @param second crop detections of a second model, or null. @param hands a HandModel, or null */
  constructor(detector, facts, second = null, hands = null) {
    Object.assign(this, { detector, facts, second, hands, constants: facts.constants, people: [], frames: [], recent: [], ticks: new Ticks(facts.pace.rate), nextSearch: -Infinity, fine: true, size: null });
  }

  /**
   * Takes the next frame.
   *
   * @param time seconds.
   * @param pixels gives the picture; it is only asked for where the finder looks.
   */
  async next(time, pixels) {
    const frame = { time, people: null };
    this.frames.push(frame);
    const last = this.ticks.tick;
    if (!this.ticks.next(time)) return;
    const picture = await pixels(), newcomers = await this.search(picture, time);
    this.size ??= { width: picture.width, height: picture.height };
    const { calm } = this.facts.pace, everybody = Math.floor(this.ticks.tick / calm) > Math.floor(last / calm) || newcomers.length > 0 || this.hands !== null; // hands move while a body is calm
    const due = this.people.filter((person) => everybody || !person.calm);
    if (!due.length && !everybody) return;
    frame.people = await this.look(picture, time, due, newcomers);
    await this.lookAgain(picture, frame);
    await this.lookAtHands(picture, frame);
    this.recent = [...this.recent.filter((kept) => kept.time > time - this.constants.backward_tracking.BACK), { time, picture, frame }];
  }

  /** The second model's crop detections in a frame. */
  async lookAgain(picture, { time, people }) {
    await this.second?.note(time, picture, people);
  }

  /** Looks at the hands of the people of a frame, where they are wanted. */
  async lookAtHands(picture, { people }) {
    const found = await this.hands?.lookAtAll(picture, people) ?? [];
    found.forEach((hands, i) => { people[i].hands = hands; });
  }

  /** The frames with the joints of both models. */
  joined() {
    return this.frames.map((frame) => ({ ...frame, people: this.peopleOf(frame) }));
  }

  /** The people of the last frame with the joints of both models, as far as the second one has looked. */
  newest() {
    return this.peopleOf(this.frames.at(-1));
  }

  peopleOf(frame) {
    return this.second ? this.second.joined(frame, this.size) : frame.people;
  }

  /** The people whom a search of the whole picture finds beside those who are followed; none where no search is due. */
  async search(picture, time) {
    if (time < this.nextSearch - 1e-6) return [];
    const { constants, constants: { finder, searches }, fine } = this, longer = Math.max(picture.width, picture.height);
    this.nextSearch = time + 1 / SEARCHES;
    this.fine = !fine;
    const found = await this.detector.search(picture, fine);
    for (const person of this.people) {
      const again = found.find(({ box }) => overlap(box, person.found.box) > finder.FOUND);
      if (again) Object.assign(person, { misses: 0, boxScore: again.score });
      else if (person.upright && (fine || person.size > searches.LARGE * longer)) person.misses++;
    }
    const isNew = (one) => !this.people.some(({ found: other }) => unionShare(one.box, other.box) >= finder.SAME || alike(one, other, constants));
    return found.filter(isNew);
  }

  /** Looks at people in their places; those who were lost are no longer followed. */
  async look(picture, time, due, newcomers) {
    const { constants, constants: { finder, orientation } } = this, seen = [];
    for (const person of due) {
      const found = await this.lookAt(picture, person.expected(time), person, time);
      if (person.recognises(found)) seen.push({ ...found, person });
    }
    for (const newcomer of newcomers) {
      const angle = bodyAngle(newcomer, this.facts) ?? 0;
      const place = Math.abs(angle) > orientation.LEANING ? turned(newcomer, angle) : { ...newcomer, angle: 0 };
      const found = await this.lookAt(picture, place, null, time);
      if (found.score >= (found.angle ? finder.NEW_TURNED : finder.NEW)) seen.push({ ...found, boxScore: newcomer.score });
    }
    // Those who are followed come first: a newcomer may be one of them in another crop.
    const kept = withoutDuplicates(seen, constants, seen.map(({ person, score }) => score + (person ? 1 : 0)));
    const gone = due.filter((person) => !kept.some((found) => found.person === person));
    this.people = this.people.filter((person) => !gone.includes(person));
    if (gone.length) Object.assign(this, { fine: true, nextSearch: time });
    const people = [];
    for (const found of kept) {
      if (found.person) found.person.update(found, time);
      const who = found.person ?? await this.begin(found, time);
      if (!found.person) this.people.push(who);
      people.push(detection(found, (found.person ?? found).boxScore, who));
    }
    return people;
  }

  /** Somebody in a place; where a crop leaves doubts, others at other angles follow, and the best score decides. */
  async lookAt(picture, place, person, time) {
    const { constants, constants: { orientation, crop_detections } } = this;
    const first = { ...await this.detector.look(picture, place.box, place.angle), angle: place.angle };
    const measured = bodyAngle(first, this.facts) ?? place.angle;
    const doubts = person ? person.doubts(first, measured, time)
      : first.score < orientation.SURE || place.angle !== 0 || Math.abs(measured) > orientation.LEANING;
    if (!doubts) return first;
    if (person) person.compared = time;
    let best = first, worth = first.score;
    for (const angle of otherAngles(place.angle, measured, constants)) {
      const found = { ...await this.detector.look(picture, turned(place, angle).box, angle), angle };
      const its = found.score - (person && apart(angle, measured) > orientation.LEANING ? crop_detections.CONVINCING : 0);
      if (its > worth) [best, worth] = [found, its];
    }
    return best;
  }

  /** Somebody new, who is also followed backwards to the first frame that shows them. */
  async begin(found, time) {
    const back = new Followed(found, found.boxScore, -time, this.facts), who = new Followed(found, found.boxScore, time, this.facts);
    for (const kept of [...this.recent].reverse()) {
      const earlier = await this.lookAt(kept.picture, back.expected(-kept.time), back, -kept.time);
      if (!back.recognises(earlier)) break;
      const there = kept.frame.people.map(({ pixels, scores, box, score }) => ({ points: pixels, scores, box, score }));
      if (there.some((other) => alike(earlier, other, this.constants))) break;
      kept.frame.people.push(detection(earlier, found.boxScore, who));
      back.update(earlier, -kept.time);
    }
    return who;
  }
}

/** Somebody in a frame, as the tracker takes them. */
const detection = ({ points, scores, box }, score, who) => ({ pixels: Float32Array.from(points), scores: Float32Array.from(scores), box, score, who });
