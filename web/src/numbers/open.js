// Opens the graphs of Python (tools/write_browser_graphs.py), and runs them.

/**
 * @typedef {object} Numbers the opened graphs
 * @property {object} facts content of numbers.json: the lifter, skeletons and constants
 * @property {(name: string, inputs: Record<string, [ArrayLike<number>, number[]]>) => Promise<Record<string, ArrayLike<number>>>} run
 *   runs a graph with values and shapes by name
 * @property {number[]} orderIn partner of each input joint in a mirrored picture
 * @property {number[]} orderOut partner of each joint that comes out
 * @property {number} jointsOut number of joints that come out
 */

/**
 * Opens the graphs.
 * @param ort the onnxruntime-web module
 * @param {(name: string) => Promise<Uint8Array>} read gives a file
 * @param {object} sessionOptions of the lifter, such as {executionProviders: ["webgpu", "wasm"]}
 * @returns {Promise<Numbers>}
 */
export async function openNumbers(ort, read, sessionOptions = {}) {
  const facts = JSON.parse(new TextDecoder().decode(await read("numbers.json")));
  const { graph, weights, skeleton_in, skeleton_out } = facts.lifter;
  const externalData = [{ path: weights, data: await read(weights) }];
  const sessions = { lifter: await ort.InferenceSession.create(await read(graph), { ...sessionOptions, externalData }) };
  // The others are small: they are opened when they are needed, and always run on WebAssembly.
  const open = async (name) => ort.InferenceSession.create(await read(`${name}.onnx`), { executionProviders: ["wasm"] });
  const order = (skeleton) => facts.skeletons[skeleton].joints.map((joint, _, all) => all.indexOf(otherSide(joint)));
  const [orderIn, orderOut] = [order(skeleton_in), order(skeleton_out)];
  /** Runs a graph: {name: [values, shape]} in, {name: values} out. */
  const run = async (name, inputs) => {
    const session = await (sessions[name] ??= open(name));
    const feeds = {};
    for (const [key, [values, shape]] of Object.entries(inputs)) {
      const type = values instanceof Uint8Array ? "bool" : values instanceof BigInt64Array ? "int64" : "float32";
      const data = type === "float32" && !(values instanceof Float32Array) ? Float32Array.from(values) : values;
      if (session.inputNames.includes(key)) feeds[key] = new ort.Tensor(type, data, shape);
    }
    const out = await session.run(feeds);
    return Object.fromEntries(Object.entries(out).map(([key, tensor]) => [key, tensor.data]));
  };
  return { facts, orderIn, orderOut, jointsOut: orderOut.length, run };
}

/** The name of the joint on the other side; its own in the middle. */
export const otherSide = (joint) => joint.replace(/^(left|right)_/, (_, side) => (side === "left" ? "right_" : "left_"));

/** Values (t, width) with rows added up to a multiple of a graph's block of frames. */
export function padded(values, frames, block, fill = 0) {
  const width = values.length / frames;
  const rows = Math.ceil(frames / block) * block;
  const out = new (values instanceof Uint8Array ? Uint8Array : Float32Array)(rows * width).fill(fill);
  out.set(values);
  return [out, rows];
}
