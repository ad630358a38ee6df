// BVH: a skeleton of fixed bone lengths and its rotations (poselift.export.bvh).

import { character, offsetsOf } from "./character.js";
import { rounded, searchSorted, medianInterval } from "./times.js";

const CENTIMETRES = 100;

/**
 * The bones and their motion: centimetres, rotations in the order Z, X, Y, in degrees, at a constant rate.
 * @param {import("./open.js").Numbers} numbers
 * @param {import("./index.js").Motion} motion
 * @param {number} start time of the clip's first frame by the clock of the motion; until the motion begins, its first
 *   pose is held
 * @returns {Promise<string>}
 */
export async function writeBvh(numbers, motion, start = motion.times[0]) {
  const figure = await character(numbers, motion);
  const { times } = motion;
  const s = figure.names.length;
  const interval = medianInterval(times) || 1 / 30;
  const frames = rounded((times.at(-1) - start) / interval) + 1;
  const middles = Float64Array.from({ length: times.length - 1 }, (_, k) => (times[k] + times[k + 1]) / 2);
  const nearest = Array.from({ length: frames }, (_, k) => searchSorted(middles, start + k * interval));
  const angles = continuous(nearest.map((frame) => eulerZxy(figure.rotations.subarray(9 * s * frame, 9 * s * (frame + 1)))));
  const order = depthFirst(figure.parents, 0);
  const lines = nearest.map((frame, k) => {
    const place = figure.way.subarray(3 * frame, 3 * frame + 3).map((value) => CENTIMETRES * value);
    const turns = order.flatMap((bone) => Array.from(angles[k].subarray(3 * bone, 3 * bone + 3)));
    return [...place, ...turns].map((value) => value.toFixed(5)).join(" ");
  });
  const head = `HIERARCHY\n${hierarchy(figure, offsetsOf(figure), numbers.facts.constants.character.TIP, 0, "")}`;
  return `${head}MOTION\nFrames: ${frames}\nFrame Time: ${interval.toFixed(8)}\n${lines.join("\n")}\n`;
}

const childrenOf = (parents, bone) => Array.from(parents.keys()).filter((child) => parents[child] === bone);

/** Bones in the order in which the hierarchy names them. */
function depthFirst(parents, bone) {
  return [bone, ...childrenOf(parents, bone).flatMap((child) => depthFirst(parents, child))];
}

/** A bone and all below it as text. */
function hierarchy(figure, offsets, tip, bone, indent) {
  const way = (scale) => Array.from(offsets.subarray(3 * bone, 3 * bone + 3), (value) => (scale * CENTIMETRES * value).toFixed(5)).join(" ");
  const inner = `${indent}\t`;
  const moves = bone ? "3 " : "6 Xposition Yposition Zposition ";
  const children = childrenOf(figure.parents, bone);
  const below = children.map((child) => hierarchy(figure, offsets, tip, child, inner)).join("");
  const end = `${inner}End Site\n${inner}{\n${inner}\tOFFSET ${way(tip)}\n${inner}}\n`;
  return (
    `${indent}${bone ? "JOINT" : "ROOT"} ${figure.names[bone]}\n${indent}{\n${inner}OFFSET ${way(1)}\n` +
    `${inner}CHANNELS ${moves}Zrotation Xrotation Yrotation\n${children.length ? below : end}${indent}}\n`
  );
}

/** Angles (s, 3) of matrices (s, 9) as Rz Rx Ry, degrees. */
function eulerZxy(matrices) {
  const out = new Float64Array(matrices.length / 3);
  for (let bone = 0; bone < out.length / 3; bone++) {
    const r = matrices.subarray(9 * bone, 9 * bone + 9);
    const x = Math.asin(Math.min(Math.max(r[7], -1), 1));
    out.set([Math.atan2(-r[1], r[4]), x, Math.atan2(-r[6], r[8])], 3 * bone);
  }
  return out.map((angle) => (180 / Math.PI) * angle);
}

/** The same rotations by the angles that are next to those of the frame before; each has two triples. */
function continuous(frames) {
  for (let frame = 1; frame < frames.length; frame++) {
    const [before, now] = [frames[frame - 1], frames[frame]];
    for (let at = 0; at < now.length; at += 3) {
      const both = [now.slice(at, at + 3), [now[at] + 180, 180 - now[at + 1], now[at + 2] + 180]].map((triple) =>
        Array.from(triple, (angle, k) => angle - 360 * rounded((angle - before[at + k]) / 360)),
      );
      const [first, second] = both.map((triple) => triple.reduce((sum, angle, k) => sum + Math.abs(angle - before[at + k]), 0));
      now.set(second < first ? both[1] : both[0], at);
    }
  }
  return frames;
}
