// Standing height, from bone lengths in any pose (poselift.kinematics.height).

import { median } from "./times.js";

const LEG = ["hip", "knee", "ankle"];
const TRUNK = ["pelvis", "spine", "thorax", "neck_base", "head_top"];

/** The estimated height {metres, spread, origin} of joints (t, j, 3); null if no frame has a pose. */
export function estimateHeight(joints, names, { STRAIGHT, ANKLE, CROWN, SPREAD }) {
  const frames = joints.length / 3 / names.length;
  const point = (frame, name) => joints.subarray(3 * (frame * names.length + names.indexOf(name))).subarray(0, 3);
  const place = (frame, name) => {
    if (name !== "hips") return point(frame, name);
    const [left, right] = [point(frame, "left_hip"), point(frame, "right_hip")];
    return left.map((value, k) => (value + right[k]) / 2);
  };
  const length = (start, end) => {
    const found = [];
    for (let frame = 0; frame < frames; frame++) {
      const [a, b] = [place(frame, start), place(frame, end)];
      const distance = Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
      if (Number.isFinite(distance)) found.push(distance);
    }
    return median(found);
  };
  const sum = (values) => values.reduce((total, value) => total + value, 0);
  const legs = ["left", "right"].map((side) => sum([1, 2].map((k) => length(`${side}_${LEG[k - 1]}`, `${side}_${LEG[k]}`))));
  const trunk = [1, 2, 3, 4].map((k) => length(TRUNK[k - 1], TRUNK[k]));
  const metres = (STRAIGHT + ANKLE + CROWN) * (sum(legs) / 2 + length("hips", "pelvis") + sum(trunk));
  return Number.isFinite(metres) ? { metres, spread: SPREAD * metres, origin: "estimated" } : null;
}
