// The page: opens a video, follows the work, shows the people, and keeps itself for use without a network.

import { byId, download } from "../viewer/elements.js";
import { note, pause, show } from "../viewer/player.js";
import { openSeeked } from "../video/seeked.js";
import { drawPreview } from "./preview.js";
import { Session } from "./session.js";
import { TimeLeft } from "./time_left.js";
import { speaksAgainst } from "./refusal.js";
import { forgotten, remember } from "./unfinished.js";
import { Workroom } from "./workroom.js";
import { stopCamera, useCamera } from "./camera.js";
import { closeEditor, openEditor, unsaved } from "../editor/editor.js";
import { answerOf } from "./files.js";
import { inside, loadResult } from "./result.js";

const NAMES = { loading: "Loading the networks", opening: "Opening the video", finding: "Finding people", camera: "Following the camera", lifting: "Lifting to 3D" };
let site, workroom, opened = null, working = Promise.resolve(), seeked = null, address = null, recorded = null;
export let session = null;

/** Whether the page lies in one file, which has no detector; and whether it comes with a result to correct. */
const alone = "worker.js" in inside, editing = alone || new URLSearchParams(location.search).has("edit");

/** Whether a video element may play a type, where WebCodecs cannot decode it. */
const canPlay = (type) => document.createElement("video").canPlayType(type);
const stage = (name) => { document.body.dataset.stage = name; };
const busy = () => document.body.dataset.stage === "work";

function problem(text) {
  byId("problem").textContent = text ?? "";
  byId("problem").hidden = !text;
}

/** Networks are opened with the first video. */
function open(progress) {
  opened ??= workroom.run("open", { sizes: site.files, inside }, progress).catch((error) => { opened = null; throw error; });
  return opened;
}

/** Lifts a video and shows its people. @param given a result of `poselift lift`, whose people are found already */
async function lift(file, given) {
  problem();
  stopCamera();
  closeEditor();
  stage("work");
  byId("seen").hidden = true;
  pause();
  const left = new TimeLeft(), settings = { fov: Number(byId("fov").value) || undefined, height: Number(byId("height").value) || undefined, hands: byId("hands").checked };
  const { signal, pressed } = stopper();
  const progress = (name, share) => {
    if (signal.aborted) return; // the next video has begun
    byId("stage-name").textContent = NAMES[name];
    byId("share").value = share;
    byId("left").textContent = left.words(name, share);
  };
  try {
    if (!await Promise.race([started, pressed])) return; // somebody was quicker than the page
    await Promise.race([working.catch(() => {}), pressed]); // a network runs for one video at a time
    if (!given) {
      const wrong = speaksAgainst(file.name, await Promise.race([workroom.run("check", { file }), pressed]), canPlay);
      if (wrong) throw new Error(wrong);
    }
    if (file !== recorded) keepRecording(null);
    remember(file.name);
    if (address) URL.revokeObjectURL(address);
    address = URL.createObjectURL(file);
    working = lifted(file, settings, progress, signal, given);
    session = await Promise.race([working, pressed]);
    stage("shown"); // the views must have their sizes before they draw
    byId("title").textContent = file.name;
    const { broken, times, duration, cautions = [] } = session;
    const damage = broken ? [`The video breaks off at ${times.at(-1).toFixed(2)} s of ${duration.toFixed(2)} s: the file is damaged there.`] : [];
    note([...damage, ...[...session.told, ...cautions].map((caution) => `${caution[0].toUpperCase()}${caution.slice(1)}.`)].join(" ") || null);
    show(session.content(), address);
    openEditor(session);
    measure(session);
  } catch (error) {
    stage("start");
    if (!signal.aborted) problem(error.message);
  } finally {
    remember();
  }
}

/** Remembers a recording of the camera, which can be saved; null for another video. */
function keepRecording(file) {
  recorded = file;
  byId("keep").hidden = !file;
}

/** Adds the curves of the joint angles when they are there. */
function measure(own) {
  own.measured = own.measure().then(() => { if (own === session) show(own.content()); }, (error) => note(error.message));
}

/** The button Cancel: a signal for what is under way, and a promise that fails when it is pressed. */
function stopper() {
  const control = new AbortController(), { signal } = control;
  const pressed = new Promise((_, fail) => { byId("cancel").onclick = () => { control.abort(); workroom?.cancel(); fail(signal.reason); }; });
  pressed.catch(() => {});
  return { signal, pressed };
}

/** A session of a video whose people are found and lifted. */
async function lifted(file, settings, progress, signal, given) {
  const begun = performance.now();
  progress("loading", 0);
  const machine = await open(progress), { constants } = machine;
  describeMachine(machine);
  const load = (performance.now() - begun) / 1000;
  signal.throwIfAborted();
  progress("opening", 0);
  const { fov, hands } = settings;
  let found = given ?? await workroom.run("find", { file, fov, hands }, progress);
  if (found.undecodable) found = await findSeeking(file, { fov, hands }, progress);
  signal.throwIfAborted();
  if (!found.tracks.length) throw new Error(nobody(file, found));
  const made = new Session(workroom, { ...site, constants }, file, found, { ...settings, ...given?.settings });
  await made.lift(progress);
  made.seconds.load = load;
  return made;
}

async function findSeeking(file, wanted, progress) {
  const film = document.createElement("video");
  Object.assign(film, { muted: true, playsInline: true, preload: "auto", src: address });
  try {
    seeked = await openSeeked(film, file.name);
    const { size, width, height, start, duration } = seeked;
    return await workroom.run("find", { file, ...wanted, seeked: { size, width, height, start, duration } }, progress);
  } finally {
    seeked = null;
    film.removeAttribute("src");
  }
}

const nobody = (file, { times }) => `Nobody was found in the ${times.length} frames of ${file.name}. `
  + "It works best where whole bodies are seen, at least a quarter of the picture high.";

/** What the networks run on, and why not on something faster. */
function describeMachine({ gpu, threads }) {
  byId("machine").textContent = alone ? "" : gpu ? "Runs on the graphics card (WebGPU)."
    : `No WebGPU in this browser: runs on the processor, with ${threads === 1 ? "one thread" : `${threads} threads`}.`
      + (self.crossOriginIsolated ? "" : " More threads need this page from an https:// address, loaded once more.");
}

/** Whether corrections may be lost. */
const leaves = () => !unsaved() || confirm("The corrections are not saved. Leave them?");

/** Whether what is given about the camera and the height can be; else the browser says what cannot. */
function valid() {
  const fields = [byId("fov"), byId("height")], wrong = fields.find((field) => !field.checkValidity());
  if (!wrong) return true;
  stage("start");
  wrong.closest("details").open = true;
  return wrong.reportValidity();
}

function controls() {
  const choose = (file) => file && !alone && !busy() && leaves() && valid() && lift(file);
  byId("file").onchange = ({ target }) => { choose(target.files[0]); target.value = ""; };
  byId("pick").onclick = () => byId("file").click();
  // On a phone, the list lies below the video that it goes to.
  byId("worst").addEventListener("click", () => byId("film").scrollIntoView({ block: "nearest" }));
  byId("sample").onclick = async () => {
    const answer = await fetch("two_people.mp4").catch(() => null);
    if (answer?.ok) choose(new File([await answer.blob()], "two_people.mp4", { type: "video/mp4" }));
    else problem("The sample could not be loaded; check the network, or open a video of your own.");
  };
  byId("record").onclick = () => useCamera(byId("preview"), byId("shoot"), (file) => { keepRecording(file); choose(file); }).then((open) => open && stage("camera"), (error) => problem(error.message));
  byId("leave").onclick = () => { stopCamera(); stage("start"); };
  byId("keep").onclick = () => download(recorded.name, recorded);
  byId("again").onclick = () => { if (!leaves()) return; closeEditor(); pause(); stage("start"); byId("title").textContent = "poselift"; byId("pick").focus(); };
  const over = (event) => { if (event.dataTransfer?.types.includes("Files")) { event.preventDefault(); byId("drop").classList.toggle("over", event.type === "dragover"); } };
  for (const type of ["dragover", "dragleave", "drop"]) addEventListener(type, over);
  addEventListener("drop", (event) => choose(event.dataTransfer.files[0]));
  addEventListener("beforeunload", (event) => { if (busy() || unsaved()) event.preventDefault(); });
}

/** The service worker keeps the site; with it and one reload, a browser gives threads. */
async function keep() {
  if (!navigator.serviceWorker) return;
  const controlled = navigator.serviceWorker.controller ?? new Promise((done) => {
    navigator.serviceWorker.addEventListener("controllerchange", done, { once: true });
    setTimeout(done, 5000);
  });
  await navigator.serviceWorker.register("sw.js");
  await controlled;
  if (self.crossOriginIsolated || sessionStorage.reloaded || busy()) return;
  sessionStorage.reloaded = "1";
  location.replace(location.pathname + location.search);
  await new Promise(() => {});
}

async function start() {
  controls();
  for (const id of ["start", "again", "cancel"]) byId(id).hidden = alone;
  const missing = ["WebAssembly", "OffscreenCanvas", "DecompressionStream"].filter((name) => !(name in self));
  if (missing.length) throw new Error(`This browser is too old for the page: ${missing.join(" and ")} is missing. Take Chrome 102, Firefox 114 or Safari 16.4, or newer.`);
  if (!editing) await keep().catch(() => {}); // a private window may keep nothing
  site = await (await answerOf("site.json", inside)).json();
  workroom = new Workroom(alone ? URL.createObjectURL(inside["worker.js"]) : "worker.js", (number) => seeked.picture(number), (seen) => drawPreview(byId("seen"), seen, site.drawing.skeletons.coco_wholebody23.lines, site.drawing.hands.lines));
  const unfinished = await forgotten();
  if (unfinished) problem(`The page was closed while ${unfinished} was lifted, and nothing of it was kept. Open the video again.`);
  document.documentElement.dataset.ready = "1";
}
const started = start().then(() => true, (error) => { stage("start"); problem(error.message); return false; });
if (editing) loadResult().then(({ file, found }) => lift(file, found), (error) => problem(error.message));
