// Builds what the Python package ships: the page of `poselift view`, and the site of `poselift web`.
//
//   npm ci && npm run build      writes the files
//   npm run check                says which of them differ from their sources, and ends with 1 then

import { readFile, writeFile } from "node:fs/promises";
import { build } from "esbuild";

const PAGE = "../poselift/viz/page", SITE = "../poselift/viz/site";
const OPTIONS = { bundle: true, minify: true, charset: "utf8", write: false, legalComments: "none", metafile: true, logLevel: "warning" };
/** Browsers for which the page of `poselift view`, and the site, are written. */
const VIEWER = { target: ["chrome80", "firefox113", "safari16.4"] }, APP = { target: ["chrome102", "firefox114", "safari16.4"] };

/** The bytes of a bundle. */
async function bundle(entry, options) {
  const made = await build({ ...OPTIONS, entryPoints: [entry], ...options });
  for (const name of Object.keys(made.metafile.inputs)) bundled.add(name);
  return made.outputFiles[0].contents;
}

/** A page with the views of the viewer in it. */
async function page(path) {
  const [text, views] = await Promise.all([path, "src/viewer/views.html"].map((each) => readFile(each, "utf8")));
  return text.replace("<!-- views -->\n", () => views);
}

/** Names, versions and licences of the packages whose code is in the bundles. */
async function licences() {
  const names = new Set([...bundled].map((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]).filter(Boolean));
  const parts = ["The scripts of this folder contain code of these packages, unchanged but for being minified:\n"];
  for (const name of [...names].sort()) {
    const folder = `node_modules/${name}`, { version, license } = JSON.parse(await readFile(`${folder}/package.json`, "utf8"));
    const source = `https://registry.npmjs.org/${name}/-/${name.split("/").pop()}-${version}.tgz`;
    parts.push(`${name} ${version}, ${license}\nIts source: ${source}\n\n${await readFile(`${folder}/LICENSE`, "utf8")}`);
  }
  return parts.join("\n");
}

const bundled = new Set();
const files = new Map([
  [`${PAGE}/page.js`, await bundle("src/viewer/page.js", { ...VIEWER, format: "iife", globalName: "viewer" })],
  [`${PAGE}/page.css`, await bundle("src/viewer/page.css", VIEWER)],
  [`${PAGE}/page.html`, await page("src/viewer/page.html")],
  [`${SITE}/app.js`, await bundle("src/app/app.js", { ...APP, format: "esm" })],
  [`${SITE}/app.css`, await bundle("src/app/app.css", APP)],
  [`${SITE}/worker.js`, await bundle("src/app/worker.js", { ...APP, format: "iife" })],
  [`${SITE}/sw.js`, await bundle("src/app/sw.js", { ...APP, format: "iife" })],
  [`${SITE}/index.html`, await page("src/app/index.html")],
]);
files.set(`${SITE}/licences.txt`, await licences());

let differ = 0;
for (const [path, made] of files) {
  const content = Buffer.from(made), before = await readFile(path).catch(() => null);
  if (before?.equals(content)) continue;
  differ++;
  if (process.argv.includes("--check")) console.error(`${path} is not what its sources make; run npm run build in web`);
  else await writeFile(path, content);
}
process.exitCode = process.argv.includes("--check") && differ ? 1 : 0;
