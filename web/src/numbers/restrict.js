// A motion with the joints of a smaller skeleton.

/**
 * @param {import("./open.js").Numbers} numbers
 * @param {import("./index.js").Motion} motion
 * @param {string} name such as h36m17, the joints that `poselift lift` writes
 * @returns {import("./index.js").Motion}
 */
export function restrict(numbers, motion, name) {
  const wanted = numbers.facts.skeletons[name];
  const rows = wanted.joints.map((joint) => motion.skeleton.joints.indexOf(joint));
  if (rows.includes(-1)) throw new Error(`${motion.skeleton.name} cannot be restricted to ${name}`);
  const j = motion.skeleton.joints.length;
  const take = (values, width) => {
    const out = new Float32Array(motion.times.length * rows.length * width);
    for (let frame = 0; frame < motion.times.length; frame++)
      rows.forEach((row, place) => {
        const from = (frame * j + row) * width;
        out.set(values.subarray(from, from + width), (frame * rows.length + place) * width);
      });
    return out;
  };
  const [joints, uncertainty] = [take(motion.joints, 3), take(motion.uncertainty, 1)];
  return { ...motion, joints, uncertainty, skeleton: { name, ...wanted } };
}

/** Frames of a motion with a pose. */
export function posedFrames({ joints, root, times }) {
  const width = joints.length / times.length;
  return Uint8Array.from(times, (_, frame) => {
    const [pose, place] = [joints.subarray(frame * width, (frame + 1) * width), root.subarray(3 * frame, 3 * frame + 3)];
    return pose.every(Number.isFinite) && place.every(Number.isFinite) ? 1 : 0;
  });
}

/** Places (t, j, 3) of the joints with Y up, metres: the world, or the camera frame turned by 180 degrees about x. */
export function pointsYUp({ joints, root, times, frame }) {
  const width = joints.length / times.length;
  return Float64Array.from(joints, (value, at) => {
    const place = Math.fround(value + root[3 * Math.floor(at / width) + (at % 3)]);
    return at % 3 && frame === "camera" ? -place : place;
  });
}
