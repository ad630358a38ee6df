// Crop detections of people who overlap (poselift/finding/overlapping_people.py): the others are painted out, and no joint
// goes to two people.

import { rounded } from "../numbers/times.js";
import { sizeOf } from "./duplicates.js";
import { hull, Mask } from "./silhouette.js";

/** @typedef {import("./followed.js").Place} Place */

const LIMBS = ["elbow", "wrist", "knee", "ankle"], TRUNK = ["shoulder", "hip"], FACE = ["nose", "eye", "ear"];
const isOf = (kinds) => (joint) => kinds.some((kind) => joint.endsWith(kind));
const kindOf = (joint) => joint.replace(/^(left|right)_/, "");
const away = (points, joint, others, other = joint) => Math.hypot(points[2 * joint] - others[2 * other], points[2 * joint + 1] - others[2 * other + 1]);
const placeSize = ({ box }) => Math.max(1, sizeOf(box));

/** Whether the crop of one box may show another box's person. */
export function touch(box, other, { overlapping_people: { REACH } }) {
  const reach = REACH * sizeOf(box);
  return [0, 1].every((axis) => box[axis] - reach < other[axis + 2] && other[axis] < box[axis + 2] + reach);
}

/** A mask of a body in a picture. @param points its joints, NaN where unseen. @param skeleton of the joints */
export function silhouette(points, { joints, parents }, width, height, { overlapping_people: { LIMB, HEAD } }) {
  const mask = new Mask(width, height), there = (joint) => !Number.isNaN(points[2 * joint]);
  const rows = [...joints.keys()].filter(there), span = (axis) => { const values = rows.map((row) => points[2 * row + axis]); return Math.max(...values) - Math.min(...values); };
  if (!rows.length) return mask;
  const size = Math.max(span(0), span(1)), at = (joint) => [0, 1].map((axis) => rounded(Math.min(30000, Math.max(-30000, points[2 * joint + axis]))));
  joints.forEach((_, joint) => {
    const parent = joints.indexOf(parents[joint]);
    if (parent >= 0 && there(joint) && there(parent)) mask.line(at(parent), at(joint), Math.max(1, rounded(LIMB * size)));
  });
  const [trunk, face] = [TRUNK, FACE].map((kinds) => rows.filter((row) => isOf(kinds)(joints[row])).map(at));
  if (trunk.length > 2) mask.polygon(hull(trunk));
  if (face.length) mask.disc(...[0, 1].map((axis) => rounded(face.reduce((sum, point) => sum + point[axis], 0) / face.length)), Math.max(1, rounded(HEAD * size)));
  return mask;
}

/**
 * A place's part of a picture, with other bodies painted out.
 * @param {Place} place of the person who is looked for. @param {Place[]} others who overlap
 * @param shared leave what lies on the body that is looked for too, unless it is clearly behind
 * @returns the part, and its upper left pixel in the picture
 */
export function paintOut(picture, place, others, shared, { skeletons: { coco17 }, constants }) {
  const { GREY, MARGIN } = constants.overlapping_people, side = sizeOf(place.box);
  const low = [0, 1].map((axis) => Math.max(0, Math.floor(place.box[axis] - side)));
  const [width, height] = [picture.width, picture.height].map((size, axis) => Math.max(0, Math.min(size, Math.ceil(place.box[axis + 2] + side)) - low[axis]));
  const data = new Uint8ClampedArray(4 * width * height);
  for (let y = 0; y < height; y++) {
    const from = 4 * ((low[1] + y) * picture.width + low[0]);
    data.set(picture.data.subarray(from, from + 4 * width), 4 * y * width);
  }
  const moved = ({ points }) => points.map((value, i) => value - low[i % 2]), body = (each) => silhouette(moved(each), coco17, width, height, constants);
  const own = body(place);
  for (const other of others) {
    const mask = body(other), kept = shared && meanScore(place, moved(place), mask) >= meanScore(other, moved(other), own) - MARGIN;
    for (let i = 0; i < mask.data.length; i++) if (mask.data[i] && !(kept && own.data[i])) data.fill(GREY, 4 * i, 4 * i + 3);
  }
  return { part: { data, width, height }, corner: low };
}

/** Mean score of the joints on a body; 0 without any. Those of who stands in front are higher. */
function meanScore({ scores }, points, mask) {
  const on = [...scores.keys()].filter((joint) => !Number.isNaN(points[2 * joint]) && mask.has(rounded(points[2 * joint]), rounded(points[2 * joint + 1])));
  return on.length ? on.reduce((sum, joint) => sum + scores[joint], 0) / on.length : 0;
}

/** Soft share of joints where they were expected, 0 to 1. @param {Place} place */
export function agreement({ points, scores }, place, { overlapping_people: { TOLERANCE } }) {
  let sum = 0, total = 0;
  for (let joint = 0; joint < scores.length; joint++) {
    const apart = away(points, joint, place.points) / placeSize(place);
    if (Number.isNaN(apart)) continue;
    total += scores[joint];
    sum += scores[joint] * Math.exp(-(apart ** 2) / (2 * TOLERANCE ** 2));
  }
  return sum / Math.max(total, 1e-9);
}

/** Somebody without some joints. @param lost a flag of each joint */
export const without = (found, lost) => ({ ...found, points: found.points.map((value, i) => lost[i >> 1] ? NaN : value), scores: found.scores.map((score, joint) => lost[joint] ? 0 : score) });

/** Pairs of limb joints of one kind. */
const sameLimbs = (joints) => joints.flatMap((one, a) => joints.flatMap((other, b) => isOf(LIMBS)(one) && kindOf(one) === kindOf(other) ? [[a, b]] : []));

/**
 * Joints on another's joint of that kind and less likely there, and doubtful ones that keep the place.
 * @param people of a frame. @param expected the joints of each where they were expected; null for newcomers
 */
export function claimedJoints(people, expected, { skeletons: { coco17: { joints } }, constants: { overlapping_people: { CLAIMED } } }) {
  const [lost, doubtful] = [0, 1].map(() => people.map(() => new Uint8Array(joints.length))), pairs = sameLimbs(joints), sizes = people.map(placeSize);
  const surprise = (row, joint) => { const apart = expected[row] ? away(people[row].points, joint, expected[row]) / sizes[row] : NaN; return Number.isNaN(apart) ? Infinity : apart; };
  for (let one = 0; one < people.length; one++) for (let other = 0; other < one; other++) for (const [a, b] of pairs) {
    if (!(away(people[one].points, a, people[other].points, b) < CLAIMED * Math.min(sizes[one], sizes[other]))) continue;
    const first = surprise(one, a), second = surprise(other, b);
    const stays = Math.min(first, second) < CLAIMED && CLAIMED < Math.abs(first - second) ? first < second : people[one].scores[a] >= people[other].scores[b];
    const [[winner, joint], [loser, its]] = stays ? [[one, a], [other, b]] : [[other, b], [one, a]];
    lost[loser][its] = 1;
    if (people[winner].score < people[loser].score) doubtful[winner][joint] = 1;
  }
  return { lost, doubtful };
}

/**
 * Limb joints that may be another person's joint beside them.
 * @param people of a frame. @param expected the joints of each where they were expected; null for newcomers
 * @param {Place[]} unseen where others are expected who are not found in the frame
 */
export function doubtfulJoints(people, expected, unseen, { skeletons: { coco17: { joints } }, constants }) {
  const { BESIDE, BESIDE_EXPECTED, UNSURE } = constants.overlapping_people, pairs = sameLimbs(joints);
  const others = [...people.map(({ box, points, score }, row) => ({ box, poses: [points, expected[row]], score, reach: BESIDE })),
    ...unseen.map(({ box, points }) => ({ box, poses: [points], score: 0, reach: BESIDE_EXPECTED }))];
  return people.map(({ box, points, scores, score }, one) => {
    const doubtful = new Uint8Array(joints.length);
    for (const [index, other] of others.entries()) {
      if (index === one || !touch(box, other.box, constants)) continue;
      const nearest = Array(joints.length).fill(Infinity), size = Math.max(1, Math.min(sizeOf(box), sizeOf(other.box)));
      for (const pose of other.poses) if (pose) for (const [a, b] of pairs) {
        const apart = away(points, a, pose, b);
        if (apart < nearest[a]) nearest[a] = apart;
      }
      for (let joint = 0; joint < joints.length; joint++) {
        let signs = (scores[joint] < UNSURE) + (score < other.score);
        if (expected[one]) {
          const own = away(points, joint, expected[one]);
          signs += nearest[joint] < (Number.isNaN(own) ? Infinity : own);
        }
        if (nearest[joint] < other.reach * size && signs >= 2) doubtful[joint] = 1;
      }
    }
    return doubtful;
  });
}
