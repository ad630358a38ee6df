// Runs src/numbers in node on the tracks and the crowd of a JSON file: node numbers.mjs REQUEST FOLDER. Writes what comes
// out to the folder; tests/web/test_numbers.py compares it with Python.

import { writeFile } from "node:fs/promises";
import * as numbers from "../src/numbers/index.js";
import { axisAngle } from "../src/camera_path/matrices.js";
import { placePeople } from "../src/camera_path/moving_world.js";
import { openRequest } from "./request.mjs";
import { strictFacts } from "./strict.mjs";

const folder = process.argv[3];
const { request, ort, read } = await openRequest(process.argv[2]);
const { tracks, crowd } = request;

/** Numbers of JSON, which has null for NaN. */
const array = (Type, values) => Type.from(values, (value) => value ?? NaN);

const timed = async (seconds, name, work) => {
  const start = performance.now();
  const found = await work();
  seconds[name] = (performance.now() - start) / 1000;
  return found;
};

const seconds = {};
const opened = await timed(seconds, "open", () => numbers.openNumbers(ort, read));
opened.facts = strictFacts(opened.facts);
const answers = [];
for (const { fov, drag, ...given } of tracks) {
  const track = {
    ...given,
    times: array(Float64Array, given.times),
    pixels: array(Float32Array, given.pixels),
    scores: array(Float32Array, given.scores),
    ...(given.hands && { hands: { placed: true, ...Object.fromEntries(Object.entries(given.hands).map(([name, values]) => [name, array(Float32Array, values)])) } }),
  };
  const name = `person_${track.person}`;
  const camera = numbers.cameraFor({ ...track, fov });
  const motion = await timed(seconds, `lift ${name}`, () => numbers.liftTrack(opened, track, camera));
  const start = track.times[0] - 1;
  const write = (ending, content) => writeFile(`${folder}/${name}${ending}`, content);
  await write(".npz", numbers.writeNpz(motion));
  await write(".usual.npz", numbers.writeNpz(numbers.restrict(opened, motion, "h36m17")));
  await write(".bvh", await timed(seconds, `rotations ${name}`, () => numbers.writeBvh(opened, motion, start)));
  await write(".glb", await numbers.writeGlb(opened, [motion], start));
  const angles = await numbers.jointAngles(opened, motion), { degrees } = angles;
  await write(".json", numbers.writeJson(opened, motion, { camera, start, angles, extra: { video: "walk.mp4" } }));
  if (track.person === 1) { // as a camera saw them that turns and zooms
    const count = track.times.length, one = new Float64Array(count).fill(1), shots = [{ first: 0, end: count, kind: "turning" }];
    const path = { times: track.times, R: Array.from(one, (_, k) => axisAngle(k / 900, -k / 300, 0.01)), zoom: one.map((_, k) => 1 + k / 200), focal: one, shots };
    const { motions: [placed], camera: moving } = placePeople([motion], path, camera, opened.facts.constants);
    await writeFile(`${folder}/moving.npz`, numbers.writeNpz(placed, moving));
    await writeFile(`${folder}/moving.json`, numbers.writeJson(opened, placed, { camera, start, moving }));
    await writeFile(`${folder}/moving.glb`, await numbers.writeGlb(opened, [placed], start, moving));
  }
  const guessed = numbers.guessedJoints(opened, motion);
  const answer = { degrees: Array.from(degrees), guessed: Array.from(guessed), misfit: Array.from(motion.misfit) };
  answers.push(answer);
  if (!drag) continue;
  // A keypoint is dragged: the motion that follows at once is the one from scratch.
  const dragged = { ...track, pixels: track.pixels.map((value, k) => (k === 40 ? value + 30 : value)) };
  const again = await timed(seconds, `again ${name}`, () => numbers.liftAgain(opened, dragged, camera, motion));
  const whole = await numbers.liftTrack(opened, dragged, camera);
  answer.apart = again.joints.reduce((most, value, k) => Math.max(most, Math.abs(value - whole.joints[k]) || 0), 0);
}
const picture = { width: 960, height: 540, joints: tracks[0].joints };
const frames = crowd.map(({ time, people }) => ({
  time,
  people: people?.map(({ pixels, scores, score }) => ({ pixels: array(Float32Array, pixels), scores: array(Float32Array, scores), score })) ?? null,
}));
const followed = numbers.followPeople(frames, picture, opened.facts.constants).map(({ person, times, scores }) => ({
  person,
  times: Array.from(times),
  scores: Array.from(scores),
}));
await writeFile(`${folder}/answer.json`, JSON.stringify({ seconds, answers, followed }));
