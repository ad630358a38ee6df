// Hands as rotations of finger bones (poselift.kinematics.fingers), and the skin of palms and fingers.

import { isSeen, JOINTS } from "./hands.js";
import { median, searchSorted } from "./times.js";
import { cross, dot, minus, unit } from "./vectors.js";

const SIDES = ["left", "right"], AHEAD = [0, 0, 1], STRAIGHT = [1, 0, 0, 0, 1, 0, 0, 0, 1];

/** A bone's name on a body. */
const onBody = (side, joint) => joint === "wrist" ? `${side}_wrist` : `${side}_hand_${joint}`;
const along = (side) => [side === "left" ? 1 : -1, 0, 0];
/** Direction of a finger at rest. */
const straight = (side, finger) => finger === "thumb" ? unit(along(side).map((value, axis) => value + AHEAD[axis])) : along(side);

/**
 * Bones and rotations with those of the fingers after them; wrists and forearms turn as the palms do.
 * @param {{names: string[], parents: number[], rest: Float32Array, turned: Float64Array}} body in the frames with a pose
 * @param {number[]} frames of the motion with a pose
 * @param {import("./index.js").Motion} motion whose hands are seen in 3D
 * @param {object} facts of numbers.json
 */
export function addFingers({ names, parents, rest, turned }, frames, { hands, times }, { skeletons: { hand21 }, constants }) {
  const b = names.length, rows = frames.length, stamps = frames.map((frame) => times[frame]);
  const own = (name) => Array.from({ length: rows }, (_, row) => turned.slice(9 * (b * row + names.indexOf(name)), 9 * (b * row + names.indexOf(name) + 1)));
  // Y up; the camera's y points down, and its z away.
  const pose = (frame, side) => Array.from({ length: JOINTS }, (_, joint) => [1, -1, -1].map((sign, axis) => sign * hands.joints[3 * (JOINTS * (2 * frame + side) + joint) + axis]));
  const poses = SIDES.map((_, side) => frames.flatMap((frame, row) => isSeen(hands, 2 * frame + side) ? [{ row, joints: pose(frame, side) }] : []));
  const changed = new Map(), added = [];
  SIDES.forEach((side, place) => {
    const seen = poses[place], given = seen.length ? seen : poses[1 - place].map(({ row, joints }) => ({ row, joints: joints.map(([x, y, z]) => [-x, y, z]) }));
    const { palms, bones } = measureHand(side, given.map(({ joints }) => joints), hand21), between = betweenPoses(seen.map(({ row }) => stamps[row]), stamps, constants.fingers.FADE);
    const blended = (still, values) => stamps.map((_, row) => {
      const { before, after, share, shown } = between[row];
      return blend(still(row), shown ? blend(values[before], values[after], share) : STRAIGHT, shown);
    });
    const wrist = `${side}_wrist`, elbow = `${side}_elbow`;
    if (seen.length) {
      const above = seen.map(({ row }) => orientation(turned.subarray(9 * b * row), parents, names.indexOf(elbow)));
      const wrists = own(wrist), elbows = own(elbow), turns = blended((row) => wrists[row], palms.map((palm, i) => times3(transpose(above[i]), palm)));
      const angles = turns.map((turn) => pronation(turn, along(side), constants.fingers.PRONATION));
      changed.set(elbow, elbows.map((turn, row) => times3(turn, about(along(side), angles[row]))));
      changed.set(wrist, turns.map((turn, row) => times3(about(along(side), -angles[row]), turn)));
    }
    for (const { joint, parent, offset, local } of bones) {
      const still = about(cross(along(side), [0, -1, 0]), (Math.PI / 180) * (joint.startsWith("thumb") ? 0 : constants.fingers.RELAXED[joint.split("_")[1]] ?? 0));
      added.push({ name: onBody(side, joint), parent: onBody(side, parent), offset });
      changed.set(onBody(side, joint), blended(() => still, local));
    }
  });
  const all = [...names, ...added.map(({ name }) => name)], places = new Float32Array(3 * all.length), made = new Float64Array(9 * rows * all.length);
  places.set(rest);
  added.forEach(({ parent, offset }, i) => places.set(offset.map((value, axis) => places[3 * all.indexOf(parent) + axis] + value), 3 * (b + i)));
  for (let row = 0; row < rows; row++) {
    made.set(turned.subarray(9 * b * row, 9 * b * (row + 1)), 9 * all.length * row);
    for (const [name, turns] of changed) made.set(turns[row], 9 * (all.length * row + all.indexOf(name)));
  }
  return { names: all, parents: [...parents, ...added.map(({ parent }) => all.indexOf(parent))], rest: places, turned: made };
}

/** A palm's rotation in each pose; and of each joint its parent, its place from there at rest, and its rotations relative to the bone before. */
function measureHand(side, poses, { joints: names, parents }) {
  const at = (pose, joint) => pose[names.indexOf(joint)], rest = transpose(basis(along(side), AHEAD)), bones = [];
  const palms = poses.map((pose) => {
    const index = at(pose, "index_mcp"), pinky = at(pose, "pinky_mcp");
    return times3(basis(index.map((value, axis) => (value + pinky[axis]) / 2), minus(index, pinky)), rest);
  });
  let above = palms;
  names.slice(1).forEach((joint, i) => {
    const parent = parents[i + 1], next = names[parents.indexOf(joint)], [finger] = joint.split("_"), way = straight(side, finger);
    if (parent === "wrist") above = palms;
    const steps = poses.map((pose) => minus(at(pose, joint), at(pose, parent)));
    const offset = parent === "wrist" ? [0, 1, 2].map((axis) => median(steps.map((step, row) => turn(transpose(palms[row]), step)[axis])))
      : way.map((value) => value * median(steps.map((step) => Math.hypot(...step))));
    const local = poses.map((pose, row) => {
      if (!next) return STRAIGHT;
      const aim = turn(transpose(above[row]), unit(minus(at(pose, next), at(pose, joint))));
      // A finger bends about an axis across the palm, however far; the thumb's axis is not known.
      return finger === "thumb" ? swing(way, aim) : times3(basis(aim, AHEAD), transpose(basis(way, AHEAD)));
    });
    if (next) above = above.map((matrix, row) => times3(matrix, local[row]));
    bones.push({ joint, parent, offset, local });
  });
  return { palms, bones };
}

/** The poses around each time, the share of the later one, and how far they show. */
function betweenPoses(seen, wanted, fade) {
  return wanted.map((time) => {
    if (!seen.length) return { before: 0, after: 0, share: 0, shown: 0 };
    const after = Math.min(searchSorted(seen, time), seen.length - 1), before = Math.max(searchSorted(seen, time, "right") - 1, 0);
    const since = Math.abs(time - seen[before]), until = Math.abs(seen[after] - time);
    return { before, after, share: since / Math.max(since + until, 1e-9), shown: Math.min(1, Math.max(0, 1 - Math.min(since, until) / fade)) };
  });
}

/** The forearm's part of the hand's turn about it, radians; past a quarter turn, which no forearm reaches, it gets less. */
function pronation(wrist, axis, share) {
  const [w, ...xyz] = quaternion(wrist), raw = 2 * Math.atan2(dot(axis, xyz), w), angle = raw - 2 * Math.PI * Math.floor((raw + Math.PI) / (2 * Math.PI));
  return share * (Math.abs(angle) <= Math.PI / 2 ? angle : Math.sign(angle) * (Math.PI - Math.abs(angle)));
}

/** Rotation of a bone in the world. */
function orientation(turned, parents, bone) {
  const own = Array.from(turned.subarray(9 * bone, 9 * bone + 9));
  return parents[bone] < 0 ? own : times3(orientation(turned, parents, parents[bone]), own);
}

/** Rotation between two, by the share of the second one. */
function blend(first, second, share) {
  const [one, other] = [first, second].map(quaternion), sign = one.reduce((sum, value, i) => sum + value * other[i], 0) < 0 ? -1 : 1;
  return matrix(one.map((value, i) => sign * value + share * (other[i] - sign * value)));
}

/** A right-handed basis, in columns: the first, the part of the second across it, and their product. */
function basis(first, second) {
  const a = unit(first), far = dot(second, a), b = unit(second.map((value, axis) => value - far * a[axis])), c = cross(a, b);
  return [0, 1, 2].flatMap((axis) => [a[axis], b[axis], c[axis]]);
}

/** Shortest rotation between unit vectors. */
function swing(start, end) {
  const [x, y, z] = cross(start, end), skew = [0, -z, y, z, 0, -x, -y, x, 0], twice = times3(skew, skew), above = Math.max(1 + dot(start, end), 1e-9);
  return STRAIGHT.map((value, i) => value + skew[i] + twice[i] / above);
}

const about = (axis, angle) => matrix([Math.cos(angle / 2), ...axis.map((value) => Math.sin(angle / 2) * value)]);
const times3 = (a, b) => Array.from({ length: 9 }, (_, i) => [0, 1, 2].reduce((sum, k) => sum + a[3 * Math.floor(i / 3) + k] * b[3 * k + (i % 3)], 0));
const transpose = (m) => [m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]];
const turn = (m, v) => [0, 3, 6].map((row) => m[row] * v[0] + m[row + 1] * v[1] + m[row + 2] * v[2]);

/** Unit quaternion w, x, y, z. Its largest number is positive. */
export function quaternion([a, b, c, d, e, f, g, h, i]) {
  const products = [[1 + a + e + i, h - f, c - g, d - b], [h - f, 1 + a - e - i, b + d, c + g], [c - g, b + d, 1 - a + e - i, f + h], [d - b, c + g, f + h, 1 - a - e + i]];
  const squares = products.map((row, k) => row[k]), largest = squares.indexOf(Math.max(...squares)), size = 2 * Math.sqrt(squares[largest]);
  return products[largest].map((value) => value / size);
}

/** Rotation of a quaternion of any length. */
function matrix([w, x, y, z]) {
  const s = 2 / (w * w + x * x + y * y + z * z);
  return [1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y), s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x), s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)];
}
