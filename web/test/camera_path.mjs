// Finds the camera's path in made clips in node: node camera_path.mjs REQUEST ANSWER; tests/web/test_camera_path.py compares
// the answer with Python. The pictures are RGBA, one after another in a file.

import { readFile, writeFile } from "node:fs/promises";
import { Linker } from "../src/camera_path/background_links.js";
import { reduced } from "../src/camera_path/background_picture.js";
import { standsStill } from "../src/camera_path/camera_motion.js";
import { isStill, joinedShots, pathAt, solvePath } from "../src/camera_path/camera_path.js";
import { cautions, describe } from "../src/camera_path/found_camera.js";
import { describeLeftOut, withoutCutOff } from "../src/camera_path/leaving_people.js";
import { findUnseen, placePeople } from "../src/camera_path/moving_world.js";
import { peopleBoxes } from "../src/camera_path/people_boxes.js";
import { frameLenses, seeStill, splitTracks } from "../src/camera_path/still_view.js";
import { strictFacts } from "./strict.mjs";

const { numbers, clips, worlds, leaving } = JSON.parse(await readFile(process.argv[2], "utf8")), { constants, skeletons } = strictFacts(JSON.parse(await readFile(numbers, "utf8")));
const array = (Type, values) => Type.from(values, (value) => value ?? NaN), plain = (values) => Array.from(values, (value) => Number.isNaN(value) ? null : value);
const tracksOf = (given) => given.map((track) => ({ ...track, times: Float64Array.from(track.times), pixels: array(Float32Array, track.pixels), scores: array(Float32Array, track.scores) }));
const answers = [];
for (const { file, width, height, times, K, assumed, widest, tracks: given } of clips) {
  const bytes = await readFile(file), size = [width, height], camera = { K: Float64Array.from(K.flat()), width, height, origin: assumed ? "assumed" : "given" };
  const tracks = tracksOf(given);
  const boxes = peopleBoxes(tracks, constants), begun = process.cpuUsage();
  const small = times.map((time, k) => ({ time, small: reduced({ data: bytes.subarray(4 * width * height * k, 4 * width * height * (k + 1)), width, height }, size, constants) }));
  const compared = Array.from({ length: 9 }, (_, k) => small[Math.floor(k * (times.length - 1) / 8)]), still = standsStill(compared, boxes, K[0][0], constants);
  const { user: early } = process.cpuUsage(begun), linker = new Linker(size, boxes, constants);
  for (const { time, small: each } of small) linker.add(each, time);
  const links = linker.finish(), path = solvePath(links, camera, constants), { user } = process.cpuUsage(begun);
  const split = splitTracks(tracks, { ...links, shots: joinedShots(links, constants) }, constants), views = split.map((track) => seeStill(track, path, camera, { still_view: { WIDEST: widest } }));
  const doubled = Float64Array.from({ length: 2 * times.length - 1 }, (_, k) => (times[k >> 1] + times[(k + 1) >> 1]) / 2);
  answers.push({
    still, path: { ...path, still: isStill(path), R: path.R.map(plain), zoom: plain(path.zoom), focal: plain(path.focal) },
    between: pathAt(path, doubled).R.map(plain), lenses: frameLenses(path, camera.K).map(plain), text: describe(path), cautions: cautions(path),
    unseen: findUnseen(views.map(({ track }, i) => [split[i], track]), constants), seconds: [early / 1e6, user / 1e6], links: links.shots.map(({ frames, loops }) => [frames.length, loops.length]),
    views: views.map(({ track, camera: lens }) => ({ person: track.person, times: plain(track.times), pixels: plain(track.pixels), scores: plain(track.scores), K: plain(lens.K) })),
  });
}
const placed = worlds.map(({ R, times, kind, motions, K, size: [width, height] }) => {
  const one = new Float64Array(times.length).fill(1), shots = [{ first: 0, end: times.length, kind }];
  const path = { times: Float64Array.from(times), R: R.map((each) => Float64Array.from(each)), zoom: one, focal: one, shots };
  const given = motions.map((motion) => ({ ...motion, times: path.times, joints: array(Float32Array, motion.joints), root: array(Float32Array, motion.root) }));
  const { motions: found, camera } = placePeople(given, path, { K: Float64Array.from(K.flat()), width, height }, constants);
  return { R: camera.R.map(plain), t: camera.t, people: found.map(({ frame, joints, root }) => ({ frame, joints: plain(joints), root: plain(root) })) };
});
const left = tracksOf(leaving.tracks).map((track) => [track, withoutCutOff(track, leaving.width, constants.structures.THRESHOLD, constants, skeletons.coco17.joints)])
  .map(([track, kept]) => ({ times: plain(kept.times), pixels: plain(kept.pixels), told: describeLeftOut(track, kept) }));
await writeFile(process.argv[3], JSON.stringify({ answers, placed, left }));
