// Files that the page makes of what it shows, as poselift's own exports have it.

import { byId, download, element } from "./elements.js";
import { fingersOf, fromWrists } from "./hands.js";

const cell = (value, digits) => Number.isNaN(value) ? "" : value.toFixed(digits).replace(/^-(?=[0.]*$)/, "");
const AXES = ["x", "y", "z"];

/** The same table as person_<id>.csv. */
export function csvOf(person) {
  const joints = person.names.length, fingers = fingersOf(person), { hands } = person;
  const header = ["time_s", "interpolated", ...["root", ...person.names].flatMap((name) => AXES.map((axis) => `${name}_${axis}_m`)),
    ...(person.uncertainty ? person.names.map((name) => `${name}_uncertainty_m`) : []),
    ...(person.contacts ? ["left_foot_contact", "right_foot_contact"] : []),
    ...fingers.flatMap((joint) => AXES.map((axis) => `${hands.names[joint]}_${axis}_m`)),
    ...(hands ? ["left_hand_score", "right_hand_score"] : []), ...person.names.map((name) => `${name}_seen`)];
  const rows = [...person.times].map((time, t) => {
    const part = (values, count) => values ? [...values.subarray(count * t, count * (t + 1))] : [];
    const metres = [...part(person.root, 3), ...part(person.joints, 3 * joints), ...part(person.uncertainty, joints)];
    const placed = fingers.flatMap((joint) => part(person.fingers, 3 * hands.names.length).slice(3 * joint, 3 * joint + 3));
    const scores = hands ? part(person.hand_scores, 2) : [];
    const seen = part(person.guessed, joints).map((how) => how === 2 ? 0 : 1);
    return [time.toFixed(6), person.interpolated[t], ...metres.map((value) => cell(value, 5)), ...part(person.contacts, 2),
      ...[...placed, ...scores].map((value) => cell(value, 5)), ...seen];
  });
  return [header, ...rows].map((row) => row.join(",")).join("\n") + "\n";
}

/** The joint angles, degrees. */
export function anglesOf(person) {
  const count = person.angles.length;
  const rows = [...person.times].map((time, t) =>
    [time.toFixed(6), ...[...person.degrees.subarray(count * t, count * (t + 1))].map((value) => cell(value, 2))]);
  return [["time_s", ...person.angles.map((name) => `${name}_deg`)], ...rows].map((row) => row.join(",")).join("\n") + "\n";
}

/** Frames at the even times of poselift's markers: time, the two frames beside it (-1 in a gap), share of the second. */
function evenly({ times, interval }) {
  const last = times.length - 1, count = Math.round((times[last] - times[0]) / interval) + 1;
  const grid = Array.from({ length: count }, (_, i) => times[0] + i * interval);
  if (count === times.length && grid.every((time, i) => Math.abs(time - times[i]) <= 0.1 * interval))
    return grid.map((time, i) => [time, i, i, 0]);
  let after = 1;
  return grid.map((time) => {
    while (after < last && times[after] < time) after++;
    const before = after - 1, gap = times[after] - times[before], share = (time - times[before]) / gap;
    if (share < 1e-6) return [time, before, before, 0];
    if (share > 1 - 1e-6) return [time, after, after, 0];
    return gap > 2.5 * interval ? [time, -1, -1, 0] : [time, before, after, share];
  });
}

/** The same markers as those of `poselift export --to trc`, to 0.01 mm; joints out of sight are NaN or left out. */
export function trcOf(person, content, name) {
  const { hands } = person, joints = person.names.length, frames = evenly(person), count = frames.length;
  const names = [...person.names, ...fingersOf(person).map((joint) => hands.names[joint])];
  const hidden = (frame, joint) => joint < joints ? person.guessed[joints * frame + joint] === 2 : Number.isNaN(relative(frame, joint, 0));
  const relative = (frame, joint, axis) => joint < joints ? person.joints[3 * (joints * frame + joint) + axis]
    : person.fingers[3 * (hands.names.length * frame + hands.names.indexOf(names[joint])) + axis];
  const shown = names.map((_, joint) => joint).filter((joint) => !person.times.every((_, t) => hidden(t, joint)));
  const rate = +(1 / person.interval).toPrecision(6);
  const place = (frame, joint, axis) => hidden(frame, joint) ? NaN : relative(frame, joint, axis) + person.root[3 * frame + axis];
  const lines = [["PathFileType", 4, "(X/Y/Z)", name],
    ["DataRate", "CameraRate", "NumFrames", "NumMarkers", "Units", "OrigDataRate", "OrigDataStartFrame", "OrigNumFrames"],
    [rate, rate, count, shown.length, "mm", rate, 1, count],
    ["Frame#", "Time", ...shown.flatMap((joint) => [names[joint], "", ""])],
    ["", "", ...shown.flatMap((_, i) => AXES.map((axis) => axis.toUpperCase() + (i + 1)))], []];
  frames.forEach(([time, before, after, share], row) => {
    const cells = shown.flatMap((joint) => AXES.map((_, axis) => {
      // A motion in the camera frame turns by 180 degrees about x.
      const sign = content.world || axis === 0 ? 1000 : -1000;
      const at = (frame) => place(frame, joint, axis);
      const value = before < 0 ? NaN : share ? (1 - share) * at(before) + share * at(after) : at(before);
      return Number.isNaN(value) ? "NaN" : cell(sign * value, 3);
    }));
    lines.push([row + 1, time.toFixed(6), ...cells]);
  });
  return lines.map((line) => line.join("\t")).join("\n") + "\n";
}

/** Everything about a person: the description that poselift wrote, and the arrays, by the clock of the video as in npz. */
export function jsonOf(person) {
  const rows = (values, ...shape) => {
    const nested = (at, [size, ...rest]) => Array.from({ length: size }, (_, i) =>
      rest.length ? nested(at * size + i, rest) : Number.isNaN(values[at * size + i]) ? null : values[at * size + i]);
    return values && nested(0, [person.times.length, ...shape]);
  };
  const joints = person.names.length, points = person.points.length;
  return JSON.stringify({ ...person.about, arrays: {
    joints: rows(person.joints, joints, 3), root: rows(person.root, 3), timestamps: [...person.times].map((time) => time + person.start),
    interpolated: [...person.interpolated].map(Boolean), uncertainty: rows(person.uncertainty, joints),
    contacts: rows(person.contacts, 2), keypoints: rows(person.keypoints, points, 2),
    keypoint_scores: rows(person.scores, points),
    ...(person.hands ? { hand_joints: rows(fromWrists(person), 2, person.hands.names.length / 2, 3),
      hand_keypoints: rows(person.finger_keypoints, 2, person.hands.names.length / 2, 2), hand_scores: rows(person.hand_scores, 2) } : {}),
    angles_degrees: rows(person.degrees, person.angles.length),
  }, angles: person.angles }) + "\n";
}

/** The buttons, for the chosen person. @param failed gets the words of an error */
export function savingButtons(content, state, failed) {
  const kinds = { CSV: ["csv", csvOf], JSON: ["json", jsonOf], TRC: ["trc", trcOf] };
  if (content.people.some((person) => person.angles.length)) kinds["Angles, CSV"] = ["angles.csv", anglesOf];
  for (const ending of Object.keys(Object.assign({}, ...content.people.map((person) => person.files))))
    kinds[ending.toUpperCase()] = [ending, (person) => person.files[ending]?.() ?? ""];
  byId("saving").replaceChildren(element("span", {}, "Save"), ...Object.entries(kinds).map(([label, [suffix, make]]) => {
    const button = element("button", {}, label);
    button.onclick = async () => {
      const person = content.people[state.person], name = `person_${person.id}.${suffix}`;
      try {
        download(name, await make(person, content, name));
      } catch (error) { failed(`${name} cannot be saved: ${error.message}`); }
    };
    return button;
  }));
}
