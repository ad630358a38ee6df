// Up told by the shape of a body that stands, sits, pedals or lies (poselift.kinematics.body_up and posture).

import { median } from "./times.js";
import { CAMERA_UP, angleBetween, cross, dot, meanOf, minus, sumOf, unit } from "./vectors.js";

const SIDES = ["left", "right"];
const scaled = (vector, factor) => vector.map((value) => value * factor);
const without = (vector, axis) => minus(vector, scaled(axis, dot(vector, axis)));
const medianOf = (values) => median(Float64Array.from(values));

/** The value below which a share of the values is, interpolated as numpy does. */
function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  const place = share * (sorted.length - 1);
  const below = Math.floor(place);
  return sorted[below] + (place - below) * (sorted[Math.min(below + 1, sorted.length - 1)] - sorted[below]);
}

function spreadOf(values) {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
}

/** Directions of segments and bends in the frames in which the body's ends are in sight. */
export function measureBody({ joints, root, skeleton }, seen) {
  const j = skeleton.joints.length;
  const frames = [];
  seen.forEach((shown, frame) => {
    const at = (name) => {
      const place = 3 * (frame * j + skeleton.joints.indexOf(name));
      return Array.from(joints.subarray(place, place + 3));
    };
    const [shoulders, hips, knees, ankles] = ["shoulder", "hip", "knee", "ankle"].map((joint) =>
      SIDES.map((side) => at(`${side}_${joint}`)),
    );
    if (!shown || ![shoulders, hips, knees, ankles].flat(2).every(Number.isFinite)) return;
    const [top, middle, foot] = [shoulders, hips, ankles].map(meanOf);
    const trunk = unit(minus(top, middle));
    const axis = unit(minus(top, foot));
    const thighs = [0, 1].map((side) => minus(knees[side], hips[side]));
    frames.push({
      axis,
      trunk,
      bend: angleBetween(axis, trunk),
      thigh: unit(sumOf(thighs)),
      shank: unit(sumOf([0, 1].map((side) => minus(knees[side], ankles[side])))),
      left: unit(minus(sumOf([shoulders[0], hips[0]]), sumOf([shoulders[1], hips[1]]))),
      ankles: ankles.map((ankle) => minus(ankle, middle)),
      hips: thighs.map((thigh) => angleBetween(thigh, scaled(trunk, -1))),
      knees: thighs.map((thigh, side) => angleBetween(thigh, minus(ankles[side], knees[side]))),
      root: Array.from(root.subarray(3 * frame, 3 * frame + 3)),
    });
  });
  return frames;
}

const meanOfEach = (frames, name) => meanOf(frames.map((frame) => frame[name]));

/** Least of the median bends of hips and knees. */
export const crouchOf = (frames) =>
  Math.min(...["hips", "knees"].flatMap((name) => [0, 1].map((side) => medianOf(frames.map((frame) => frame[name][side])))));

/** The chair of somebody who sits: up by trunk, thighs and shanks, its spread, and how surely they sit; null for others. */
function findChair(frames, c) {
  const bends = ["hips", "knees"].map((name) => [0, 1].map((side) => frames.map((frame) => frame[name][side])));
  const least = Math.min(...bends.flat().map((values) => quantile(values, 1 - c.MOSTLY)));
  const [hips, knees] = bends.map((sides) => Math.max(...sides.map(spreadOf)));
  const seated = least >= c.SEATED && hips < c.HIPS_STEADY && knees < c.KNEES_STEADY;
  if (!seated && !(least >= c.MAY_SIT && Math.max(hips, knees) < c.STILL_LEGS)) return null;
  const found = frames.map(({ trunk, thigh, shank, left }) => {
    const across = unit(without(left, trunk));
    const legs = sumOf([unit(cross(thigh, across)), shank]);
    const ahead = cross(across, trunk);
    return {
      up: unit(sumOf([scaled(trunk, c.TRUNK ** -2), scaled(legs, c.LEG ** -2)])),
      lean: Math.atan2(dot(shank, ahead), dot(shank, trunk)),
    };
  });
  const up = unit(meanOfEach(found, "up"));
  const sits = interpolate(medianOf(found.map(({ lean }) => lean)), c.SHANKS_AHEAD, c.SITS) * (seated ? 1 : c.MAY_SIT_SHARE);
  return sits > 0 ? { up, sits, spread: interpolate(angleBetween(up, CAMERA_UP), [c.NEAR, c.FAR], [c.CHAIR, c.STEEP_CHAIR]) } : null;
}

/** The value at x between known points, held outside of them, as numpy's interp. */
function interpolate(x, places, values) {
  const last = places.length - 1;
  if (x <= places[0]) return values[0];
  if (x >= places[last]) return values[last];
  const k = places.findIndex((place) => place > x) - 1;
  return values[k] + ((x - places[k]) / (places[k + 1] - places[k])) * (values[k + 1] - values[k]);
}

/** The mean of the ups of somebody who sits and of somebody who crouches, by how cameras are held. */
function sitOrCrouch(chair, axis, { PITCH, PITCH_SPREAD }) {
  const usual = (up) => 1 / (1 + (angleBetween(up, [0, -Math.cos(PITCH), -Math.sin(PITCH)]) / PITCH_SPREAD) ** 2);
  const [sits, crouches] = [chair.sits * usual(chair.up), (1 - chair.sits) * usual(axis)];
  const share = sits / (sits + crouches);
  const up = unit(sumOf([scaled(chair.up, share), scaled(axis, 1 - share)]));
  return { axis: up, spread: Math.hypot(chair.spread, angleBetween(chair.up, axis) * Math.sqrt((share * (1 - share)) / 2)) };
}

/** Up of somebody who pedals, by the way from the middle of the pedals to the hips; null for others. */
function saddleUp(frames, c) {
  if ([0, 1].some((side) => medianOf(frames.map(({ hips }) => hips[side])) < c.SEATED)) return null;
  const left = unit(meanOfEach(frames, "left"));
  const middles = [0, 1].map((side) => meanOf(frames.map(({ ankles }) => ankles[side])));
  const off = [0, 1].map((side) => frames.map(({ ankles }) => without(minus(ankles[side], middles[side]), left)));
  const ahead = unit(without([0.577, 0.577, 0.577], left));
  const paths = off.map((places) => {
    // The longest and the shortest axis of a path in the plane across the left, from its second moments.
    const [u, v] = [ahead, cross(left, ahead)].map((axis) => places.map((place) => dot(place, axis)));
    const moment = (a, b) => a.reduce((sum, value, row) => sum + value * b[row], 0);
    const [uu, vv, uv] = [moment(u, u), moment(v, v), moment(u, v)];
    const [half, apart] = [(uu + vv) / 2, Math.hypot((uu - vv) / 2, uv)];
    return { ratio: Math.sqrt(Math.max(half - apart, 0) / Math.max(half + apart, 1e-12)), radius: Math.sqrt((uu + vv) / frames.length) };
  });
  const together = off[0].reduce((sum, place, row) => sum + dot(place, off[1][row]), 0) / frames.length;
  if (together / Math.max(paths[0].radius * paths[1].radius, 1e-9) >= c.OPPOSITE) return null;
  if (!paths.every(({ ratio, radius }) => ratio > c.ROUND && radius > c.CRANK[0] && radius < c.CRANK[1])) return null;
  const seat = unit(without(scaled(sumOf(middles), -0.5), left));
  return sumOf([scaled(seat, Math.cos(c.SADDLE_LEAN)), scaled(cross(left, seat), Math.sin(c.SADDLE_LEAN))]);
}

/** Directions of which one is up if the body lies: out of its front, its back and its sides. */
function lyingUps(frames, c) {
  const across = frames.map(({ left, trunk }) => unit(without(left, trunk)));
  const sides = [meanOf(across.map((side, row) => cross(side, frames[row].trunk))), meanOf(across)];
  if (sides.some((side) => Math.hypot(...side) < c.STILL)) return [];
  return sides.flatMap((side) => [unit(side), scaled(unit(side), -1)]);
}

/** The upright direction of a body, its standard deviation, and whether it pedals; null where it tells none. */
export function bodyUp(motion, seen, reference, walks, { body_up, posture }) {
  const c = body_up;
  let frames = measureBody(motion, seen);
  if (!frames.length) return null;
  const isHeld = (up) => Math.abs(up[0]) < c.ON_ITS_SIDE && dot(up, CAMERA_UP) > -c.BELOW && up[2] < c.LOOKS_UP;
  const [saddle, chair] = [saddleUp(frames, posture), findChair(frames, posture)];
  if (saddle && isHeld(saddle)) return { axis: saddle, spread: posture.SADDLE, pedals: true };
  if (chair && isHeld(chair.up)) return sitOrCrouch(chair, unit(meanOfEach(frames, "axis")), c);
  const bendOf = (some) => medianOf(some.map(({ bend }) => bend));
  const spread = (lean, some) => {
    const [bend, crouch] = [bendOf(some), Math.max(crouchOf(some) - c.CROUCHES, 0)];
    return Math.hypot(lean, bend > c.BENT ? c.BENT_SHARE * bend : 0, c.CROUCH_SHARE * crouch);
  };
  const upright = frames.filter(({ axis }) => dot(axis, reference) > c.UPRIGHT);
  if (!upright.length) {
    const mean = meanOfEach(frames, "axis");
    const axes = Math.hypot(...mean) > c.STILL_AXIS ? [unit(mean), scaled(unit(mean), -1)] : [];
    const places = frames.map(({ root }) => root).filter((root) => root.every(Number.isFinite));
    const sight = places.length ? unit(meanOf(places)) : [0, 0, 0];
    const told = [
      ...axes.map((axis) => ({ axis, spread: spread(c.STEEP_LEAN, frames) })),
      ...lyingUps(frames, posture).map((axis) => ({ axis, spread: spread(posture.FLAT, frames) })),
    ].filter(({ axis }) => isHeld(axis) && dot(axis, sight) < c.BELOW);
    return told.sort((a, b) => dot(b.axis, CAMERA_UP) - dot(a.axis, CAMERA_UP))[0] ?? null;
  }
  frames = upright;
  const straight = frames.filter(({ bend }) => bend <= c.BENT);
  if (bendOf(frames) > c.BENT && straight.length >= c.STRAIGHT_SHARE * frames.length) frames = straight;
  const lean = c.LEAN + walks * (c.WALKING_LEAN - c.LEAN);
  return { axis: unit(meanOfEach(frames, "axis")), spread: spread(lean, frames) };
}
