// The editor of the page: frames to look at, keypoints to drag, and the motion that follows.

import { byId, download, element } from "../viewer/elements.js";
import { penOver } from "../viewer/overlay.js";
import { lastBefore } from "../viewer/places.js";
import { content, note, pause, seek, show, state } from "../viewer/player.js";
import { History } from "./edits.js";
import { rankFrames } from "./rank.js";

const LISTED = 20;
/** CSS pixels within which a keypoint is grasped. */
const REACH = 18;
const WHY = { misfit: "the distance of the joint from its keypoint, as a multiple of its median", uncertainty: "the radius that holds the joint in 90 % of cases, as a multiple of its median",
  jumps: "the mean distance of the keypoint from the way between the frames before and after", missing: "no keypoint here, but before and after",
  exchanged: "with left and right exchanged, the keypoints here fit to the frames before and after" };
/** Largest zoom, and the step of a key. */
const NEAREST = 8, CLOSER = 1.5;
let session = null, history, drag = null, from = null, busy = null, wanted = false, canvas = null, loop = 0;
/** The part of the picture that is shown large: its zoom, and CSS pixels from the pane's corner to that of the picture. */
let zoom = { by: 1, x: 0, y: 0 };
/** Whether a joint was chosen in the list and not yet grasped: a hidden one goes where the pointer is. */
let picked = false;
/** The history whose motion is shown, and the edits that were saved last. */
let sound, saved;

/** Number of the chosen person; the session may have others already, while they are lifted. */
const person = () => content.people[state.person].id;
/** Undefined while somebody who was deleted is still shown. */
const track = () => history.state.tracks.get(person());
const words = (name) => name.replaceAll("_", " ");
/** The moment of the picture by the clock of the tracks, and the chosen person's frame there; -1 outside. */
const now = () => state.picture + session.times[0];
function frameNow() {
  if (!track()) return -1;
  const { times } = track(), frame = lastBefore(times, now());
  return frame === times.length - 1 && now() > times[frame] + .05 ? -1 : frame;
}

/** Starts on a session whose people are shown. */
export function openEditor(opened) {
  session = opened;
  [drag, from, wanted] = [null, null, false];
  history = new History({ tracks: session.tracks, heights: session.heights, fov: session.settings.fov });
  [sound, saved] = [history.kept(), []];
  if (!canvas) build();
  byId("joint").replaceChildren(...track().joints.map((name) => element("option", { value: name }, words(name))));
  turn(false);
  refresh();
}

/** Ends with the session. */
export function closeEditor() { [session, wanted] = [null, false]; }

/** Whether there are corrections that were not saved. */
export const unsaved = () => session !== null && (history.done.length !== saved.length || history.done.some((edit, i) => edit !== saved[i]));

/** Turns dragging on or off. */
function turn(on) {
  byId("correct").setAttribute("aria-pressed", on);
  canvas.hidden = byId("correcting").hidden = !on;
  enlarge(1, 0, 0);
  if (!on) return;
  pause();
  cancelAnimationFrame(loop);
  loop = requestAnimationFrame(draw);
}

/** Shows the picture larger by a factor about a place in the pane, CSS pixels; the whole picture again below 1. */
function enlarge(by, x, y) {
  const next = Math.min(NEAREST, by), pane = canvas.parentElement, fits = (at, side) => Math.min(0, Math.max(side * (1 - next), at));
  zoom = next <= 1 ? { by: 1, x: 0, y: 0 } : { by: next,
    x: fits(x - (x - zoom.x) * next / zoom.by, pane.clientWidth), y: fits(y - (y - zoom.y) * next / zoom.by, pane.clientHeight) };
  pane.style.overflow = zoom.by > 1 ? "hidden" : "";
  for (const layer of [byId("video"), byId("overlay"), canvas])
    Object.assign(layer.style, { transformOrigin: "0 0", transform: zoom.by > 1 ? `translate(${zoom.x}px, ${zoom.y}px) scale(${zoom.by})` : "" });
}

/** Zooms about the pointer. */
function wheel(event) {
  event.preventDefault();
  const box = canvas.parentElement.getBoundingClientRect();
  enlarge(zoom.by * Math.exp(-event.deltaY / 300), event.clientX - box.left, event.clientY - box.top);
}

/** Zooms about the chosen keypoint, or the middle. */
function zoomByKey(factor) {
  const frame = frameNow(), box = canvas.parentElement.getBoundingClientRect(), own = canvas.getBoundingClientRect(), [width, height] = session.size;
  const scale = Math.min(own.width / width, own.height / height), at = frame < 0 ? -1 : 2 * (frame * track().joints.length + track().joints.indexOf(byId("joint").value));
  const [x, y] = at < 0 || Number.isNaN(track().pixels[at]) ? [width / 2, height / 2] : track().pixels.subarray(at, at + 2);
  enlarge(factor ? zoom.by * factor : 1, own.left - box.left + (own.width - scale * width) / 2 + scale * x, own.top - box.top + (own.height - scale * height) / 2 + scale * y);
}

/** Does something with the history; the motion follows if it changed. */
function change(act) {
  try {
    if (act() !== false) follow();
  } catch (error) { note(error.message); }
}

const edit = (what) => change(() => history.add(what)), undo = () => change(() => history.undo()), redo = () => change(() => history.redo());

/** Lifts what has changed; edits that come meanwhile are lifted together afterwards. */
function follow() {
  wanted = true;
  busy ??= catchUp().finally(() => { busy = null; });
}

async function catchUp() {
  while (wanted) {
    const mine = session, now = history.kept();
    const take = ({ state: { tracks, heights, fov } }) => { Object.assign(mine, { tracks, heights }); mine.settings.fov = fov; };
    wanted = false;
    byId("edited").textContent = "Lifting";
    take(now);
    try {
      await mine.lift();
      if (mine !== session) continue;
      sound = now;
      show(mine.content());
    } catch (error) {
      if (mine !== session) continue;
      // The motion before is still there. Another try may fail as well, so it is left to the user.
      wanted = false;
      history.restore(sound);
      take(sound);
      note(`This correction cannot be lifted: ${error.message}`);
    }
    if (!wanted) refresh();
  }
}

function refresh() {
  const count = history.done.length;
  byId("edited").textContent = count ? `${count} correction${count > 1 ? "s" : ""}` : "";
  byId("undo").disabled = !count;
  byId("redo").disabled = !history.undone.length;
  byId("save-corrected").disabled = !count;
  const frames = session.people.flatMap(({ motion, camera }) => rankFrames(motion, camera, session.site.constants)).sort((a, b) => b.worth - a.worth);
  byId("worst").replaceChildren(...frames.slice(0, LISTED).map((entry) => {
    const time = entry.time - session.times[0];
    const button = element("button", { title: Object.entries(WHY).find(([why]) => entry.says.includes(why))[1] },
      element("b", {}, `${time.toFixed(2)} s`), ` person ${entry.person}, ${words(entry.joint)} `, element("small", {}, entry.says));
    button.onclick = () => {
      choose(session.people.findIndex(({ motion }) => motion.person === entry.person));
      if (track().joints.includes(entry.joint)) { byId("joint").value = entry.joint; picked = true; }
      turn(true);
      seek(time);
    };
    return element("li", {}, button);
  }));
  mark(null);
  others();
}

/** The people with whom the chosen one can be joined; the next one is chosen. */
function others() {
  const all = [...history.state.tracks.keys()], before = Number(byId("other").value), rest = all.filter((number) => number !== person());
  byId("other").replaceChildren(...rest.map((number) => element("option", { value: number }, `person ${number}`)));
  byId("other").value = rest.includes(before) ? before : all[(all.indexOf(person()) + 1) % all.length];
  byId("join").disabled = byId("other").disabled = !rest.length;
}

/** Chooses a person as the chips do. */
function choose(index) {
  if (index !== state.person) byId("people").children[index].firstChild.click();
}

/** The span of an edit begins here; without a time, an edit is for one frame. */
function mark(time) {
  from = time;
  byId("mark").setAttribute("aria-pressed", time !== null);
  byId("mark").textContent = time === null ? "Span from here" : `Span from ${(time - session.times[0]).toFixed(2)} s`;
}

/** First and last moment of an edit. */
function span() {
  const here = track().times[Math.max(0, frameNow())], other = from ?? here;
  return { from: Math.min(here, other), to: Math.max(here, other) };
}

/** Pixels of the video at a place of the pointer, and CSS pixels for one of them. */
function placed(event) {
  const box = canvas.getBoundingClientRect(), [width, height] = session.size;
  const scale = Math.min(box.width / width, box.height / height);
  return { x: (event.clientX - box.left - (box.width - scale * width) / 2) / scale - .5,
    y: (event.clientY - box.top - (box.height - scale * height) / 2) / scale - .5, scale };
}

function grasp(event) {
  const frame = frameNow();
  if (frame < 0) return;
  const { x, y, scale } = placed(event), { joints, pixels, times } = track();
  const far = joints.map((_, joint) => scale * Math.hypot(pixels[2 * (frame * joints.length + joint)] - x, pixels[2 * (frame * joints.length + joint) + 1] - y));
  const known = far.filter(Number.isFinite), nearest = far.indexOf(Math.min(...known));
  const place = picked && !Number.isFinite(far[joints.indexOf(byId("joint").value)]);
  picked = false;
  drag = { person: person(), time: times[frame], x, y, beside: [0, 0], moved: false };
  if (!place && known.length && far[nearest] < REACH) {
    byId("joint").value = joints[nearest];
    [drag.x, drag.y] = pixels.subarray(2 * (frame * joints.length + nearest));
    drag.beside = [drag.x - x, drag.y - y];
  } else {
    // A hidden keypoint that is chosen in the list goes where the pointer is.
    drag.moved = !Number.isFinite(far[joints.indexOf(byId("joint").value)]);
    if (!drag.moved) { drag = null; return; }
  }
  drag.joint = byId("joint").value;
  canvas.setPointerCapture(event.pointerId);
}

/** Moves the grasped keypoint; it stays as far from the pointer as it was. */
function pull(event) {
  if (!drag) return;
  const { x, y } = placed(event), [across, down] = drag.beside, to = { x: x + across, y: y + down };
  drag.moved ||= Math.hypot(to.x - drag.x, to.y - drag.y) > 1e-3;
  Object.assign(drag, to);
}

/** The keypoints of the chosen person, with the one that is dragged where the pointer is. */
function draw() {
  if (canvas.hidden || document.body.dataset.stage !== "shown") return;
  loop = requestAnimationFrame(draw);
  const [pen, scale] = penOver(canvas, session.size), frame = frameNow();
  if (frame < 0 || state.playing) return;
  pen.lineWidth = 1.5 / scale / zoom.by;
  track().joints.forEach((name, joint) => {
    const at = 2 * (frame * track().joints.length + joint), chosen = name === byId("joint").value;
    const [x, y] = drag?.joint === name ? [drag.x, drag.y] : track().pixels.subarray(at, at + 2);
    if (Number.isNaN(x)) return;
    pen.beginPath(); pen.arc(x + .5, y + .5, (chosen ? 8 : 5) / scale / zoom.by, 0, 7);
    pen.fillStyle = name.startsWith("left_") ? "#8fd0ffcc" : name.startsWith("right_") ? "#ffb27acc" : "#ffffffcc";
    pen.fill();
    pen.strokeStyle = chosen ? "#fff" : "#000a"; pen.stroke();
  });
}

/** Moves the chosen keypoint by the keyboard. */
function nudge(x, y) {
  const frame = frameNow();
  if (frame < 0) return;
  const { joints, pixels, times } = track(), joint = byId("joint").value, at = 2 * (frame * joints.length + joints.indexOf(joint));
  if (Number.isFinite(pixels[at])) edit({ what: "move", person: person(), joint, time: times[frame], x: pixels[at] + x, y: pixels[at + 1] + y });
}

async function save() {
  while (busy) await busy; // so that the motion is that of the last correction
  if (!session) return;
  const done = [...history.done];
  download("corrected.zip", await session.corrected(done));
  saved = done;
}

/** Connects the editor with the document, once. */
function build() {
  canvas = element("canvas", { id: "handles", tabindex: 0, role: "img", "aria-label": "Keypoints. Drag one; or choose one in the list, and move it with the arrow keys." });
  byId("overlay").after(canvas);
  byId("transport").after(byId("editor")); // near the video, and only in this page
  canvas.onpointerdown = grasp;
  // After a drag, arrow keys go from frame to frame, whatever had the focus before.
  canvas.onmousedown = (event) => { event.preventDefault(); document.activeElement?.blur(); };
  canvas.addEventListener("wheel", wheel, { passive: false });
  byId("joint").onchange = byId("joint").onpointerdown = () => { picked = true; }; // the one that is shown can be chosen again
  byId("people").addEventListener("click", () => requestAnimationFrame(() => { if (session && track()) others(); }));
  canvas.onpointermove = pull;
  canvas.onpointerup = () => {
    if (!drag) return;
    const { person, joint, time, x, y, moved } = drag;
    drag = null;
    if (moved) edit({ what: "move", person, joint, time, x, y });
  };
  canvas.onpointercancel = () => { drag = null; };
  canvas.onkeydown = (event) => {
    const step = event.shiftKey ? 10 : 1, move = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] }[event.key];
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    nudge(...move);
  };
  document.addEventListener("keydown", (event) => {
    const factor = { "+": CLOSER, "-": 1 / CLOSER, 0: 0 }[event.key];
    if (!session || canvas.hidden || factor === undefined || event.ctrlKey || event.metaKey || /^(SELECT|INPUT)$/.test(event.target.tagName) && event.target.id !== "scrub") return;
    event.preventDefault();
    zoomByKey(factor);
  });
  document.addEventListener("keydown", (event) => {
    if (!session || canvas.hidden || !(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z" || event.target.type === "number") return;
    event.preventDefault();
    (event.shiftKey ? redo : undo)();
  });
  const ask = (id, what, name) => byId(id).onchange = ({ target }) => {
    if (target.value && target.reportValidity()) edit({ what, ...(what === "height" && { person: person() }), [name]: Number(target.value) });
    target.value = "";
  };
  ask("edit-height", "height", "metres");
  ask("edit-fov", "fov", "degrees");
  const clicks = {
    correct: () => turn(canvas.hidden),
    "hide-joint": () => edit({ what: "hide", person: person(), joint: byId("joint").value, ...span() }),
    swap: () => edit({ what: "swap", person: person(), ...span() }),
    mark: () => mark(from === null ? track().times[Math.max(0, frameNow())] : null),
    split: () => edit({ what: "split", person: person(), time: track().times[Math.max(0, frameNow())], other: Math.max(...history.state.tracks.keys()) + 1 }),
    join: () => {
      const other = Number(byId("other").value);
      if (other !== person()) edit({ what: "join", person: person(), other });
    },
    remove: () => history.state.tracks.size > 1 ? edit({ what: "delete", person: person() }) : note("This is the only person."),
  };
  for (const [id, act] of Object.entries(clicks)) byId(id).onclick = () => { if (track()) act(); };
  byId("undo").onclick = undo;
  byId("redo").onclick = redo;
  byId("save-corrected").onclick = () => save().catch((error) => note(`The corrections cannot be saved: ${error.message}`));
}
