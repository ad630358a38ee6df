// The content of the page: a line of JSON, then arrays as differences of int32, byte by byte, then files (content.py).

const byId = (id) => document.getElementById(id);

/** The bytes in an element that holds base64. */
function bytesOf(id) {
  const text = atob(byId(id).textContent);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

/** The header, with `times` of the clip and the arrays of each person in place. */
async function readContent() {
  const stream = new Blob([bytesOf("content")]).stream().pipeThrough(new DecompressionStream("gzip"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let at = bytes.indexOf(10) + 1;
  const content = JSON.parse(new TextDecoder().decode(bytes.subarray(0, at)));
  const people = [content, ...content.people];
  for (const [name, shape, scale] of content.arrays) {
    if (name === "end") { people.splice(1, 1); continue; }
    const values = unpack(bytes, at, shape, scale);
    at += 4 * values.length;
    (name === "times" && !content.times ? content : people[1])[name] = values;
  }
  for (const person of content.people) {
    for (const [ending, size] of Object.entries(person.files)) person.files[ending] = bytes.subarray(at, at += size);
    prepare(person, content);
  }
  return content;
}

/** Numbers with the time first; NaN where nothing is known. */
function unpack(bytes, at, [frames, ...rest], scale) {
  const columns = rest.reduce((a, b) => a * b, 1), size = frames * columns;
  const values = new Float64Array(size);
  for (let column = 0, i = at; column < columns; column++) {
    for (let frame = 0, sum = 0; frame < frames; frame++, i++) {
      sum = (sum + (bytes[i] | bytes[i + size] << 8 | bytes[i + 2 * size] << 16 | bytes[i + 3 * size] << 24)) | 0;
      values[frame * columns + column] = sum === -(2 ** 31) ? NaN : sum / scale;
    }
  }
  return values;
}

/** Adds what all views need: places in the scene (Y up, the ground at 0) and pixels of the video. */
function prepare(person, { up, camera: { K, R, t }, world }) {
  const joints = person.names.length, { times } = person;
  // Frames in which no keypoint shows any joint.
  person.gap = Uint8Array.from(times, (_, k) => person.guessed.subarray(k * joints, (k + 1) * joints).every((each) => each));
  person.places = new Float32Array(person.joints.length);
  person.pixels = new Float32Array(person.times.length * joints * 2);
  person.scale = new Float32Array(person.times.length * joints); // pixels for a metre at the joint
  const dot = (row, x, y, z) => row[0] * x + row[1] * y + row[2] * z;
  // R x + t is a place in the world, so R transposed takes it back to the camera.
  const back = R && [0, 1, 2].map((axis) => R.map((row) => row[axis])), [tx, ty, tz] = t ?? [0, 0, 0];
  // Hundreds of thousands of joints in ten minutes: no arrays for each.
  for (let i = 0, frame = 0; frame < times.length; frame++) for (let joint = 0; joint < joints; joint++, i++) {
    const x = person.joints[3 * i] + person.root[3 * frame], y = person.joints[3 * i + 1] + person.root[3 * frame + 1];
    const z = person.joints[3 * i + 2] + person.root[3 * frame + 2];
    for (let axis = 0; axis < 3; axis++) person.places[3 * i + axis] = dot(up[axis], x, y, z);
    person.places[3 * i + 1] -= person.floor;
    const a = world && R ? dot(back[0], x - tx, y - ty, z - tz) : x, b = world && R ? dot(back[1], x - tx, y - ty, z - tz) : y;
    const depth = !world ? z : R ? dot(back[2], x - tx, y - ty, z - tz) : NaN, seen = depth > 0.1 ? 1 / depth : NaN;
    // The middle of the first pixel is 0.5 from the edge.
    person.pixels[2 * i] = seen * dot(K[0], a, b, depth) + 0.5;
    person.pixels[2 * i + 1] = seen * dot(K[1], a, b, depth) + 0.5;
    person.scale[i] = K[0][0] * seen;
  }
}

/** Index of the last moment not after a time; -1 before the first. */
function lastBefore(times, time) {
  let low = 0, high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] <= time + 1e-4) low = middle + 1; else high = middle;
  }
  return low - 1;
}

/** The person's frame at a time; -1 if the person is not there or the frame is empty. */
function frameOf(person, time) {
  const frame = lastBefore(person.times, time), last = person.times.length - 1;
  if (frame < 0 || (frame === last && time > person.times[last] + 0.05)) return -1;
  return Number.isNaN(person.root[3 * frame]) ? -1 : frame;
}
