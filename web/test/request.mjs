// What each of these programs begins with: the request of a test, onnxruntime, and the files of the lifter and the pages.

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

/** The JSON of a request, onnxruntime from its folder `modules`, and a reader of files in its `folders`. */
export async function openRequest(path) {
  const request = JSON.parse(await readFile(path, "utf8"));
  const ort = createRequire(request.modules)("onnxruntime-web");
  ort.env.wasm.numThreads = 1;
  ort.env.logLevel = "error";
  const read = async (name) => {
    for (const place of request.folders) {
      const found = await readFile(`${place}/${name}`).catch(() => null);
      if (found) return new Uint8Array(found);
    }
    throw new Error(`no ${name} in ${request.folders}`);
  };
  return { request, ort, read };
}
