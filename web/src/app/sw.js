// Keeps the site for use without a network, and adds the headers without which a browser gives no threads.

/** `poselift web` writes it; another one means other files. */
const VERSION = "$version";
const HEADERS = { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp",
  "Content-Security-Policy": "$policy" };

/** What a page without a network starts with, and the graph of BVH and GLB; other networks are kept as they are read. */
const SHELL = ["./", "app.js", "app.css", "worker.js", "site.json", "body.onnx"];
/** The result that `poselift edit` serves: another one each time, and the video may be large. */
const RESULT = /\/edit\.(json|video)$/;

addEventListener("install", (event) => {
  skipWaiting();
  event.waitUntil((async () => {
    const cache = await caches.open(VERSION);
    await Promise.all(SHELL.map(async (name) => {
      const found = await load(name);
      if (found.status !== 200) throw new Error(`${name}: ${found.status}`);
      await cache.put(name, found);
    }));
  })());
});
addEventListener("activate", (event) => event.waitUntil((async () => {
  for (const name of await caches.keys()) if (name.startsWith("poselift-") && name !== VERSION) await caches.delete(name);
  await clients.claim();
})()));
addEventListener("fetch", (event) => {
  const { request } = event, { origin, pathname } = new URL(request.url);
  if (request.method === "GET" && origin === location.origin && !RESULT.test(pathname)) event.respondWith(answer(request));
});

async function answer(request) {
  const cache = await caches.open(VERSION), kept = await cache.match(request, { ignoreSearch: true });
  if (kept) return kept;
  const found = await load(request);
  // A full disk takes nothing away but the next start without a network.
  if (found.status === 200) cache.put(request, found.clone()).catch(() => {});
  return found;
}

/** A file as the host has it now, with the headers. */
async function load(request) {
  const found = await fetch(request, { cache: "no-cache" });
  if (found.status !== 200) return found;
  const headers = new Headers(found.headers);
  for (const [name, value] of Object.entries(HEADERS)) headers.set(name, value);
  // The network gives the bytes unpacked.
  for (const name of ["Content-Encoding", "Content-Length"]) headers.delete(name);
  return new Response(found.body, { status: 200, headers });
}
