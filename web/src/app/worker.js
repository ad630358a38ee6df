// The worker: opens the networks, finds and follows the people of a video, and lifts them.

import { BlazePose } from "../detector/blazepose.js";
import { Finder } from "../detector/finder.js";
import { HandModel } from "../detector/hands.js";
import { MoveNet } from "../detector/movenet.js";
import { SecondModel } from "../detector/second_model.js";
import {
  cameraFor, followPeople, guessedJoints, handsOfTrack, jointAngles, liftAgain, liftSides, liftTrack, openNumbers, restrict, settleHands, settleSides,
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
    await finder.next(frame.time, async () => picture = await watch.time("pixels", frame.pixels), last);
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
  const { joints } = numbers.facts.skeletons.coco_wholebody23, { seconds } = watch, { constants } = numbers.facts;
  const whole = (performance.now() - begun) / 1000, decode = Object.values(seconds).reduce((left, part) => left - part, whole);
  const tracks = [], cautions = [], camera = cameraFor({ width, height, fov });
  for (const track of followPeople(frames, { width, height, joints }, constants)) {
    const sides = await settleSides(numbers, track, camera, { progress: goOn });
    unsureSides.set(track.person, new Map(Array.from(track.times, (time, frame) => [time, sides.unsure.slice(frame * joints.length, (frame + 1) * joints.length)])));
    tracks.push({ ...sides.track, ...(handed && { hands: settleHands(handsOfTrack(track, frames), track, sides.track) }) });
    cautions.push(...sidesCautions(sides, constants));
  }
  return { seconds: { decode, ...seconds }, size: video.size, start: video.start, duration: video.duration, times: finder.frames.map(({ time }) => time), broken, tracks, cautions };
}

/** The motions of tracks in the skeleton that is shown, and their guesses. Only what has changed is lifted again. */
async function lift({ tracks, camera, heights = {} }, progress) {
  const { numbers } = await ready, mine = ++current, people = [], goOn = stopper(mine);
  for (const [index, track] of tracks.entries()) {
    const options = { height: heights[track.person], progress: (share) => { progress("lifting", (index + share) / tracks.length); return goOn(); } };
    const before = lifted.get(track.person);
    const sure = new Uint8Array(track.joints.length), known = unsureSides.get(track.person);
    const unsure = Uint8Array.from(Array.from(track.times, (time) => [...known?.get(time) ?? sure]).flat());
    const whole = await liftSides({ track, unsure }, (reading, other) => before && !other
      ? liftAgain(numbers, reading, camera, before, options) : liftTrack(numbers, reading, camera, options));
    stopUnless(mine);
    lifted.set(track.person, whole);
    const motion = restrict(numbers, whole, SKELETON);
    const shown = shownJoints(numbers, motion);
    // 1 where nobody was found, 2 where the joint is out of sight.
    const guessed = guessedJoints(numbers, motion).map((guess, i) => guess + 1 - shown[i]);
    people.push({ motion, guessed });
  }
  return people;
}

/** The joint angles of somebody; null without a pose in any frame, which stops nobody else. */
const anglesOf = (numbers, person) => jointAngles(numbers, lifted.get(person)).catch(() => null);

/** The joint angles of the people whom `lift` gave; opening their graph takes seconds, so they come later. */
async function measure({ people }) {
  const { numbers } = await ready, angles = [];
  for (const person of people) angles.push(await anglesOf(numbers, person));
  return angles;
}

/** A file of somebody, as the command writes it. */
async function save({ person, ending, start, about }) {
  const { numbers } = await ready, whole = lifted.get(person);
  switch (ending) {
    case "json": return writeJson(numbers, restrict(numbers, whole, SKELETON), { ...about, start, angles: await anglesOf(numbers, person) });
    case "bvh": return writeBvh(numbers, whole, start);
    case "glb": return writeGlb(numbers, [whole], start);
  }
}

/** Everybody's npz and JSON in one zip. */
async function saveCorrected({ persons, about }) {
  const { numbers } = await ready, files = {};
  for (const person of persons) {
    const motion = restrict(numbers, lifted.get(person), SKELETON);
    files[`person_${person}.npz`] = writeNpz(motion);
    files[`person_${person}.json`] = writeJson(numbers, motion, { ...about, angles: await anglesOf(numbers, person) });
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
  find: (request, progress) => { lifted.clear(); unsureSides.clear(); return find(request, progress); },
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
