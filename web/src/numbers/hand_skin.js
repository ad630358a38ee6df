// The skin of palms and fingers, in place of the hands of a body without fingers (poselift.export.body_mesh).

import { cross, dot, minus, unit } from "./vectors.js";

const SIDES = ["left", "right"], FINGERS = ["thumb", "index", "middle", "ring", "pinky"], ACROSS = [0, 0, 1];

/**
 * @typedef {object} Mesh in the rest pose
 * @property {ArrayLike<number>} points (v, 3) metres
 * @property {ArrayLike<number>} triangles (f, 3) vertices
 * @property {ArrayLike<number>} segments (v, 2) bones that move each vertex
 * @property {ArrayLike<number>} weights (v, 2)
 */

/**
 * The mesh of a body with palms and fingers.
 * @param {Mesh} mesh of the body, whose hands are moved by the wrists alone
 * @param {{names: string[], rest: ArrayLike<number>}} figure bones at rest, with fingers
 * @param {{AROUND: number, BLEND: number, PALM: number[][], FINGER: number[][], TALL: number}} constants
 */
export function withHandSkin(mesh, { names, rest }, constants) {
  const at = (name) => Array.from(rest.slice(3 * names.indexOf(name), 3 * names.indexOf(name) + 3));
  const size = (at("head_top")[1] - at("left_ankle")[1]) / constants.TALL, count = mesh.points.length / 3, parts = [];
  let from = 0;
  for (const side of SIDES) {
    const wrist = names.indexOf(`${side}_wrist`), own = (vertex) => mesh.segments[2 * vertex] === wrist && mesh.weights[2 * vertex] === 1;
    const first = Array.from({ length: count }, (_, vertex) => vertex).find(own);
    let end = first;
    while (end < count && own(end)) end++;
    parts.push(part(mesh, from, first));
    const roots = FINGERS.slice(1).map((finger) => at(`${side}_hand_${finger}_mcp`)), middle = [0, 1, 2].map((axis) => roots.reduce((sum, root) => sum + root[axis] / roots.length, 0));
    parts.push(tube([at(`${side}_wrist`), middle], [wrist], constants.PALM, size, constants));
    for (const finger of FINGERS) {
      const bones = names.flatMap((name, bone) => name.startsWith(`${side}_hand_${finger}_`) ? [bone] : []);
      parts.push(tube(bones.map((bone) => at(names[bone])), bones.slice(0, -1), constants.FINGER, size, constants));
    }
    from = end;
  }
  return join([...parts, part(mesh, from, count)]);
}

/** A range of a mesh's vertices, with the triangles between them. */
function part({ points, triangles, segments, weights }, first, end) {
  const own = [];
  for (let at = 0; at < triangles.length; at += 3)
    if (triangles[at] >= first && triangles[at] < end) own.push(...[0, 1, 2].map((corner) => triangles[at + corner] - first));
  return { points: points.slice(3 * first, 3 * end), triangles: own, segments: segments.slice(2 * first, 2 * end), weights: weights.slice(2 * first, 2 * end) };
}

/** A surface with round ends along a chain of joints. @param half widths across and in the third direction, six a bone */
function tube(joints, movers, half, size, { AROUND, BLEND }) {
  const bones = movers.length, way = unit(minus(joints.at(-1), joints[0])), far = dot(ACROSS, way), across = unit(ACROSS.map((value, axis) => value - far * way[axis])), third = cross(way, across);
  const moved = (place, by) => place.map((value, axis) => value + by * way[axis]);
  const stations = half.map((widths, i) => {
    const place = bones * i / (half.length - 1), bone = Math.min(Math.floor(place), bones - 1);
    return { place, widths: widths.map((width) => size * width), centre: joints[bone].map((value, axis) => value + (place - bone) * (joints[bone + 1][axis] - value)) };
  });
  const [start, stop] = [stations[0], stations.at(-1)], [low, high] = [start, stop].map(({ widths }) => Math.min(...widths)), bends = [67.5, 45, 22.5].map((degrees) => Math.PI / 180 * degrees);
  const narrower = ({ widths }, bend) => widths.map((width) => Math.cos(bend) * width);
  const rings = [...bends.map((bend) => ({ place: 0, widths: narrower(start, bend), centre: moved(start.centre, -Math.sin(bend) * low) })), ...stations,
    ...[...bends].reverse().map((bend) => ({ place: bones, widths: narrower(stop, bend), centre: moved(stop.centre, Math.sin(bend) * high) }))];
  const points = [], segments = [], weights = [], triangles = [], next = (i) => (i + 1) % AROUND, poles = rings.length * AROUND, last = AROUND * (rings.length - 1);
  const vertex = (point, place) => {
    points.push(...point);
    const joint = Math.min(Math.max(Math.round(place), 1), bones - 1), share = bones > 1 ? Math.min(1, Math.max(0, (place - joint) / (2 * BLEND) + .5)) : 0;
    // The first bone is used, and the second is 0 where it is not.
    segments.push(...share === 1 ? [movers[joint], 0] : share > 0 ? [movers[joint - 1], movers[joint]] : [bones > 1 ? movers[joint - 1] : movers[0], 0]);
    weights.push(...share === 1 ? [1, 0] : [1 - share, share]);
  };
  for (const { place, widths, centre } of rings) for (let i = 0; i < AROUND; i++) {
    const [x, y] = [Math.cos(2 * Math.PI * i / AROUND) * widths[0], Math.sin(2 * Math.PI * i / AROUND) * widths[1]];
    vertex(centre.map((value, axis) => value + x * across[axis] + y * third[axis]), place);
  }
  vertex(moved(joints[0], -low), 0);
  vertex(moved(joints.at(-1), high), bones);
  const eachRing = (corners) => { for (let ring = 0; ring < rings.length - 1; ring++) for (let i = 0; i < AROUND; i++) triangles.push(...corners(AROUND * ring + i, AROUND * ring + next(i))); };
  eachRing((here, there) => [here, there, here + AROUND]);
  eachRing((here, there) => [there, there + AROUND, here + AROUND]);
  for (let i = 0; i < AROUND; i++) triangles.push(poles, next(i), i);
  for (let i = 0; i < AROUND; i++) triangles.push(poles + 1, last + i, last + next(i));
  return { points, triangles, segments, weights };
}

/** All parts as one mesh. */
function join(parts) {
  const found = { points: [], triangles: [], segments: [], weights: [] };
  for (const each of parts) {
    const start = found.points.length / 3;
    for (const name of ["points", "segments", "weights"]) found[name] = found[name].concat(Array.from(each[name]));
    found.triangles = found.triangles.concat(Array.from(each.triangles, (vertex) => vertex + start));
  }
  return { points: Float32Array.from(found.points), triangles: Uint16Array.from(found.triangles), segments: Uint8Array.from(found.segments), weights: Float32Array.from(found.weights) };
}
