// The worker: opens the networks, finds and follows the people of a video, and lifts them.

import { Linker } from "../camera_path/background_links.js";
import { reduced } from "../camera_path/background_picture.js";
import { comparedTimes, standsStill } from "../camera_path/camera_motion.js";
import { isPlaced, isStill, pathAt, solvePath } from "../camera_path/camera_path.js";
import { cautions as cameraCautions, describe } from "../camera_path/found_camera.js";
import { describeLeftOut, withoutCutOff } from "../camera_path/leaving_people.js";
import { findUnseen, placePeople, turnHands } from "../camera_path/moving_world.js";
import { peopleBoxes } from "../camera_path/people_boxes.js";
import { seeStill, shotOf, splitTracks } from "../camera_path/still_view.js";
import { BlazePose } from "../detector/blazepose.js";
import { Finder } from "../detector/finder.js";
import { HandModel } from "../detector/hands.js";
import { MoveNet } from "../detector/movenet.js";
import { SecondModel } from "../detector/second_model.js";
import { Ticks } from "../detector/ticks.js";
import {
  cameraFor, followPeople, guessedJoints, handsOfTrack, jointAngles, liftAgain, liftSides, liftTrack, openNumbers, placeHands, restrict, settleHands, settleSides,
  shownJoints, sidesCautions, writeBvh, writeGlb, writeJson, writeNpz, zip,
} from "../numbers/index.js";
import { checkFile } from "../video/checked.js";
import { markLast, openDecoded } from "../video/decoded.js";
import { pictureReader } from "../video/pixels.js";
import { Files } from "./files.js";
import { Stopwatch } from "./stopwatch.js";

const MOST_THREADS = 8;
/** Seconds by which the last frame may come before the end of an intact video. */
const SHORT = .3;
/** Width of the pictures that the page shows meanwhile. */
const PREVIEW = 640;
/** The skeleton that `poselift lift` gives. */
const SKELETON = "h36m17";
/** The network of hands, which is loaded when somebody wants them. */
const HANDS = "hand_landmark_full.onnx";
/** `current` is the number of the task that may go on. */
let ready = null, current = 0, pulled = null;
/** The whole motions by person, as lifted last: lifting again takes from them what has not changed. */
const lifted = new Map();
/** Times by person at which it is not sure which side is left; corrections may join and cut tracks. */
const unsureSides = new Map();
/** The background's links of a camera that does not stand still, with the times of all frames; null for one that does. */
let background = null;
/** Everybody in the world, by person, and the camera of each frame, where the camera moves. */
let world = null;

/** Networks and numbers, opened once; without a detector where the site has none. */
async function open({ sizes, inside }, progress) {
  const gpu = "ort.webgpu.min.mjs" in sizes && await hasGpu(), runtime = `ort-wasm-simd-threaded${gpu ? ".asyncify" : ""}`, wasm = `${runtime}.wasm.gz`;
  const names = Object.keys(sizes).filter((name) => name === wasm || name !== HANDS && /onnx$|safetensors$/.test(name));
  const files = new Files(Object.fromEntries(names.map((name) => [name, sizes[name]])), inside, (share) => progress("loading", share));
  const address = (name) => inside[name] ? URL.createObjectURL(inside[name]) : new URL(name, self.location.href).href;
  const ort = await import(address(gpu ? "ort.webgpu.min.mjs" : "ort.wasm.min.mjs"));
  const threads = self.crossOriginIsolated ? Math.min(MOST_THREADS, navigator.hardwareConcurrency || 1) : 1;
  Object.assign(ort.env.wasm, { numThreads: threads, wasmPaths: { mjs: address(`${runtime}.mjs`) } });
  ort.env.wasm.wasmBinary = await files.unpacked(wasm);
  ort.env.logLevel = "error"; // it warns of operators that run on the processor by design
  const read = (name) => files.read(name), numbers = await openNumbers(ort, read);
  const detector = "movenet_multipose.onnx" in sizes ? await MoveNet.open(ort, read, numbers.facts, gpu) : null;
  const again = detector && await BlazePose.open(ort, read, numbers.facts, gpu);
  const openHands = (progress) => HandModel.open(ort, (name) => new Files({ [name]: sizes[name] }, inside, (share) => progress("loading", share)).read(name), numbers.facts, gpu);
  return { detector, again, numbers, gpu, threads, openHands, hands: null };
}

/** The network of hands, opened once. */
function handModel(opened, progress) {
  opened.hands ??= opened.openHands(progress).catch((error) => { opened.hands = null; throw error; });
  return opened.hands;
}

/** Whether there is WebGPU; one that the processor computes is slower than WebAssembly. */
async function hasGpu() {
  const adapter = await navigator.gpu?.requestAdapter().catch(() => null);
  return Boolean(adapter) && !(adapter.info?.isFallbackAdapter ?? adapter.isFallbackAdapter);
}

/** The frames that the page gives one by one, where it has to seek. */
async function* seekedFrames({ width, height }) {
  const read = pictureReader(width, height);
  for (let number = 0; ; number++) {
    const answer = await new Promise((done) => { pulled = done; self.postMessage({ pull: number }); });
    if (!answer) return;
    if (answer.error) throw new Error(answer.error);
    yield { time: answer.time, pixels: async () => read((pen) => pen.drawImage(answer.bitmap, 0, 0)), close: () => answer.bitmap.close() };
  }
}

/** Shows a picture and the keypoints in it on the page, small. */
async function preview(picture, found) {
  const width = Math.min(PREVIEW, picture.width), height = Math.round(picture.height * width / picture.width);
  const whole = new ImageData(picture.data, picture.width, picture.height);
  const bitmap = await createImageBitmap(whole, { resizeWidth: width, resizeHeight: height });
  const small = (pixels) => pixels.map((value) => value * width / picture.width);
  const people = found.map(({ pixels, scores, hands }) => ({ pixels: small(pixels), scores, hands: hands?.map((hand) => hand && small(hand.points)) }));
  self.postMessage({ preview: { bitmap, people } }, [bitmap]);
}

/** Everybody in a video, followed from frame to frame; `undecodable` where the page has to seek. */
async function find({ file, seeked, fov, hands }, progress) {
  const opened = await ready, { detector, again, numbers } = opened, mine = ++current, handed = hands ? await handModel(opened, progress) : null;
  stopUnless(mine);
  const video = seeked ? { ...seeked, frames: () => seekedFrames(seeked) } : await openDecoded(file);
  if (!video) return { undecodable: true };
  const finder = new Finder(detector, numbers.facts, new SecondModel(again, numbers.facts), handed), watch = new Stopwatch(), begun = performance.now(), goOn = stopper(mine);
  for (const stage of ["search", "look", "lookAgain", "lookAtHands"]) {
    const act = finder[stage].bind(finder);
    finder[stage] = (...given) => watch.time(stage, () => act(...given));
  }
  const { constants } = numbers.facts, due = comparedTimes(video.start, video.duration, constants), compared = [];
  let broken = false, previewed = 0, picture = null;
  /** What comes before damage is worth showing; other errors are none of the file's. */
  async function* intact() {
    try { yield* markLast(video.frames()); } catch (error) {
      if (mine !== current || seeked && finder.frames.length < 2) throw error;
      broken = true;
    }
  }
  for await (const { frame, last } of intact()) {
    if (!(frame.time > (finder.frames.at(-1)?.time ?? -Infinity))) continue; // two frames of one moment
    let own = null;
    const pixels = async () => own ??= picture = await watch.time("pixels", frame.pixels);
    await finder.next(frame.time, pixels, last);
    if (last || frame.time >= due[compared.length] - 1e-6) compared.push({ time: frame.time, small: reduced(await pixels(), video.size, constants) });
    if (finder.frames.at(-1).people && performance.now() - previewed > 300) {
      previewed = performance.now();
      await preview(picture, finder.newest());
    }
    progress("finding", (frame.time - video.start) / Math.max(video.duration, 1e-3));
    await goOn();
  }
  stopUnless(mine);
  if (finder.frames.length < (broken ? 2 : 1) && !seeked) return { undecodable: true };
  broken ||= finder.frames.at(-1).time < video.start + video.duration - SHORT;
  const [width, height] = video.size, scales = [width / video.width, height / video.height];
  const frames = finder.joined();
  const scaled = (pixels) => pixels.map((value, i) => (value + .5) * scales[i % 2] - .5);
  for (const { people } of frames) for (const person of people ?? []) {
    person.pixels = scaled(person.pixels);
    person.hands = person.hands?.map((hand) => hand && { ...hand, points: scaled(hand.points) });
  }
  const { joints } = numbers.facts.skeletons.coco_wholebody23, { seconds } = watch;
  const whole = (performance.now() - begun) / 1000, decode = Object.values(seconds).reduce((left, part) => left - part, whole);
  const tracks = [], cautions = [], camera = cameraFor({ width, height, fov }), times = Float64Array.from(finder.frames, ({ time }) => time);
  let people = followPeople(frames, { width, height, joints }, constants);
  const links = await watch.time("camera", () => linkBackground(video, compared, people, camera, constants, progress, goOn));
  background = links && { links, times };
  const path = pathFor(camera, constants);
  if (path) {
    const parts = splitTracks(people, path, constants), body = numbers.facts.skeletons.coco17.joints;
    people = parts.map((track) => shotOf(path, track).kind === "still" ? track : withoutCutOff(track, width, constants.structures.THRESHOLD, constants, body));
    parts.forEach((track, i) => cautions.push(...describeLeftOut(track, people[i])));
  }
  for (const track of people) {
    const sides = await settleSides(numbers, track, camera, { progress: goOn });
    unsureSides.set(track.person, new Map(Array.from(track.times, (time, frame) => [time, sides.unsure.slice(frame * joints.length, (frame + 1) * joints.length)])));
    tracks.push({ ...sides.track, ...(handed && { hands: settleHands(handsOfTrack(track, frames), track, sides.track) }) });
    cautions.push(...sidesCautions(sides, constants));
  }
  return { seconds: { decode, ...seconds }, size: video.size, start: video.start, duration: video.duration, times: [...times], broken, tracks, cautions };
}

/**
 * The links of the background; null where nine pictures show that the camera stands still, and nothing else is to be read.
 * @param compared these pictures @param people tracks, who are no background
 */
async function linkBackground(video, compared, people, camera, constants, progress, goOn) {
  const boxes = peopleBoxes(people, constants);
  if (!people.length || standsStill(compared, boxes, camera.K[0], constants)) return null;
  const linker = new Linker(video.size, boxes, constants), ticks = new Ticks((await ready).numbers.facts.pace.rate), until = compared.at(-1).time;
  let before = -Infinity;
  for await (const frame of video.frames()) {
    try {
      if (!(frame.time > before) || frame.time > until + 1e-6) continue;
      before = frame.time;
      if (ticks.next(frame.time) || frame.time > until - 1e-6) linker.add(reduced(await frame.pixels(), video.size, constants), frame.time);
      progress("camera", (frame.time - video.start) / Math.max(video.duration, 1e-3));
      await goOn();
    } finally { frame.close(); }
    if (before > until - 1e-6) break; // what comes after is damaged
  }
  return linker.finish();
}

/** The path of a camera with a lens, in all frames; null where it stands still. It is solved anew when the lens changes. */
function pathFor(camera, constants) {
  if (!background) return null;
  const lens = `${camera.K} ${camera.origin}`;
  if (background.lens !== lens) {
    const path = solvePath(background.links, camera, constants);
    Object.assign(background, { lens, path: isStill(path) ? null : pathAt(path, background.times) });
  }
  return background.path;
}

/** The motions of tracks in the skeleton that is shown, and their guesses. Only what has changed is lifted again. */
async function lift({ tracks, camera, heights = {} }, progress) {
  const { numbers } = await ready, mine = ++current, people = [], views = [], goOn = stopper(mine), { constants } = numbers.facts, path = pathFor(camera, constants);
  for (const [index, track] of tracks.entries()) {
    const options = { height: heights[track.person], progress: (share) => { progress("lifting", (index + share) / tracks.length); return goOn(); } };
    const before = lifted.get(track.person);
    const sure = new Uint8Array(track.joints.length), known = unsureSides.get(track.person);
    const unsure = Uint8Array.from(Array.from(track.times, (time) => [...known?.get(time) ?? sure]).flat());
    let lens = camera;
    const whole = await liftSides({ track, unsure }, ({ hands, ...reading }, other) => {
      const still = seeStill(reading, path, camera, constants), given = path ? still.track : { ...reading, ...(hands && { hands }) };
      lens = still.camera;
      if (!other) views.push([track, still.track]);
      return before && !other ? liftAgain(numbers, given, lens, before, options) : liftTrack(numbers, given, lens, options);
    });
    if (path && track.hands) whole.hands = turnHands(placeHands(track.hands, track.times, camera, constants), track.times, path);
    stopUnless(mine);
    lifted.set(track.person, whole);
    const motion = restrict(numbers, whole, SKELETON);
    const shown = shownJoints(numbers, motion);
    // 1 where nobody was found, 2 where the joint is out of sight.
    const guessed = guessedJoints(numbers, motion).map((guess, i) => guess + 1 - shown[i]);
    people.push({ motion, guessed, camera: lens });
  }
  const told = path ? [describe(path), ...cameraCautions(path), ...findUnseen(views, constants)] : [];
  world = path && isPlaced(path) ? worldOf(tracks, path, camera, constants) : null;
  if (!world) return { people, moving: null, told };
  for (const [index, { person }] of tracks.entries()) people[index].placed = restrict(numbers, world.motions.get(person), SKELETON);
  return { people, moving: world.camera, told };
}

/** Everybody whom `lift` gave in the world, with the keypoints of the pictures. */
function worldOf(tracks, path, camera, constants) {
  const found = placePeople(tracks.map(({ person }) => lifted.get(person)), path, camera, constants);
  return { camera: found.camera, motions: new Map(tracks.map((track, i) => [track.person, { ...found.motions[i], keypoints: track }])) };
}

/** The joint angles of somebody; null without a pose in any frame, which stops nobody else. */
const anglesOf = (numbers, person) => jointAngles(numbers, lifted.get(person)).catch(() => null);

/** The joint angles of the people whom `lift` gave; opening their graph takes seconds, so they come later. */
async function measure({ people }) {
  const { numbers } = await ready, angles = [];
  for (const person of people) angles.push(await anglesOf(numbers, person));
  return angles;
}

/** Somebody in the world where the camera moves, else in the camera frame. */
const shownMotion = (person) => world?.motions.get(person) ?? lifted.get(person);

/** A file of somebody, as the command writes it. */
async function save({ person, ending, start, about }) {
  const { numbers } = await ready, whole = shownMotion(person), moving = world?.camera;
  switch (ending) {
    case "json": return writeJson(numbers, restrict(numbers, whole, SKELETON), { ...about, start, moving, angles: await anglesOf(numbers, person) });
    case "bvh": return writeBvh(numbers, whole, start);
    case "glb": return writeGlb(numbers, [whole], start, moving);
  }
}

/** Everybody's npz and JSON in one zip. */
async function saveCorrected({ persons, about }) {
  const { numbers } = await ready, files = {};
  for (const person of persons) {
    const motion = restrict(numbers, shownMotion(person), SKELETON), moving = world?.camera;
    files[`person_${person}.npz`] = writeNpz(motion, moving);
    files[`person_${person}.json`] = writeJson(numbers, motion, { ...about, moving, angles: await anglesOf(numbers, person) });
  }
  return zip(files);
}

function stopUnless(number) {
  if (number !== current) throw new Error("cancelled");
}

/** Awaited now and then by a task, it lets messages in, and ends the task if one of them cancels it. */
function stopper(number) {
  let rested = performance.now();
  return async () => {
    if (performance.now() - rested > 50) {
      await new Promise((next) => setTimeout(next));
      rested = performance.now();
    }
    stopUnless(number);
  };
}

const tasks = {
  check: ({ file }) => checkFile(file),
  open: (request, progress) => ready = open(request, progress),
  find: (request, progress) => { lifted.clear(); unsureSides.clear(); background = world = null; return find(request, progress); },
  lift,
  measure,
  save,
  saveCorrected,
};

self.onmessage = async ({ data: { id, kind, request } }) => {
  if (kind === "picture") { pulled?.(request); return; }
  if (kind === "cancel") { current++; pulled?.(null); return; }
  let said = 0;
  const progress = (stage, share) => {
    if (share < 1 && performance.now() - said < 80) return;
    said = performance.now();
    self.postMessage({ id, progress: { stage, share } });
  };
  try {
    const result = await tasks[kind](request, progress);
    self.postMessage({ id, result: kind === "open" ? { gpu: result.gpu, threads: result.threads, constants: result.numbers.facts.constants } : result });
  } catch (error) {
    self.postMessage({ id, error: error.message });
  }
};
