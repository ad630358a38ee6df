// BlazePose's landmark model in the browser, as poselift/detection/blazepose.py has it: the joints of somebody whose
// place in a picture is known, with heels and toes.

import { squareCrop } from "./crop.js";
import { bodyAngle } from "./orientation.js";

const sigmoid = (logit) => 1 / (1 + Math.exp(-Math.min(30, Math.max(-30, logit))));

export class BlazePose {
  /** @param ort the onnxruntime-web module. @param read gives the bytes of a file. @param facts of numbers.json. @param gpu whether there is WebGPU */
  static async open(ort, read, facts, gpu) {
    const made = new BlazePose(), options = { executionProviders: gpu ? ["webgpu", "wasm"] : ["wasm"] };
    return Object.assign(made, { ort, facts, session: await ort.InferenceSession.create(await read("pose_landmark_full.onnx"), options) });
  }

  /** The joints of a person whom MoveNet has found, in the order of COCO-WholeBody's body and feet; null without a trunk, and where nobody is. */
  async lookAt(picture, person) {
    const place = this.placeOf(person);
    if (!place) return null;
    const { blazepose } = this.facts.constants, size = blazepose.SIZE;
    const crop = squareCrop(picture, place.box, size, 1, place.angle);
    const tensor = new this.ort.Tensor("int32", crop.input, [1, size, size, 3]), { session } = this;
    const values = (await session.run({ [session.inputNames[0]]: tensor }))[session.outputNames[0]].data;
    const present = Math.min(1, values[blazepose.COUNT * blazepose.VALUES]);
    if (!(present >= blazepose.PRESENT)) return null; // nobody is there
    const { joints } = this.facts.skeletons.coco_wholebody23;
    const points = new Float64Array(2 * joints.length).fill(NaN), scores = new Float64Array(joints.length);
    joints.forEach((name, joint) => {
      const at = blazepose.VALUES * blazepose.MEDIAPIPE_LANDMARKS[name];
      if (Number.isNaN(at)) return; // small toes
      const [x, y] = crop.toPicture(values[at] - .5, values[at + 1] - .5); // it counts pixels from their edges
      const score = sigmoid(values[at + 3]) * sigmoid(values[at + 4]);
      if (!(x >= -.5 && y >= -.5 && x <= picture.width - .5 && y <= picture.height - .5 && score > 0)) return;
      points.set([x, y], 2 * joint);
      scores[joint] = score;
    });
    return { points, scores, present };
  }

  /** The box of the crop before it is turned about its middle, and its angle; null without a trunk. */
  placeOf({ points, scores }) {
    const { blazepose } = this.facts.constants, { joints } = this.facts.skeletons.coco17;
    const there = (joint) => !Number.isNaN(points[2 * joint]);
    const middle = (kind) => {
      const rows = [`left_${kind}`, `right_${kind}`].map((name) => joints.indexOf(name)).filter(there);
      return rows.length ? [0, 1].map((axis) => rows.reduce((sum, row) => sum + points[2 * row + axis], 0) / rows.length) : null;
    };
    const hips = middle("hip"), shoulders = middle("shoulder");
    if (!hips || !shoulders) return null;
    const away = (x, y) => Math.hypot(x - hips[0], y - hips[1]);
    let far = Math.max(1, blazepose.STRETCH * away(...shoulders));
    for (let joint = 0; joint < joints.length; joint++)
      if (there(joint) && scores[joint] >= blazepose.SEEN) far = Math.max(far, away(points[2 * joint], points[2 * joint + 1]));
    const half = blazepose.MARGIN * far;
    return { box: [hips[0] - half, hips[1] - half, hips[0] + half, hips[1] + half], angle: bodyAngle({ points, scores }, this.facts) ?? 0 };
  }
}
