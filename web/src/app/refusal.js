// Why a file is not lifted, before networks are loaded for it.

/**
 * What is wrong with a file and what to do, in one sentence; null for nothing.
 *
 * @param found what checkFile says. @param canPlay whether a video element may play a type
 */
export function speaksAgainst(name, found, canPlay) {
  switch (found?.kind) {
    case "empty": return `${name} is empty; copy it again, or open another video.`;
    case "photo": return `${name} is a photo; open a video here, or give the photo to the command poselift lift.`;
    case "text": return `${name} is a text, not a video; open an MP4, MOV or WebM.`;
    case "sound": return `${name} has sound and no picture; open a video.`;
    case "codec": return found.type && canPlay(found.type) ? null : `${name} is ${found.codec}, which this browser cannot decode; save it as MP4 (H.264) first`
      + (found.codec.startsWith("HEVC") ? ": on an iPhone, choose Most Compatible under Settings, Camera, Formats." : ".");
  }
  return null;
}
