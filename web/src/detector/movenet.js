// Google's MoveNet in the browser: MultiPose finds the people of a picture, Thunder the joints of one person.

import { quarterTurned, squareCrop, wholeCrop } from "./crop.js";
import { joinPasses, withoutDuplicates } from "./duplicates.js";
import { boxAround } from "./orientation.js";

export class MoveNet {
  /**
   * @param ort the onnxruntime-web module.
   * @param read gives the bytes of a file.
   * @param facts of numbers.json.
   * @param gpu whether there is WebGPU. Without it nothing computes in 8 bits either: WebAssembly gains no time by that,
   *   and joints move by a fifth of a pixel (docs/web.md).
   */
  static async open(ort, read, facts, gpu) {
    const made = new MoveNet(), options = { executionProviders: gpu ? ["webgpu", "wasm"] : ["wasm"] };
    Object.assign(made, { ort, constants: facts.constants, joints: facts.skeletons.coco17.joints.length });
    made.multipose = await ort.InferenceSession.create(await read("movenet_multipose.onnx"), options);
    made.thunder = await ort.InferenceSession.create(await read("movenet_thunder.onnx"), options);
    return made;
  }

  /**
   * Everybody in a picture, each once, best first.
   * @param {import("./searches.js").Search} how without `fine` only people who fill a third of the upright picture
   */
  async search(picture, { fine, turns }) {
    const { constants, constants: { multipose } } = this, longer = Math.max(picture.width, picture.height), found = [];
    if (turns.includes(0)) {
      const coarse = await this.pass(picture, multipose.COARSE);
      found.push(fine ? joinPasses(coarse, await this.pass(picture, multipose.FINE), longer, constants) : coarse);
    }
    const turned = [];
    for (const turn of turns) if (turn) turned.push(...await this.passTurned(picture, turn));
    const each = [...found, turned].flatMap((people) => bestFirst(people, constants).map((person) => ({ ...person, box: boxAround(person.points) })));
    return bestFirst(each, constants);
  }

  /** People who are turned clockwise by quarter turns. */
  async passTurned(picture, turn) {
    const upright = quarterTurned(picture, turn), c = [1, 0, -1, 0][turn], s = [0, 1, 0, -1][turn];
    const from = [upright.width, upright.height].map((size) => size / 2 - .5), to = [picture.width, picture.height].map((size) => size / 2 - .5);
    const back = (points) => points.map((_, i) => {
      const x = points[i - i % 2] - from[0], y = points[i - i % 2 + 1] - from[1];
      return i % 2 ? s * x + c * y + to[1] : c * x - s * y + to[0];
    });
    return (await this.pass(upright, this.constants.multipose.MIDDLE)).map((person) => {
      const [x0, y0, x1, y1] = back(person.box);
      return { ...person, points: back(person.points), box: [Math.min(x0, x1), Math.min(y0, y1), Math.max(x0, x1), Math.max(y0, y1)] };
    });
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

/** The people without doubles, best first. */
const bestFirst = (people, constants) => withoutDuplicates(people, constants).sort((one, other) => other.score - one.score);

/** Joints of a network's y, x, score. */
function poseOf(values, place) {
  const joints = values.length / 3, points = new Float64Array(2 * joints), scores = new Float64Array(joints);
  for (let joint = 0; joint < joints; joint++) {
    points.set(place(values[3 * joint + 1], values[3 * joint]), 2 * joint);
    scores[joint] = values[3 * joint + 2];
  }
  return { points, scores };
}
