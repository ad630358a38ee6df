// Where and when the detector looks: crop detections follow people, and searches of the picture find newcomers.
// As poselift/finding has it, but without tiles for crowds.

import { alike, overlap, sizeOf, unionShare, withoutDuplicates } from "./duplicates.js";
import { Followed, turned } from "./followed.js";
import { apart, bodyAngle, otherAngles } from "./orientation.js";
import { agreement, claimedJoints, doubtfulJoints, paintOut, touch, without } from "./overlapping.js";
import { Searches } from "./searches.js";
import { Ticks } from "./ticks.js";

export class Finder {
  /** @param detector a MoveNet. @param facts of numbers.json. @param second crop detections of a second model, or null. @param hands a HandModel, or null */
  constructor(detector, facts, second = null, hands = null) {
    Object.assign(this, { detector, facts, second, hands, constants: facts.constants, people: [], frames: [], recent: [], ticks: new Ticks(facts.pace.rate), searches: new Searches(facts), running: null, size: null });
  }

  /**
   * Takes the next frame.
   *
   * @param time seconds.
   * @param pixels gives the picture; it is only asked for where the finder looks.
   * @param end whether it is the last one: then everybody is looked at.
   */
  async next(time, pixels, end = false) {
    const frame = { time, people: null };
    this.frames.push(frame);
    const last = this.ticks.tick, looks = this.ticks.next(time) || end;
    let asked = null;
    const read = () => asked ??= pixels();
    const how = this.running ? null : await this.searches.choose(time, read, this.people);
    if (how) await this.search(await read(), time, how);
    if (!looks) return;
    const picture = await read(), newcomers = this.newcomers(picture, time);
    this.size ??= { width: picture.width, height: picture.height };
    const { calm } = this.facts.pace, everybody = end || Math.floor(this.ticks.tick / calm) > Math.floor(last / calm) || newcomers.length > 0 || this.hands !== null; // hands move while a body is calm
    const due = this.people.filter((person) => everybody || !person.calm);
    if (!due.length && !everybody) return;
    frame.people = await this.look(picture, time, due, newcomers);
    await this.lookAgain(picture, frame);
    await this.lookAtHands(picture, frame);
    const { BACK, SPACING } = this.constants.backward_tracking;
    this.recent = this.recent.filter((kept) => kept.time > time - BACK);
    if (!(time < this.recent.at(-1)?.time + SPACING - 1e-6)) this.recent.push({ time, picture, frame });
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

  /** Searches the whole picture. The search is taken over as late as in Python, where it runs beside the detections. */
  async search(picture, time, how) {
    const { people, constants: { finder } } = this, takes = !how.turns.includes(0) ? finder.TURNED_TAKES : how.fine ? finder.FINE_TAKES : 0;
    const found = await this.detector.search(picture, how), due = time + (this.ticks.tick > 0 ? takes : 0);
    this.running = { found, how, due, people: people.map((person) => ({ person, box: person.found.box })) };
  }

  /** The people whom a search has found beside those who are followed; none where no search is due. */
  newcomers(picture, time) {
    const { running, constants, constants: { finder, searches } } = this, longer = Math.max(picture.width, picture.height);
    if (!running || time < running.due) return [];
    this.running = null;
    const { found, how, people } = running;
    for (const { person, box } of people) {
      const shares = found.map((each) => overlap(each.box, box)), again = found[shares.indexOf(Math.max(...shares))];
      if (Math.max(0, ...shares) > finder.FOUND) Object.assign(person, { misses: 0, boxScore: person.turned ? Math.max(again.score, person.score) : again.score });
      else if (how.turns.includes(person.quarter) && (how.fine || person.size > searches.LARGE * longer) && !this.crowded([...found, person.found], longer)) person.misses++;
    }
    return found.filter((one) => !people.some(({ person, box }) => unionShare(one.box, box) >= finder.SAME || alike(one, { ...person.found, box }, constants)));
  }

  /** Whether the search may miss people: somebody is small, or it found as many as it can. */
  crowded(people, longer) {
    const { MOST, DISTANT } = this.constants.multipose;
    return people.length >= MOST || people.some(({ box }) => sizeOf(box) < DISTANT * longer);
  }

  /** Looks at people in their places; those who were lost are no longer followed. */
  async look(picture, time, due, newcomers) {
    const { constants: { orientation } } = this, expected = due.map((person) => person.expected(time));
    const wanted = newcomers.map((newcomer) => {
      const angle = bodyAngle(newcomer, this.facts) ?? 0;
      return Math.abs(angle) > orientation.LEANING ? turned(newcomer, angle) : { ...newcomer, angle: 0 };
    });
    const places = [...expected, ...wanted], others = this.people.filter((person) => !due.includes(person)).map((person) => person.expected(time)), found = [];
    for (const [row, place] of places.entries()) {
      const hidden = [...(row < due.length ? expected : places), ...others].filter((other) => other !== place);
      found.push(await this.lookAt(picture, place, hidden, due[row] ?? null, time));
    }
    const vouched = await this.second?.vouch(picture, time, found, due) ?? [];
    return this.keepSeen(found, due, wanted, newcomers, time, vouched);
  }

  /**
   * The people seen, each once; the lost are dropped.
   * @param found everybody in `due`, then the newcomers. @param places where a search found the newcomers
   * @param vouched rows of those whom the second model recognises
   */
  async keepSeen(found, due, places, newcomers, time, vouched) {
    const { constants, facts, constants: { finder } } = this, count = due.length, expected = due.map((person) => person.expected(time));
    const seen = found.map((each, row) => {
      if (row < count) return vouched.includes(row) || due[row].recognises(each);
      if (!(each.score >= (each.angle ? finder.NEW_TURNED : finder.NEW))) return false;
      const place = places[row - count], beside = this.people.some((person) => touch(place.box, person.expectedBox(time), constants));
      return !beside || agreement(each, place, constants) >= finder.AGREES && each.score >= finder.NEW_TURNED;
    });
    // Those who are followed come first: a newcomer may be one of them in another crop. Of two who are followed, and look
    // the same now, the one stays who was expected there.
    const worth = found.map((each, row) => row < count ? 1 + each.score * agreement(each, expected[row], constants) : each.score);
    const rows = withoutDuplicates([...found.keys()].filter((row) => seen[row]).map((row) => ({ ...found[row], row })), constants, worth.filter((_, row) => seen[row])).map(({ row }) => row);
    const where = rows.map((row) => expected[row]?.points ?? null), whole = rows.map((row) => found[row]), { lost, doubtful } = claimedJoints(whole, where, facts);
    const kept = whole.map((each, i) => without(each, lost[i])), gone = due.filter((_, row) => !rows.includes(row));
    const unseen = this.people.filter((person) => !rows.some((row) => due[row] === person)).map((person) => person.expected(time));
    doubtfulJoints(kept, where, unseen, facts).forEach((flags, i) => flags.forEach((flag, joint) => { doubtful[i][joint] |= flag; }));
    for (const person of gone) {
      const behind = rows.some((row) => touch(expected[due.indexOf(person)].box, found[row].box, constants));
      if (behind && time - person.time <= finder.HIDDEN) continue;
      this.people = this.people.filter((other) => other !== person);
      this.searches.noteLoss(person, time);
    }
    const people = [];
    for (const [i, row] of rows.entries()) {
      const person = due[row] ?? null, boxScore = newcomers[row - count]?.score;
      if (person) person.update(kept[i], time, lost[i]);
      const who = person ?? await this.begin(kept[i], boxScore, time);
      if (!person) this.people.push(who);
      // Who is followed goes on with all joints: a wrong doubt lasts no longer than its frame.
      const scores = kept[i].scores.map((score, joint) => doubtful[i][joint] ? Math.min(score, finder.DOUBTED) : score);
      people.push(detection({ ...kept[i], scores }, who.boxScore, who));
    }
    return people;
  }

  /** Somebody in a place, in a picture without the people who overlap. @param hidden places of others */
  async lookIn(picture, place, hidden) {
    const { constants } = this, near = hidden.filter(({ box }) => touch(place.box, box, constants)), tries = [];
    if (!near.length) return { ...await this.detector.look(picture, place.box, place.angle), angle: place.angle };
    for (const shared of [true, false]) {
      const { part, corner } = paintOut(picture, place, near, shared, this.facts), moved = (value, i) => value + corner[i % 2];
      const found = await this.detector.look(part, place.box.map((edge, i) => edge - corner[i % 2]), place.angle);
      tries.push({ ...found, points: found.points.map(moved), box: found.box.map(moved), angle: place.angle });
      if (agreement(tries.at(-1), place, constants) >= constants.crop_detections.FITS) break;
    }
    const fits = (found) => agreement(found, place, constants) * found.score;
    return tries.length > 1 && fits(tries[1]) > fits(tries[0]) ? tries[1] : tries[0];
  }

  /** Somebody in a place; where a crop leaves doubts, others at other angles follow, and the best score decides. */
  async lookAt(picture, place, hidden, person, time) {
    const { constants, constants: { orientation, crop_detections } } = this, first = await this.lookIn(picture, place, hidden);
    const measured = bodyAngle(first, this.facts) ?? place.angle;
    const doubts = person ? person.doubts(first, measured, time)
      : first.score < orientation.SURE || place.angle !== 0 || Math.abs(measured) > orientation.LEANING;
    if (!doubts) return first;
    if (person) person.compared = time;
    let best = first, worth = first.score;
    for (const angle of otherAngles(place.angle, measured, constants)) {
      const found = await this.lookIn(picture, turned(place, angle), hidden);
      const its = found.score - (person && apart(angle, measured) > orientation.LEANING ? crop_detections.CONVINCING : 0);
      if (its > worth) [best, worth] = [found, its];
    }
    return best;
  }

  /** Somebody new, who is also followed backwards to the first frame that shows them. */
  async begin(found, boxScore, time) {
    const { constants, facts } = this, who = new Followed(found, boxScore, time, facts), back = new Followed(found, who.boxScore, -time, facts);
    for (const kept of [...this.recent].reverse()) {
      const there = kept.frame.people.map(({ pixels, scores, box, score }) => ({ points: Float64Array.from(pixels), scores, box, score, angle: 0 }));
      const place = back.expected(-kept.time), earlier = await this.lookAt(kept.picture, place, there, back, -kept.time);
      if (!back.recognises(earlier) || agreement(earlier, place, constants) < constants.backward_tracking.SAME) break;
      if (there.some((other) => alike(earlier, other, constants))) break;
      const { lost } = claimedJoints([...there, earlier], [...there.map(({ points }) => points), null], facts), people = kept.frame.people;
      people.forEach((other, i) => Object.assign(other, (({ points, scores }) => ({ pixels: Float32Array.from(points), scores }))(without(there[i], lost[i]))));
      const shown = without(earlier, lost.at(-1));
      people.push(detection(shown, back.boxScore, who));
      back.update(earlier, -kept.time, lost.at(-1));
    }
    return who;
  }
}

/** Somebody in a frame, as the tracker takes them. */
const detection = ({ points, scores, box }, score, who) => ({ pixels: Float32Array.from(points), scores: Float32Array.from(scores), box, score, who });
