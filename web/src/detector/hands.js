// MediaPipe's hand landmark model in the browser, as poselift/detection/hands.py has it: 21 joints at the end of a
// forearm that is known.

import { JOINTS } from "../numbers/hands.js";
import { squareCrop } from "./crop.js";
import { boxAlong } from "./orientation.js";

const sides = ["left", "right"];

export class HandModel {
  /** @param ort the onnxruntime-web module. @param read gives the bytes of a file. @param facts of numbers.json. @param gpu whether there is WebGPU */
  static async open(ort, read, facts, gpu) {
    const options = { executionProviders: gpu ? ["webgpu", "wasm"] : ["wasm"] };
    return Object.assign(new HandModel(), { ort, facts, session: await ort.InferenceSession.create(await read("hand_landmark_full.onnx"), options) });
  }

  /** The hands of people in a picture, left and right, null for unseen ones. @param people with pixels and scores */
  async lookAtAll(picture, people) {
    const found = people.map(() => [null, null]), detections = [];
    for (const [index, person] of people.entries()) for (const side of [0, 1]) {
      const arm = this.armOf(person, side), hand = arm && await this.lookAt(picture, arm.elbow, arm.wrist, arm.body);
      if (hand) detections.push({ index, side, hand, off: Math.hypot(hand.points[0] - arm.wrist[0], hand.points[1] - arm.wrist[1]) });
    }
    for (const { index, side, hand } of this.withoutOthers(detections)) found[index][side] = hand;
    return found;
  }

  /** Elbow, wrist, and the longer side of the box of a person; null where the arm is not seen. */
  armOf({ pixels, scores }, side) {
    const { joints } = this.facts.skeletons.coco17, { THRESHOLD } = this.facts.constants.structures;
    const [elbow, wrist] = ["elbow", "wrist"].map((name) => {
      const joint = joints.indexOf(`${sides[side]}_${name}`);
      return scores[joint] >= THRESHOLD && Number.isFinite(pixels[2 * joint]) ? [pixels[2 * joint], pixels[2 * joint + 1]] : null;
    });
    if (!elbow || !wrist) return null;
    const extents = [0, 1].map((axis) => { const known = [...pixels].filter((value, i) => i % 2 === axis && Number.isFinite(value)); return Math.max(...known) - Math.min(...known); });
    return { elbow, wrist, body: Math.max(...extents) };
  }

  /** Detections without hands that are nearer to another wrist. */
  withoutOthers(detections) {
    const kept = [], { SAME } = this.facts.constants.find_hands;
    for (const detection of [...detections].sort((a, b) => a.off - b.off)) {
      const { points } = detection.hand, size = Math.max(...[0, 1].map((axis) => { const own = points.filter((_, i) => i % 2 === axis); return Math.max(...own) - Math.min(...own); }));
      const mean = (other) => { let sum = 0; for (let i = 0; i < JOINTS; i++) sum += Math.hypot(points[2 * i] - other[2 * i], points[2 * i + 1] - other[2 * i + 1]); return sum / JOINTS; };
      if (kept.every((other) => mean(other.hand.points) > SAME * size)) kept.push(detection);
    }
    return kept;
  }

  /** The hand at the end of a forearm, or null. @param body longer side of the person's box, pixels */
  async lookAt(picture, elbow, wrist, body) {
    const { AHEAD, HALF, FOREARM, AGAIN, NEAR, LEAST, PRESENT, MAYBE, MIDDLE } = this.facts.constants.hand_model;
    const along = [0, 1].map((axis) => wrist[axis] - elbow[axis]), forearm = Math.max(Math.hypot(...along), FOREARM * body), half = HALF * forearm;
    if (2 * half < LEAST) return null;
    const around = ([x, y], reach) => [x - reach, y - reach, x + reach, y + reach];
    const first = await this.run(picture, around(wrist.map((value, axis) => value + AHEAD * along[axis]), half), Math.atan2(along[0], -along[1]));
    if (first.sure < MAYBE) return null;
    const up = [0, 1].map((axis) => first.points[2 * MIDDLE + axis] - first.points[axis]), angle = Math.atan2(up[0], -up[1]);
    const box = boxAlong(first.points, angle), reach = AGAIN * Math.max(box[2] - box[0], box[3] - box[1]);
    if (2 * reach < LEAST) return null;
    const second = await this.run(picture, around([(box[0] + box[2]) / 2, (box[1] + box[3]) / 2], reach), angle);
    const hand = second.sure >= first.sure ? second : first, far = Math.hypot(hand.points[0] - wrist[0], hand.points[1] - wrist[1]) / forearm;
    return hand.sure >= PRESENT && far <= NEAR && hand.score > 0 ? hand : null;
  }

  async run(picture, box, angle) {
    const { SIZE } = this.facts.constants.hand_model, crop = squareCrop(picture, box, SIZE, 1, angle), { session } = this;
    const tensor = new this.ort.Tensor("int32", crop.input, [1, SIZE, SIZE, 3]);
    return this.read((await session.run({ [session.inputNames[0]]: tensor }))[session.outputNames[0]].data, crop, angle);
  }

  /** The model's hand: points in the picture, joints in metres from the wrist, its score, and how sure it is that it is one. */
  read(values, crop, angle) {
    const { FLAT } = this.facts.constants.hand_model, sure = Math.min(1, Math.max(0, values[3 * JOINTS]));
    const joints = Float64Array.from({ length: 3 * JOINTS }, (_, i) => values[3 * JOINTS + 2 + i] - values[3 * JOINTS + 2 + i % 3]);
    const agreement = Math.max(0, 1 - disagreement(values, joints) / FLAT), c = Math.cos(angle), s = Math.sin(angle), points = new Float64Array(2 * JOINTS);
    for (let joint = 0; joint < JOINTS; joint++) {
      points.set(crop.toPicture(values[3 * joint] - .5, values[3 * joint + 1] - .5), 2 * joint);
      const [x, y] = joints.subarray(3 * joint, 3 * joint + 2);
      joints.set([c * x - s * y, s * x + c * y], 3 * joint);
    }
    return { points, joints, sure, score: sure * agreement };
  }
}

/** Mean distance of the joints in the picture and in metres, both flat, after the best shift and scale, in hand sizes. */
function disagreement(pixels, metres) {
  const flat = (values) => {
    const points = Array.from({ length: JOINTS }, (_, joint) => [values[3 * joint], values[3 * joint + 1]]);
    const mean = [0, 1].map((axis) => points.reduce((sum, point) => sum + point[axis], 0) / JOINTS);
    return points.map((point) => point.map((value, axis) => value - mean[axis]));
  };
  const a = flat(pixels), b = flat(metres), sum = (f) => a.reduce((total, point, i) => total + f(point, b[i]), 0);
  const scale = sum((p, q) => p[0] * q[0] + p[1] * q[1]) / Math.max(sum((_, q) => q[0] ** 2 + q[1] ** 2), 1e-12);
  const size = Math.max(...[0, 1].map((axis) => Math.max(...a.map((point) => point[axis])) - Math.min(...a.map((point) => point[axis]))), 1e-9);
  return sum((p, q) => Math.hypot(p[0] - scale * q[0], p[1] - scale * q[1])) / JOINTS / size;
}
