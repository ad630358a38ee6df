// Whether a camera stands still, from nine pictures (poselift.camera_path.camera_motion). Python compares features there;
// here the corners' flow tells: where it finds none, or a motion, all pictures are looked at.

import { follow } from "./background_flow.js";
import { makePicture } from "./background_picture.js";

/** The times at which pictures are compared, seconds. */
export const comparedTimes = (start, duration, { camera_motion: { PICTURES } }) => Array.from({ length: PICTURES + 1 }, (_, k) => start + duration * k / PICTURES);

/**
 * Whether the background stays where it is.
 * @param {{small: object, time: number}[]} pictures what `reduced` gives, in order
 * @param boxes gives the boxes of the people at a time @param focal focal length, pixels of the video
 */
export function standsStill(pictures, boxes, focal, constants) {
  const { STILL, ENOUGH } = constants.camera_motion;
  if (pictures.every(({ small: { dark } }) => dark.every((value) => value === dark[0]))) return true; // as without pictures
  const seen = pictures.map(({ small, time }) => makePicture(small, boxes(time), constants)), first = seen.findIndex(({ corners }) => corners.length >= 2 * ENOUGH);
  if (pictures.length < 2) return true;
  if (first < 0 || first === seen.length - 1) return false;
  return seen.slice(first + 1).every((picture) => {
    const flow = follow(seen[first], picture, constants);
    return flow !== null && Math.atan(cornerMotion(flow, picture) / picture.scale / focal) * 180 / Math.PI <= STILL;
  });
}

/** Mean motion of the picture's corners by the similarity that fits the agreeing points best, reduced pixels. */
function cornerMotion({ before, after, agree }, { width, height }) {
  const rows = Array.from(agree.keys()).filter((i) => agree[i]), mean = (points, axis) => rows.reduce((sum, i) => sum + points[2 * i + axis], 0) / rows.length;
  const [x, y, u, v] = [mean(before, 0), mean(before, 1), mean(after, 0), mean(after, 1)];
  let along = 0, across = 0, size = 0;
  for (const i of rows) {
    const [a, b, c, d] = [before[2 * i] - x, before[2 * i + 1] - y, after[2 * i] - u, after[2 * i + 1] - v];
    along += a * c + b * d; across += a * d - b * c; size += a * a + b * b;
  }
  const [c, s] = [along / size, across / size];
  const moved = [[0, 0], [width, 0], [0, height], [width, height]].map(([a, b]) => Math.hypot(u + c * (a - x) - s * (b - y) - a, v + s * (a - x) + c * (b - y) - b));
  return moved.reduce((sum, each) => sum + each, 0) / 4;
}
