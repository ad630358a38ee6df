// What a clip's camera does, in words (poselift.camera_path.found_camera and poselift.lifting.world.moving_world).

const UNSEEN = "too little background is seen to know what the camera does";

/** What it does, in a line. @param {import("./camera_path.js").CameraPath|null} path null for a still camera */
export function describe(path) {
  if (!path) return "the camera stands still";
  const said = path.shots.map(describeShot);
  return said.length === 1 ? said[0] : `${said.length} shots. ${said.map((text, k) => `${path.times[path.shots[k].first].toFixed(1)} s: ${text}`).join("; ")}`;
}

function describeShot({ kind, degrees, zoom }) {
  if (kind === "still") return "the camera stands still";
  if (kind === "unknown") return "too little background is seen to tell what the camera does";
  if (kind === "moving") return `the camera seems to move through space, and turns by ${degrees.toFixed(1)} degrees`;
  return `the camera turns by ${degrees.toFixed(1)} degrees${zoom > 1.012 ? `, and zooms by ${zoom.toFixed(2)}` : ""}`;
}

/** Warnings: cuts, lost backgrounds, and what is not known. */
export function cautions(path) {
  if (!path) return [];
  return path.shots.flatMap((shot) => {
    const at = (row) => path.times[row], found = [], start = `${at(shot.first).toFixed(2)} s`, when = `${at(shot.first).toFixed(1)} to ${at(shot.end - 1).toFixed(1)} s`;
    if (shot.first) found.push(`${shot.lost ? `the background is lost before ${start}` : `the picture is cut at ${start}`}: each shot has people and a world of its own`);
    if (shot.doubtful) found.push(`from ${start} on: a camera that turns leaves errors of ${shot.error.toFixed(1)} pixels in the background: its place changes too, the picture is stabilised, or the shutter rolls, which is not corrected; people may seem to drift`);
    if (shot.kind === "moving") found.push(`${when}: a turn of the camera leaves errors of ${shot.error.toFixed(1)} pixels in the background: it moves through space, which this page does not solve, the picture is stabilised, or the shutter rolls; people are shown in one place`);
    if (shot.kind === "unknown") found.push(`${when}: ${UNSEEN}; the places of people are right only if it stands still`);
    return found;
  });
}
