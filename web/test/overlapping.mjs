// Runs what decides between people who overlap, and where the second model vouches for somebody, in node:
// node overlapping.mjs REQUEST ANSWER. tests/web/test_overlapping.py compares it with Python.

import { readFile, writeFile } from "node:fs/promises";
import { Followed } from "../src/detector/followed.js";
import { agreement, claimedJoints, doubtfulJoints, touch } from "../src/detector/overlapping.js";
import { SecondModel } from "../src/detector/second_model.js";
import { strictFacts } from "./strict.mjs";

const { numbers, people, expected, unseen, calls } = JSON.parse(await readFile(process.argv[2], "utf8"));
const facts = strictFacts(JSON.parse(await readFile(numbers, "utf8"))), { constants } = facts;

/** Somebody of JSON, which has null for NaN. */
const body = (given) => ({ ...given, points: Float64Array.from(given.points, (value) => value ?? NaN), scores: Float64Array.from(given.scores), angle: 0 });

const found = people.map(body), where = expected.map((each) => each && body(each).points), places = unseen.map(body), { lost, doubtful } = claimedJoints(found, where, facts);
const answer = {
  lost: lost.map((flags) => [...flags]), doubtful: doubtful.map((flags) => [...flags]),
  beside: doubtfulJoints(found, where, places, facts).map((flags) => [...flags]),
  touch: found.map((one) => found.map((other) => touch(one.box, other.box, constants))),
  agreement: found.map((one) => agreement(one, places[0], constants)), vouched: [],
};
let answers = [];
const second = new SecondModel({ lookAt: async () => { const next = answers.shift(); return next?.present >= constants.blazepose.PRESENT ? body(next) : null; } }, facts);
const followed = people.slice(0, 2).map((each) => new Followed(body(each), each.score, 0, facts));
for (const { time, rows, seen, again } of calls) {
  answers = [...again];
  const given = seen.map(body), vouched = await second.vouch(null, time, given, followed.slice(0, rows));
  answer.vouched.push({ vouched, left: answers.length, asked: followed.map((person) => second.asked.has(person)), points: given.map(({ points }) => [...points]), scores: given.map(({ scores }) => [...scores]), worth: given.map(({ score }) => score), boxes: given.map(({ box }) => [...box]) });
}
await writeFile(process.argv[3], JSON.stringify(answer));
