// From 2D keypoints to 3D joints with a graph of `poselift export-onnx`, without drawing anything.

import * as ort from "./ort/ort.wasm.min.mjs";

ort.env.wasm.numThreads = 1; // more need headers that plain static servers do not send

const COCO17 = [
  "nose", "left_eye", "right_eye", "left_ear", "right_ear", "left_shoulder", "right_shoulder", "left_elbow",
  "right_elbow", "left_wrist", "right_wrist", "left_hip", "right_hip", "left_knee", "right_knee", "left_ankle",
  "right_ankle",
];
const THRESHOLD = 0.2; // lowest score of the joints to use, as in `poselift lift`
const ASSUMED_FOV = 55; // degrees across the longer side of the picture, as in `poselift lift`

/** The opened lifter and what its file says about itself. */
export async function openLifter(bytes) {
  const about = metadata(new Uint8Array(bytes));
  if (!about.joints_in) throw new Error("this is no lifter of poselift export-onnx");
  for (const key of ["window", "flip", "joints_in", "joints_out", "parents_out"]) about[key] = JSON.parse(about[key]);
  return { session: await ort.InferenceSession.create(bytes), about };
}

/** The metadata of an ONNX file, which onnxruntime-web does not offer: field 14 of its protobuf message. */
function metadata(bytes) {
  const found = {};
  for (const [field, content] of fields(bytes)) {
    if (field !== 14) continue;
    const [key, value] = fields(content).map(([, text]) => new TextDecoder().decode(text));
    found[key] = value;
  }
  return found;
}

/** Number and content of the fields of a protobuf message; those that are single numbers are left out. */
function fields(bytes) {
  const found = [];
  let place = 0;
  const number = () => {
    for (let value = 0, scale = 1; ; scale *= 128) {
      const byte = bytes[place++];
      value += (byte & 127) * scale;
      if (!(byte & 128)) return value;
    }
  };
  while (place < bytes.length) {
    const tag = number();
    if (tag % 8 === 2) {
      const length = number();
      found.push([tag >> 3, bytes.subarray(place, (place += length))]);
    } else if (tag % 8 === 0) number();
    else throw new Error("this is no ONNX file");
  }
  return found;
}

/** The keypoints of a file as the lifter takes them; the page of the documentation describes the file. */
export function readClip(content, about) {
  const { frames, image_size: size } = content;
  if (!Array.isArray(frames) || !frames.length) throw new Error('"frames" is missing or empty');
  if (!(size?.[0] > 0 && size[1] > 0)) throw new Error('"image_size" is missing; give [width, height] in pixels');
  if (!(content.fps > 0) && !content.times) throw new Error('"fps" or "times" is missing');
  const names = content.joints ?? COCO17;
  const places = names.map((name) => about.joints_in.indexOf(name)); // -1: the lifter does not know this joint
  if (places.every((place) => place < 0)) throw new Error('"joints" has no name that the lifter knows');
  const [t, j] = [frames.length, about.joints_in.length];
  const pixels = new Float32Array(t * j * 2).fill(NaN);
  const scores = new Float32Array(t * j);
  frames.forEach((points, frame) => {
    if (!points) return; // nobody was found
    if (points.length !== names.length) throw new Error(`frame ${frame} does not have ${names.length} joints`);
    points.forEach((point, index) => {
      const [x, y, score = 1] = point ?? [NaN, NaN, 0];
      if (places[index] < 0 || !(score >= THRESHOLD)) return;
      const place = frame * j + places[index];
      pixels.set([x, y], 2 * place);
      scores[place] = Math.min(score, 1);
    });
  });
  const times = content.times ?? frames.map((_, frame) => frame / content.fps);
  return { pixels, scores, times, size, K: content.K?.flat() ?? assumedK(...size), names, points: frames };
}

function assumedK(width, height) {
  const focal = Math.max(width, height) / 2 / Math.tan((ASSUMED_FOV * Math.PI) / 360);
  return [focal, 0, (width - 1) / 2, 0, focal, (height - 1) / 2, 0, 0, 1];
}

/** Joints and uncertainty of the whole clip: overlapping windows, blended as by `lift_segments` of poselift. */
export async function lift({ session, about }, clip, progress = () => {}) {
  const t = clip.times.length;
  const [jIn, jOut] = [about.joints_in.length, about.joints_out.length];
  const length = Math.min(about.window, t);
  const joints = new Float64Array(t * jOut * 3);
  const uncertainty = new Float64Array(t * jOut);
  const weight = new Float64Array(t);
  const starts = windowStarts(t, about.window);
  for (const [number, start] of starts.entries()) {
    const rows = (values, width) => values.slice(start * width, (start + length) * width);
    const out = await session.run(known(session, {
      pixels: tensor(rows(clip.pixels, jIn * 2), [1, length, jIn, 2]),
      scores: tensor(rows(clip.scores, jIn), [1, length, jIn]),
      times: tensor(rows(clip.times, 1).map((time) => time - clip.times[0]), [1, length]),
      K: tensor(clip.K, [1, 3, 3]),
      image_size: tensor(clip.size, [1, 2]),
    }));
    for (let frame = 0; frame < length; frame++) {
      const fade = Math.min(frame + 1, length - frame);
      weight[start + frame] += fade;
      add(joints, out.joints.data, start + frame, frame, jOut * 3, fade);
      if (out.uncertainty) add(uncertainty, out.uncertainty.data, start + frame, frame, jOut, fade);
    }
    progress((number + 1) / starts.length);
    await new Promise((next) => setTimeout(next)); // lets the page draw
  }
  const mean = (values, width) => Float32Array.from(values, (value, index) => value / weight[Math.floor(index / width)]);
  return { frames: t, times: clip.times, joints: mean(joints, jOut * 3), uncertainty: mean(uncertainty, jOut), about };
}

function windowStarts(frames, window) {
  if (frames <= window) return [0];
  const overlap = Math.floor(window / 2);
  const count = Math.ceil((frames - overlap) / (window - overlap));
  return Array.from({ length: count }, (_, k) => rounded((k * (frames - window)) / (count - 1)));
}

/** The nearest whole number; of two, the even one, as in Python. */
function rounded(value) {
  const up = Math.round(value);
  return up - value === 0.5 && up % 2 ? up - 1 : up;
}

const tensor = (values, shape) => new ort.Tensor("float32", Float32Array.from(values), shape);

/** Only the inputs that the graph has. */
const known = (session, inputs) => Object.fromEntries(session.inputNames.map((name) => [name, inputs[name]]));

function add(sum, values, row, from, width, factor) {
  for (let k = 0; k < width; k++) sum[row * width + k] += factor * values[from * width + k];
}
