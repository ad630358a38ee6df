// What the page says: of a file before networks are loaded, of the time left, and of a tab that was closed.
// node words.mjs FILE...   prints JSON

import { readFile } from "node:fs/promises";
import { checkFile } from "../src/video/checked.js";
import { speaksAgainst } from "../src/app/refusal.js";
import { TimeLeft } from "../src/app/time_left.js";

const files = {};
for (const path of process.argv.slice(2)) {
  const name = path.split("/").pop(), file = new File([await readFile(path)], name);
  const found = await checkFile(file);
  // H.264 plays everywhere, HEVC nowhere.
  files[name] = speaksAgainst(name, found, (type) => type.includes("avc1"));
}

let now = 0;
performance.now = () => now;
const left = new TimeLeft(), times = [];
for (const [seconds, share] of [[0, 0], [5, .004], [20, .008], [30, .0151], [60, .03]]) {
  now = 1000 * seconds;
  times.push(left.words("finding", share));
}

const kept = new Map(), held = [];
globalThis.localStorage = new Proxy({
  setItem: (key, value) => kept.set(key, value), getItem: (key) => kept.get(key) ?? null, removeItem: (key) => kept.delete(key),
}, { ownKeys: () => [...kept.keys()], getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }) });
Object.defineProperty(globalThis, "navigator", { value: { locks: {
  query: async () => ({ held: held.map((name) => ({ name })) }),
  request: async (name, work) => { held.push(name); await work(); held.splice(held.indexOf(name), 1); },
} } });
const { forgotten, remember } = await import("../src/app/unfinished.js");
const tabs = [];
kept.set("poselift.unfinished.dead", "walk.mp4");
remember("mine.mp4");
tabs.push(await forgotten(), await forgotten()); // the dead tab's once, the living one's never
remember();
await null;
tabs.push(await forgotten(), held.length);
console.log(JSON.stringify({ files, times, tabs }));
