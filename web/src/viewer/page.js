// The page of `poselift view`: shows what lies in the page itself.

import { bytesOf, readContent } from "./data.js";
import { byId } from "./elements.js";
import { note, show } from "./player.js";

export * from "./elements.js";
export * from "./places.js";
export * from "./player.js";
export * from "./saving.js";

/** The addresses of the first video and of the further ones, in the page or beside it; null for a page without one. */
function sources({ video, views }) {
  const films = byId("film64").textContent.split("\n");
  return [video, ...views.map((view) => view.video)].map(({ start, file }, i) => {
    if (start === undefined) return null;
    return file ? encodeURIComponent(file) : URL.createObjectURL(new Blob([bytesOf(films[i])], { type: "video/mp4" }));
  });
}

async function start() {
  if (!window.DecompressionStream) { note("This browser is too old for the page; Chrome 80, Firefox 113 or Safari 16.4 show it."); return; }
  const content = await readContent();
  const [first, ...others] = sources(content);
  show(content, first, others);
  document.documentElement.dataset.ready = "1";
}
start().catch((error) => { note(`The page could not start: ${error.message}`); throw error; });
