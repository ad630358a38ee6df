// Links between a clip's pictures by their background: each frame has a link to a key frame, and key frames have links to
// each other (poselift.camera_path.background_links).

import { follow } from "./background_flow.js";
import { makePicture } from "./background_picture.js";
import { applyHomography, unitDeterminant } from "./homography.js";
import { identity, inverse, product } from "./matrices.js";

/**
 * @typedef {object} Link points of the background that two frames share, pixels of the video
 * @property {number} first number of the key frame
 * @property {number} second number of the other frame, or of the other key frame
 * @property {Float64Array} before (n, 2) @property {Float64Array} after (n, 2)
 * @property {Float64Array} homography from the first picture to the second; determinant 1
 * @property {number} agree number of points that follow it, before points were left out
 */
/**
 * @typedef {object} Shot frames of one view, from a cut to the next
 * @property {number} first number of its first frame @property {number} end number of the frame after its last one
 * @property {number[]} keys numbers of its key frames, in order
 * @property {Link[]} frames links of a key frame with each frame @property {Link[]} loops links of key frames with each other
 * @property {boolean} lost whether it begins because the background was lost, and not by a cut
 */
/** @typedef {{times: Float64Array, shots: Shot[], size: [number, number]}} Links */

/** Collects the links of a clip, picture by picture. Memory holds the pictures of key frames only. */
export class Linker {
  /** @param size of the video, pixels @param boxes gives the boxes of the people at a time */
  constructor(size, boxes, constants) {
    Object.assign(this, { size, boxes, constants, times: [], shots: [], walk: null });
  }

  /** The next picture. @param small what `reduced` gives */
  add(small, time) {
    const picture = makePicture(small, this.boxes(time), this.constants), number = this.times.push(time) - 1;
    const ended = this.walk?.add(number, time, picture);
    if (this.walk && !ended) return;
    this.walk?.finish();
    this.walk = new Walk(number, time, picture, ended === "lost", this.constants);
    this.shots.push(this.walk.shot);
  }

  /** @returns {Links} */
  finish() {
    this.walk?.finish();
    this.shots.forEach((shot, i) => { shot.end = this.shots[i + 1]?.first ?? this.times.length; });
    return { times: Float64Array.from(this.times), shots: this.shots, size: this.size };
  }
}

/** Goes through the frames of a shot. Views are homographies from the first key frame to another picture. */
class Walk {
  constructor(number, time, picture, lost, constants) {
    Object.assign(this, { constants, c: constants.background_links, pictures: [], views: [], key: 0, last: picture, view: identity(), time, number, step: identity(), change: 0 });
    this.shot = { first: number, end: number + 1, keys: [], frames: [], loops: [], lost };
    this.thumb = thumbnail(picture);
    this.addKey(number, picture, identity());
  }

  /** Links the next frame; tells "cut" or "lost" if it begins a new shot, else an empty text. */
  add(number, time, picture) {
    const { c, constants, shot } = this, thumb = thumbnail(picture);
    const change = thumb.reduce((sum, value, i) => sum + Math.abs(value - this.thumb[i]), 0) / thumb.length, usual = this.change;
    Object.assign(this, { thumb, change });
    const step = follow(this.last, picture, constants) ?? follow(this.last, picture, constants, this.step);
    let view = step && unitDeterminant(product(step.homography, this.view));
    let [flow, key] = this.linkToKey(picture, view ?? this.view);
    if (!flow && step && this.number !== shot.keys.at(-1)) {
      this.addKey(this.number, this.last, this.view); // a key frame that this frame can be linked with
      [flow, key] = [step, this.key];
    }
    if (!flow && !view) {
      const [own, other] = [this.last, picture].map(({ corners }) => corners.length / 2), { ENOUGH } = constants.background_flow;
      if (!shot.frames.length && own < c.DARK * other) this.beginAgain(number, picture);
      else if (other >= ENOUGH && own >= ENOUGH && change > Math.max(c.CUT, 3 * usual)) return "cut";
      return time - this.time > c.LOST ? "lost" : "";
    }
    if (flow) {
      this.key = key;
      view = unitDeterminant(product(flow.homography, this.views[key]));
      shot.frames.push(this.linkOf(shot.keys[key], number, flow, picture));
    }
    const before = this.view;
    Object.assign(this, { last: picture, view, time, number, step: step ? step.homography : unitDeterminant(product(view, inverse(before))) });
    if (!flow || this.leaves(picture, view, flow)) this.addKey(number, picture, view);
    return "";
  }

  /** Begins again at a picture that shows more: a fade-in. */
  beginAgain(number, picture) {
    this.shot.keys.length = this.pictures.length = this.views.length = 0;
    Object.assign(this, { last: picture, number });
    this.addKey(number, picture, identity());
  }

  /** Makes the last frame a key frame if there are several. It links the last frames with older ones. */
  finish() {
    if (this.shot.keys.length > 1 && this.shot.keys.at(-1) !== this.number) this.addKey(this.number, this.last, this.view);
  }

  /** The flow from a key frame to the picture, and which: the last one that was used, or the nearest. */
  linkToKey(picture, view) {
    const nearest = this.nearest(picture, view);
    for (const key of new Set([nearest, this.key])) {
      const flow = this.followKey(key, picture, view);
      if (flow) return [flow, key];
    }
    return [null, nearest];
  }

  /** The key frame that shows most of the picture; the last one that was used unless another is much better. */
  nearest(picture, view) {
    const shares = this.shares(picture, view), best = shares.indexOf(Math.max(...shares));
    return shares[best] > shares[this.key] + this.c.BETTER ? best : this.key;
  }

  /** How much of the picture each key frame shows; 0 for those whose pictures are not kept. */
  shares(picture, view) {
    return this.views.map((each, i) => this.pictures[i] ? shareOf(picture, product(view, inverse(each))) : 0);
  }

  followKey(key, picture, view) {
    return this.pictures[key] && follow(this.pictures[key], picture, this.constants, unitDeterminant(product(view, inverse(this.views[key]))));
  }

  /** Whether a frame shows too little of its key frame, so that it is a new one. */
  leaves(picture, view, flow) {
    const { c, pictures, views, key } = this, kept = pictures[key], few = kept && flow.before.length < c.FOUND * kept.corners.length;
    return few || shareOf(picture, product(view, inverse(views[key]))) < c.LEAVES;
  }

  /** Adds a key frame, linked with older ones that it overlaps. */
  addKey(number, picture, view) {
    const { c, shot } = this, index = this.pictures.length, shares = this.shares(picture, view);
    const nearest = [...shares.keys()].sort((a, b) => shares[b] - shares[a]).slice(0, c.LOOPS);
    for (const older of nearest) {
      const flow = shares[older] >= c.OVERLAPS ? this.followKey(older, picture, view) : null;
      if (flow) shot.loops.push(this.linkOf(shot.keys[older], number, flow, picture));
    }
    this.pictures.push(picture);
    this.views.push(view);
    shot.keys.push(number);
    this.key = index;
    if (index >= c.MOST_KEYS) this.pictures[index - c.MOST_KEYS] = null;
  }

  /** A flow's link, with some of its points, spread out. @returns {Link} */
  linkOf(first, second, { before, after, agree, homography }, { scale }) {
    const count = before.length / 2, most = Math.min(count, this.c.MOST_POINTS), shift = 0.5 / scale - 0.5;
    const row = (k) => count > most ? Math.floor(k * (count - 1) / (most - 1)) : k;
    const toVideo = (points) => Float64Array.from({ length: 2 * most }, (_, i) => (points[2 * row(i >> 1) + i % 2] + 0.5) / scale - 0.5);
    const matrix = Float64Array.of(1 / scale, 0, shift, 0, 1 / scale, shift, 0, 0, 1);
    return { first, second, before: toVideo(before), after: toVideo(after), homography: unitDeterminant(product(matrix, homography, inverse(matrix))),
      agree: agree.reduce((sum, flag) => sum + flag, 0) };
  }
}

const WIDE = 24, HIGH = 16; // of a small picture, to compare

function thumbnail({ gray, width, height }) {
  const sums = new Float64Array(WIDE * HIGH), counts = new Float64Array(WIDE * HIGH);
  for (let y = 0, i = 0; y < height; y++) for (let x = 0; x < width; x++, i++) {
    const at = Math.floor(y * HIGH / height) * WIDE + Math.floor(x * WIDE / width);
    sums[at] += gray[i]; counts[at]++;
  }
  return sums.map((sum, i) => Math.round(sum / Math.max(counts[i], 1)));
}

/** Overlap of two pictures of a size, the smaller share; 0 if none. @param H homography of determinant 1 from one to the other */
function shareOf({ width, height }, H) {
  const grid = Float64Array.from({ length: 96 }, (_, i) => i % 2 ? (Math.floor(i / 16) + 0.5) / 6 * height : ((i >> 1) % 8 + 0.5) / 8 * width);
  return Math.min(...[H, inverse(H)].map((matrix) => {
    const moved = applyHomography(matrix, grid);
    let inside = 0;
    for (let i = 0; i < moved.length; i += 2) inside += moved[i] >= 0 && moved[i + 1] >= 0 && moved[i] < width && moved[i + 1] < height;
    return 2 * inside / moved.length;
  }));
}
