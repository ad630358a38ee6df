// What the viewer shows, made of lifted motions.

import { inSpace } from "../numbers/hands.js";
import { medianInterval } from "../numbers/times.js";
import { prepareHands } from "../viewer/hands.js";
import { prepare } from "../viewer/places.js";
import { floorsOf, rotationToYUp } from "../numbers/upright.js";

/**
 * @param session who was lifted, and of what: people, camera, times and name of the clip.
 * @param drawing how skeletons are drawn: lines, bodies and colours of poselift.
 * @param constants of numbers.json.
 * @param files makes the files of a person, by ending.
 */
export function contentOf({ people, camera, times, start, file, moving }, drawing, constants, files) {
  const rows = (values, columns) => Array.from({ length: values.length / columns }, (_, i) => [...values.subarray(i * columns, (i + 1) * columns)]);
  const motions = people.map(({ motion, placed }) => placed ?? motion), up = moving ? [[1, 0, 0], [0, 1, 0], [0, 0, 1]] : rotationToYUp(motions, constants);
  const floors = moving ? motions.map(() => 0) : floorsOf(motions, up, drawing, constants), lens = moving ? movingLens(moving, times[0], rows) : { K: rows(camera.K, 3) };
  const content = { title: file.name, world: Boolean(moving), up, camera: lens, size: [camera.width, camera.height],
    times: Float64Array.from(times, (time) => time - times[0]), video: { start: start - times[0] } };
  content.people = people.map(({ angles, guessed }, i) => {
    const motion = motions[i], { skeleton, keypoints, person } = motion, looks = drawing.skeletons[skeleton.name];
    return { id: person, names: skeleton.joints, limbs: looks.lines, body: looks.body, points: keypoints.joints,
      lines: drawing.skeletons[keypoints.joints.length > 17 ? "coco_wholebody23" : "coco17"].lines, color: drawing.colors[(person - 1) % drawing.colors.length],
      angles: angles?.names ?? [], degrees: angles?.degrees ?? new Float32Array(0), floor: floors[i], about: { height: motion.height ?? undefined },
      interval: medianInterval(motion.times) || 1 / 30, files: files(person), times: motion.times.map((time) => time - times[0]), joints: motion.joints,
      root: motion.root, interpolated: motion.interpolated, guessed, start: times[0], keypoints: keypoints.pixels,
      scores: keypoints.scores, uncertainty: motion.uncertainty, ...handsOf(motion, drawing.hands) };
  });
  for (const person of content.people) { prepare(person, content); prepareHands(person, content); }
  return content;
}

/** The camera of each frame as the viewer has it. */
function movingLens({ K, R, t, times }, start, rows) {
  return { K: K.map((each) => rows(each, 3)), R: R.map((each) => rows(each, 3)), t, times: times.map((time) => time - start) };
}

/** The hands of a motion as the viewer has them, at the wrists of the body; none where none are seen. */
function handsOf({ hands, joints, skeleton }, { names, lines, body }) {
  if (!hands || !inSpace(hands)) return { hands: null };
  const half = names.length / 2, wrists = ["left", "right"].map((side) => skeleton.joints.indexOf(`${side}_wrist`)), j = skeleton.joints.length;
  const fingers = hands.joints.map((value, i) => {
    const joint = Math.floor(i / 3), frame = Math.floor(joint / (2 * half)), wrist = wrists[Math.floor(joint / half) % 2];
    return value + joints[3 * (frame * j + wrist) + i % 3];
  });
  return { hands: { names, lines, body }, fingers, finger_keypoints: hands.pixels, hand_scores: hands.scores };
}

