// What a page says of a video whose tab was closed while it was lifted; other tabs that are at work are left alone.

/** Where a tab keeps the name of its video while it is lifted, and the lock that it holds meanwhile. */
const UNFINISHED = "poselift.unfinished.", MINE = UNFINISHED + Math.random().toString(36).slice(2);
let finished = null;

/** Keeps the name of the video that is being lifted, as long as it is; private windows may keep nothing. */
export function remember(name) {
  try {
    if (name) localStorage.setItem(MINE, name); else localStorage.removeItem(MINE);
    finished?.();
    if (name) navigator.locks?.request(MINE, () => new Promise((done) => { finished = done; })); // other tabs see it alive
  } catch { /* no memory, then no words about the last time */ }
}

/** The name of a video whose tab was closed while it was lifted, which is then forgotten; null for none. */
export async function forgotten() {
  try {
    const held = (await navigator.locks?.query())?.held.map((lock) => lock.name) ?? [];
    const dead = Object.keys(localStorage).filter((key) => key.startsWith(UNFINISHED) && !held.includes(key));
    const [name] = dead.map((key) => localStorage.getItem(key));
    for (const key of dead) localStorage.removeItem(key);
    return name ?? null;
  } catch { return null; }
}
