// Corrects tracks and lists the frames of motions: node corrections.mjs REQUEST ANSWER, for tests/web.

import { readFile, writeFile } from "node:fs/promises";
import { applyEdit } from "../src/editor/edits.js";
import { rankFrames } from "../src/editor/rank.js";
import { cameraFor } from "../src/numbers/prepare.js";

const [request, answer] = process.argv.slice(2);
const { tracks, edits, motions, numbers } = JSON.parse(await readFile(request, "utf8"));
const { constants } = JSON.parse(await readFile(numbers, "utf8"));
/** Numbers of JSON, which has null for NaN. */
const arrays = (from, names) => Object.fromEntries(names.map((name) => [name, Float64Array.from(from[name], (value) => value ?? NaN)]));
const opened = tracks.map((track) => ({ ...track, ...arrays(track, ["times", "pixels", "scores"]) }));
const state = edits.reduce(applyEdit, { tracks: new Map(opened.map((track) => [track.person, track])), heights: {} });
const plain = [...state.tracks.values()].map((track) => ({ ...track, times: [...track.times], pixels: [...track.pixels], scores: [...track.scores] }));
const ranked = motions.flatMap((motion) => rankFrames({ ...motion, ...arrays(motion, ["times", "joints", "root", "uncertainty"]),
  keypoints: state.tracks.get(motion.person) }, cameraFor(state.tracks.get(motion.person)), constants));
await writeFile(answer, JSON.stringify({ tracks: plain, ranked: ranked.sort((a, b) => b.worth - a.worth) }));
