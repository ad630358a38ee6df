// The pixels of a picture that can be drawn.

/** Longest side of the pictures in which people are looked for, pixels: more take memory and show no more. */
const LONGEST = 1920;

/** The size of a picture within this limit. */
export function sizeWithin(width, height) {
  const scale = Math.min(1, LONGEST / Math.max(width, height));
  return { width: Math.round(width * scale), height: Math.round(height * scale) };
}

/** A function that gives the pixels of what a callback draws. */
export function pictureReader(width, height) {
  const canvas = new OffscreenCanvas(width, height), pen = canvas.getContext("2d", { willReadFrequently: true });
  return (draw) => {
    draw(pen);
    return { data: pen.getImageData(0, 0, width, height).data, width, height };
  };
}
