// Files that the page makes of what it shows, as poselift's own exports have it.

const cell = (value, digits) => Number.isNaN(value) ? "" : value.toFixed(digits).replace(/^-(?=[0.]*$)/, "");
const AXES = ["x", "y", "z"];

/** The same table as person_<id>.csv. */
function csvOf(person) {
  const joints = person.names.length;
  const header = ["time_s", "interpolated", ...["root", ...person.names].flatMap((name) => AXES.map((axis) => `${name}_${axis}_m`)),
    ...(person.uncertainty ? person.names.map((name) => `${name}_uncertainty_m`) : []),
    ...(person.contacts ? ["left_foot_contact", "right_foot_contact"] : [])];
  const rows = [...person.times].map((time, t) => {
    const part = (values, count) => values ? [...values.subarray(count * t, count * (t + 1))] : [];
    const metres = [...part(person.root, 3), ...part(person.joints, 3 * joints), ...part(person.uncertainty, joints)];
    return [time.toFixed(6), person.interpolated[t], ...metres.map((value) => cell(value, 5)), ...part(person.contacts, 2)];
  });
  return [header, ...rows].map((row) => row.join(",")).join("\n") + "\n";
}

/** The joint angles, degrees. */
function anglesOf(person) {
  const count = person.angles.length;
  const rows = [...person.times].map((time, t) =>
    [time.toFixed(6), ...[...person.degrees.subarray(count * t, count * (t + 1))].map((value) => cell(value, 2))]);
  return [["time_s", ...person.angles.map((name) => `${name}_deg`)], ...rows].map((row) => row.join(",")).join("\n") + "\n";
}

/**
 * Markers for OpenSim and others: millimetres, Y up; a motion in the camera frame turns by 180 degrees about x. Joints
 * out of sight are NaN, and left out if no frame shows them.
 */
function trcOf(person, content, name) {
  const { times } = person, count = times.length, joints = person.names.length;
  const hidden = (t, joint) => person.guessed[joints * t + joint] === 2;
  const shown = person.names.map((_, joint) => joint).filter((joint) => !times.every((_, t) => hidden(t, joint)));
  const rate = count > 1 ? +((count - 1) / (times[count - 1] - times[0])).toFixed(4) : 30;
  const lines = [["PathFileType", 4, "(X/Y/Z)", name],
    ["DataRate", "CameraRate", "NumFrames", "NumMarkers", "Units", "OrigDataRate", "OrigDataStartFrame", "OrigNumFrames"],
    [rate, rate, count, shown.length, "mm", rate, 1, count],
    ["Frame#", "Time", ...shown.flatMap((joint) => [person.names[joint], "", ""])],
    ["", "", ...shown.flatMap((_, i) => AXES.map((axis) => axis.toUpperCase() + (i + 1)))], []];
  for (let t = 0; t < count; t++) {
    const row = [t + 1, times[t].toFixed(6)];
    for (const joint of shown) for (let axis = 0; axis < 3; axis++) {
      const sign = content.world || axis === 0 ? 1000 : -1000;
      const value = person.joints[3 * (joints * t + joint) + axis] + person.root[3 * t + axis];
      row.push(hidden(t, joint) || Number.isNaN(value) ? "NaN" : cell(sign * value, 2));
    }
    lines.push(row);
  }
  return lines.map((line) => line.join("\t")).join("\n") + "\n";
}

/** Everything about a person: the description that poselift wrote, and the arrays. */
function jsonOf(person) {
  const rows = (values, ...shape) => {
    const nested = (at, [size, ...rest]) => Array.from({ length: size }, (_, i) =>
      rest.length ? nested(at * size + i, rest) : Number.isNaN(values[at * size + i]) ? null : values[at * size + i]);
    return values && nested(0, [person.times.length, ...shape]);
  };
  const joints = person.names.length, points = person.points.length;
  return JSON.stringify({ ...person.about, arrays: {
    joints: rows(person.joints, joints, 3), root: rows(person.root, 3), timestamps: [...person.times],
    interpolated: [...person.interpolated].map(Boolean), uncertainty: rows(person.uncertainty, joints),
    contacts: rows(person.contacts, 2), keypoints: rows(person.keypoints, points, 2),
    keypoint_scores: rows(person.scores, points), angles_degrees: rows(person.degrees, person.angles.length),
  }, angles: person.angles }) + "\n";
}

/** The buttons, for the chosen person. */
function savingButtons(content, state) {
  const kinds = { CSV: ["csv", csvOf], JSON: ["json", jsonOf], TRC: ["trc", trcOf] };
  if (content.people.some((person) => person.angles.length)) kinds["Angles, CSV"] = ["angles.csv", anglesOf];
  byId("saving").replaceChildren(element("span", {}, "Save"), ...Object.entries(kinds).map(([label, [suffix, make]]) => {
    const button = element("button", {}, label);
    button.onclick = () => {
      const person = content.people[state.person], name = `person_${person.id}.${suffix}`;
      const link = element("a", { href: URL.createObjectURL(new Blob([make(person, content, name)])), download: name });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    };
    return button;
  }));
}
