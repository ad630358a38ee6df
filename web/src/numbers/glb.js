// GLB: binary glTF 2.0, a body on an armature of named bones (poselift.export.glb).

import { character, offsetsOf } from "./character.js";
import { quaternion } from "./fingers.js";
import { joined } from "./npz.js";
import { lensesOf } from "./sidecar.js";
import { unseenSpans } from "./sight.js";
import { median } from "./times.js";

const SKIN = [0.62, 0.66, 0.72, 1.0]; // colour of the body, linear RGBA
const [FLOAT, UNSIGNED_SHORT, UNSIGNED_BYTE] = [5126, 5123, 5121];
const [ARRAY_BUFFER, ELEMENT_ARRAY_BUFFER] = [34962, 34963];
const POINTER = "KHR_animation_pointer"; // extension that animates properties of cameras
const WIDTHS = { SCALAR: 1, VEC3: 3, VEC4: 4, MAT4: 16 };

/**
 * One armature, skinned body and animation per person: metres, Y up, facing +Z, on the ground at rest.
 * @param {import("./open.js").Numbers} numbers
 * @param {import("./index.js").Motion[]} motions everybody in the file
 * @param {number} start time of the clip's first frame by the clock of the motions, seconds
 * @param {import("../camera_path/moving_world.js").MovingCamera|null} moving the camera of each frame, of motions in the world
 * @returns {Promise<Uint8Array>}
 */
export async function writeGlb(numbers, motions, start = Math.min(...motions.map(({ times }) => times[0])), moving = null) {
  if (!motions.length) throw new Error("there is no motion to write; give at least one person");
  const document = new Document();
  for (const motion of motions) {
    const figure = await character(numbers, motion);
    const times = Float32Array.from(motion.times, (time) => time - start);
    if (times.some((time, frame) => frame > 0 && !(time > times[frame - 1])))
      throw new Error("frames are too close for glTF, whose times have 7 digits; lift a shorter span");
    const first = document.addBones(figure, times, motion, unseenSpans(numbers, motion, start));
    document.addBody(figure, first, `person_${motion.person}`);
  }
  if (moving) document.addCamera(moving, motions[0].keypoints, start);
  return document.bytes();
}

/** A glTF document in the making. */
class Document {
  #parts = [];
  #length = 0;
  #file = {
    asset: { version: "2.0", generator: "poselift" },
    scene: 0,
    scenes: [{ nodes: [] }],
    nodes: [],
    meshes: [],
    skins: [],
    materials: [
      { name: "body", pbrMetallicRoughness: { baseColorFactor: SKIN, metallicFactor: 0, roughnessFactor: 0.8 } },
    ],
    animations: [{ name: "motion", channels: [], samplers: [] }],
    accessors: [],
    bufferViews: [],
  };

  /** A person's bones and animation; the index of the first bone's node, which the others follow. */
  addBones(figure, times, { person, height }, unseen) {
    const { nodes, scenes } = this.#file;
    const first = nodes.length + 1;
    const children = (bone) => {
      const rows = Array.from(figure.parents.keys()).filter((row) => figure.parents[row] === bone);
      return rows.length ? { children: rows.map((row) => first + row) } : {};
    };
    const extras = {
      ...(height ? { height_m: height.metres, height_origin: height.origin } : {}),
      ...(Object.keys(unseen).length ? { unseen_s: unseen } : {}),
    };
    scenes[0].nodes.push(nodes.length);
    nodes.push({ name: `person_${person}`, ...children(-1), extras });
    const offsets = offsetsOf(figure);
    figure.names.forEach((name, bone) =>
      nodes.push({ name, translation: [...offsets.subarray(3 * bone, 3 * bone + 3)], ...children(bone) }),
    );
    const stamps = this.#data(times, "SCALAR", { bounds: true });
    this.#channel(stamps, this.#data(Float32Array.from(figure.way), "VEC3"), first, "translation");
    figure.names.forEach((_, bone) => {
      const turns = quaternions(figure, bone);
      if (turns.some((value, k) => k % 4 < 3 && Math.abs(value) >= 1e-6))
        this.#channel(stamps, this.#data(turns, "VEC4"), first + bone, "rotation");
    });
    return first;
  }

  /** A body around a person's bones. */
  addBody({ rest, names, mesh: { points, triangles, segments, weights } }, first, name) {
    const { nodes, scenes, meshes, skins } = this.#file;
    // The skinned mesh is a root itself, because the transforms above it do not count.
    scenes[0].nodes.push(nodes.length);
    nodes.push({ name: `${name}_body`, mesh: meshes.length, skin: skins.length });
    const four = (pairs, Type) => Type.from({ length: 2 * pairs.length }, (_, k) => (k % 4 < 2 ? pairs[2 * Math.floor(k / 4) + (k % 4)] : 0));
    const bones = segments.map((bone, k) => (weights[k] > 0 ? bone : 0));
    const target = ARRAY_BUFFER;
    const attributes = {
      POSITION: this.#data(Float32Array.from(points), "VEC3", { target, bounds: true }),
      NORMAL: this.#data(normalsOf(points, triangles), "VEC3", { target }),
      JOINTS_0: this.#data(four(bones, Uint8Array), "VEC4", { target }),
      WEIGHTS_0: this.#data(four(weights, Float32Array), "VEC4", { target }),
    };
    const indices = this.#data(triangles, "SCALAR", { target: ELEMENT_ARRAY_BUFFER });
    meshes.push({ name, primitives: [{ attributes, indices, material: 0 }] });
    // Columns one after another, as glTF has matrices.
    const inverse = names.flatMap((_, bone) => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, ...[0, 1, 2].map((k) => -rest[3 * bone + k]), 1]);
    skins.push({
      name,
      skeleton: first - 1,
      joints: names.map((_, bone) => first + bone),
      inverseBindMatrices: this.#data(Float32Array.from(inverse), "MAT4"),
    });
  }

  /** A camera that turns and zooms, as an animated node. glTF's cameras look along -Z, with Y up. */
  addCamera({ K, R, t, times }, { width, height }, start) {
    const file = this.#file, { nodes, scenes, animations: [animation] } = file, angle = (lens) => 2 * Math.atan(height / (2 * lens[4])), lenses = lensesOf({ K });
    const turns = R.map((each) => each.map((value, i) => i % 3 ? -value : value)), rotations = quaternions({ rotations: Float64Array.from(turns.flatMap((each) => [...each])), names: ["camera"] }, 0);
    const focal = median(lenses.map((lens) => lens[4])), node = nodes.length, zoom = lenses.length > 1;
    scenes[0].nodes.push(node);
    nodes.push({ name: "camera", camera: 0, rotation: [...rotations.subarray(0, 4)], translation: [...t[0]], extras: zoom ? { focal_px: lenses.map((lens) => lens[4]) } : {} });
    file.cameras = [{ name: "camera", type: "perspective", perspective: { yfov: 2 * Math.atan(height / (2 * focal)), aspectRatio: width / height, znear: 0.05, zfar: 1000 } }];
    const stamps = this.#data(Float32Array.from(times, (time) => time - start), "SCALAR", { bounds: true });
    this.#channel(stamps, this.#data(Float32Array.from(t.flat()), "VEC3"), node, "translation");
    this.#channel(stamps, this.#data(rotations, "VEC4"), node, "rotation");
    if (!zoom) return;
    animation.channels.push({ sampler: animation.samplers.length, target: { path: "pointer", extensions: { [POINTER]: { pointer: "/cameras/0/perspective/yfov" } } } });
    animation.samplers.push({ input: stamps, output: this.#data(Float32Array.from(lenses, angle), "SCALAR"), interpolation: "LINEAR" });
    file.extensionsUsed = [POINTER];
  }

  /** The file: a header, the JSON and the binary chunk. */
  bytes() {
    this.#file.buffers = [{ byteLength: this.#length }];
    const text = JSON.stringify(this.#file);
    const json = new TextEncoder().encode(text);
    const spaces = new Uint8Array(-json.length & 3).fill(32);
    const words = (...numbers) => new Uint8Array(Uint32Array.from(numbers).buffer);
    const length = json.length + spaces.length;
    return joined([
      words(0x46546c67, 2, 12 + 8 + length + 8 + this.#length),
      words(length, 0x4e4f534a),
      json,
      spaces,
      words(this.#length, 0x004e4942),
      ...this.#parts,
    ]);
  }

  #channel(input, output, node, path) {
    const [animation] = this.#file.animations;
    animation.channels.push({ sampler: animation.samplers.length, target: { node, path } });
    animation.samplers.push({ input, output, interpolation: "LINEAR" });
  }

  /** Index of the accessor of an array, which goes into the buffer. */
  #data(values, type, { target, bounds = false } = {}) {
    const width = WIDTHS[type];
    const componentType = values instanceof Float32Array ? FLOAT : values instanceof Uint16Array ? UNSIGNED_SHORT : UNSIGNED_BYTE;
    const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
    const { accessors, bufferViews } = this.#file;
    bufferViews.push({ buffer: 0, byteOffset: this.#length, byteLength: bytes.length, ...(target ? { target } : {}) });
    const accessor = { bufferView: bufferViews.length - 1, componentType, count: values.length / width, type };
    if (bounds)
      for (const [key, better] of [["min", Math.min], ["max", Math.max]])
        accessor[key] = Array.from({ length: width }, (_, k) => values.reduce((best, value, at) => (at % width === k ? better(best, value) : best), values[k]));
    const pad = new Uint8Array(-bytes.length & 3);
    this.#parts.push(bytes, pad);
    this.#length += bytes.length + pad.length;
    return accessors.push(accessor) - 1;
  }
}

/** Quaternions (t, 4) x, y, z, w of a bone; each is next to that of the frame before. */
function quaternions({ rotations, names }, bone) {
  const s = names.length;
  const out = new Float32Array((4 * rotations.length) / (9 * s));
  for (let at = 0; at < out.length; at += 4) {
    const from = 9 * ((at / 4) * s + bone);
    const [w, ...axis] = quaternion(rotations.subarray(from, from + 9));
    let q = [...axis, w];
    if (at && q.reduce((sum, value, k) => sum + value * out[at - 4 + k], 0) < 0) q = q.map((value) => -value);
    out.set(q, at);
  }
  return out;
}

/** Mean direction (v, 3) of the triangles around each vertex, by their areas. */
function normalsOf(points, triangles) {
  const normals = new Float32Array(points.length);
  for (let at = 0; at < triangles.length; at += 3) {
    const corners = triangles.subarray(at, at + 3);
    const [a, b, c] = Array.from(corners, (corner) => points.subarray(3 * corner, 3 * corner + 3));
    const [u, v] = [b, c].map((end) => end.map((value, k) => value - a[k]));
    const face = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    for (const corner of corners) face.forEach((value, k) => (normals[3 * corner + k] += value));
  }
  for (let at = 0; at < normals.length; at += 3) {
    const length = Math.hypot(normals[at], normals[at + 1], normals[at + 2]);
    for (let k = 0; k < 3; k++) normals[at + k] /= length;
  }
  return normals;
}
