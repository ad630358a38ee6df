// Shows motions beside their video, and keeps video, 3D view and curves at the same time.

import { Charts } from "./charts.js";
import { byId, element } from "./elements.js";
import { furtherViews } from "./further_views.js";
import { drawOverlay } from "./overlay.js";
import { lastBefore } from "./places.js";
import { savingButtons } from "./saving.js";
import { css, Scene, steer } from "./scene.js";

const ICONS = { play: "M8 5v14l11-7z", pause: "M6 5h4v14H6zm8 0h4v14h-4z",
  eye: "M12 5C6 5 2 12 2 12s4 7 10 7 10-7 10-7-4-7-10-7m0 11a4 4 0 1 1 0-8 4 4 0 0 1 0 8" };
/** `person` is the place of the chosen one in `content.people`; `hidden` has the numbers of people. */
export const state = { time: 0, picture: 0, playing: false, speed: 1, person: 0, hidden: new Set(),
  show: { skeleton: true, detections: false, uncertainty: true, follow: true } };
export const video = byId("video");
export let content, scene, charts, wanted = null, others = [];
let theme, dirty = true, clock = 0;

/** Puts a line above the views; without a text, takes it away. */
export function note(text) {
  byId("note").textContent = text ?? "";
  byId("note").hidden = !text;
}
const first = () => content.times[0];
const last = () => content.times[content.times.length - 1];
const hasVideo = () => Boolean(video.src) && !video.error;

/** Goes to a time, and takes the video there. */
export function seek(time) {
  state.time = Math.min(last(), Math.max(first(), time));
  dirty = true;
  for (const other of others) other.seek(state.time);
  if (!hasVideo()) { state.picture = state.time; return; }
  // The frame's own moment, a little later, so that no rounding shows the frame before.
  wanted = content.times[Math.max(0, lastBefore(content.times, state.time))] - content.video.start + 2e-3;
  if (!video.seeking) follow();
}

/** Seeks once the video has done with the seek before; otherwise it would never show a picture. */
function follow() {
  if (wanted === null || video.readyState === 0) return;
  video.currentTime = wanted;
  wanted = null;
}

/** Steps by frames of the clip. */
function step(frames) {
  pause();
  const at = Math.max(0, lastBefore(content.times, state.time));
  seek(content.times[Math.min(content.times.length - 1, Math.max(0, at + frames))]);
}

function play() {
  if (state.time >= last() - .01) seek(first());
  state.playing = true;
  clock = performance.now();
  if (hasVideo()) { video.playbackRate = state.speed; video.play().catch(() => pause()); }
  icon();
}

export function pause() {
  state.playing = false;
  video.pause();
  for (const other of others) { other.video.pause(); other.seek(state.time); }
  icon();
}

function icon() {
  const kind = state.playing ? "pause" : "play";
  byId("play").querySelector("path").setAttribute("d", ICONS[kind]);
  byId("play").setAttribute("aria-label", kind === "play" ? "Play" : "Pause");
  dirty = true;
}

/** The video shows the picture of a moment. */
function shown(seconds) {
  state.picture = content.video.start + seconds;
  if (state.playing && wanted === null && !video.seeking) state.time = Math.min(last(), Math.max(first(), state.picture));
  dirty = true;
}

function tick(now) {
  if (state.playing && !hasVideo()) {
    state.time = state.picture = Math.min(last(), state.time + (now - clock) / 1000 * state.speed);
    dirty = true;
    if (state.time >= last()) pause();
  }
  clock = now;
  if (state.playing) for (const other of others) other.keepUp(state);
  if (dirty) { dirty = false; draw(); }
  requestAnimationFrame(tick);
}

function draw() {
  const { time } = state, frame = Math.max(0, lastBefore(content.times, time));
  scene.draw(time, theme);
  drawOverlay(byId("overlay"), content, state, state.picture);
  for (const other of others) other.draw(state);
  charts.move(time);
  byId("line").querySelector(".cursor").style.left = `${100 * (time - first()) / Math.max(last() - first(), 1e-3)}%`;
  const scrub = byId("scrub");
  scrub.value = frame;
  scrub.setAttribute("aria-valuetext", `${time.toFixed(2)} seconds`);
  const small = element("small", {}, `frame ${frame + 1} of ${content.times.length}`);
  byId("clock").replaceChildren(`${time.toFixed(2)} / ${last().toFixed(2)} s`, small);
}

/** When people are there, in their colours; pale where the lifter interpolated. */
function lanes() {
  const canvas = byId("lanes"), ratio = Math.min(devicePixelRatio || 1, 2), pen = canvas.getContext("2d");
  const wide = canvas.width = canvas.clientWidth * ratio, high = canvas.height = canvas.clientHeight * ratio;
  const span = Math.max(last() - first(), 1e-3), count = content.people.length, row = Math.min(12 * ratio, high / count);
  content.people.forEach((person, i) => {
    const y = (high - row * count) / 2 + row * i, thick = row * .55;
    // One bar for each run of frames that look alike.
    const look = (frame) => Number.isNaN(person.root[3 * frame]) ? 0 : person.gap[frame] ? .5 : 1;
    for (let from = 0, frame = 1; frame <= person.times.length; frame++) {
      const alpha = look(from);
      if (frame < person.times.length && look(frame) === alpha) continue;
      const left = (person.times[from] - first()) / span * wide;
      const next = person.times[frame] ?? person.times[frame - 1] + 1e-3;
      pen.globalAlpha = alpha * (state.hidden.has(person.id) ? .25 : 1);
      pen.fillStyle = css(person.color);
      pen.fillRect(left, y + (row - thick) / 2, Math.max(1, Math.ceil((next - first()) / span * wide - left)), thick);
      from = frame;
    }
  });
}

function recolor() {
  const style = getComputedStyle(document.documentElement);
  theme = Object.fromEntries(["sky", "ground", "grid", "shadow", "ink"].map((name) => [name, style.getPropertyValue(`--${name}`)]));
  charts.redraw();
  lanes();
  dirty = true;
}

/** Chips: one button chooses the person of the curves, the other hides the body. */
function people() {
  byId("people").replaceChildren(...content.people.map((person, i) => {
    const height = person.about.height?.metres;
    const choose = element("button", { "aria-pressed": i === state.person }, element("i"),
      `Person ${person.id}`, height ? ` · ${height.toFixed(2)} m` : "");
    choose.onclick = () => { state.person = i; people(); charts.build(); dirty = true; byId("people").children[i].firstChild.focus(); };
    const hide = element("button", { "aria-pressed": !state.hidden.has(person.id), "aria-label": `Show person ${person.id}` });
    hide.innerHTML = `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${ICONS.eye}"/></svg>`;
    hide.onclick = () => {
      if (!state.hidden.delete(person.id)) state.hidden.add(person.id);
      scene.frame(); people(); lanes(); dirty = true; byId("people").children[i].lastChild.focus();
    };
    return element("span", { class: i === state.person ? "on" : "", style: `--person: ${css(person.color)}` }, choose, hide);
  }));
  const { times, interpolated, about, uncertainty } = content.people[state.person];
  const facts = [`${times[0].toFixed(2)} to ${times[times.length - 1].toFixed(2)} s`];
  const bridged = interpolated.reduce((sum, value) => sum + value, 0);
  if (bridged) facts.push(`${bridged} of ${times.length} frames interpolated`);
  if (about.height) {
    const { metres, spread, origin } = about.height;
    facts.push(`height ${metres.toFixed(2)}${spread ? ` ± ${(1.645 * spread).toFixed(2)}` : ""} m, ${origin}`);
  }
  if (uncertainty) facts.push("± holds a joint in 90 % of cases");
  byId("facts").textContent = facts.join(" · ");
}

function controls() {
  byId("play").onclick = () => state.playing ? pause() : play();
  byId("speed").onchange = (event) => { video.playbackRate = state.speed = Number(event.target.value); };
  for (const button of document.querySelectorAll("[data-show]")) button.onclick = () => {
    const key = button.dataset.show;
    state.show[key] = !state.show[key];
    button.setAttribute("aria-pressed", state.show[key]);
    charts.redraw();
    dirty = true;
  };
  for (const button of document.querySelectorAll("[data-view]")) button.onclick = () => {
    const [yaw, pitch] = button.dataset.view.split(",").map((degrees) => degrees * Math.PI / 180);
    Object.assign(scene, { yaw, pitch });
    dirty = true;
  };
  const line = byId("line"), scrub = byId("scrub");
  const drag = (event) => {
    const box = line.getBoundingClientRect();
    pause();
    seek(first() + (last() - first()) * (event.clientX - box.left) / box.width);
  };
  line.onpointerdown = (event) => { line.setPointerCapture(event.pointerId); drag(event); };
  line.onpointermove = (event) => { if (line.hasPointerCapture(event.pointerId)) drag(event); };
  scrub.oninput = () => { pause(); seek(content.times[scrub.value]); };
  // After a click, the space bar plays again instead of repeating the click.
  document.addEventListener("click", (event) => { if (event.detail && event.target.closest("button")) document.activeElement.blur(); });
  document.addEventListener("keydown", (event) => {
    if (!byId("transport").offsetParent) return; // nothing is shown yet
    if (event.ctrlKey || event.metaKey || event.altKey || /^(SELECT|INPUT)$/.test(event.target.tagName) && event.target.id !== "scrub") return;
    const button = event.target.tagName === "BUTTON";
    const second = Math.round((content.times.length - 1) / Math.max(last() - first(), 1e-3)), by = event.shiftKey ? second : 1;
    const keys = { ArrowLeft: () => step(-by), ArrowRight: () => step(by), Home: () => step(-1e9), End: () => step(1e9) };
    if (!button) keys[" "] = byId("play").onclick;
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  steer(scene, () => { dirty = true; });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolor);
  new ResizeObserver(() => { lanes(); dirty = true; }).observe(line);
  for (const id of ["scene", "overlay"]) new ResizeObserver(() => { dirty = true; }).observe(byId(id));
}

/** Follows what the video does. */
function film() {
  video.addEventListener("error", () => {
    if (!content || !video.src) return;
    // A damaged video has a note already.
    if (byId("note").hidden) note("The video cannot be played here" + (content.video.file ? `; keep ${content.video.file} beside this page.` : "."));
    state.picture = state.time;
    dirty = true;
  });
  video.addEventListener("seeked", () => { if (content) { shown(video.currentTime); follow(); } });
  video.addEventListener("loadedmetadata", follow);
  video.addEventListener("ended", () => {
    if (wanted === null) { pause(); seek(last()); }
    else { follow(); video.play().catch(() => pause()); } // it came to its end before a seek back was done
  });
  if (video.requestVideoFrameCallback) {
    const next = (_, { mediaTime }) => { if (content) shown(mediaTime); video.requestVideoFrameCallback(next); };
    video.requestVideoFrameCallback(next);
  } else video.addEventListener("timeupdate", () => content && shown(video.currentTime));
}

/** Connects the views with the document, once. */
function build() {
  scene = new Scene(byId("scene"), state);
  charts = new Charts(state, (time) => { pause(); seek(time); });
  controls();
  film();
  requestAnimationFrame(tick);
}

/**
 * Shows motions; again after they have changed.
 *
 * @param next what data.js reads: the clip's times and size, its camera, and everybody's arrays.
 * @param source address of the video; none for a motion alone, and left out to keep the video that is there.
 * @param further addresses of the further videos.
 */
export function show(next, source, further = []) {
  const again = content && source === undefined, chosen = content?.people[state.person].id;
  content = next;
  if (!scene) build();
  others = furtherViews(content, further, () => { dirty = true; });
  if (!again) {
    Object.assign(state, { person: 0, hidden: new Set(), time: first(), picture: first() });
    if (source) video.src = source;
  }
  else {
    const place = content.people.findIndex(({ id }) => id === chosen);
    state.person = place < 0 ? Math.min(state.person, content.people.length - 1) : place;
  }
  byId("scrub").max = content.times.length - 1;
  scene.show(content);
  people();
  charts.show(content);
  savingButtons(content, state, note);
  seek(state.time);
  recolor();
}
