// The page: opens files, lifts, plays. `?lifter=URL&keypoints=URL` opens these first.

import { drawFigure, drawKeypoints } from "./draw.js";
import { lift, openLifter, readClip } from "./lift.js";

const element = (id) => document.getElementById(id);
const view = { yaw: 0.5, pitch: 0.25 };
let lifter, content, clip, playing = true, started = 0;

/** The 3D of the last clip; null before the first. */
export let lifted = null;

function say(text, error = false) {
  element("status").textContent = text;
  element("status").className = error ? "error" : "";
}

async function guarded(action) {
  try {
    await action();
  } catch (error) {
    say(error.message, true);
  }
}

async function fetched(url) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url} cannot be fetched: ${answer.status}`);
  return answer;
}

async function setLifter(bytes) {
  say("Loading the lifter …");
  lifter = await openLifter(bytes);
  await liftClip();
}

async function setKeypoints(text) {
  content = JSON.parse(text);
  await liftClip();
}

async function liftClip() {
  if (!lifter) return say("Open a lifter: a file that poselift export-onnx wrote.");
  if (!content) return say("Open or drop a JSON file of keypoints.");
  const next = readClip(content, lifter.about);
  const begin = performance.now();
  const result = await lift(lifter, next, (share) => say(`Lifting … ${Math.round(100 * share)} %`));
  [clip, lifted, started] = [next, result, performance.now()];
  const seconds = (performance.now() - begin) / 1000;
  say(`${lifted.frames} frames lifted by ${lifter.about.weights} in ${seconds.toFixed(2)} s. Drag to turn.`);
  element("frame").max = lifted.frames - 1;
  element("save").disabled = false;
}

function shown() {
  if (!playing) return Number(element("frame").value);
  const { times, frames } = lifted;
  const length = frames > 1 ? ((times[frames - 1] - times[0]) * frames) / (frames - 1) : 1;
  const now = times[0] + (((performance.now() - started) / 1000) % length);
  const frame = times.findLastIndex((time) => time <= now);
  element("frame").value = frame;
  return frame;
}

function draw() {
  if (lifted) {
    const frame = shown();
    drawKeypoints(element("picture"), clip, frame);
    drawFigure(element("scene"), lifted, frame, view, element("uncertainty").checked);
    element("time").textContent = `${(lifted.times[frame] - lifted.times[0]).toFixed(2)} s`;
  }
  requestAnimationFrame(draw);
}

function play(on) {
  playing = on;
  element("play").textContent = on ? "Pause" : "Play";
  if (on && lifted) started = performance.now() - 1000 * (lifted.times[element("frame").value] - lifted.times[0]);
}

function save() {
  const rows = (values, width) => Array.from({ length: values.length / width }, (_, k) =>
    Array.from(values.slice(k * width, (k + 1) * width)));
  const j = lifted.about.joints_out.length;
  const text = JSON.stringify({
    joints: lifted.about.joints_out,
    parents: lifted.about.parents_out,
    times: Array.from(lifted.times),
    positions_m: rows(lifted.joints, 3 * j).map((frame) => rows(frame, 3)),
    uncertainty_m: rows(lifted.uncertainty, j),
  });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  link.download = "lifted.json";
  link.click();
}

async function open(file) {
  if (file.name.endsWith(".onnx")) await setLifter(await file.arrayBuffer());
  else await setKeypoints(await file.text());
}

for (const id of ["keypoints", "lifter"]) {
  element(id).addEventListener("change", (event) => guarded(() => open(event.target.files[0])));
}
element("play").addEventListener("click", () => play(!playing));
element("frame").addEventListener("input", () => play(false));
element("save").addEventListener("click", save);
element("scene").addEventListener("pointermove", (event) => {
  if (!event.buttons) return;
  view.yaw -= event.movementX * 0.01;
  view.pitch = Math.max(-0.2, Math.min(1.4, view.pitch + event.movementY * 0.01));
});
const main = document.querySelector("main");
main.addEventListener("dragover", (event) => { event.preventDefault(); main.className = "dragged"; });
main.addEventListener("dragleave", () => { main.className = ""; });
main.addEventListener("drop", (event) => {
  event.preventDefault();
  main.className = "";
  guarded(async () => { for (const file of event.dataTransfer.files) await open(file); });
});

requestAnimationFrame(draw);
const asked = new URLSearchParams(location.search);
guarded(async () => {
  content = await (await fetched(asked.get("keypoints") ?? "sample.json")).json();
  await setLifter(await (await fetched(asked.get("lifter") ?? "lifter.onnx")).arrayBuffer());
});
