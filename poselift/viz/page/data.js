// The content of the page: a line of JSON, then arrays as differences of int32, byte by byte (content.py).

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
  for (const person of content.people) prepare(person, content);
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
  // Only gaps that one sees: a detector may look at every second frame, and nothing should flicker then.
  person.gap = new Uint8Array(times.length);
  for (let from = 0, k = 0; k <= times.length; k++) {
    if (person.interpolated[k]) continue;
    if (k > from && times[k - 1] - times[from] > 0.12) person.gap.fill(1, from, k);
    from = k + 1;
  }
  person.places = new Float32Array(person.joints.length);
  person.pixels = new Float32Array(person.times.length * joints * 2);
  person.scale = new Float32Array(person.times.length * joints); // pixels for a metre at the joint
  for (let i = 0, frame = 0; frame < person.times.length; frame++) {
    for (let joint = 0; joint < joints; joint++, i++) {
      const p = [0, 1, 2].map((axis) => person.joints[3 * i + axis] + person.root[3 * frame + axis]);
      up.forEach((row, axis) => { person.places[3 * i + axis] = row[0] * p[0] + row[1] * p[1] + row[2] * p[2]; });
      person.places[3 * i + 1] -= person.floor;
      let c = p;
      if (world && R) {
        const d = p.map((value, axis) => value - t[axis]);
        c = [0, 1, 2].map((axis) => R[0][axis] * d[0] + R[1][axis] * d[1] + R[2][axis] * d[2]);
      }
      const seen = c[2] > 0.1 && !(world && !R);
      person.pixels[2 * i] = seen ? K[0][0] * c[0] / c[2] + K[0][1] * c[1] / c[2] + K[0][2] + 0.5 : NaN;
      person.pixels[2 * i + 1] = seen ? K[1][1] * c[1] / c[2] + K[1][2] + 0.5 : NaN;
      person.scale[i] = seen ? K[0][0] / c[2] : NaN;
    }
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
