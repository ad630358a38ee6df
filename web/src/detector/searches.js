// When and how whole pictures are searched for people, as poselift/finding/searches.py has it, without tiles for crowds.

import { rounded } from "../numbers/times.js";
import { shrunk } from "./crop.js";
import { sizeOf } from "./duplicates.js";

/** @typedef {{fine: boolean, turns: number[]}} Search  with or without the fine pass; quarter turns of the picture */

export class Searches {
  fine = true;
  changed = -Infinity;
  last = -Infinity;
  upcoming = -Infinity;
  upcomingTurned = null;
  lost = -Infinity;
  lostTurn = 0;
  turns = 0;

  /** @param facts of numbers.json */
  constructor({ pace, constants }) {
    Object.assign(this, { rate: pace.searches, constants: constants.searches, changes: new Changes(constants.picture_changes) });
  }

  /**
   * The search that begins with a frame, or null.
   * @param pixels gives the picture; it is only asked for where a search may be due. @param people who are followed
   * @returns {Promise<Search|null>}
   */
  async choose(time, pixels, people) {
    const boxes = people.map((person) => person.expectedBox(time)), search = await this.next(time, pixels, boxes, people);
    if (search?.turns.includes(0)) {
      this.changes.noteSearch(await pixels(), boxes);
      this.last = time;
    }
    return search;
  }

  async next(time, pixels, boxes, people) {
    const { TURNED, LOST, LIVELY, RETRY, QUIET } = this.constants;
    if (this.upcomingTurned === null) { // the first search of all
      Object.assign(this, { changed: time, upcoming: time + 1 / this.rate, upcomingTurned: time + TURNED, fine: false });
      return { fine: true, turns: [0, 1, 2, 3] };
    }
    const late = time - this.upcomingTurned;
    // In the pause after a coarse one, so that no newcomer waits for it, if frames are dense enough for pauses.
    if (late >= 0 && this.fine && (time < this.upcoming || this.lostTurn || late > TURNED)) {
      this.upcomingTurned = time + TURNED;
      return { fine: true, turns: [this.turn(people)] };
    }
    if (time < this.upcoming) return null;
    const retry = time < this.lost + LOST, quiet = !retry && !people.some(({ misses }) => misses) && time >= this.changed + LIVELY;
    const changed = this.changes.hasChanged(await pixels(), boxes);
    this.upcoming = time + (retry ? RETRY : 1 / this.rate);
    if (changed) this.changed = time;
    else if (quiet && time < this.last + QUIET) return null;
    // The first of those that follow a change is fine, and so is each without a change.
    const fine = this.fine || quiet;
    this.fine = !this.fine || quiet && !changed;
    return { fine, turns: [0] };
  }

  /** Somebody was lost: searches come sooner. */
  noteLoss(person, time) {
    const { RETRY } = this.constants, upcomingTurned = person.quarter ? time : Math.max(this.upcomingTurned || time, time + 2 * RETRY);
    Object.assign(this, { lost: time, fine: true, upcoming: Math.min(this.upcoming, time + RETRY), lostTurn: person.quarter, upcomingTurned });
  }

  /** Quarter turns of the next search: of somebody who was lost, else of those in doubt, else the next. */
  turn(people) {
    const lost = this.lostTurn, doubted = people.find(({ quarter, misses }) => quarter && misses);
    this.lostTurn = 0;
    return lost || (doubted ? doubted.quarter : [1, 3, 2][this.turns++ % 3]);
  }
}

/** Whether pictures show something new beside the people who are followed (poselift/finding/picture_changes.py). */
class Changes {
  searched = null;

  constructor(constants) { this.constants = constants; }

  noteSearch(picture, boxes) {
    this.searched = this.cellsOf(picture);
    this.taken = this.covered(boxes, picture, this.searched);
  }

  hasChanged(picture, boxes) {
    const cells = this.cellsOf(picture), { searched, constants: { DIFFERENT, ENOUGH } } = this, { width, height } = cells;
    if (!searched || searched.width !== width || searched.height !== height) return true;
    const covered = this.covered(boxes, picture, cells), different = covered.map((flag, cell) =>
      !flag && !this.taken[cell] && [0, 1, 2].some((k) => Math.abs(cells.colors[3 * cell + k] - searched.colors[3 * cell + k]) > DIFFERENT) ? 1 : 0);
    for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) {
      let near = 0;
      for (let row = Math.max(0, y - 1); row <= Math.min(height - 1, y + 1); row++)
        for (let column = Math.max(0, x - 1); column <= Math.min(width - 1, x + 1); column++) near += different[row * width + column];
      if (near >= ENOUGH) return true;
    }
    return false;
  }

  /** The mean colors of the cells of a picture. */
  cellsOf(picture) {
    const { CELLS, ACROSS } = this.constants, longer = Math.max(picture.width, picture.height), scale = Math.min(1, CELLS / longer);
    const [width, height] = [picture.width, picture.height].map((size) => Math.max(1, rounded(size * scale)));
    return { width, height, colors: shrunk(picture, Math.max(1, Math.floor(longer / (CELLS * ACROSS))), width, height) };
  }

  /** The cells that boxes with their margin touch. */
  covered(boxes, picture, { width, height }) {
    const flags = new Uint8Array(width * height);
    for (const box of boxes) {
      const margin = this.constants.MARGIN * Math.max(0, sizeOf(box)), across = width / picture.width, down = height / picture.height;
      const [left, top] = [Math.floor((box[0] - margin) * across), Math.floor((box[1] - margin) * down)].map((edge) => Math.max(0, edge));
      const right = Math.min(width, Math.ceil((box[2] + margin) * across)), bottom = Math.min(height, Math.ceil((box[3] + margin) * down));
      for (let y = top; y < bottom; y++) for (let x = left; x < right; x++) flags[y * width + x] = 1;
    }
    return flags;
  }
}
