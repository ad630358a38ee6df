// A video with its people: found, lifted, and lifted again when keypoints, heights or the camera change.

import { cameraFor } from "../numbers/index.js";
import { contentOf } from "./content.js";

export class Session {
  /**
   * @param workroom runs tasks in the worker.
   * @param site what site.json says.
   * @param file the video. @param found its size, times and tracks, as the worker's `find` gives them.
   * @param settings `fov` in degrees and `height` in metres, where the user knows them.
   */
  constructor(workroom, site, file, found, settings) {
    Object.assign(this, { workroom, site, file, ...found, settings });
    this.tracks = new Map(found.tracks.map((track) => [track.person, track]));
  }

  get camera() {
    const [width, height] = this.size;
    return cameraFor({ width, height, fov: this.settings.fov });
  }

  /** Lifts everybody; what has not changed since the last time is taken over. */
  async lift(progress) {
    const tracks = [...this.tracks.values()], { height } = this.settings;
    const heights = height ? Object.fromEntries(tracks.map(({ person }) => [person, height])) : {};
    const begun = performance.now();
    this.people = await this.workroom.run("lift", { tracks, camera: this.camera, heights }, progress);
    this.seconds.lift = (performance.now() - begun) / 1000;
  }

  /** Changes somebody's keypoints; `lift` follows them. @param change gets the track and gives another one */
  edit(person, change) { this.tracks.set(person, change(this.tracks.get(person))); }

  /** What the viewer shows. */
  content() { return contentOf(this, this.site.drawing, (person) => this.filesOf(person)); }

  /** What makes the files of a person, by ending, that the viewer does not make itself. */
  filesOf(person) {
    const { workroom, site, camera, file } = this, about = { camera, detector: site.detector, extra: { video: file.name } };
    const make = (ending) => () => workroom.run("save", { person, ending, start: this.times[0], about });
    return Object.fromEntries(["json", "bvh", "glb"].map((ending) => [ending, make(ending)]));
  }
}
