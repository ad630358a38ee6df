// Further videos of the same moment, each with everybody reprojected, under the time of the first one.

import { byId, element } from "./elements.js";
import { prepareHands } from "./hands.js";
import { drawOverlay } from "./overlay.js";
import { prepare } from "./places.js";

/** Seconds by which a playing video may be off before it is taken to the time. */
const APART = .08;

class FurtherView {
  constructor(content, view, number, source, changed) {
    const { name, size, camera } = view;
    this.content = { size, people: content.people.map((person) => seenBy(person, { ...content, camera }, number)) };
    Object.assign(this, view.video, { picture: 0, wanted: null, changed });
    this.video = element("video", { playsinline: "", preload: "auto", disablepictureinpicture: "" });
    this.video.muted = true;
    this.canvas = element("canvas", { "aria-hidden": "true" });
    this.pane = element("section", { class: "pane film", "aria-label": `Video of ${name} with the reprojected skeleton`,
      style: `--aspect: ${size[0] / size[1]}; aspect-ratio: var(--aspect)` }, this.video, this.canvas, element("span", {}, name));
    const shown = (seconds) => { this.picture = this.start + this.rate * seconds; changed(); };
    this.video.addEventListener("seeked", () => { shown(this.video.currentTime); this.follow(); });
    this.video.addEventListener("loadedmetadata", () => this.follow());
    if (this.video.requestVideoFrameCallback) {
      const next = (_, { mediaTime }) => { shown(mediaTime); this.video.requestVideoFrameCallback(next); };
      this.video.requestVideoFrameCallback(next);
    } else this.video.addEventListener("timeupdate", () => shown(this.video.currentTime));
    new ResizeObserver(changed).observe(this.canvas);
    this.video.src = source;
  }

  /** Seconds of the video at a time; a little later, so that no rounding shows the frame before. */
  at(time) { return (time - this.start) / this.rate + 2e-3; }

  seek(time) {
    this.wanted = Math.max(0, this.at(time));
    if (!this.video.seeking) this.follow();
  }

  follow() {
    if (this.wanted === null || this.video.readyState === 0) return;
    this.video.currentTime = Math.min(this.wanted, this.video.duration);
    this.wanted = null;
  }

  /** Plays along where the video has the time. */
  keepUp({ time, speed }) {
    const { video } = this, at = this.at(time);
    video.playbackRate = speed / this.rate;
    if (at < 0 || at >= video.duration) return;
    if (Math.abs(video.currentTime - at) > APART && !video.seeking) video.currentTime = at;
    if (video.paused) video.play().catch(() => {});
  }

  draw(state) {
    drawOverlay(this.canvas, this.content, state, this.picture);
  }
}

/** A person with the pixels of another camera, and what the detector saw in its video, by the number of the video. */
function seenBy(person, content, number) {
  const seen = Object.create(person), keypoints = person[`keypoints_${number}`];
  Object.assign(seen, keypoints ? { keypoints, scores: person[`scores_${number}`] } : { points: [], lines: [] });
  prepare(seen, content);
  if (person.hands) {
    seen.hands = Object.create(person.hands);
    prepareHands(seen, content);
    Object.assign(seen.hands, { points: [], lines: [] }); // fingers are seen in the first video alone
  }
  return seen;
}

/**
 * Shows further videos beside the first one.
 *
 * @param content what data.js reads.
 * @param sources address of each further video.
 * @param changed is called when there is something new to draw.
 */
export function furtherViews(content, sources, changed) {
  const films = byId("films"), views = (content.views ?? []).map((view, i) => new FurtherView(content, view, i + 2, sources[i], changed));
  for (const pane of films.querySelectorAll(".film")) pane.remove();
  films.append(...views.map(({ pane }) => pane));
  const main = films.parentElement, columns = Math.ceil(Math.sqrt(views.length + 1)), rows = Math.ceil((views.length + 1) / columns);
  main.classList.toggle("several", views.length > 0);
  main.style.setProperty("--rows", rows);
  const aspects = [content, ...views.map(({ content: own }) => own)].map(({ size }) => size[0] / size[1]);
  byId("film").style.setProperty("--aspect", aspects[0]);
  // The widest row, with the gaps of its panes.
  const wide = Math.max(...Array.from({ length: rows }, (_, row) => aspects.slice(row * columns, (row + 1) * columns).reduce((a, b) => a + b, 0)));
  main.style.setProperty("--aspect", wide / rows + .015 * columns);
  return views;
}
