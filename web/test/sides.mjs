// Settles the sides of the tracks of a JSON file in node: node sides.mjs REQUEST ANSWER; tests/web/test_sides.py compares
// the answer with Python.

import { writeFile } from "node:fs/promises";
import * as numbers from "../src/numbers/index.js";
import { openRequest } from "./request.mjs";
import { strictFacts } from "./strict.mjs";

const answer = process.argv[3];
const { request, ort, read } = await openRequest(process.argv[2]);
const { tracks } = request;

const array = (Type, values) => Type.from(values, (value) => value ?? NaN);
const opened = await numbers.openNumbers(ort, read);
opened.facts = strictFacts(opened.facts);
const answers = [];
for (const given of tracks) {
  const track = { ...given, times: array(Float64Array, given.times), pixels: array(Float32Array, given.pixels), scores: array(Float32Array, given.scores) };
  const camera = numbers.cameraFor(track);
  const sides = await numbers.settleSides(opened, track, camera);
  const motion = sides.unsure.includes(1) ? await numbers.liftSides(sides, (reading) => numbers.liftTrack(opened, reading, camera)) : null;
  answers.push({
    exchanged: Array.from(sides.exchanged),
    unsure: Array.from(sides.unsure),
    pixels: Array.from(sides.track.pixels),
    scores: Array.from(sides.track.scores),
    cautions: numbers.sidesCautions(sides, opened.facts.constants),
    uncertainty: motion && Array.from(motion.uncertainty),
  });
}
await writeFile(answer, JSON.stringify(answers));
