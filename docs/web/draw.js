// The 2D keypoints in their picture, and the 3D figure on a floor.

const SIDES = { left: "#b8def4", right: "#3c7ea3", middle: "#56b4e9" };
const LINES = [
  ["hip", "knee"], ["knee", "ankle"], ["shoulder", "elbow"], ["elbow", "wrist"], ["shoulder", "hip"], ["ear", "eye"],
].flatMap(([a, b]) => ["left", "right"].map((side) => [`${side}_${a}`, `${side}_${b}`])).concat([
  ["left_hip", "right_hip"], ["left_shoulder", "right_shoulder"], ["left_eye", "nose"], ["right_eye", "nose"],
]);
const DISTANCE = 4.2; // metres from the viewer to the figure

const sideOf = (name) => SIDES[name.split("_")[0]] ?? SIDES.middle;

/** The canvas's context, with one unit for each CSS pixel, and its size. */
function cleared(canvas) {
  const { clientWidth: width, clientHeight: height } = canvas;
  const ratio = window.devicePixelRatio;
  [canvas.width, canvas.height] = [width * ratio, height * ratio];
  const context = canvas.getContext("2d");
  context.scale(ratio, ratio);
  context.lineCap = context.lineJoin = "round";
  return { context, width, height };
}

/** Draws the keypoints of a frame. */
export function drawKeypoints(canvas, clip, frame) {
  const { context, width, height } = cleared(canvas);
  const [w, h] = clip.size;
  const scale = 0.94 * Math.min(width / w, height / h);
  const [left, top] = [(width - scale * w) / 2, (height - scale * h) / 2];
  context.fillStyle = "#12151a";
  context.fillRect(left, top, scale * w, scale * h);
  const points = clip.points[frame];
  if (!points) return;
  const place = (name) => {
    const [x, y, score = 1] = points[clip.names.indexOf(name)] ?? [NaN, NaN, 0];
    return score >= 0.2 && Number.isFinite(x) ? [left + scale * x, top + scale * y] : null;
  };
  const thick = Math.max(2, scale * h * 0.008);
  for (const [a, b] of LINES) {
    const [from, to] = [place(a), place(b)];
    if (from && to) line(context, from, to, thick, sideOf(a.split("_")[0] === b.split("_")[0] ? a : "middle"));
  }
  for (const name of clip.names) if (place(name)) dot(context, place(name), 0.8 * thick, "#ffffff");
}

/** Draws the figure of a frame, seen from `view`: yaw and pitch in radians. */
export function drawFigure(canvas, lifted, frame, view, showUncertainty) {
  const { context, width, height } = cleared(canvas);
  const { joints_out: names, parents_out: parents } = lifted.about;
  const j = names.length;
  const points = names.map((_, index) => lifted.joints.subarray(3 * (frame * j + index), 3 * (frame * j + index + 1)));
  const floor = Math.max(...points.map(([, y]) => y)); // the lowest joint stands on it; y points down
  const zoom = 0.48 * Math.min(width, height) * DISTANCE / 1.3;
  const [cosYaw, sinYaw, cosPitch, sinPitch] = [view.yaw, view.pitch].flatMap((a) => [Math.cos(a), Math.sin(a)]);
  const project = ([x, y, z]) => {
    const up = y - floor + 0.9; // the middle of a standing person in the middle of the canvas
    const [side, far] = [cosYaw * x + sinYaw * z, cosYaw * z - sinYaw * x];
    const depth = DISTANCE + cosPitch * far + sinPitch * up;
    const scale = zoom / depth;
    return { x: width / 2 + scale * side, y: height / 2 + scale * (cosPitch * up - sinPitch * far), depth, scale };
  };
  const onFloor = (x, z) => project([x, floor + 0.04, z]);

  for (let k = -4; k <= 4; k++) {
    for (const [from, to] of [[[k / 4, -1], [k / 4, 1]], [[-1, k / 4], [1, k / 4]]]) {
      line(context, at(onFloor(...from)), at(onFloor(...to)), k % 4 ? 0.6 : 1.2, "#3a414d");
    }
  }
  const bones = parents.map((parent, child) => [parent, child]).filter(([parent]) => parent >= 0);
  for (const [a, b] of bones) {
    const [from, to] = [a, b].map((index) => onFloor(points[index][0], points[index][2]));
    line(context, at(from), at(to), 0.05 * from.scale, "#101318");
  }
  const seen = points.map(project);
  if (showUncertainty) {
    context.globalAlpha = 0.1;
    seen.forEach((p, k) => dot(context, at(p), lifted.uncertainty[frame * j + k] * p.scale, sideOf(names[k])));
    context.globalAlpha = 1;
  }
  bones.sort(([a, b], [c, d]) => seen[c].depth + seen[d].depth - seen[a].depth - seen[b].depth); // far ones first
  for (const [a, b] of bones) {
    const thick = (head(names[b]) ? 0.03 : 0.06) * seen[b].scale;
    line(context, at(seen[a]), at(seen[b]), thick + 3, "#1c2028");
    line(context, at(seen[a]), at(seen[b]), thick, sideOf(names[b]));
  }
}

const head = (name) => /nose|eye|ear|toe|heel|hand/.test(name);
const at = ({ x, y }) => [x, y];

function line(context, from, to, width, style) {
  context.strokeStyle = style;
  context.lineWidth = width;
  context.beginPath();
  context.moveTo(...from);
  context.lineTo(...to);
  context.stroke();
}

function dot(context, [x, y], radius, style) {
  context.fillStyle = style;
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fill();
}
