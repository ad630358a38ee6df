// One detection per person, as poselift/detection/duplicates.py has it: two passes joined, and duplicates dropped.

/** @typedef {{points: Float64Array, scores: Float64Array, box: number[], score: number}} Found
 *  Somebody: joints x, y in pixels, their scores, x0, y0, x1, y1 and the box's score. */

export const sizeOf = ([x0, y0, x1, y1]) => Math.max(x1 - x0, y1 - y0);
const area = ([x0, y0, x1, y1]) => (x1 - x0) * (y1 - y0);
const shared = (a, b) => Math.max(0, Math.min(a[2], b[2]) - Math.max(a[0], b[0])) * Math.max(0, Math.min(a[3], b[3]) - Math.max(a[1], b[1]));

/** Common area of two boxes over the area of the smaller one. */
export const overlap = (a, b) => shared(a, b) / Math.max(Math.min(area(a), area(b)), 1e-9);

/** Common area of two boxes over the area of both. */
export const unionShare = (a, b) => shared(a, b) / Math.max(area(a) + area(b) - shared(a, b), 1e-9);

/** The people of a coarse and a fine pass: large ones of the coarse pass, all others of the fine one. */
export function joinPasses(coarse, fine, longer, { duplicates }) {
  const large = coarse.filter(({ box }) => sizeOf(box) > duplicates.BIG * longer);
  const kept = fine.filter(({ box }) => !large.some((other) => overlap(other.box, box) > duplicates.INSIDE));
  const added = coarse.filter((one) => large.includes(one) || !kept.some(({ box }) => overlap(one.box, box) > duplicates.OVERLAP));
  return [...added, ...kept];
}

/** Similarity of two poses, in units of the smaller one's box; 0 without a common joint. */
export function similarity(a, b, { duplicates }) {
  const size = Math.max(1e-9, Math.min(sizeOf(a.box), sizeOf(b.box)));
  const most = [a, b].map(({ scores }) => Math.max(...scores, 1e-9));
  let sum = 0, both = 0;
  for (let joint = 0; joint < a.scores.length; joint++) {
    const x = (a.points[2 * joint] - b.points[2 * joint]) / size, y = (a.points[2 * joint + 1] - b.points[2 * joint + 1]) / size;
    if (!(a.scores[joint] > 0 && b.scores[joint] > 0) || Number.isNaN(x + y)) continue;
    const sure = (scores, highest) => Math.tanh(scores[joint] / highest / duplicates.SIGMA_SCORE);
    both++;
    sum += duplicates.SPATIAL * Math.exp(-(x * x + y * y) / duplicates.SIGMA_DISTANCE);
    if (Math.max(Math.abs(x), Math.abs(y)) <= duplicates.MATCH / 2) sum += sure(a.scores, most[0]) * sure(b.scores, most[1]);
  }
  return both ? sum / both : 0;
}

export const alike = (a, b, constants) => similarity(a, b, constants) >= constants.duplicates.ALIKE;

/** The people without those who look like a better one. @param worth of each; the box's score without it */
export function withoutDuplicates(people, constants, worth = people.map(({ score }) => score)) {
  const kept = [];
  for (const index of people.map((_, i) => i).sort((a, b) => worth[b] - worth[a] || a - b))
    if (!kept.some((other) => alike(people[index], people[other], constants))) kept.push(index);
  return kept.sort((a, b) => a - b).map((index) => people[index]);
}
