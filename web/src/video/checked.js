// What speaks against a file before networks are loaded for it.

import { BlobSource, Input, MATROSKA, MP4, QTFF, WEBM } from "mediabunny";

/** Bytes that tell a text or a photo. */
const HEAD = 4096;
/** How pictures begin: JPEG, PNG, GIF, BMP, TIFF twice; WebP and HEIC have their name after some bytes. */
const PICTURES = [/^\xff\xd8\xff/, /^\x89PNG/, /^GIF8/, /^BM/, /^II\*\0/, /^MM\0\*/, /^RIFF....WEBP/s, /^....ftyp(heic|heix|mif1|avif)/s];
const NAMES = { hevc: "HEVC (H.265)", avc: "H.264", av1: "AV1", vp9: "VP9", vp8: "VP8" };

/**
 * @returns null, or what the file is: `photo`, `text`, `empty`, `sound` (no picture), or `codec` with its name and, for
 *   `canPlayType`, its type: WebCodecs cannot decode it, and a video element may.
 */
export async function checkFile(file) {
  if (!file.size) return { kind: "empty" };
  const bytes = new Uint8Array(await file.slice(0, HEAD).arrayBuffer()), head = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  if (PICTURES.some((begin) => begin.test(head))) return { kind: "photo" };
  if (isText(bytes)) return { kind: "text" };
  const input = new Input({ source: new BlobSource(file), formats: [MP4, QTFF, WEBM, MATROSKA] });
  const tracks = await input.getTracks().catch(() => null);
  if (!tracks?.length) return null; // another format, which a video element may know
  const track = await input.getPrimaryVideoTrack().catch(() => null);
  if (!track) return { kind: "sound" };
  if (await track.canDecode().catch(() => false)) return null;
  const parameters = await track.getCodecParameterString().catch(() => null);
  return { kind: "codec", codec: NAMES[track.codec] ?? track.codec ?? "of an unknown kind", type: parameters && `video/mp4; codecs="${parameters}"` };
}

/** Whether bytes are text in UTF-8, as JSON and CSV are. */
function isText(bytes) {
  if (bytes.some((byte) => byte < 9 || byte > 13 && byte < 32 && byte !== 27)) return false;
  try { new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true }); return true; } catch { return false; }
}
