// The arrays of a motion as an npz file, which `poselift export`, `poselift view` and `poselift lift --keypoints` read
// with the JSON beside it (poselift.export.motion_npz).

import { searchSorted } from "./times.js";

const HEAD = 64; // npy headers end at multiples of this

const CRC = Uint32Array.from({ length: 256 }, (_, byte) => {
  for (let bit = 0; bit < 8; bit++) byte = byte & 1 ? (byte >>> 1) ^ 0xedb88320 : byte >>> 1;
  return byte;
});

function crc32(bytes) {
  let sum = 0xffffffff;
  for (const byte of bytes) sum = (sum >>> 8) ^ CRC[(sum ^ byte) & 255];
  return (sum ^ 0xffffffff) >>> 0;
}

/**
 * A zip archive without compression.
 * @param {Record<string, Uint8Array|string>} files content by name
 * @returns {Uint8Array}
 */
export function zip(files) {
  const parts = [];
  const directory = [];
  let offset = 0;
  const push = (list, bytes) => (list.push(bytes), bytes.length);
  for (const [name, content] of Object.entries(files)) {
    const label = new TextEncoder().encode(name);
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    const head = new DataView(new ArrayBuffer(26)); // what the entry and the directory share
    head.setUint16(0, 20, true); // version 2.0 reads it
    head.setUint16(2, 0x800, true); // names are UTF-8
    head.setUint16(8, 0x21, true); // 1 January 1980, so that equal files give equal archives
    head.setUint32(10, crc32(bytes), true);
    head.setUint32(14, bytes.length, true);
    head.setUint32(18, bytes.length, true);
    head.setUint16(22, label.length, true);
    const shared = new Uint8Array(head.buffer);
    const entry = new DataView(new ArrayBuffer(16));
    entry.setUint32(12, offset, true);
    directory.push(Uint8Array.of(80, 75, 1, 2, 20, 0), shared, new Uint8Array(entry.buffer).subarray(2), label);
    offset += push(parts, Uint8Array.of(80, 75, 3, 4)) + push(parts, shared) + push(parts, label) + push(parts, bytes);
  }
  const count = Object.keys(files).length;
  const end = new DataView(new ArrayBuffer(22));
  [80, 75, 5, 6].forEach((byte, k) => end.setUint8(k, byte));
  end.setUint16(8, count, true);
  end.setUint16(10, count, true);
  end.setUint32(12, directory.reduce((sum, part) => sum + part.length, 0), true);
  end.setUint32(16, offset, true);
  return joined([...parts, ...directory, new Uint8Array(end.buffer)]);
}

/** One array of parts. */
export function joined(parts) {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let place = 0;
  for (const part of parts) {
    out.set(part, place);
    place += part.length;
  }
  return out;
}

/** An array in numpy's format. */
function npy(type, shape, values) {
  const facts = `{'descr': '${type}', 'fortran_order': False, 'shape': (${shape.join(", ")},), }`;
  const text = facts.padEnd(Math.ceil((facts.length + 11) / HEAD) * HEAD - 11) + "\n";
  const head = Uint8Array.of(0x93, ...new TextEncoder().encode("NUMPY"), 1, 0, text.length & 255, text.length >> 8);
  const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  return joined([head, new TextEncoder().encode(text), bytes]);
}

/**
 * person_N.npz of `poselift lift`.
 * @param {import("./index.js").Motion} motion
 * @param {import("../camera_path/moving_world.js").MovingCamera|null} moving the camera of each frame, of a motion in the world
 * @returns {Uint8Array}
 */
export function writeNpz({ joints, root, times, keypoints, interpolated, uncertainty, skeleton, hands }, moving = null) {
  const [t, j, given] = [times.length, skeleton.joints.length, keypoints.joints.length];
  const there = (values) => Float64Array.from(Array.from(times, (time) => [...values[Math.min(searchSorted(moving.times, time - 1e-6), moving.times.length - 1)]]).flat());
  return zip({
    "joints.npy": npy("<f4", [t, j, 3], joints),
    "root.npy": npy("<f4", [t, 3], root),
    "timestamps.npy": npy("<f8", [t], times),
    "keypoints.npy": npy("<f4", [t, given, 2], keypoints.pixels),
    "keypoint_scores.npy": npy("<f4", [t, given], keypoints.scores),
    "interpolated.npy": npy("|b1", [t], interpolated),
    "uncertainty.npy": npy("<f4", [t, j], uncertainty),
    ...(moving ? {
      "camera_K.npy": npy("<f8", [t, 3, 3], there(moving.K)),
      "camera_R.npy": npy("<f8", [t, 3, 3], there(moving.R)),
      "camera_t.npy": npy("<f8", [t, 3], there(moving.t)),
    } : {}),
    ...(hands ? {
      "hand_joints.npy": npy("<f4", [t, 2, 21, 3], hands.joints),
      "hand_keypoints.npy": npy("<f4", [t, 2, 21, 2], hands.pixels),
      "hand_scores.npy": npy("<f4", [t, 2], hands.scores),
    } : {}),
  });
}
