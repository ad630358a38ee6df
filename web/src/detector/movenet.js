// Google's MoveNet in the browser: MultiPose finds the people of a picture, Thunder the joints of one person.

import { squareCrop, wholeCrop } from "./crop.js";
import { joinPasses, withoutDuplicates } from "./duplicates.js";

/** From MoveNet's coordinates (share times size) to pixel centres; see poselift/detection/multipose.py. */
const OFFSET = -.25;
const COARSE = 256, FINE = 768, THUNDER = 256;
const LEAST_BOX_SCORE = .2;
/** Side of Thunder's square over the longer side of the box of the joints. */
const MARGIN = 1.2;
export const JOINTS = 17;

export class MoveNet {
  /**
   * @param ort the onnxruntime-web module.
   * @param read gives the bytes of a file.
   * @param gpu whether there is WebGPU. Without it Thunder computes in 8 bits, which takes half of the time;
   *   MultiPose gains nothing from that.
   */
  static async open(ort, read, gpu) {
    const made = new MoveNet(), options = { executionProviders: gpu ? ["webgpu", "wasm"] : ["wasm"] };
    made.ort = ort;
    made.multipose = await ort.InferenceSession.create(await read("movenet_multipose.onnx"), options);
    const name = "movenet_thunder.onnx", weights = await read(name);
    made.thunder = gpu ? await ort.InferenceSession.create(weights, options)
      : await ort.InferenceSession.create(await read("movenet_thunder_int8.onnx"), { ...options, externalData: [{ path: name, data: weights }] });
    return made;
  }

  /** Everybody in a picture, each once. @param fine without it only people who fill a third of the picture */
  async search(picture, fine) {
    const coarse = await this.pass(picture, COARSE);
    const found = fine ? joinPasses(coarse, await this.pass(picture, FINE), Math.max(picture.width, picture.height)) : coarse;
    return withoutDuplicates(found).map((person) => ({ ...person, box: boxAround(person.points) }));
  }

  async pass(picture, longer) {
    const crop = wholeCrop(picture, longer), values = await this.run(this.multipose, crop), people = [];
    const place = (x, y) => crop.toPicture(x * crop.width + OFFSET, y * crop.height + OFFSET);
    const inside = ([x, y]) => [Math.min(picture.width - 1, Math.max(0, x)), Math.min(picture.height - 1, Math.max(0, y))];
    for (let at = 0; at < values.length; at += 56) {
      const score = values[at + 55];
      if (!(score >= LEAST_BOX_SCORE)) continue;
      const [y0, x0, y1, x1] = values.subarray(at + 51, at + 55);
      people.push({ ...poseOf(values.subarray(at, at + 51), place), score, box: [...inside(place(x0, y0)), ...inside(place(x1, y1))] });
    }
    return people;
  }

  /** The person in a box that is turned by an angle; joints outside of the picture have the score 0 and no place. */
  async look(picture, box, angle = 0) {
    const crop = squareCrop(picture, box, THUNDER, MARGIN, angle), values = await this.run(this.thunder, crop);
    const person = poseOf(values, (x, y) => crop.toPicture(x * THUNDER + OFFSET, y * THUNDER + OFFSET));
    const mean = person.scores.reduce((sum, score) => sum + score, 0) / JOINTS, around = boxAround(person.points);
    for (let joint = 0; joint < JOINTS; joint++) {
      const x = person.points[2 * joint], y = person.points[2 * joint + 1];
      if (x >= -.5 && y >= -.5 && x <= picture.width - .5 && y <= picture.height - .5) continue;
      person.points[2 * joint] = person.points[2 * joint + 1] = NaN;
      person.scores[joint] = 0;
    }
    return { ...person, score: mean, box: around };
  }

  async run(session, { input, width, height }) {
    const tensor = new this.ort.Tensor("int32", input, [1, height, width, 3]);
    const answer = await session.run({ [session.inputNames[0]]: tensor });
    return answer[session.outputNames[0]].data;
  }
}

/** Joints of a network's y, x, score. */
function poseOf(values, place) {
  const points = new Float64Array(2 * JOINTS), scores = new Float64Array(JOINTS);
  for (let joint = 0; joint < JOINTS; joint++) {
    points.set(place(values[3 * joint + 1], values[3 * joint]), 2 * joint);
    scores[joint] = values[3 * joint + 2];
  }
  return { points, scores };
}

/** The box around joints. */
export function boxAround(points) {
  const box = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i < points.length; i += 2) {
    if (Number.isNaN(points[i])) continue;
    box[0] = Math.min(box[0], points[i]); box[1] = Math.min(box[1], points[i + 1]);
    box[2] = Math.max(box[2], points[i]); box[3] = Math.max(box[3], points[i + 1]);
  }
  return box;
}
