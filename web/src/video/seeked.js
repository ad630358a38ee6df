// The frames of a video by seeking in a video element, where the browser cannot decode it otherwise.

import { sizeWithin } from "./pixels.js";

/** Pictures a second: as many as people are looked at. */
const RATE = 15;
/** Seconds after which a seek has failed. */
const PATIENCE = 20;

/** The video's length and size, or an error in plain words. */
export async function openSeeked(video, name) {
  if (video.readyState < 1 && !video.error) await happened(video, "loadedmetadata");
  if (video.error || !video.videoWidth) throw new Error(`${name} cannot be played by this browser; save it as MP4 (H.264) first.`);
  if (video.duration === Infinity) { // a recording without an index
    video.currentTime = 1e7;
    await happened(video, "seeked");
  }
  const size = [video.videoWidth, video.videoHeight], { width, height } = sizeWithin(...size);
  /** The picture at a moment, or null after the end. */
  async function picture(number) {
    const time = number / RATE;
    if (time >= video.duration) return null;
    video.currentTime = time + 1e-3;
    try {
      if (!await happened(video, "seeked")) throw video.error;
      if (video.readyState < 2) await happened(video, "loadeddata");
      return { time, bitmap: await createImageBitmap(video, { resizeWidth: width, resizeHeight: height, resizeQuality: "high" }) };
    } catch {
      throw new Error(`${name} cannot be read at ${time.toFixed(2)} s; the file may be damaged.`);
    }
  }
  return { size, width, height, start: 0, duration: video.duration, picture };
}

/** Waits for an event; false if an error or too much time comes first. */
function happened(video, event) {
  return new Promise((done) => {
    const end = new AbortController(), { signal } = end;
    const settle = (good) => { end.abort(); clearTimeout(timer); done(good); };
    const timer = setTimeout(() => settle(false), 1000 * PATIENCE);
    video.addEventListener(event, () => settle(true), { signal });
    video.addEventListener("error", () => settle(false), { signal });
  });
}
