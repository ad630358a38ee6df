// The 3D view: a mannequin of shaded, tapered limbs on a grid of metres, drawn from far to near. One file, because each
// part is drawn with the same camera and sorted among the others.

import { isCovered } from "./hands.js";
import { cameraAt, frameOf, lastBefore } from "./places.js";

/** Joints at the end of fine lines, and joints too small for a ball of uncertainty. */
export const FINE = /(eye|ear)$|_hand_/, SMALL = /(eye|ear|nose|heel|toe|hand)$/;

const mix = (a, b, share) => a.map((value, i) => Math.round(value + (b[i] - value) * share));
export const css = (color, alpha = 1) => `rgb(${color.join(" ")} / ${alpha})`;
const WHITE = [255, 255, 255], BLACK = [0, 0, 0];
/** The colours of the middle, the left and the right of a person. */
export const sidesOf = (color) => [color, mix(color, WHITE, .5), mix(color, BLACK, .28)];

export class Scene {
  constructor(canvas, state) {
    Object.assign(this, { canvas, state, yaw: .45, pitch: .16, zoom: 1 });
  }

  show(content) {
    this.content = content;
    this.frame();
  }

  /** Finds the path of the visible people that the view follows, and the distance that shows them. */
  frame() {
    const { times, people } = this.content, shown = people.filter(({ id }) => !this.state.hidden.has(id));
    const low = [], high = [];
    times.forEach((time, k) => {
      low[k] = [1e9, 1e9, 1e9]; high[k] = [-1e9, -1e9, -1e9];
      for (const person of shown) {
        const frame = frameOf(person, time);
        if (frame < 0) continue;
        low[k][1] = -.8; // the ground below people stays in view
        for (let axis = 0; axis < 3; axis++) {
          const value = person.places[3 * frame * person.names.length + axis];
          low[k][axis] = Math.min(low[k][axis], value); high[k][axis] = Math.max(high[k][axis], value);
        }
      }
    });
    let last = null;
    const middles = low.map((value, k) => last = value[0] > 1e8 ? last : value.map((v, axis) => (v + high[k][axis]) / 2 + .8 * (axis === 1)));
    const first = middles.find((value) => value) ?? [0, .9, 0];
    let path = middles.map((value) => value ?? first);
    const span = times[times.length - 1] - times[0];
    const half = Math.max(1, Math.round(.6 * times.length / Math.max(span, .1)));
    for (let round = 0; round < 2; round++) path = smooth(path, half);
    this.path = path;
    this.mean = path.reduce((sum, p) => sum.map((v, i) => v + p[i] / path.length), [0, 0, 0]);
    const reach = (centre) => {
      const far = [];
      for (const { places, names, times: own } of shown) {
        const stride = Math.ceil(own.length / 3000); // enough to know how far people reach
        for (let frame = 0; frame < own.length; frame += stride) {
          const [x, y, z] = centre(lastBefore(times, own[frame])) ?? this.mean;
          for (let i = frame * names.length; i < (frame + 1) * names.length; i += 3) {
            const d = Math.max(Math.hypot(places[3 * i] - x, places[3 * i + 1] - y, places[3 * i + 2] - z), y);
            if (d === d) far.push(d);
          }
        }
      }
      far.sort((a, b) => a - b);
      return Math.max(.9, far[Math.floor(.97 * far.length)] ?? 1);
    };
    this.reach = { follow: reach((k) => path[k]), still: reach(() => this.mean) };
  }

  /** Sets the size, the colours and the projection of a moment. */
  look(time) {
    const { canvas, content } = this, ratio = Math.min(devicePixelRatio || 1, 2);
    const [wide, high] = [canvas.clientWidth, canvas.clientHeight].map((side) => Math.max(1, Math.round(side * ratio)));
    if (canvas.width !== wide || canvas.height !== high) [canvas.width, canvas.height] = [wide, high];
    const k = Math.max(0, lastBefore(content.times, time)), follow = this.state.show.follow;
    this.target = follow ? this.path[k] : this.mean;
    this.focal = 1.5 * Math.min(high, wide * 1.1);
    this.distance = (follow ? this.reach.follow : this.reach.still) * 3.4 / this.zoom;
    this.turn = [Math.cos(this.yaw), Math.sin(this.yaw), Math.cos(this.pitch), Math.sin(this.pitch)];
    this.ratio = ratio;
  }

  /** Pixels and depth of a point. */
  at(x, y, z) {
    const [cy, sy, cp, sp] = this.turn, [tx, ty, tz] = this.target;
    x -= tx; y -= ty; z -= tz;
    const right = cy * x - sy * z, back = sy * x + cy * z;
    const up = cp * y - sp * back, depth = this.distance - (sp * y + cp * back), f = this.focal / depth;
    return [this.canvas.width / 2 + right * f, this.canvas.height / 2 - up * f, depth];
  }

  draw(time, theme) {
    this.look(time);
    const pen = this.canvas.getContext("2d"), { width, height } = this.canvas;
    pen.globalAlpha = 1;
    const horizon = Math.min(1, Math.max(0, .5 - Math.tan(this.pitch) * this.focal / height));
    const sky = pen.createLinearGradient(0, 0, 0, height);
    sky.addColorStop(0, theme.sky); sky.addColorStop(horizon, theme.sky);
    sky.addColorStop(Math.min(1, horizon + .25), theme.ground); sky.addColorStop(1, theme.ground);
    pen.fillStyle = sky;
    pen.fillRect(0, 0, width, height);
    this.grid(pen, theme);
    this.camera(pen, theme, time);
    const bodies = this.content.people.map((person, i) => [person, frameOf(person, time), i])
      .filter(([{ id }, frame]) => frame >= 0 && !this.state.hidden.has(id));
    for (const [person, frame, i] of bodies) this.shadow(pen, person, frame, theme, i === this.state.person);
    const parts = bodies.flatMap(([person, frame]) => [person, person.hands].flatMap((part) => part ? this.parts(part, frame) : [])).sort((a, b) => b.depth - a.depth);
    for (const part of parts) {
      pen.globalAlpha = part.alpha;
      part.draw(pen);
    }
    pen.globalAlpha = 1;
    for (const [person, frame, i] of bodies) this.tag(pen, person, frame, i === this.state.person);
  }

  grid(pen, theme) {
    const reach = Math.ceil(Math.max(6, this.distance * .9)), [tx, , tz] = this.target;
    const x0 = Math.round(tx), z0 = Math.round(tz);
    pen.strokeStyle = theme.grid;
    pen.lineWidth = this.ratio;
    for (let a = -reach; a <= reach; a++) for (let b = -reach; b < reach; b++) for (const flip of [0, 1]) {
      const fade = 1 - Math.hypot(a, b + .5) / reach;
      if (fade <= 0) continue;
      const p = flip ? this.at(x0 + b, 0, z0 + a) : this.at(x0 + a, 0, z0 + b);
      const q = flip ? this.at(x0 + b + 1, 0, z0 + a) : this.at(x0 + a, 0, z0 + b + 1);
      if (p[2] < .2 || q[2] < .2) continue;
      pen.globalAlpha = .75 * fade;
      pen.beginPath(); pen.moveTo(p[0], p[1]); pen.lineTo(q[0], q[1]); pen.stroke();
    }
    pen.globalAlpha = 1;
  }

  /** A camera that turns or moves: its view as a pyramid, and its way. */
  camera(pen, theme, time) {
    const { camera, size: [width, height], world } = this.content;
    if (!world || !camera.times) return;
    const { K, R, t } = cameraAt(camera, time);
    const corners = [[0, 0], [width, 0], [width, height], [0, height]].map(([x, y]) => {
      const ray = [.6 * (x - K[0][2]) / K[0][0], .6 * (y - K[1][2]) / K[1][1], .6];
      return t.map((value, axis) => value + R[axis][0] * ray[0] + R[axis][1] * ray[1] + R[axis][2] * ray[2]);
    });
    pen.strokeStyle = theme.ink;
    pen.lineWidth = 1.5 * this.ratio;
    pen.globalAlpha = .6;
    const line = (...places) => {
      const points = places.map((place) => this.at(...place));
      if (points.some((point) => point[2] < .2)) return;
      pen.beginPath();
      points.forEach(([x, y], k) => k ? pen.lineTo(x, y) : pen.moveTo(x, y));
      pen.stroke();
    };
    line(...corners, corners[0]);
    for (const corner of corners) line(t, corner);
    if (camera.t[0].length) line(...camera.t);
    pen.globalAlpha = 1;
  }

  /** A body's shadow, as from a lamp above; rings under feet that are on the ground. */
  shadow(pen, person, frame, theme, chosen) {
    const { body } = person, base = 3 * frame * person.names.length;
    const points = placesOf(person, frame).map(([x, y, z]) => this.at(x + .22 * y, 0, z - .16 * y));
    pen.lineCap = pen.lineJoin = "round";
    pen.strokeStyle = pen.fillStyle = theme.shadow;
    for (const [a, a2, b, b2, , start, end] of body.limbs) {
      const p = middle(points[a], points[a2]), q = middle(points[b], points[b2]);
      if (!(p[2] > .2 && q[2] > .2)) continue;
      pen.lineWidth = 2.1 * Math.max(start, end) * this.focal / p[2];
      pen.beginPath(); pen.moveTo(p[0], p[1]); pen.lineTo(q[0], q[1]); pen.stroke();
    }
    const trunk = trunkOf(body, points);
    if (trunk.length && trunk.every((point) => point[2] > .2)) {
      pen.lineWidth = 2 * body.corner * this.focal / trunk[0][2];
      pen.beginPath(); trunk.forEach(([x, y]) => pen.lineTo(x, y)); pen.closePath(); pen.fill(); pen.stroke();
    }
    const ring = (x, y, z, radius, width, color) => {
      pen.strokeStyle = color;
      pen.lineWidth = width * this.ratio;
      pen.beginPath();
      for (let k = 0; k <= 28; k++) {
        const p = this.at(x + radius * Math.cos(k * Math.PI / 14), y, z + radius * Math.sin(k * Math.PI / 14));
        pen.lineTo(p[0], p[1]);
      }
      pen.stroke();
    };
    if (chosen) ring(person.places[base], 0, person.places[base + 2], .42, 2, css(person.color, .9));
    ["left", "right"].forEach((side, foot) => {
      const ankle = base + 3 * person.names.indexOf(`${side}_ankle`);
      if (!person.contacts?.[2 * frame + foot] || ankle < base) return;
      const y = person.places[ankle + 1];
      ring(person.places[ankle], y < .3 ? 0 : y - .08, person.places[ankle + 2], .13, 2.5, css(sidesOf(person.color)[1 + foot]));
    });
  }

  /** What to draw of a body, with its depth: limbs, trunk, head and balls of uncertainty. */
  parts(person, frame) {
    const { names, body } = person, base = frame * names.length;
    const points = placesOf(person, frame).map((place) => this.at(...place));
    const guessed = (point) => body.head[point - names.length]?.slice(0, 2).some(guessed) ?? person.guessed[base + point];
    const pale = (...ends) => ends.some(guessed) ? .5 : 1;
    const colors = sidesOf(person.color), parts = [];
    const size = (metres, point) => metres * this.focal / point[2];
    const add = (depth, draw, alpha) => { if (depth > .2) parts.push({ depth, draw, alpha }); };
    for (const [a, a2, b, b2, side, start, end] of body.limbs) {
      if (isCovered(person, frame, names[b])) continue;
      const p = middle(points[a], points[a2]), q = middle(points[b], points[b2]), alpha = pale(a, a2, b, b2);
      add((p[2] + q[2]) / 2, (pen) => capsule(pen, p, q, size(start, p), size(end, q), colors[side]), alpha);
    }
    const trunk = trunkOf(body, points);
    if (trunk.length) {
      const depth = trunk.reduce((sum, point) => sum + point[2] / 4, 0);
      const alpha = pale(...body.trunk);
      add(depth + .01, (pen) => plate(pen, trunk, size(body.corner, [0, 0, depth]), colors[0]), alpha);
    }
    if (person.uncertainty && this.state.show.uncertainty) names.forEach((name, joint) => {
      const radius = person.uncertainty[base + joint], point = points[joint];
      if (!(radius > 0) || SMALL.test(name)) return;
      add(point[2] - .3, (pen) => {
        pen.beginPath(); pen.arc(point[0], point[1], size(radius, point), 0, 7);
        pen.fillStyle = css(person.color, .1); pen.fill();
        pen.strokeStyle = css(person.color, .5); pen.lineWidth = this.ratio; pen.stroke();
      }, 1);
    });
    return parts;
  }

  /** The person's number above the head. */
  tag(pen, person, frame, chosen) {
    if (this.content.people.length < 2) return;
    const base = 3 * frame * person.names.length;
    let top = -Infinity;
    for (let i = 1; i < 3 * person.names.length; i += 3) top = Math.max(top, person.places[base + i]);
    const [x, y, depth] = this.at(person.places[base], top + .22, person.places[base + 2]);
    if (!(depth > .2)) return;
    const r = 10 * this.ratio;
    pen.fillStyle = css(chosen ? person.color : mix(person.color, [128, 128, 128], .45));
    pen.beginPath(); pen.arc(x, y, r, 0, 7); pen.fill();
    pen.fillStyle = "#0b0e12";
    pen.font = `650 ${12 * this.ratio}px system-ui, sans-serif`;
    pen.textAlign = "center"; pen.textBaseline = "middle";
    pen.fillText(person.id, x, y + .5 * this.ratio);
  }
}

/** The mean of points around each moment. */
function smooth(path, half) {
  const sums = [[0, 0, 0]];
  for (const point of path) sums.push(point.map((value, axis) => value + sums[sums.length - 1][axis]));
  return path.map((_, k) => {
    const from = Math.max(0, k - half), to = Math.min(path.length, k + half + 1);
    return [0, 1, 2].map((axis) => (sums[to][axis] - sums[from][axis]) / (to - from));
  });
}

export const middle = (p, q) => p === q ? p : p.map((value, i) => (value + q[i]) / 2);

/** The places of a person's joints in a frame, and of both ends of the drawn head. */
function placesOf({ names, places, body }, frame) {
  const base = frame * names.length, joints = names.map((_, j) => places.subarray(3 * (base + j), 3 * (base + j) + 3));
  const head = body.head.map(([from, to, share]) => Array.from(joints[from], (x, i) => x + share * (joints[to][i] - x)));
  return [...joints, ...head];
}

/** The corners of the trunk in the order of its outline; none without a trunk. */
const trunkOf = ({ trunk }, points) => trunk.length ? [0, 1, 3, 2].map((i) => points[trunk[i]]) : [];

/** A limb between two balls, lit from the upper left. */
function capsule(pen, [ax, ay], [bx, by], ra, rb, color) {
  const long = Math.hypot(bx - ax, by - ay);
  if (!(long + ra > 0)) return;
  if (long <= Math.abs(ra - rb)) { ball(pen, ra > rb ? [ax, ay] : [bx, by], Math.max(ra, rb), color); return; }
  const turn = Math.atan2(by - ay, bx - ax), open = Math.acos((ra - rb) / long);
  let nx = -(by - ay) / long, ny = (bx - ax) / long;
  if (nx * -.5 + ny * -.85 < 0) { nx = -nx; ny = -ny; }
  const r = Math.max(ra, rb);
  const shade = pen.createLinearGradient(ax + nx * r, ay + ny * r, ax - nx * r, ay - ny * r);
  shade.addColorStop(0, css(mix(color, WHITE, .12))); shade.addColorStop(.3, css(mix(color, WHITE, .22)));
  shade.addColorStop(.55, css(color)); shade.addColorStop(1, css(mix(color, BLACK, .38)));
  pen.fillStyle = shade;
  pen.beginPath();
  pen.arc(ax, ay, ra, turn + open, turn - open + 2 * Math.PI);
  pen.arc(bx, by, rb, turn - open, turn + open);
  pen.closePath(); pen.fill();
  pen.strokeStyle = css(mix(color, BLACK, .5), .35); pen.lineWidth = Math.max(.5, .05 * r); pen.stroke();
}

function ball(pen, [x, y], r, color) {
  if (!(r > 0)) return;
  const shade = pen.createRadialGradient(x - .35 * r, y - .4 * r, .1 * r, x, y, r);
  shade.addColorStop(0, css(mix(color, WHITE, .35))); shade.addColorStop(.6, css(color));
  shade.addColorStop(1, css(mix(color, BLACK, .32)));
  pen.fillStyle = shade;
  pen.beginPath(); pen.arc(x, y, r, 0, 7); pen.fill();
}

/** The trunk: a rounded plate between shoulders and hips. */
function plate(pen, corners, r, color) {
  const xs = corners.map((corner) => corner[0]), left = Math.min(...xs) - r, right = Math.max(...xs) + r;
  if (!(right > left)) return;
  const shade = pen.createLinearGradient(left, 0, right, 0);
  shade.addColorStop(0, css(mix(color, WHITE, .1))); shade.addColorStop(.35, css(mix(color, WHITE, .16)));
  shade.addColorStop(1, css(mix(color, BLACK, .34)));
  pen.fillStyle = pen.strokeStyle = shade;
  pen.lineJoin = "round"; pen.lineWidth = 2 * r;
  pen.beginPath();
  corners.forEach(([x, y]) => pen.lineTo(x, y));
  pen.closePath(); pen.fill(); pen.stroke();
}

/** Turns and zooms by pointer, wheel and keyboard. */
export function steer(scene, changed) {
  const { canvas } = scene, fingers = new Map();
  const turn = (dx, dy) => {
    scene.yaw -= dx; scene.pitch = Math.min(1.55, Math.max(-.25, scene.pitch + dy)); changed();
  };
  const zoom = (factor) => { scene.zoom = Math.min(12, Math.max(.2, scene.zoom * factor)); changed(); };
  const apart = () => { const [a, b] = [...fingers.values()]; return Math.hypot(a[0] - b[0], a[1] - b[1]); };
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) return;
    const width = fingers.size === 2 ? apart() : 0;
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
    if (fingers.size === 2) zoom(apart() / Math.max(width, 1));
    else turn((event.clientX - before[0]) * .008, (event.clientY - before[1]) * .006);
  });
  for (const end of ["pointerup", "pointercancel"])
    canvas.addEventListener(end, (event) => fingers.delete(event.pointerId));
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(Math.exp(-event.deltaY * (event.deltaMode ? .05 : .0015)));
  }, { passive: false });
  canvas.addEventListener("dblclick", () => { scene.yaw = .45; scene.pitch = .16; scene.zoom = 1; changed(); });
  canvas.addEventListener("keydown", (event) => {
    const steps = { ArrowLeft: [-.1, 0], ArrowRight: [.1, 0], ArrowUp: [0, .08], ArrowDown: [0, -.08] };
    const zooms = { "+": 1.15, "=": 1.15, "-": 1 / 1.15 };
    if (event.shiftKey && steps[event.key]) turn(...steps[event.key]);
    else if (zooms[event.key]) zoom(zooms[event.key]);
    else return;
    event.preventDefault(); event.stopPropagation();
  });
}
