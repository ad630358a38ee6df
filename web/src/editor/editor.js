// The editor of the page: frames to look at, keypoints to drag, and the motion that follows.

import { byId, element } from "../viewer/elements.js";
import { lastBefore } from "../viewer/places.js";
import { note, pause, seek, show, state } from "../viewer/player.js";
import { History } from "./edits.js";
import { rankFrames } from "./rank.js";

const LISTED = 20;
/** CSS pixels within which a keypoint is grasped. */
const REACH = 18;
let session = null, history, drag = null, from = null, busy = null, wanted = false, canvas = null;

const person = () => session.people[state.person].motion.person;
const track = () => history.state.tracks.get(person());
const words = (name) => name.replaceAll("_", " ");
/** The moment of the picture by the clock of the tracks, and the chosen person's frame there; -1 outside. */
const now = () => state.picture + session.times[0];
function frameNow() {
  const { times } = track(), frame = lastBefore(times, now());
  return frame === times.length - 1 && now() > times[frame] + .05 ? -1 : frame;
}

/** Starts on a session whose people are shown. */
export function openEditor(opened) {
  session = opened;
  [drag, from, wanted] = [null, null, false];
  history = new History({ tracks: session.tracks, heights: session.heights, fov: session.settings.fov });
  if (!canvas) build();
  byId("joint").replaceChildren(...track().joints.map((name) => element("option", { value: name }, words(name))));
  turn(false);
  refresh();
}

/** Turns dragging on or off. */
function turn(on) {
  byId("correct").setAttribute("aria-pressed", on);
  canvas.hidden = byId("correcting").hidden = !on;
  if (on) { pause(); requestAnimationFrame(draw); }
}

/** Does an edit; the motion follows. */
function edit(what) {
  try {
    history.add(what);
    follow();
  } catch (error) { note(error.message); }
}

/** Lifts what has changed; edits that come meanwhile are lifted together afterwards. */
function follow() {
  wanted = true;
  return busy ??= catchUp().finally(() => { busy = null; });
}

async function catchUp() {
  const mine = session;
  while (wanted && mine === session) {
    wanted = false;
    byId("edited").textContent = "Lifting";
    Object.assign(mine, { tracks: history.state.tracks, heights: history.state.heights });
    mine.settings.fov = history.state.fov;
    try {
      await mine.lift();
    } catch (error) {
      if (mine !== session) return;
      history.undo(); // what cannot be lifted is not kept
      history.undone.pop();
      note(error.message);
      wanted = true;
    }
  }
  if (mine !== session) return;
  show(session.content());
  refresh();
}

function refresh() {
  const count = history.done.length;
  byId("edited").textContent = count ? `${count} correction${count > 1 ? "s" : ""}` : "";
  byId("undo").disabled = !count;
  byId("redo").disabled = !history.undone.length;
  byId("save-corrected").disabled = !count;
  const frames = session.people.flatMap(({ motion }) => rankFrames(motion, session.camera)).sort((a, b) => b.worth - a.worth);
  byId("worst").replaceChildren(...frames.slice(0, LISTED).map((entry) => {
    const time = entry.time - session.times[0];
    const button = element("button", { title: `${entry.worth.toFixed(1)} times the usual ${entry.why}` },
      element("b", {}, `${time.toFixed(2)} s`), ` person ${entry.person}, ${words(entry.joint)} `, element("small", {}, `${entry.worth.toFixed(1)} × ${entry.why}`));
    button.onclick = () => {
      choose(session.people.findIndex(({ motion }) => motion.person === entry.person));
      if (track().joints.includes(entry.joint)) byId("joint").value = entry.joint;
      turn(true);
      seek(time);
    };
    return element("li", {}, button);
  }));
  mark(null);
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
  const frame = frameNow(), { x, y, scale } = placed(event), { joints, pixels, times } = track();
  if (frame < 0) return;
  const far = joints.map((_, joint) => scale * Math.hypot(pixels[2 * (frame * joints.length + joint)] - x, pixels[2 * (frame * joints.length + joint) + 1] - y));
  const known = far.filter(Number.isFinite), nearest = far.indexOf(Math.min(...known));
  // A hidden keypoint that is chosen in the list goes where the pointer is.
  const hidden = !Number.isFinite(far[joints.indexOf(byId("joint").value)]);
  if (known.length && far[nearest] < REACH) byId("joint").value = joints[nearest];
  else if (!hidden) return;
  drag = { person: person(), joint: byId("joint").value, time: times[frame], x, y };
  canvas.setPointerCapture(event.pointerId);
}

/** The keypoints of the chosen person, with the one that is dragged where the pointer is. */
function draw() {
  if (canvas.hidden || document.body.dataset.stage !== "shown") return;
  requestAnimationFrame(draw);
  const ratio = Math.min(devicePixelRatio || 1, 2), [width, height] = session.size, pen = canvas.getContext("2d");
  const wide = Math.round(canvas.clientWidth * ratio), high = Math.round(canvas.clientHeight * ratio);
  if (canvas.width !== wide || canvas.height !== high) Object.assign(canvas, { width: wide, height: high });
  const scale = Math.min(wide / width, high / height), frame = track() ? frameNow() : -1;
  pen.setTransform(1, 0, 0, 1, 0, 0);
  pen.clearRect(0, 0, wide, high);
  if (frame < 0 || state.playing) return;
  pen.setTransform(scale, 0, 0, scale, (wide - scale * width) / 2, (high - scale * height) / 2);
  pen.lineWidth = 1.5 * ratio / scale;
  track().joints.forEach((name, joint) => {
    const at = 2 * (frame * track().joints.length + joint), chosen = name === byId("joint").value;
    const [x, y] = drag?.joint === name ? [drag.x, drag.y] : track().pixels.subarray(at, at + 2);
    if (Number.isNaN(x)) return;
    pen.beginPath(); pen.arc(x + .5, y + .5, (chosen ? 8 : 5) * ratio / scale, 0, 7);
    pen.fillStyle = name.startsWith("left_") ? "#8fd0ffcc" : name.startsWith("right_") ? "#ffb27acc" : "#ffffffcc";
    pen.fill();
    pen.strokeStyle = chosen ? "#fff" : "#000a"; pen.stroke();
  });
}

/** Moves the chosen keypoint by the keyboard. */
function nudge(x, y) {
  const frame = frameNow(), { joints, pixels, times } = track(), joint = byId("joint").value;
  const at = 2 * (frame * joints.length + joints.indexOf(joint));
  if (frame >= 0 && Number.isFinite(pixels[at])) edit({ what: "move", person: person(), joint, time: times[frame], x: pixels[at] + x, y: pixels[at + 1] + y });
}

async function save() {
  const bytes = await session.corrected(history.done);
  const link = element("a", { href: URL.createObjectURL(new Blob([bytes])), download: "corrected.zip" });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/** Connects the editor with the document, once. */
function build() {
  canvas = element("canvas", { id: "handles", tabindex: 0, role: "img", "aria-label": "Keypoints. Drag one; or choose one in the list, and move it with the arrow keys." });
  byId("overlay").after(canvas);
  byId("transport").after(byId("editor")); // near the video, and only in this page
  canvas.onpointerdown = grasp;
  canvas.onpointermove = (event) => { if (drag) Object.assign(drag, placed(event)); };
  canvas.onpointerup = () => {
    if (!drag) return;
    const { person, joint, time, x, y } = drag;
    drag = null;
    edit({ what: "move", person, joint, time, x, y });
  };
  canvas.onpointercancel = () => { drag = null; };
  canvas.onkeydown = (event) => {
    const step = event.shiftKey ? 10 : 1, move = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] }[event.key];
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    nudge(...move);
  };
  const undo = () => { history.undo(); follow(); }, redo = () => { history.redo(); follow(); };
  document.addEventListener("keydown", (event) => {
    if (canvas.hidden || !(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z" || event.target.tagName === "INPUT") return;
    event.preventDefault();
    (event.shiftKey ? redo : undo)();
  });
  const ask = (id, what, name) => byId(id).onchange = ({ target }) => {
    if (target.value) edit({ what, ...(what === "height" && { person: person() }), [name]: Number(target.value) });
    target.value = "";
  };
  ask("edit-height", "height", "metres");
  ask("edit-fov", "fov", "degrees");
  const clicks = {
    correct: () => turn(canvas.hidden),
    "hide-joint": () => edit({ what: "hide", person: person(), joint: byId("joint").value, ...span() }),
    swap: () => edit({ what: "swap", person: person(), ...span() }),
    mark: () => mark(from === null ? track().times[Math.max(0, frameNow())] : null),
    undo, redo,
    split: () => edit({ what: "split", person: person(), time: track().times[Math.max(0, frameNow())], other: Math.max(...history.state.tracks.keys()) + 1 }),
    join: () => {
      const others = [...history.state.tracks.keys()], next = others[(others.indexOf(person()) + 1) % others.length];
      edit({ what: "join", person: person(), other: next });
    },
    remove: () => history.state.tracks.size > 1 ? edit({ what: "delete", person: person() }) : note("This is the only person."),
    "save-corrected": () => save().catch((error) => note(`The corrections cannot be saved: ${error.message}`)),
  };
  for (const [id, act] of Object.entries(clicks)) byId(id).onclick = act;
}
