// Runs src/video/yuv.js in node: node yuv.mjs REQUEST FOLDER. tests/web/test_yuv.py compares it with FFmpeg.

import { readFile, writeFile } from "node:fs/promises";
import { samplePixels } from "../src/video/yuv.js";

for (const [number, { file, format, planes, width, height, decodedRange, named }] of JSON.parse(await readFile(process.argv[2], "utf8")).entries()) {
  const bytes = await readFile(file), sample = {
    format, visibleRect: { width, height }, squarePixelWidth: width, squarePixelHeight: height, colorSpace: { fullRange: decodedRange },
    allocationSize: () => bytes.length, copyTo: async (target) => { target.set(bytes); return planes; },
  };
  const picture = await samplePixels(sample, named);
  if (picture) await writeFile(`${process.argv[3]}/${number}.rgba`, picture.data);
}
