// The content of `poselift view`'s page: a line of JSON, then arrays as differences of int32, byte by byte, then files
// (page_content.py).

import { byId } from "./elements.js";
import { prepareHands } from "./hands.js";
import { prepare } from "./places.js";

/** The bytes of base64. */
export function bytesOf(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

/** The header, with `times` of the clip and the arrays of each person in place. */
export async function readContent() {
  const stream = new Blob([bytesOf(byId("content").textContent)]).stream().pipeThrough(new DecompressionStream("gzip"));
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
    for (const [ending, size] of Object.entries(person.files)) {
      const file = bytes.subarray(at, at += size);
      person.files[ending] = () => file;
    }
    prepare(person, content);
    prepareHands(person, content);
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
