// How long a stage still takes, in words.

export class TimeLeft {
  /** @param name of the stage. @param share of it that is done, 0 to 1 */
  words(name, share) {
    const now = performance.now();
    if (name !== this.name) Object.assign(this, { name, begun: now });
    const seconds = (now - this.begun) / 1000, early = share < .02;
    const percent = `${early ? (100 * share).toFixed(1) : Math.floor(100 * share)} %`;
    // Of a long video, even 2 % take minutes.
    if (!share || seconds < (early ? 10 : 1.5)) return percent;
    const left = seconds * (1 - share) / share;
    return `${percent} · ${left < 1.5 ? "a second" : left < 90 ? `${Math.round(left)} s` : `${Math.round(left / 60)} min`} left`;
  }
}
