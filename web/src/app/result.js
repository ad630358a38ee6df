// The result that `poselift edit` serves beside the page.

/** The video, and who is in it, as the worker's `find` gives it. */
export async function loadResult() {
  const [about, video] = await Promise.all([get("edit.json"), get("edit.video")]);
  const { name, tracks, ...found } = await about.json();
  const numbers = (Type, values) => Type.from(values, (value) => value ?? NaN);
  found.tracks = tracks.map((track) => ({ ...track, times: numbers(Float64Array, track.times),
    pixels: numbers(Float32Array, track.pixels), scores: numbers(Float32Array, track.scores) }));
  return { file: new File([await video.blob()], name), found: { ...found, seconds: {}, broken: false } };
}

async function get(name) {
  const answer = await fetch(name);
  if (!answer.ok) throw new Error(`${name} could not be loaded (${answer.status}); start poselift edit again.`);
  return answer;
}
