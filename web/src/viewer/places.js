// Where people are: in the scene, in the picture, and in time.

/** Adds what all views need: places in the scene (Y up, the ground at 0) and pixels of the video. */
export function prepare(person, { up, camera, world }) {
  const joints = person.names.length, { times } = person;
  // Frames in which no keypoint shows any joint.
  person.gap = Uint8Array.from(times, (_, k) => person.guessed.subarray(k * joints, (k + 1) * joints).every((each) => each));
  person.places = new Float32Array(person.joints.length);
  person.pixels = new Float32Array(person.times.length * joints * 2);
  person.scale = new Float32Array(person.times.length * joints); // pixels for a metre at the joint
  const dot = (row, x, y, z) => row[0] * x + row[1] * y + row[2] * z;
  let { K, R, t } = cameraAt(camera, times[0]), back = turnedBack(R), [tx, ty, tz] = t ?? [0, 0, 0];
  const lens = lensOf(camera);
  // Hundreds of thousands of joints in ten minutes: no arrays for each.
  for (let i = 0, frame = 0; frame < times.length; frame++) for (let joint = 0; joint < joints; joint++, i++) {
    if (camera.times && !joint) ({ K, R, t } = cameraAt(camera, times[frame])), back = turnedBack(R), [tx, ty, tz] = t;
    const x = person.joints[3 * i] + person.root[3 * frame], y = person.joints[3 * i + 1] + person.root[3 * frame + 1];
    const z = person.joints[3 * i + 2] + person.root[3 * frame + 2];
    for (let axis = 0; axis < 3; axis++) person.places[3 * i + axis] = dot(up[axis], x, y, z);
    person.places[3 * i + 1] -= person.floor;
    const a = world && R ? dot(back[0], x - tx, y - ty, z - tz) : x, b = world && R ? dot(back[1], x - tx, y - ty, z - tz) : y;
    const depth = !world ? z : R ? dot(back[2], x - tx, y - ty, z - tz) : NaN, seen = depth > 0.1 ? 1 / depth : NaN;
    // The middle of the first pixel is 0.5 from the edge.
    const [across, down] = lens ? lens(seen * a, seen * b) : [seen * a, seen * b];
    person.pixels[2 * i] = dot(K[0], across, down, 1) + 0.5;
    person.pixels[2 * i + 1] = dot(K[1], across, down, 1) + 0.5;
    person.scale[i] = K[0][0] * seen;
  }
}

/** How a lens moves a point of the plane z = 1 (poselift.geometry.pinhole); null for one that bends nothing. */
export function lensOf({ distortion, fisheye }) {
  if (fisheye) return (x, y) => {
    const radius = Math.hypot(x, y), angle = Math.atan(radius), squared = angle * angle;
    const bent = angle * (1 + fisheye.reduceRight((sum, k) => squared * (k + sum), 0));
    const scale = radius > 1e-9 ? bent / radius : 1;
    return [scale * x, scale * y];
  };
  if (distortion) return (x, y) => {
    const [k1, k2, p1, p2, k3] = distortion, squared = x * x + y * y;
    const radial = 1 + squared * (k1 + squared * (k2 + squared * k3));
    return [x * radial + 2 * p1 * x * y + p2 * (squared + 2 * x * x), y * radial + p1 * (squared + 2 * y * y) + 2 * p2 * x * y];
  };
  return null;
}

/** Intrinsics and pose of the camera at a time; one that is still has the same always. */
export function cameraAt({ K, R, t, times }, time) {
  if (!times) return { K, R, t };
  const row = Math.max(lastBefore(times, time), 0);
  return { K: K[0][0].length ? K[row] : K, R: R[0][0].length ? R[row] : R, t: t[0].length ? t[row] : t };
}

/** R x + t is a place in the world, so R transposed takes it back to the camera. */
function turnedBack(R) {
  return R && [0, 1, 2].map((axis) => R.map((row) => row[axis]));
}

/** Index of the last moment not after a time; -1 before the first. */
export function lastBefore(times, time) {
  let low = 0, high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] <= time + 1e-4) low = middle + 1; else high = middle;
  }
  return low - 1;
}

/** The person's frame at a time; -1 if the person is not there or the frame is empty. */
export function frameOf(person, time) {
  const frame = lastBefore(person.times, time), last = person.times.length - 1;
  if (frame < 0 || (frame === last && time > person.times[last] + 0.05)) return -1;
  return Number.isNaN(person.root[3 * frame]) ? -1 : frame;
}
