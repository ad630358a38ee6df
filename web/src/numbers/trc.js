// Joints as markers at a constant rate, for OpenSim (poselift.export.markers and trc_markers).

import { pointsYUp, posedFrames } from "./restrict.js";
import { shownJoints } from "./sight.js";
import { interpolate, rounded, usualInterval } from "./times.js";

const UNEVEN = 0.1; // share of an interval by which a frame may be early or late before all are interpolated
const GAP = 2.5; // intervals without a frame that are a gap

/**
 * Joints as markers: millimetres, Y up, NaN in empty frames.
 * @param {import("./open.js").Numbers} numbers
 * @param {import("./index.js").Motion[]} motions everybody in the file
 * @param {string} name of the file
 * @param {number} start time of the clip's first frame by the clock of the motions, seconds
 */
export function writeTrc(numbers, motions, name, start = Math.min(...motions.map(({ times }) => times[0]))) {
  if (!motions.length || motions.some((motion) => !posedFrames(motion).includes(1)))
    throw new Error("somebody has no frame with a pose; choose other people");
  const longest = motions.reduce((found, motion) => (motion.times.length > found.times.length ? motion : found));
  const interval = usualInterval(longest.times) || 1 / 30;
  const first = Math.min(...motions.map(({ times }) => times[0])) - start;
  const last = Math.max(...motions.map(({ times }) => times.at(-1))) - start;
  const grid = Float64Array.from({ length: rounded((last - first) / interval) + 1 }, (_, k) => first + k * interval);
  const columns = motions.flatMap((motion) => {
    const prefix = motions.length > 1 ? `person_${motion.person}_` : "";
    const times = motion.times.map((time) => time - start);
    return placed(numbers, motion).map(({ joint, places }) => ({
      name: prefix + joint,
      places: onGrid(grid, interval, times, places),
    }));
  });
  const rate = Number((1 / interval).toPrecision(6));
  const frames = grid.length;
  const lines = [
    `PathFileType\t4\t(X/Y/Z)\t${name}`,
    "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames",
    `${rate}\t${rate}\t${frames}\t${columns.length}\tmm\t${rate}\t1\t${frames}`,
    // A name has three columns, the last one too: readers of tables take the first columns away otherwise.
    `Frame#\tTime\t${columns.map((column) => column.name).join("\t\t\t")}\t\t`,
    `\t\t${columns.map((_, k) => ["X", "Y", "Z"].map((axis) => `${axis}${k + 1}`).join("\t")).join("\t")}`,
    "",
  ];
  grid.forEach((_, frame) => {
    const numbersOf = columns.flatMap(({ places }) => [0, 1, 2].map((axis) => 1000 * places[3 * frame + axis]));
    const cells = numbersOf.map((value) => (Number.isNaN(value) ? "NaN" : value.toFixed(3)));
    lines.push([frame + 1, (grid[0] + frame * interval).toFixed(6), ...cells].join("\t"));
  });
  return `${lines.join("\n")}\n`;
}

/** The joints that keypoints ever show, with their places (t, 3) in metres; NaN where none shows them. */
function placed(numbers, motion) {
  const [points, shown] = [pointsYUp(motion), shownJoints(numbers, motion)];
  const j = motion.skeleton.joints.length;
  const found = motion.skeleton.joints.map((joint, row) => {
    const places = new Float64Array(3 * motion.times.length).fill(NaN);
    for (let frame = 0; frame < motion.times.length; frame++) {
      const at = frame * j + row;
      if (shown[at]) places.set(points.subarray(3 * at, 3 * at + 3), 3 * frame);
    }
    return { joint, places, ever: motion.times.some((_, frame) => shown[frame * j + row]) };
  });
  return found.filter(({ ever }) => ever);
}

/** Places (n, 3) at the times of the grid, NaN beyond their own times. */
function onGrid(grid, interval, times, places) {
  const first = rounded((times[0] - grid[0]) / interval);
  const fits = first + times.length <= grid.length;
  if (fits && times.every((time, k) => times.length === 1 || Math.abs(grid[first + k] - time) <= UNEVEN * interval)) {
    const out = new Float64Array(3 * grid.length).fill(NaN);
    out.set(places, 3 * first);
    return out;
  }
  const out = interpolate(places, times, grid, 3, GAP * interval);
  grid.forEach((time, k) => {
    if (time < times[0] - interval / 2 || time > times.at(-1) + interval / 2) out.fill(NaN, 3 * k, 3 * k + 3);
  });
  return out;
}
