// Joints of one person from two models: their mean, or where they differ the first one's with lower scores
// (poselift/detection/joining.py).

/** @typedef {{offsets: Float64Array, scoreFactors: Float64Array, first?: Float64Array, agreed?: Float64Array}} Difference  what is
 *  added to the first model's joints, for heels and toes to its ankles; the factor of its scores, for heels and toes
 *  their scores; the first model's joints from its hips, in bodies; and those that both models see at one place */

/** Rows of the joints whose sides a model confuses together, limb by limb. @param facts of numbers.json */
function limbs({ skeletons, sides }) {
  const { joints } = skeletons.coco_wholebody23, inGroup = (group) => (row) => group.some((joint) => joints[row].endsWith(`_${joint}`));
  return sides.map((group) => [...joints.keys()].filter(inGroup(group)));
}

/** What one crop detection of a second model changes, by itself. @returns {Difference} */
export function compare(first, second, facts) {
  const { joining } = facts.constants, body = joining.BODY, count = joining.SIDES.length;
  const offsets = new Float64Array(2 * count).fill(NaN), scoreFactors = Float64Array.from({ length: count }, (_, row) => row < body ? 1 : 0);
  const own = new Float64Array(2 * body).fill(NaN), both = own.slice();
  const seen = Array.from({ length: body }, (_, row) => row).filter((row) => !Number.isNaN(first.points[2 * row]));
  if (!seen.length || !second || second.points.every(Number.isNaN)) return { offsets, scoreFactors, first: own, agreed: both };
  const span = (axis) => { const values = seen.map((row) => first.points[2 * row + axis]); return Math.max(...values) - Math.min(...values); };
  const size = Math.max(1, span(0), span(1)), rows = sameSides(first, second, facts);
  const their = (row, axis) => second.points[2 * rows[row] + axis], score = (row) => second.scores[rows[row]];
  const apart = Float64Array.from({ length: body }, (_, row) => Math.hypot(their(row, 0) - first.points[2 * row], their(row, 1) - first.points[2 * row + 1]) / size);
  const agreed = apart.map((away) => agreement(away, joining)); // NaN where one sees nothing
  const hips = joining.HIPS.filter((row) => seen.includes(row));
  for (let row = 0; row < body; row++) {
    const weight = joining.FULL_FACTORS[row] * score(row), share = agreed[row] * weight / Math.max(weight + first.scores[row], 1e-9);
    for (const axis of [0, 1]) own[2 * row + axis] = (first.points[2 * row + axis] - hips.reduce((sum, hip) => sum + first.points[2 * hip + axis], 0) / hips.length) / size;
    if (apart[row] < joining.AGREE) both.set(own.subarray(2 * row, 2 * row + 2), 2 * row);
    for (const axis of [0, 1]) offsets[2 * row + axis] = share * (their(row, axis) - first.points[2 * row + axis]);
    const doubted = joining.DOUBTED + (1 - joining.DOUBTED) * (Number.isNaN(agreed[row]) ? 1 : agreed[row]);
    scoreFactors[row] = Number.isNaN(their(row, 0)) ? joining.OUTSIDE : doubted;
  }
  for (const [foot, row] of joining.FEET.entries()) {
    const ankle = joining.ANKLES[foot];
    for (const axis of [0, 1]) offsets[2 * row + axis] = their(row, axis) - first.points[2 * ankle + axis];
    if (Number.isNaN(offsets[2 * row])) continue;
    scoreFactors[row] = joining.FOOT_FACTORS[foot] * (joining.FOOT_DOUBTED + (1 - joining.FOOT_DOUBTED) * (agreed[ankle] || 0)) * score(row);
  }
  return { offsets, scoreFactors, first: own, agreed: both };
}

/** How far two joints agree, from their distance in bodies. */
const agreement = (away, { AGREE, DIFFER }) => Math.min(1, Math.max(0, (DIFFER - away) / (DIFFER - AGREE)));

/**
 * A difference with scores by those before and after, for joints at which the models differ.
 * @param others seconds from this difference to another one, negative for one before, and that one.
 */
export function decide(own, others, facts) {
  const { joining } = facts.constants, scoreFactors = own.scoreFactors.slice(), nearest = [...others].sort(([a], [b]) => Math.abs(a) - Math.abs(b));
  for (let row = 0; row < joining.BODY; row++) {
    const known = [-1, 1].map((side) => nearest.find(([seconds, other]) => seconds * side > 0 && !Number.isNaN(other.agreed[2 * row]))).filter(Boolean);
    const total = known.reduce((sum, [seconds]) => sum + 1 / Math.abs(seconds), 0);
    const expected = (axis) => known.reduce((sum, [seconds, other]) => sum + other.agreed[2 * row + axis] / Math.abs(seconds), 0) / total;
    const away = Math.hypot(own.first[2 * row] - expected(0), own.first[2 * row + 1] - expected(1));
    if (!Number.isNaN(own.offsets[2 * row])) scoreFactors[row] += (1 - scoreFactors[row]) * (agreement(away, joining) || 0);
  }
  return { ...own, scoreFactors };
}

/** The row of the second model's joint for each joint: each limb's sides are those that are nearer to the first model's. */
export function sameSides(first, second, facts) {
  const { BODY: body, SIDES: other } = facts.constants.joining, rows = [...other.keys()];
  const apart = (row, its) => Math.hypot(first.points[2 * row] - second.points[2 * its], first.points[2 * row + 1] - second.points[2 * its + 1]);
  for (const group of limbs(facts)) {
    let nearer = 0;
    for (const row of group) {
      const gain = row < body ? apart(row, row) - apart(row, other[row]) : NaN;
      if (!Number.isNaN(gain)) nearer += first.scores[row] * gain;
    }
    if (nearer > 0) for (const row of group) rows[row] = other[row];
  }
  return rows;
}

/** The difference between two frames; where only one of them has a value, that one. @param share of the way, 0 to 1 */
export function between(before, later, share, facts) {
  const { BODY: body, SIDES: { length: count } } = facts.constants.joining, offsets = new Float64Array(2 * count), scoreFactors = new Float64Array(count);
  const mixed = (own, their) => Number.isNaN(own) ? their : Number.isNaN(their) ? own : own + share * (their - own);
  for (let at = 0; at < 2 * count; at++) offsets[at] = mixed(before.offsets[at], later.offsets[at]);
  for (let row = 0; row < count; row++) {
    const [own, their] = [before, later].map((one) => row < body || !Number.isNaN(one.offsets[2 * row]) ? one.scoreFactors[row] : NaN);
    scoreFactors[row] = mixed(own, their) || 0;
  }
  return { offsets, scoreFactors };
}

/** The joints of both models. @param difference of this frame; null where the second model has not looked */
export function join(first, difference, { width, height }, facts) {
  const { BODY: body, SIDES: { length: count }, FEET, ANKLES } = facts.constants.joining;
  const pixels = new Float32Array(2 * count).fill(NaN), scores = new Float32Array(count);
  const put = (row, x, y, score) => {
    if (!(score > 0 && x >= -.5 && y >= -.5 && x <= width - .5 && y <= height - .5)) return;
    pixels.set([x, y], 2 * row);
    scores[row] = score;
  };
  for (let row = 0; row < body; row++) {
    const [x, y] = [0, 1].map((axis) => first.pixels[2 * row + axis] + (difference?.offsets[2 * row + axis] || 0));
    put(row, x, y, first.scores[row] * (difference?.scoreFactors[row] ?? 1));
  }
  for (const [foot, row] of difference ? FEET.entries() : []) {
    const ankle = ANKLES[foot], [x, y] = [0, 1].map((axis) => first.pixels[2 * ankle + axis] + difference.offsets[2 * row + axis]);
    // A foot is never surer than its ankle, which may be another person's.
    put(row, x, y, Math.min(difference.scoreFactors[row], first.scores[ankle] * difference.scoreFactors[ankle]));
  }
  return { pixels, scores };
}
