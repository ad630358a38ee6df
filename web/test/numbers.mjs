// Lifts the tracks of a JSON file with src/numbers, in node: node numbers.mjs REQUEST ANSWER. tests/web/test_numbers.py
// compares the answer with Python.

import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { cameraFor, liftAgain, liftTrack, openNumbers } from "../src/numbers/index.js";

const [request, answer] = process.argv.slice(2);
const { folders, modules, tracks } = JSON.parse(await readFile(request, "utf8"));
const ort = createRequire(modules)("onnxruntime-web");
ort.env.wasm.numThreads = 1;

async function read(name) {
  for (const folder of folders) {
    const found = await readFile(`${folder}/${name}`).catch(() => null);
    if (found) return new Uint8Array(found);
  }
  throw new Error(`no ${name} in ${folders}`);
}

/** Numbers of JSON, which has null for NaN. */
const numbersOf = (Type, values) => Type.from(values, (value) => value ?? NaN);

const started = performance.now();
const numbers = await openNumbers(ort, read);
const seconds = { open: (performance.now() - started) / 1000 };
const motions = [];
for (const { camera, ...given } of tracks) {
  const track = {
    ...given,
    times: numbersOf(Float64Array, given.times),
    pixels: numbersOf(Float32Array, given.pixels),
    scores: numbersOf(Float32Array, given.scores),
  };
  const before = performance.now();
  const motion = await liftTrack(numbers, track, cameraFor({ ...track, ...camera }));
  seconds[`lift ${track.person}`] = (performance.now() - before) / 1000;
  const { joints, root, uncertainty, interpolated, height, misfit } = motion;
  motions.push({ joints: [...joints], root: [...root], uncertainty: [...uncertainty], interpolated: [...interpolated], height, misfit: [...misfit] });
}
await writeFile(answer, JSON.stringify({ seconds, motions }));
