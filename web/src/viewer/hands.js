// A person's hands, as the views draw a body: joints with places, pixels and parts of their own.

import { prepare } from "./places.js";

const SIDES = ["left", "right"];

/** Adds what the views draw to `person.hands`, which has names, lines and body of both hands. */
export function prepareHands(person, content) {
  const { hands, times, root, floor, color } = person;
  if (!hands) return;
  const joints = hands.names.length;
  Object.assign(hands, {
    times, root, floor, color, joints: person.fingers, guessed: new Uint8Array(times.length * joints), limbs: hands.lines,
    points: hands.names, keypoints: person.finger_keypoints,
    scores: Float64Array.from({ length: times.length * joints }, (_, i) => person.hand_scores[Math.floor(2 * i / joints)]),
  });
  prepare(hands, content);
}

/** Whether fingers are drawn instead of a joint, the end of a hand without any. */
export const isCovered = ({ hands, hand_scores: scores }, frame, joint) =>
  Boolean(hands) && SIDES.some((side, row) => joint === `${side}_hand` && scores[2 * frame + row] > 0);

/** Numbers of the joints beyond the wrists, which the body has. */
export const fingersOf = ({ hands }) => hands ? [...hands.names.keys()].filter((joint) => hands.names[joint].includes("_hand_")) : [];

/** Joints of both hands from their own wrists, metres. */
export function fromWrists({ hands, fingers, times }) {
  const half = 3 * hands.names.length / 2;
  return Float64Array.from({ length: times.length * 2 * half }, (_, i) => fingers[i] - fingers[i - i % half + i % 3]);
}
