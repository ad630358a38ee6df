// Decoded pictures as RGB, with the numbers of FFmpeg's conversion (libswscale, yuv420p to rgb24 on x86) that Python uses
// (poselift/video/upright.py). A canvas rounds otherwise and smooths the colours, by up to some levels of 255.

/** Of red and blue differences in red, blue, and twice in green, times 65536 (libswscale's yuv2rgb.c, from the standards). */
const MATRICES = {
  bt709: [117489, 138438, -13975, -34925], "bt2020-ncl": [110013, 140363, -12277, -42626], smpte170m: [104597, 132201, -25675, -53279],
};
const FORMATS = ["I420", "NV12"], SPECIAL = ["pq", "hlg"];

/**
 * The pixels of a decoded sample, before it is turned upright; null where it is of another kind.
 *
 * @param sample of mediabunny. Its range holds: Safari's decoder gives H.264 in full range, whatever the file has.
 * @param named what the file names. Its matrix holds: Chromium takes BT.709 where a file names nothing, FFmpeg BT.601.
 */
export async function samplePixels(sample, named) {
  const { format, visibleRect: { width, height } } = sample, { matrix, transfer } = named;
  const fullRange = sample.colorSpace.fullRange ?? named.fullRange;
  if (!FORMATS.includes(format) || SPECIAL.includes(transfer) || matrix === "rgb" || width % 2 || height % 2) return null;
  if (sample.flip || sample.squarePixelWidth !== width || sample.squarePixelHeight !== height) return null;
  const bytes = new Uint8Array(sample.allocationSize()), planes = await sample.copyTo(bytes);
  return toPicture({ format, bytes, planes, width, height, matrix, fullRange });
}

/**
 * A picture of planes of brightness and, in half the size, of blue and red differences.
 *
 * @param format "I420", with a plane each, or "NV12", with the differences side by side in one.
 * @param planes offset and stride of each, bytes. @param width even. @param height even.
 * @returns {import("../detector/crop.js").Picture}
 */
export function toPicture({ format, bytes, planes: [luma, first, second], width, height, matrix, fullRange }) {
  const step = format === "NV12" ? 2 : 1, [blue, red] = step === 2 ? [first, { ...first, offset: first.offset + 1 }] : [first, second];
  const [grey, inRed, inBlue, blueInGreen, redInGreen] = tables(MATRICES[matrix] ?? MATRICES.smpte170m, fullRange);
  const data = new Uint8ClampedArray(4 * width * height);
  for (let y = 0, at = 0; y < height; y++) {
    const row = luma.offset + y * luma.stride, blueRow = blue.offset + (y >> 1) * blue.stride, redRow = red.offset + (y >> 1) * red.stride;
    for (let x = 0; x < width; x += 2) {
      const u = bytes[blueRow + step * (x >> 1)], v = bytes[redRow + step * (x >> 1)], r = inRed[v], g = blueInGreen[u] + redInGreen[v], b = inBlue[u];
      for (let k = 0; k < 2; k++, at += 4) {
        const value = grey[bytes[row + x + k]];
        data[at] = value + r; data[at + 1] = value + g; data[at + 2] = value + b; data[at + 3] = 255;
      }
    }
  }
  return { data, width, height };
}

/** What each level of a plane adds to a color: products of 16 bits, of which the upper half counts. */
function tables(matrix, fullRange) {
  const coefficient = (value) => Math.floor((value * 8192 + 32768) / 65536), offset = fullRange ? 0 : 128;
  const product = (factor, zero) => Int16Array.from({ length: 256 }, (_, level) => ((8 * level - zero) * factor) >> 16);
  const differences = matrix.map((value) => product(coefficient(fullRange ? Math.trunc(value * 224 / 255) : value), 1024));
  return [product(coefficient(fullRange ? 65536 : Math.trunc(65536 * 255 / 219)), offset), ...differences];
}
