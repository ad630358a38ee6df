// Runs src/detector in node: node detector.mjs REQUEST ANSWER. tests/web/test_detector.py compares it with Python.

import { readFile, writeFile } from "node:fs/promises";
import { BlazePose } from "../src/detector/blazepose.js";
import { squareCrop, wholeCrop } from "../src/detector/crop.js";
import { joinPasses, similarity, withoutDuplicates } from "../src/detector/duplicates.js";
import { Finder } from "../src/detector/finder.js";
import { Followed } from "../src/detector/followed.js";
import { between, compare, decide, join } from "../src/detector/joining.js";
import { MoveNet } from "../src/detector/movenet.js";
import { bodyAngle, boxAlong, otherAngles } from "../src/detector/orientation.js";
import { paintOut, silhouette } from "../src/detector/overlapping.js";
import { SecondModel } from "../src/detector/second_model.js";
import * as numbers from "../src/numbers/index.js";
import { openRequest } from "./request.mjs";
import { strictFacts } from "./strict.mjs";

const answer = process.argv[3];
const { request, ort, read } = await openRequest(process.argv[2]);
const { bodies, angles, passes, crops, cuts, clip, pairs, known, painted } = request;

/** Somebody of JSON, which has null for NaN. */
const body = ({ points, scores, box, score }) => ({ points: Float64Array.from(points, (value) => value ?? NaN), scores: Float64Array.from(scores), box, score });
const plain = ({ points, scores, box, score }) => ({ points: [...points], scores: [...scores], box: [...box], score });
const pictureOf = async ({ file, width, height }) => ({ data: new Uint8ClampedArray(await readFile(file)), width, height });

const facts = strictFacts(JSON.parse(new TextDecoder().decode(await read("numbers.json")))), { constants } = facts;
const people = bodies.map(body), [coarse, fine] = passes.boxes.map((boxes) => boxes.map((box, index) => ({ box, index })));
const joined = joinPasses(coarse, fine, passes.longer, constants);
const followed = new Followed(people[0], people[0].score, 0, facts);
people.slice(1).forEach((each, i) => followed.update({ ...each, angle: 0 }, .1 * (i + 1)));
const expected = followed.expected(.1 * people.length);
const found = {
  angles: people.map((each) => bodyAngle(each, facts)),
  boxes: people.map(({ points }, i) => boxAlong(points, angles[i])),
  others: angles.map((angle, i) => otherAngles(angle, angles.at(-1 - i), constants)),
  similarity: people.map((a) => people.map((b) => similarity(a, b, constants))),
  kept: withoutDuplicates(people, constants).map((each) => people.indexOf(each)),
  joined: [coarse, fine].map((pass) => pass.map((each) => joined.includes(each))),
  followed: { box: expected.box, score: followed.score, surprise: followed.surprise, angle: followed.angle },
};

const movenet = await MoveNet.open(ort, read, facts, false), picture = await pictureOf(crops.picture);
for (const [i, { box, angle, size, margin, longer }] of cuts.entries()) {
  const { input } = longer ? wholeCrop(picture, longer, 32) : squareCrop(picture, box, size, margin, angle);
  await writeFile(`${answer}.cut${i}`, Uint8Array.from(input));
}
for (const [i, { place, others, shared }] of painted.entries()) {
  const [own, ...rest] = [place, ...others].map((each) => ({ ...body(each) }));
  await writeFile(`${answer}.body${i}`, silhouette(own.points, facts.skeletons.coco17, picture.width, picture.height, constants).data);
  await writeFile(`${answer}.painted${i}`, paintOut(picture, own, rest, shared, facts).part.data);
}
found.crops = [];
for (const { box, angle } of crops.places) found.crops.push(plain(await movenet.look(picture, box, angle)));
found.searches = [];
for (const how of request.searches) found.searches.push((await movenet.search(picture, how)).map(plain));
const differences = pairs.map(([first, second]) => compare(body(first), body(second), facts));
found.differences = differences.map(({ offsets, scoreFactors }) => ({ offsets: [...offsets], scoreFactors: [...scoreFactors] }));
found.decided = differences.map((one, i) => decide(one, differences.map((other, j) => [(j - i) / 8, other]).filter(([seconds]) => seconds), facts)).map(({ offsets, scoreFactors }) => ({ offsets: [...offsets], scoreFactors: [...scoreFactors] }));
found.between = differences.slice(1).map((later, i) => between(differences[i], later, .25, facts)).map(({ offsets, scoreFactors }) => ({ offsets: [...offsets], scoreFactors: [...scoreFactors] }));
const sized = ({ pixels, scores }) => ({ points: [...pixels], scores: [...scores] });
found.pairs = pairs.map(([first], i) => sized(join({ pixels: body(first).points, scores: first.scores }, differences[i], { width: 960, height: 540 }, facts)));
const blazepose = await BlazePose.open(ort, read, facts, false);
found.again = [];
for (const person of known.map(body)) {
  const { points, scores } = await blazepose.lookAt(picture, person);
  found.again.push({ points: [...points], scores: [...scores] });
}
const nobody = { data: new Uint8ClampedArray(4 * 960 * 540).fill(128), width: 960, height: 540 };
found.nobody = await blazepose.lookAt(nobody, body(known[0]));
const finder = new Finder(movenet, facts, new SecondModel(blazepose, facts));
found.newest = [];
for (const [i, { time, picture }] of clip.entries()) {
  await finder.next(time, () => pictureOf(picture), i === clip.length - 1);
  found.newest.push(finder.newest()?.map(sized) ?? null);
}
found.clip = finder.frames.map(({ people }) => people?.map(({ pixels, scores }) => ({ points: [...pixels], scores: [...scores] })) ?? null);
found.both = finder.joined().map(({ people }) => people?.map(sized) ?? null);
const { width, height } = picture, opened = await numbers.openNumbers(ort, read), camera = numbers.cameraFor({ width, height });
found.motions = [];
for (const track of numbers.followPeople(finder.joined(), { width, height, joints: facts.skeletons.coco_wholebody23.joints }, constants)) {
  const sides = await numbers.settleSides(opened, track, camera, { progress: () => {} });
  const motion = numbers.restrict(opened, await numbers.liftSides(sides, (reading) => numbers.liftTrack(opened, reading, camera, {})), "h36m17");
  found.motions.push({ times: [...motion.times], joints: [...motion.joints], root: [...motion.root] });
}
await writeFile(answer, JSON.stringify(found));
