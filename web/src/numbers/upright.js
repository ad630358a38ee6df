// Up and the ground, estimated from bodies, as poselift/kinematics/up.py and poselift/viz/stage.py do.

import { bodyAxes } from "./ground.js";
import { cross, dot } from "./vectors.js";

const unit = (a) => a.map((value) => value / Math.hypot(...a));

/** The value below which a share of sorted values lies. */
function quantile(values, share) {
  const sorted = Float64Array.from(values).sort(), place = share * (sorted.length - 1), low = Math.floor(place);
  return sorted[low] + (place - low) * ((sorted[low + 1] ?? sorted[low]) - sorted[low]);
}

/** The rotation from the camera frame to a level one with Y up, as rows. @param right what becomes X when it is level */
export function rotationToYUp(motions, { up: { UPRIGHT, MAX_TILT } }, right = [1, 0, 0]) {
  const axes = motions.flatMap(bodyAxes).map(unit).filter((axis) => -axis[1] > UPRIGHT);
  let up = axes.length ? unit([0, 1, 2].map((i) => quantile(axes.map((axis) => axis[i]), .5))) : [0, -1, 0];
  if (-up[1] < Math.cos(MAX_TILT)) {
    const sideways = unit([up[0], 0, up[2]]);
    up = [Math.sin(MAX_TILT) * sideways[0], -Math.cos(MAX_TILT), Math.sin(MAX_TILT) * sideways[2]];
  }
  const x = unit(right.map((value, i) => value - dot(right, up) * up[i]));
  return [x, up, cross(x, up)];
}

/** Height of the ground under each person after the rotation, metres. */
export function floorsOf(motions, up, { skeletons }, { stage }) {
  const people = motions.map(({ joints, root, skeleton, times }) => {
    const lowest = [], places = [[], []], count = skeleton.joints.length;
    for (let frame = 0; frame < times.length; frame++) {
      const base = [...root.subarray(3 * frame, 3 * frame + 3)];
      if (Number.isNaN(base[0])) continue;
      const high = [];
      for (let joint = 0; joint < count; joint++)
        high.push(dot(up[1], base.map((value, axis) => value + joints[3 * (frame * count + joint) + axis])));
      lowest.push(Math.min(...high));
      places[0].push(dot(up[0], base)); places[1].push(dot(up[2], base));
    }
    return lowest.length && { floor: quantile(lowest, .05), place: places.map((values) => quantile(values, .5)), sole: skeletons[skeleton.name].sole };
  });
  const first = people.filter(Boolean).sort((a, b) => a.floor - b.floor)[0];
  return people.map((person) => {
    if (!person) return 0;
    const rise = person.floor - first.floor, apart = Math.hypot(...person.place.map((value, i) => value - first.place[i]));
    return person.floor - person.sole - (rise > stage.MIN_RISE + stage.SLOPE * apart ? Math.min(rise, stage.MAX_RISE) : 0);
  });
}
