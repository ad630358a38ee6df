// Google's MoveNet in the browser: MultiPose finds the people of a picture, Thunder the joints of one person.

import { squareCrop, wholeCrop } from "./crop.js";
import { joinPasses, withoutDuplicates } from "./duplicates.js";

export class MoveNet {
  /**
   * @param ort the onnxruntime-web module.
   * @param read gives the bytes of a file.
   * @param facts of numbers.json.
   * @param gpu whether there is WebGPU. Without it Thunder computes in 8 bits, which takes half of the time;
   *   MultiPose gains nothing from that.
   */
  static async open(ort, read, facts, gpu) {
    const made = new MoveNet(), options = { executionProviders: gpu ? ["webgpu", "wasm"] : ["wasm"] };
    Object.assign(made, { ort, constants: facts.constants, joints: facts.skeletons.coco17.joints.length });
    made.multipose = await ort.InferenceSession.create(await read("movenet_multipose.onnx"), options);
    const name = "movenet_thunder.onnx", weights = await read(name);
    made.thunder = gpu ? await ort.InferenceSession.create(weights, options)
      : await ort.InferenceSession.create(await read("movenet_thunder_int8.onnx"), { ...options, externalData: [{ path: name, data: weights }] });
    return made;
  }

  /** Everybody in a picture, each once. @param fine without it only people who fill a third of the picture */
  async search(picture, fine) {
    const { constants, constants: { multipose } } = this, coarse = await this.pass(picture, multipose.COARSE);
    const found = fine ? joinPasses(coarse, await this.pass(picture, multipose.FINE), Math.max(picture.width, picture.height), constants) : coarse;
    return withoutDuplicates(found, constants).map((person) => ({ ...person, box: boxAround(person.points) }));
  }

  async pass(picture, longer) {
    const { multipose } = this.constants, crop = wholeCrop(picture, longer, multipose.STRIDE);
    const values = await this.run(this.multipose, crop), people = [], box = 3 * this.joints; // a row: joints, box, score
    const place = (x, y) => crop.toPicture(x * crop.width + multipose.OFFSET, y * crop.height + multipose.OFFSET);
    const inside = ([x, y]) => [Math.min(picture.width - 1, Math.max(0, x)), Math.min(picture.height - 1, Math.max(0, y))];
    for (let at = 0; at < values.length; at += box + 5) {
      const score = values[at + box + 4];
      if (!(score >= multipose.MIN_BOX_SCORE)) continue;
      const [y0, x0, y1, x1] = values.subarray(at + box, at + box + 4);
      people.push({ ...poseOf(values.subarray(at, at + box), place), score, box: [...inside(place(x0, y0)), ...inside(place(x1, y1))] });
    }
    return people;
  }

  /** The person in a box that is turned by an angle; joints outside of the picture have the score 0 and no place. */
  async look(picture, box, angle = 0) {
    const { movenet, multipose: { OFFSET } } = this.constants, size = movenet.THUNDER_SIZE;
    const crop = squareCrop(picture, box, size, movenet.MARGIN, angle), values = await this.run(this.thunder, crop);
    const person = poseOf(values, (x, y) => crop.toPicture(x * size + OFFSET, y * size + OFFSET));
    const mean = person.scores.reduce((sum, score) => sum + score, 0) / this.joints, around = boxAround(person.points);
    for (let joint = 0; joint < this.joints; joint++) {
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
  const joints = values.length / 3, points = new Float64Array(2 * joints), scores = new Float64Array(joints);
  for (let joint = 0; joint < joints; joint++) {
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
