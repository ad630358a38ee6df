// The root's place in the camera frame, from the rays of the keypoints and the root-relative pose
// (poselift.lifting.finish.root_track).

const BAND = 7; // diagonals of the normal equations: three coordinates of three frames

/** Weights of squared acceleration in the lower band (7, 3 t) of the normal equations. */
function smoothness(times, constants) {
  const frames = times.length;
  const band = new Float64Array(BAND * 3 * frames);
  const step = (k) => Math.max(times[k + 1] - times[k], constants.SHORTEST_STEP);
  for (let k = 1; k + 1 < frames; k++) {
    const [before, after] = [step(k - 1), step(k)];
    const both = before + after;
    const row = [2 / (before * both), -2 / (before * after), 2 / (after * both)];
    for (let a = 0; a < 3; a++)
      for (let b = 0; b <= a; b++)
        for (let c = 0; c < 3; c++)
          band[3 * (a - b) * 3 * frames + 3 * (k - 1 + b) + c] += constants.SMOOTHNESS * row[a] * row[b];
  }
  // A very small pull to 4 m ahead keeps a track without rays solvable.
  for (let i = 0; i < 3 * frames; i++) band[i] += 1e-9;
  return band;
}

/** Solves A x = right in place by Cholesky's method; band[k n + i] = A[i + k, i] is overwritten. */
function solveBanded(band, right) {
  const n = right.length;
  for (let j = 0; j < n; j++) {
    const pivot = Math.sqrt(band[j]);
    band[j] = pivot;
    const last = Math.min(BAND - 1, n - 1 - j);
    for (let k = 1; k <= last; k++) band[k * n + j] /= pivot;
    for (let k = 1; k <= last; k++)
      for (let l = k; l <= last; l++) band[(l - k) * n + j + k] -= band[l * n + j] * band[k * n + j];
    right[j] /= pivot;
    for (let k = 1; k <= last; k++) right[j + k] -= band[k * n + j] * right[j];
  }
  for (let j = n - 1; j >= 0; j--) {
    for (let k = 1; k <= Math.min(BAND - 1, n - 1 - j); k++) right[j] -= band[k * n + j] * right[j + k];
    right[j] /= band[j];
  }
  return right;
}

/**
 * The smooth track of the root that brings the joints closest to their rays.
 * @param {ArrayLike<number>} joints (t, j, 3) relative to the root, camera frame, metres
 * @param {ArrayLike<number>} rays (t, j, 3) of the same joints, of any length
 * @param {ArrayLike<number>} weights (t, j), 0 where a joint was not seen
 * @param {ArrayLike<number>} times seconds, increasing
 * @param {object} constants
 * @returns {Float64Array} (t, 3) camera frame, metres, in front of the camera
 */
export function solveRoot(joints, rays, weights, times, constants) {
  const frames = times.length;
  const j = weights.length / frames;
  const fixed = smoothness(times, constants);
  const unit = new Float64Array(3 * weights.length);
  for (let at = 0; at < weights.length; at++) {
    const length = Math.max(Math.hypot(rays[3 * at], rays[3 * at + 1], rays[3 * at + 2]), 1e-9);
    for (let k = 0; k < 3 && weights[at] > 0; k++) unit[3 * at + k] = rays[3 * at + k] / length;
  }
  const counted = Float64Array.from(weights);
  const robust = Float64Array.from(weights);
  let root;
  for (let round = 0; round < constants.ROUNDS; round++) {
    const band = fixed.slice();
    root = new Float64Array(3 * frames);
    for (let frame = 0; frame < frames; frame++) {
      root[3 * frame + 2] += 4e-9;
      for (let at = frame * j; at < (frame + 1) * j; at++) {
        const w = robust[at];
        if (!w) continue;
        const [x, d] = [joints.subarray(3 * at, 3 * at + 3), unit.subarray(3 * at, 3 * at + 3)];
        const along = d[0] * x[0] + d[1] * x[1] + d[2] * x[2];
        for (let row = 0; row < 3; row++) {
          root[3 * frame + row] -= w * (x[row] - along * d[row]);
          for (let column = 0; column <= row; column++)
            band[(row - column) * 3 * frames + 3 * frame + column] += w * ((row === column) - d[row] * d[column]);
        }
      }
    }
    solveBanded(band, root);
    for (let frame = 0; frame < frames; frame++) {
      const place = root.subarray(3 * frame, 3 * frame + 3);
      for (let at = frame * j; at < (frame + 1) * j; at++) {
        // Lines have no direction: a pose that is upside down fits its rays best behind the camera.
        if (place[2] < constants.NEAREST_PERSON) counted[at] = 0;
        robust[at] = counted[at] && counted[at] / (1 + (fromRay(joints, unit, at, place) / constants.OUTLIER) ** 2);
      }
    }
  }
  for (let frame = 0; frame < frames; frame++)
    root[3 * frame + 2] = Math.max(root[3 * frame + 2], constants.NEAREST_PERSON);
  return root;
}

/** Distance of a joint from its ray, metres. */
function fromRay(joints, rays, at, place) {
  const x = [0, 1, 2].map((k) => joints[3 * at + k] + place[k]);
  const ray = rays.subarray(3 * at, 3 * at + 3);
  const along = (x[0] * ray[0] + x[1] * ray[1] + x[2] * ray[2]) / (ray[0] ** 2 + ray[1] ** 2 + ray[2] ** 2);
  return Math.hypot(...x.map((value, k) => value - along * ray[k]));
}

/** Mean distance (t) of each frame's joints from their rays, metres; NaN where none was seen. */
export function misfits(joints, root, rays, weights) {
  const frames = root.length / 3;
  const j = weights.length / frames;
  return Float32Array.from({ length: frames }, (_, frame) => {
    let [total, sum] = [0, 0];
    for (let at = frame * j; at < (frame + 1) * j; at++) {
      if (!(weights[at] > 0)) continue;
      sum += weights[at] * fromRay(joints, rays, at, root.subarray(3 * frame, 3 * frame + 3));
      total += weights[at];
    }
    return sum / total;
  });
}
