// Where people hide the background, at any time of a clip (poselift.camera_path.people_boxes).

import { searchSorted } from "../numbers/times.js";

/** A function that gives the boxes x0, y0, x1, y1 around everybody's joints at a time. @param {import("../numbers/index.js").Track[]} tracks */
export function peopleBoxes(tracks, { people_boxes: { AWAY } }) {
  const people = tracks.map(({ times, joints, pixels, scores }) => {
    const seen = [], boxes = [];
    times.forEach((time, frame) => {
      const box = [Infinity, Infinity, -Infinity, -Infinity];
      for (let at = frame * joints.length; at < (frame + 1) * joints.length; at++) for (const axis of [0, 1]) {
        const value = pixels[2 * at + axis];
        if (!(scores[at] > 0) || Number.isNaN(value)) continue;
        box[axis] = Math.min(box[axis], value); box[2 + axis] = Math.max(box[2 + axis], value);
      }
      if (box[0] <= box[2]) { seen.push(time); boxes.push(box); }
    });
    return { seen, boxes };
  });
  return (time) => people.flatMap(({ seen, boxes }) => {
    const after = searchSorted(seen, time), near = [after - 1, after].filter((row) => row >= 0 && row < seen.length && Math.abs(seen[row] - time) <= AWAY);
    // Both of the frames around: people move in between.
    return near.length ? [[0, 1, 2, 3].map((edge) => (edge < 2 ? Math.min : Math.max)(...near.map((row) => boxes[row][edge])))] : [];
  });
}
