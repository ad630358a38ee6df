// A video with its people: found, lifted, and lifted again when keypoints, heights or the camera change.

import { cameraFor } from "../numbers/index.js";
import { contentOf } from "./content.js";

export class Session {
  /**
   * @param workroom runs tasks in the worker.
   * @param site what site.json says, and the constants of numbers.json.
   * @param file the video. @param found its size, times and tracks, as the worker's `find` gives them.
   * @param settings `fov` in degrees and `height` in metres, where the user knows them, or `K` of a result.
   */
  constructor(workroom, site, file, found, settings) {
    Object.assign(this, { workroom, site, file, ...found, settings });
    this.tracks = new Map(found.tracks.map((track) => [track.person, track]));
    this.heights = found.heights ?? (settings.height ? Object.fromEntries(found.tracks.map(({ person }) => [person, settings.height])) : {});
  }

  get camera() {
    const [width, height] = this.size;
    return cameraFor({ width, height, fov: this.settings.fov, K: this.settings.fov ? undefined : this.settings.K });
  }

  /** Lifts everybody; what has not changed since the last time is taken over. `told` is what the camera does, unless it stands still. */
  async lift(progress) {
    const tracks = [...this.tracks.values()], { heights } = this;
    const begun = performance.now();
    Object.assign(this, await this.workroom.run("lift", { tracks, camera: this.camera, heights }, progress));
    this.seconds.lift = (performance.now() - begun) / 1000;
    if (this.measurable) await this.measure();
  }

  /** Adds joint angles to what `lift` gave. The first time takes seconds; from then on `lift` gives them too. */
  async measure() {
    const { people } = this, begun = performance.now();
    const angles = await this.workroom.run("measure", { people: people.map(({ motion }) => motion.person) });
    people.forEach((person, i) => { person.angles = angles[i]; });
    if (people !== this.people) return this.measure(); // lifted again meanwhile
    this.seconds.angles ??= (performance.now() - begun) / 1000;
    this.measurable = true;
  }

  /** What the viewer shows. */
  content() { return contentOf(this, this.site.drawing, this.site.constants, (person) => this.filesOf(person)); }

  /** What makes the files of a person, by ending, that the viewer does not make itself. */
  filesOf(person) {
    const { workroom, site, camera, file, detector = site.detector } = this, about = { camera, detector, extra: { video: file.name } };
    const make = (ending) => () => workroom.run("save", { person, ending, start: this.times[0], about });
    return Object.fromEntries(["json", "bvh", "glb"].map((ending) => [ending, make(ending)]));
  }

  /** The zip of everybody's keypoints and motion, which `poselift lift --keypoints` reads, with what was corrected. */
  corrected(corrections) {
    const { workroom, site, camera, file, people, detector = site.detector } = this;
    const about = { camera, detector, start: this.times[0], extra: { video: file.name, corrections } };
    return workroom.run("saveCorrected", { persons: people.map(({ motion }) => motion.person), about });
  }
}
