// The frames of a video by WebCodecs: a file is read and decoded bit by bit, so its length does not matter.

import { BlobSource, Input, MATROSKA, MP4, QTFF, VideoSampleSink, WEBM } from "mediabunny";
import { quarterTurned } from "../detector/crop.js";
import { pictureReader, sizeWithin } from "./pixels.js";
import { samplePixels } from "./yuv.js";

/** @typedef {{time: number, pixels: () => Promise<Picture>, close: () => void}} Frame  time in seconds */

/** Each frame, and whether it is the last one; it is closed afterwards. @param {AsyncIterable<Frame>} frames */
export async function* markLast(frames) {
  let kept = null, broken = null;
  try {
    try {
      for await (const frame of frames) {
        const before = kept;
        kept = frame;
        if (before) try { yield { frame: before, last: false }; } finally { before.close(); }
      }
    } catch (error) { broken = error; }
    if (kept) yield { frame: kept, last: true };
    if (broken) throw broken;
  } finally { kept?.close(); }
}

/**
 * Opens a video.
 *
 * @returns its upright size (pixels of the pictures), first moment and length in seconds, and its frames; null where
 *   WebCodecs or the file's format is missing, so that another way may be tried.
 */
export async function openDecoded(file) {
  if (!globalThis.VideoDecoder) return null;
  const input = new Input({ source: new BlobSource(file), formats: [MP4, QTFF, WEBM, MATROSKA] });
  const track = await input.getPrimaryVideoTrack().catch(() => null);
  if (!track || !await track.canDecode().catch(() => false)) return null;
  const [wide, high, start, end] = await Promise.all(
    [track.getDisplayWidth(), track.getDisplayHeight(), input.getFirstTimestamp(), track.computeDuration()]);
  const { width, height } = sizeWithin(wide, high), read = pictureReader(width, height);
  const named = await track.getColorSpace().catch(() => ({}));
  async function* frames() {
    for await (const sample of new VideoSampleSink(track).samples()) {
      const pixels = async () => {
        const plain = width === wide && height === high ? await samplePixels(sample, named).catch(() => null) : null;
        const upright = plain && sample.rotation ? quarterTurned(plain, (4 - sample.rotation / 90) % 4) : plain;
        return upright?.width === width && upright.height === height ? upright : read((pen) => sample.draw(pen, 0, 0, width, height));
      };
      yield { time: sample.timestamp, pixels, close: () => sample.close() };
    }
  }
  return { size: [wide, high], width, height, start, duration: end - start, frames };
}
