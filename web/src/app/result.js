// A result of `poselift lift` that is corrected: `poselift edit` serves it beside the page, `poselift view` writes it into it.

import { bytesOf } from "../viewer/data.js";
import { answerOf } from "./files.js";

/** Files that lie in the page itself, by name; none of a site. */
export const inside = Object.fromEntries([...document.querySelectorAll("script[data-file]")].map((holder) => {
  const { file } = holder.dataset, content = new Blob([bytesOf(holder.textContent)], { type: /js$/.test(file) ? "text/javascript" : "" });
  holder.remove(); // the text takes a third more memory than the bytes
  return [file, content];
}));

/** The video, and who is in it, as the worker's `find` gives it. */
export async function loadResult() {
  const [about, video] = await Promise.all(["edit.json", "edit.video"].map((name) => answerOf(name, inside)));
  const { name, tracks, ...found } = await about.json();
  const numbers = (Type, values) => Type.from(values, (value) => value ?? NaN);
  found.tracks = tracks.map((track) => ({ ...track, times: numbers(Float64Array, track.times),
    pixels: numbers(Float32Array, track.pixels), scores: numbers(Float32Array, track.scores),
    ...(track.hands && { hands: { placed: true, pixels: numbers(Float32Array, track.hands.pixels), joints: numbers(Float32Array, track.hands.joints), scores: numbers(Float32Array, track.hands.scores) } }) }));
  return { file: new File([await video.blob()], name), found: { ...found, seconds: {}, broken: false } };
}
