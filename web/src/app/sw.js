// Keeps the site for use without a network, and adds the headers without which a browser gives no threads.

/** `poselift web` writes it; another one means other files. */
const VERSION = "$version";
const HEADERS = { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp",
  "Content-Security-Policy": "$policy" };

/** What a page without a network starts with, and the graph of BVH and GLB; other networks are kept as they are read. */
const SHELL = ["./", "app.js", "app.css", "worker.js", "site.json", "body.onnx"];

addEventListener("install", (event) => {
  skipWaiting();
  event.waitUntil(Promise.all(SHELL.map((name) => answer(new Request(name, { cache: "no-cache" })))));
});
addEventListener("activate", (event) => event.waitUntil((async () => {
  for (const name of await caches.keys()) if (name.startsWith("poselift-") && name !== VERSION) await caches.delete(name);
  await clients.claim();
})()));
addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method === "GET" && new URL(request.url).origin === location.origin) event.respondWith(answer(request));
});

async function answer(request) {
  const cache = await caches.open(VERSION), kept = await cache.match(request, { ignoreSearch: true });
  if (kept) return kept;
  const found = await fetch(request);
  if (found.status !== 200) return found;
  const headers = new Headers(found.headers);
  for (const [name, value] of Object.entries(HEADERS)) headers.set(name, value);
  // The network gives the bytes unpacked.
  for (const name of ["Content-Encoding", "Content-Length"]) headers.delete(name);
  const whole = new Response(found.body, { status: 200, headers });
  // A full disk takes nothing away but the next start without a network.
  cache.put(request, whole.clone()).catch(() => {});
  return whole;
}
