/** Chooses the frames that are nearest to the ticks of a clock, whatever the frame rate (poselift/finding/qualities.py). */
export class Ticks {
  start = null;
  before = null;
  tick = -1;

  /** @param rate ticks a second */
  constructor(rate) { this.rate = rate; }

  /** Whether a frame is chosen. @param time of the frame, seconds */
  next(time) {
    this.start ??= this.before ??= time;
    const half = Math.min(time - this.before, 1 / this.rate) / 2, last = this.tick;
    this.before = time;
    this.tick = Math.floor((time + half - this.start) * this.rate + 1e-6);
    return this.tick > last;
  }
}
