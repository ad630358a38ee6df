// The skeleton over the video: the lifted joints, reprojected, and what the detector saw.

import { frameOf } from "./places.js";
import { css, FINE, middle, sidesOf, SMALL } from "./scene.js";

/** Clears a canvas over the video; gives a pen for pixels of the video, and the CSS pixels for one of them. */
export function penOver(canvas, [width, height]) {
  const ratio = Math.min(devicePixelRatio || 1, 2);
  const [wide, high] = [canvas.clientWidth, canvas.clientHeight].map((side) => Math.round(side * ratio));
  if (canvas.width !== wide || canvas.height !== high) [canvas.width, canvas.height] = [wide, high];
  const pen = canvas.getContext("2d"), scale = Math.min(wide / width, high / height);
  pen.setTransform(1, 0, 0, 1, 0, 0);
  pen.clearRect(0, 0, wide, high);
  pen.setTransform(scale, 0, 0, scale, (wide - scale * width) / 2, (high - scale * height) / 2);
  return [pen, scale / ratio];
}

/** Draws everybody at the time of the picture. */
export function drawOverlay(canvas, content, state, time) {
  const [pen, scale] = penOver(canvas, content.size);
  pen.lineCap = "round";
  content.people.forEach((person) => {
    const frame = frameOf(person, time);
    if (frame < 0 || state.hidden.has(person.id)) return;
    pen.globalAlpha = person.gap[frame] ? .5 : 1;
    if (state.show.uncertainty && person.uncertainty) drawUncertainty(pen, person, frame, scale);
    for (const part of person.hands ? [person, person.hands] : [person]) {
      if (state.show.skeleton) drawLines(pen, part, frame, scale);
      if (state.show.detections) drawDetections(pen, part, frame, scale);
    }
  });
}

function drawUncertainty(pen, person, frame, scale) {
  const joints = person.names.length;
  pen.lineWidth = 1 / scale;
  for (let joint = 0, i = frame * joints; joint < joints; joint++, i++) {
    const radius = person.uncertainty[i] * person.scale[i];
    if (!(radius > 0) || SMALL.test(person.names[joint])) continue;
    pen.beginPath(); pen.arc(person.pixels[2 * i], person.pixels[2 * i + 1], radius, 0, 7);
    pen.fillStyle = css(person.color, .1); pen.fill();
    pen.strokeStyle = css(person.color, .55); pen.stroke();
  }
}

function drawLines(pen, person, frame, scale) {
  const colors = sidesOf(person.color), base = 2 * frame * person.names.length;
  const end = (a, b) => [0, 1].map((axis) => (person.pixels[base + 2 * a + axis] + person.pixels[base + 2 * b + axis]) / 2);
  for (const edge of [true, false]) for (const [a, a2, b, b2, side] of person.limbs) {
    const p = end(a, a2), q = end(b, b2);
    if (!(p[0] + q[0] === p[0] + q[0])) continue;
    pen.globalAlpha = [a, a2, b, b2].some((joint) => person.guessed[base / 2 + joint]) ? .5 : 1;
    pen.strokeStyle = edge ? "#0009" : css(colors[side]);
    pen.lineWidth = (edge ? 5.5 : 3) / scale * (FINE.test(person.names[b]) ? .5 : 1);
    pen.beginPath(); pen.moveTo(...p); pen.lineTo(...q); pen.stroke();
  }
  pen.globalAlpha = 1;
}

function drawDetections(pen, person, frame, scale) {
  const base = frame * person.points.length;
  const at = (joint) => person.keypoints.subarray(2 * (base + joint), 2 * (base + joint) + 2);
  pen.strokeStyle = pen.fillStyle = "#fff";
  pen.lineWidth = 1.2 / scale;
  for (const [a, a2, b, b2] of person.lines) {
    const p = middle([...at(a)], [...at(a2)]), q = middle([...at(b)], [...at(b2)]);
    if (Number.isNaN(p[0] + q[0])) continue;
    pen.globalAlpha = .35 + .65 * Math.min(person.scores[base + a], person.scores[base + b]);
    pen.beginPath(); pen.moveTo(p[0] + .5, p[1] + .5); pen.lineTo(q[0] + .5, q[1] + .5); pen.stroke();
  }
  person.points.forEach((_, joint) => {
    const [x, y] = at(joint);
    if (Number.isNaN(x)) return;
    pen.globalAlpha = .35 + .65 * person.scores[base + joint];
    pen.beginPath(); pen.arc(x + .5, y + .5, 2.4 / scale, 0, 7); pen.fill();
  });
}
