// The page of `poselift view`: shows what lies in the page itself.

import { bytesOf, readContent } from "./data.js";
import { byId } from "./elements.js";
import { note, show } from "./player.js";

export * from "./elements.js";
export * from "./places.js";
export * from "./player.js";
export * from "./saving.js";

/** The address of the video in the page, or of the one beside it; none without a video. */
function source({ video }) {
  if (!("start" in video)) return null;
  return video.file ? encodeURIComponent(video.file) : URL.createObjectURL(new Blob([bytesOf(byId("film64"))], { type: "video/mp4" }));
}

async function start() {
  if (!window.DecompressionStream) { note("This browser is too old for the page; Chrome 80, Firefox 113 or Safari 16.4 show it."); return; }
  const content = await readContent();
  show(content, source(content));
  document.documentElement.dataset.ready = "1";
}
start().catch((error) => { note(`The page could not start: ${error.message}`); throw error; });
