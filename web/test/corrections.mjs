// Lifts tracks with planted errors and after corrections: node corrections.mjs REQUEST ANSWER. benchmarks/corrections.py
// plants the errors, and tests/web/test_edits.py compares the answer.

import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { applyEdit } from "../src/editor/edits.js";
import { rankFrames } from "../src/editor/rank.js";
import * as numbers from "../src/numbers/index.js";

const [request, answer] = process.argv.slice(2);
const { folders, modules, cases } = JSON.parse(await readFile(request, "utf8"));
const ort = createRequire(modules)("onnxruntime-web");
ort.env.wasm.numThreads = 1;
ort.env.logLevel = "error";

async function read(name) {
  for (const place of folders) {
    const found = await readFile(`${place}/${name}`).catch(() => null);
    if (found) return new Uint8Array(found);
  }
  throw new Error(`no ${name} in ${folders}`);
}

const array = (Type, values) => Type.from(values, (value) => value ?? NaN);
const opened = await numbers.openNumbers(ort, read);
const answers = [], before = new Map();
for (const { tracks, edits } of cases) {
  let state = { tracks: new Map(tracks.map((track) => [track.person, { ...track, times: array(Float64Array, track.times),
    pixels: array(Float32Array, track.pixels), scores: array(Float32Array, track.scores) }])), heights: {} };
  state = edits.reduce(applyEdit, state);
  const people = [];
  for (const track of state.tracks.values()) {
    const camera = numbers.cameraFor(track);
    const motion = await (before.has(track.person) ? numbers.liftAgain(opened, track, camera, before.get(track.person)) : numbers.liftTrack(opened, track, camera));
    before.set(track.person, motion);
    const { joints } = numbers.restrict(opened, motion, "h36m17");
    people.push({ person: track.person, joints: Array.from(joints), pixels: Array.from(track.pixels),
      ranked: rankFrames(motion, camera) });
  }
  answers.push(people);
}
await writeFile(answer, JSON.stringify(answers));
