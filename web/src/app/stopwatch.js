// Seconds that stages take.

export class Stopwatch {
  seconds = {};

  /** The answer of an action, whose time counts for a stage. */
  async time(stage, action) {
    const begun = performance.now();
    try { return await action(); } finally { this.seconds[stage] = (this.seconds[stage] ?? 0) + (performance.now() - begun) / 1000; }
  }
}
