// Runs src/video/yuv.js in node: node yuv.mjs REQUEST FOLDER. tests/web/test_yuv.py compares it with FFmpeg.

import { readFile, writeFile } from "node:fs/promises";
import { toPicture } from "../src/video/yuv.js";

for (const [number, { file, ...about }] of JSON.parse(await readFile(process.argv[2], "utf8")).entries())
  await writeFile(`${process.argv[3]}/${number}.rgba`, toPicture({ ...about, bytes: new Uint8Array(await readFile(file)) }).data);
