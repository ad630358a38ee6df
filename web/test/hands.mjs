// Runs the hands of src in node: node hands.mjs REQUEST ANSWER. tests/web/test_hands.py compares them with Python.

import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { HandModel } from "../src/detector/hands.js";
import { History } from "../src/editor/edits.js";
import { handsOfTrack, placeHands, settleHands, spline, swapHands, unseenHands } from "../src/numbers/hands.js";
import { cameraFor, writeNpz } from "../src/numbers/index.js";
import { openRequest } from "./request.mjs";
import { strictFacts } from "./strict.mjs";

const answer = process.argv[3];
const { request, ort, read } = await openRequest(process.argv[2]);
const { tracks, looks, curve } = request;
const floats = (values) => Float32Array.from(values, (value) => value ?? NaN);
const plain = ({ pixels, joints, scores }) => ({ pixels: [...pixels], joints: [...joints], scores: [...scores] });
const facts = strictFacts(JSON.parse(new TextDecoder().decode(await read("numbers.json"))));

const found = { curve: spline(curve.times, curve.rows, curve.wanted).map((row) => [...row]) };
found.placed = tracks.map(({ times, width, height, ...hands }) => plain(placeHands(
  { placed: false, pixels: floats(hands.pixels), joints: floats(hands.joints), scores: floats(hands.scores) }, Float64Array.from(times), cameraFor({ width, height }), facts.constants)));

const model = await HandModel.open(ort, read, facts, false);
found.looks = [];
found.crops = [];
for (const { file, width, height, people, crops } of looks) {
  const picture = { data: new Uint8ClampedArray(await readFile(file)), width, height };
  for (const { box, angle } of crops) {
    const { points, joints, score } = await model.run(picture, box, angle);
    found.crops.push({ points: [...points], joints: [...joints], score });
  }
  const seen = await model.lookAtAll(picture, people.map(({ pixels, scores }) => ({ pixels: floats(pixels), scores })));
  found.looks.push(seen.map((hands) => hands.map((hand) => hand && { points: [...hand.points], joints: [...hand.joints], score: hand.score })));
}

// A person's hands follow the keypoints, and corrections.
const hand = { points: new Float64Array(42).fill(3), joints: new Float64Array(63).fill(.1), score: .5 };
const pixels = Float32Array.of(1, 2, 3, 4), frames = [0, .1, .2, .3, .4].map((time) => ({ time, people: time === .1 ? null : [
  { pixels: Float64Array.of(9, 9, 9, 9), hands: [hand, null] }, { pixels: Float64Array.from(pixels, (value) => value + time), hands: [null, time < .3 ? hand : null] }] }));
const track = { person: 1, joints: ["left_wrist", "right_wrist"], times: Float64Array.of(0, .1, .2, .3, .4), scores: new Float32Array(10).fill(1), width: 9, height: 9,
  pixels: Float32Array.from([0, NaN, .2, .3, .4].flatMap((time) => [...pixels].map((value) => value + time))) };
track.hands = handsOfTrack(track, frames);
const scores = ({ hands }) => [...hands.scores];
assert.deepEqual(scores(track), [0, .5, 0, 0, 0, .5, 0, 0, 0, 0]);
assert.deepEqual([...track.hands.pixels.subarray(42, 84)], [...hand.points]);
const exchanged = { ...track, pixels: track.pixels.map((value, i) => i < 4 ? track.pixels[(i + 2) % 4] : value) };
assert.deepEqual(scores({ hands: settleHands(track.hands, track, exchanged) }), [.5, 0, 0, 0, 0, .5, 0, 0, 0, 0]);
assert.deepEqual(scores({ hands: swapHands(track.hands, [2]) }), [0, .5, 0, 0, .5, 0, 0, 0, 0, 0]);
const history = new History({ tracks: new Map([[1, track]]), heights: {} }), now = (person) => history.state.tracks.get(person);
history.add({ what: "swap", person: 1, from: 0, to: .1 });
assert.deepEqual(scores(now(1)), [.5, 0, 0, 0, 0, .5, 0, 0, 0, 0]);
assert.deepEqual([...now(1).hands.pixels.subarray(0, 42)], [...hand.points]);
history.add({ what: "split", person: 1, time: .2, other: 2 });
assert.deepEqual([scores(now(1)), scores(now(2))], [[.5, 0, 0, 0], [0, .5, 0, 0, 0, 0]]);
history.add({ what: "join", person: 1, other: 2 });
assert.deepEqual(scores(now(1)), [.5, 0, 0, 0, 0, .5, 0, 0, 0, 0]);
assert.deepEqual(scores(track), [0, .5, 0, 0, 0, .5, 0, 0, 0, 0]);  // the one before stays
const kept = unseenHands(5, true);
assert.equal(placeHands(kept, track.times, cameraFor(track), facts.constants), kept);

const body = { joints: new Float32Array(15), root: new Float32Array(15), times: track.times, interpolated: new Uint8Array(5), uncertainty: new Float32Array(5), keypoints: track, skeleton: { joints: ["pelvis"] } };
await writeFile(`${answer}.npz`, writeNpz({ ...body, hands: track.hands }));
await writeFile(answer, JSON.stringify(found));
